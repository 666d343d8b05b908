"""Text in sources that tries to steer the model or the memory. It stays readable; it never becomes a thought.

Patterns (``data/steering.toml``) over the text as a model would read it: invisible characters are dropped, look-alike
letters and spaced-out words put back.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["plain", "steers"]

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_SPACE = re.compile(r"[^\S\n]+")
_MIXED = re.compile(r"\w*(?:[A-Za-z][\u0370-\u03ff\u0400-\u052f\u0131]|[\u0370-\u03ff\u0400-\u052f][A-Za-z])\w*")
_SPACED = re.compile(r"(?<![^\W_])(?:[A-Za-z][ .\-_*]){4,}[A-Za-z](?![^\W_])")
_BETWEEN = re.compile(r"[ .\-_*]")


@dataclass(frozen=True, slots=True)
class _Rules:
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    lookalikes: dict[int, str]


def steers(text: str) -> str | None:
    """Return how a text tries to steer the model or the memory, in a few words without quoting it, or None.

    Any text may be given; the time is linear in its length for text as people write it.
    """
    seen = plain(text)
    for reason, pattern in _rules().patterns:
        if pattern.search(seen):
            return reason
    return None


def plain(text: str) -> str:
    """Return the text as it is read: NFKC, no invisible characters, look-alikes and spaced-out words put back.

    "i g n o r e" becomes one word. Where several words in a row are spaced out with single spaces, their borders are
    lost and they become one.
    """
    seen = _SPACE.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    seen = _MIXED.sub(lambda match: match.group().translate(_rules().lookalikes), seen)
    return _SPACED.sub(lambda match: _BETWEEN.sub("", match.group()), seen)


@cache
def _rules() -> _Rules:
    entry = resources.files("thinkback.thought") / "data" / "steering.toml"
    table = tomllib.loads(entry.read_text(encoding="utf-8"))
    parts: dict[str, str] = table["parts"]
    patterns = []
    for rule in table["rules"]:
        for written in rule["patterns"]:
            pattern = written
            for name, part in parts.items():
                pattern = pattern.replace(f"{{{name}}}", part)
            patterns.append((rule["reason"], re.compile(pattern, re.IGNORECASE | re.MULTILINE)))
    letters = table["lookalikes"]
    lookalikes = dict(zip(map(ord, letters["from"]), letters["to"], strict=True))
    return _Rules(tuple(patterns), lookalikes)
