"""Take away what a model thinks aloud before it replies, from whole texts and from streams."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ThinkingFilter", "split_unclosed", "strip_thinking"]

_NAMES: Final = ("think", "thinking", "thought", "reasoning")
_NAME: Final = "(?:" + "|".join(_NAMES) + ")"
_OPEN: Final = re.compile(rf"<({_NAME})>", re.IGNORECASE)
_CLOSE: Final = re.compile(rf"</{_NAME}>", re.IGNORECASE)
_LINE_OPEN: Final = re.compile(rf"^[ \t]*<({_NAME})>", re.IGNORECASE | re.MULTILINE)
_QUOTES: Final = frozenset("`'\"")
_LONGEST_TAG: Final = len("</reasoning>")


def split_unclosed(text: str) -> tuple[str, str]:
    """Return the reply, and what follows a thinking tag that was never closed (empty: there is none).

    Removed are blocks that begin a line, and everything up to a closing tag without an opening one: some servers put
    the opening tag into the prompt. A tag in quotes or in a sentence is talk about tags, and stays.
    """
    text = _without_blocks(text)
    opening = _OPEN.search(text)
    first_open = opening.start() if opening else len(text)
    if not text.lstrip().startswith("{"):  # in a JSON reply the tag is a part of a string
        for close in _CLOSE.finditer(text, 0, first_open):
            if close.start() == 0 or text[close.start() - 1] not in _QUOTES:
                text = text[close.end() :]
                break
    start = _OPEN.match(text.lstrip())
    if start:
        return "", text.lstrip()[start.end() :]
    return text.strip(), ""


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (opening := _LINE_OPEN.search(text, at)) is not None:
        close = re.compile(f"</{opening.group(1)}>", re.IGNORECASE).search(text, opening.end())
        if close is None:
            break
        kept.append(text[at : opening.start()])
        at = close.end()
    return "".join(kept) + text[at:]


def strip_thinking(text: str) -> str:
    """Return the reply without the thinking in it, and without space around it; empty if it never stopped thinking."""
    return split_unclosed(text)[0]


class ThinkingFilter:
    """Lets a streamed reply through without its leading thinking block.

    Args:
        inside: the prompt itself ended with the opening tag, so the reply begins in mid-thought.
    """

    def __init__(self, *, inside: bool = False) -> None:
        self._state = "inside" if inside else "before"
        self._held = ""

    @property
    def thinking(self) -> bool:
        """Whether the stream is inside a block."""
        return self._state == "inside"

    def feed(self, text: str) -> str:
        """Return what may be shown of the text so far and was not yet returned."""
        if self._state == "after":
            return text
        self._held += text
        while True:
            if self._state == "inside":
                close = _CLOSE.search(self._held)
                if close is None:
                    self._held = self._held[-_LONGEST_TAG:]  # the tag may come in pieces
                    return ""
                self._held = self._held[close.end() :]
                self._state = "before"
            self._held = self._held.lstrip()
            opening = _OPEN.match(self._held)
            if opening:
                self._held = self._held[opening.end() :]
                self._state = "inside"
                continue
            if not self._held or _may_open(self._held):
                return ""
            self._state = "after"
            return self.finish()

    def finish(self) -> str:
        """Return what was held back, at the end of the stream; nothing of a block that was never closed."""
        held, self._held = self._held, ""
        return "" if self._state == "inside" else held


def _may_open(text: str) -> bool:
    lowered = text.lower()
    return any(f"<{name}>".startswith(lowered) for name in _NAMES)
