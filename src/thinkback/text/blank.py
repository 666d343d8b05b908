"""What counts as empty: white space, and characters that take no room on a page."""

from __future__ import annotations

import re

__all__ = ["is_blank", "trim"]

_BLANK = (
    r"\s\x00-\x1f\x7f-\x9f"  # white space and controls
    r"\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # formats: joiners, directions, marks
    r"\U000e0001\U000e0020-\U000e007f"  # tags
    r"\u115f\u1160\u2800\u3164\uffa0"  # fillers: letters by category that print as nothing
)
_VISIBLE = re.compile(f"[^{_BLANK}]")
_INVISIBLE = re.compile(f"[{_BLANK}]")


def is_blank(text: str) -> bool:
    """Return whether a reader would see nothing: only spaces, controls and zero-width characters, or no text at all."""
    return _VISIBLE.search(text) is None


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without blank characters at its ends; ``(start, start)`` where nothing is left."""
    first = _VISIBLE.search(text, start, end)
    if first is None:
        return start, start
    while _INVISIBLE.match(text, end - 1):
        end -= 1
    return first.start(), end
