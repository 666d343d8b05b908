"""Puts readable text together from a structured source: words, line ends, paragraphs, headings."""

from __future__ import annotations

import re

__all__ = ["Writer"]

_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


class Writer:
    """Collects text; white space in ``words`` counts as in HTML: any run of it is one space."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last = ""  # the last character written
        self._space = False  # a space is due before the next word
        self._wrapped = False  # ... which stands for a line end of the source
        self._breaks = 0  # line ends due before the next word
        self._held = False  # a list mark waits for its text: no line end in between

    def words(self, text: str) -> None:
        """Write running text."""
        collapsed = _SPACE.sub(" ", text)
        words = collapsed.strip(" ")
        if not words:
            self._space = self._space or bool(collapsed)
            return
        self._put(words, space=self._space or collapsed[0] == " ")
        self._space = collapsed[-1] == " "

    def soft_break(self) -> None:
        """Write a line end that the source has only because lines are of limited length."""
        self._space = self._wrapped = True

    def verbatim(self, text: str) -> None:
        """Write text whose spaces and line ends matter."""
        if text:
            self._put(text, space=self._space)
            self._space = False

    def newline(self) -> None:
        """Begin a new line, if this one has anything on it."""
        if not self._held:
            self._breaks = max(self._breaks, 1)

    def paragraph(self) -> None:
        """Leave a blank line, if anything stands above."""
        if not self._held:
            self._breaks = 2

    def mark(self, text: str) -> None:
        """Begin a line with a list mark; whatever comes next stands on the same line."""
        self.release()
        self._put(text, space=False)
        self._held = self._space = True

    def release(self) -> None:
        """Begin a new line even right after a list mark: its item is over."""
        self._held = False
        self.newline()

    def heading(self, level: int) -> None:
        """Begin a heading of level 1 to 6; the caller ends it with ``paragraph``."""
        self.paragraph()
        self._put("#" * level, space=False)
        self._space = True

    def _put(self, text: str, *, space: bool) -> None:
        if self._breaks:
            text = text.lstrip("\n") or "\n"
            if self._parts:
                self._parts.append("\n" * (self._breaks - (self._last == "\n")))
        elif space and self._last and self._last not in " \n" and not self._joins(text):
            self._parts.append(" ")
        self._breaks, self._wrapped, self._held = 0, False, False
        self._parts.append(text)
        self._last = text[-1]

    def _joins(self, text: str) -> bool:
        """Chinese and Japanese have no space where the source wraps a line."""
        return self._wrapped and bool(_WIDE.match(self._last) and _WIDE.match(text))

    @property
    def position(self) -> int:
        """Where the writing has got to, for ``text``."""
        return len(self._parts)

    def text(self, start: int = 0, end: int | None = None) -> str:
        """Return what was written, all of it or what lies between two positions."""
        return "".join(self._parts[start:end])
