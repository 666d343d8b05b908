"""A JSON reader that takes its text in pieces, says how far it has come, and reads strings as models mean them.

The standard library reads whole documents only; here the answer of a model is shown while it is being written, and a
reply that was cut off must be told from one that is wrong.
"""

from __future__ import annotations

import re
from typing import Any, Final

from thinkback.llm.escapes import StringDecoder

__all__ = ["JsonFault", "JsonReader"]

_SPACE: Final = re.compile(r"[ \t\n\r\u00a0\ufeff]*")
_STRING: Final = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_BARE: Final = re.compile(r"[-+.0-9A-Za-z]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LITERALS: Final = {"true": True, "false": False, "null": None}
_DEEPEST: Final = 100
_LONGEST_NUMBER: Final = 400


class JsonFault(ValueError):
    """The text is not JSON from ``offset`` on, where ``depth`` objects and lists were open."""

    def __init__(self, offset: int, depth: int) -> None:
        super().__init__(f"not JSON at character {offset}")
        self.offset = offset
        self.depth = depth


class JsonReader:
    """Reads one JSON object or list, fed in any pieces.

    Raw line breaks inside strings are allowed, for models write them. NaN, infinities, comments and trailing commas are
    not: what is half understood must not become memory.

    Args:
        follow: a key of the outermost object whose string is collected in ``followed`` while it is read.
    """

    def __init__(self, *, follow: str | None = None) -> None:
        self.followed: list[str] | None = None
        """Decoded pieces of the followed string; None before it begins."""
        self._follow = follow
        self.root: Any = None
        """What has been read so far; it grows in place."""
        self.done = False
        """True once the object or list is closed; what follows is in ``rest``."""
        self.rest = ""
        self._string: list[str] | None = None
        self._decoder = StringDecoder()
        self._stack: list[Any] = []
        self._keys: list[str] = []
        self._expect = "value"
        self._held = ""
        self._offset = 0

    @property
    def depth(self) -> int:
        """How many objects and lists are open."""
        return len(self._stack)

    @property
    def key(self) -> str | None:
        """The key of the outermost object that was read last, and whose value may still be open."""
        return self._keys[0] if self._keys else None

    def feed(self, text: str) -> None:
        """Read on.

        Raises:
            JsonFault: this can no longer become JSON; the offset counts from the first character ever fed.
        """
        text = self._held + text
        self._held = ""
        at = 0
        while at < len(text) and not self.done:
            at, waiting = self._step(text, at)
            if waiting:
                break
        if self.done:
            self.rest += text[at:]
        else:
            self._held = text[at:]
        self._offset += at

    def _step(self, text: str, at: int) -> tuple[int, bool]:
        """Read one token; return where it ends, and whether more text is needed to read it."""
        if self._string is not None:
            return self._read_string(text, at)
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at == len(text):
            return at, False
        mark = text[at]
        before_value = self._expect in {"value", "value or end"}
        if mark == '"' and (before_value or self._expect in {"key", "key or end"}):
            self._begin_string(is_key=not before_value)
        elif mark in "{[" and before_value:
            self._open({} if mark == "{" else [], at)
        elif mark in "}]" and self._stack:
            self._close(mark, at)
        elif before_value and self._stack:
            return self._read_bare(text, at)
        else:
            self._separate(mark, at)
        return at + 1, False

    def _begin_string(self, *, is_key: bool) -> None:
        self._string = []
        self._decoder = StringDecoder()
        if is_key:
            self._expect = "colon"
        elif self._is_followed() and self.followed is None:
            self.followed = []

    def _separate(self, mark: str, at: int) -> None:
        if mark == ":" and self._expect == "colon":
            self._expect = "value"
        elif mark == "," and self._expect == "comma or end":
            in_object = isinstance(self._stack[-1], dict)
            if in_object:
                self._keys.pop()
            self._expect = "key" if in_object else "value"
        else:
            raise self._fault(at)

    def _fault(self, at: int) -> JsonFault:
        return JsonFault(self._offset + at, self.depth)

    def _open(self, container: Any, at: int) -> None:
        if self.depth >= _DEEPEST:
            raise self._fault(at)
        self._put(container)
        self._stack.append(container)
        self._expect = "key or end" if isinstance(container, dict) else "value or end"

    def _close(self, mark: str, at: int) -> None:
        container = self._stack[-1]
        fits = isinstance(container, dict) == (mark == "}")
        empty = self._expect in {"key or end", "value or end"}
        if not fits or not (empty or self._expect == "comma or end"):
            raise self._fault(at)
        self._stack.pop()
        if mark == "}" and not empty:
            self._keys.pop()
        self.done = not self._stack
        self._expect = "comma or end"

    def _put(self, value: Any) -> None:
        """Put a value where it belongs."""
        if not self._stack:
            self.root = value
        elif isinstance(self._stack[-1], dict):
            self._stack[-1][self._keys[-1]] = value
        else:
            self._stack[-1].append(value)

    def _read_string(self, text: str, at: int) -> tuple[int, bool]:
        match = _STRING.match(text, at)
        end = match.end() if match else at
        closed = end < len(text) and text[end] == '"'
        assert self._string is not None  # noqa: S101 - the caller looked
        piece = self._decoder.feed(text[at:end], last=closed)
        self._string.append(piece)
        if self.followed is not None and self._expect != "colon" and self._is_followed():
            self.followed.append(piece)
        if not closed:
            return end, True  # what is left is nothing, or a lone backslash that waits for its letter
        value = "".join(self._string)
        if self._expect == "colon":
            self._keys.append(value)
        else:
            self._put(value)
            self._expect = "comma or end"
        self._string = None
        return end + 1, False

    def _is_followed(self) -> bool:
        return self._follow is not None and self.depth == 1 and self.key == self._follow

    def _read_bare(self, text: str, at: int) -> tuple[int, bool]:
        match = _BARE.match(text, at)
        end = match.end() if match else at
        word = text[at:end]
        if not word or len(word) > _LONGEST_NUMBER:
            raise self._fault(at)
        if end == len(text):
            return at, True
        if word in _LITERALS:
            self._put(_LITERALS[word])
        else:
            number = _NUMBER.fullmatch(word)
            value = None if number is None else float(word) if number.group(1) or number.group(2) else int(word)
            if value is None or value in {float("inf"), float("-inf")}:
                raise self._fault(at)
            self._put(value)
        self._expect = "comma or end"
        return end, False
