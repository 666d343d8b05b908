"""A streamed answer on the screen: words are wrapped whole on a terminal, and passed on as they are in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from thinkback.app.cli.screen import clean, prose_width

__all__ = ["Typist", "closing_line"]


class Typist:
    """Writes pieces of text as they come, breaking lines between words.

    Args:
        stream: where to; None: stdout.
        indent: spaces before each line.
    """

    def __init__(self, stream: TextIO | None = None, *, indent: int = 0) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self._width = prose_width() - indent if self._stream.isatty() else None
        self._indent = " " * indent
        self._column = 0
        self._word = ""
        self._blanks = ""
        self.wrote = False

    def write(self, piece: str) -> None:
        """Write a piece; its last word is held back until it is whole."""
        for character in clean(piece):
            if character == "\n":
                self._put_word()
                self._break()
            elif character == " ":
                self._put_word()
                self._blanks += character
            else:
                self._word += character
                if self._width is None or _is_wide(character):
                    self._put_word()  # a pipe gets every piece at once, and such scripts break anywhere
        self._stream.flush()

    def finish(self) -> None:
        """Write what is held back and end the line."""
        self._put_word()
        if self._column:
            self._break()
        self._stream.flush()

    def _put_word(self) -> None:
        if not self._word:
            return
        size = _cells(self._word)
        if self._width is not None and self._column and self._column + len(self._blanks) + size > self._width:
            self._break()
        if not self._column:
            self._stream.write(self._indent)
            self._blanks = self._blanks if not self.wrote else ""
        self._stream.write(self._blanks + self._word)
        self._column += len(self._blanks) + size
        self._word = self._blanks = ""
        self.wrote = True

    def _break(self) -> None:
        self._stream.write("\n")
        self._column = 0
        self._blanks = ""


@contextmanager
def closing_line(typist: Typist) -> Iterator[None]:
    """End the line that is being written where something goes wrong, so that the error stands on its own."""
    try:
        yield
    except BaseException:
        typist.finish()
        raise


def _is_wide(character: str) -> bool:
    from rich.cells import get_character_cell_size

    return not character.isascii() and get_character_cell_size(character) > 1


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)
