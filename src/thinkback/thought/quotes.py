"""Where in an item a quote stands, allowing for what models and scanners do to quotes.

White space, case, typographic quotes and dashes, ligatures and hyphens at line ends do not count as differences; an
ellipsis inside the quote skips text; small misspellings count by edit distance. Offsets are exact, into the original.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from thinkback.thought.words import words

__all__ = ["Match", "find_quote", "is_quotable"]

_LEAST_LETTERS = 12
_LEAST_CJK = 5
_LEAST_CONTENT = 2
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|\u2026)\s*\]|\(\s*(?:\.{3}|\u2026)\s*\)|\.{3,}|\u2026)\s*")
_WIDEST_GAP = 600  # characters that one ellipsis may skip: more is two quotes, not one
_WRAPPING = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u300c\u300d\u300e\u300f` \t\r\n"
_LINE_HYPHEN = re.compile(r"[-\u00ad\u2010]\s*\n\s*")
_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A place in a text: ``text[start:end]``."""

    start: int
    end: int
    score: float
    """1 minus the edits per character of the quote; 1 for a copy."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as compared, and for each of its characters the offset of the original character it came from."""

    text: str
    origin: list[int]


def is_quotable(quote: str) -> bool:
    """Tell whether a quote is long and particular enough to prove anything by standing somewhere.

    It needs 12 letters or digits and two content words, or five CJK characters.
    """
    found = words(quote)
    cjk = sum(1 for w in found if w.kind == "cjk")
    if cjk >= _LEAST_CJK - 1:
        return True
    letters = sum(1 for c in quote if c.isalnum())
    content = {w.stem for w in found if w.content}
    return letters >= _LEAST_LETTERS and len(content) >= _LEAST_CONTENT


def find_quote(quote: str, text: str, *, threshold: float = 0.9) -> Match | None:
    """Return where a quote stands in a text, or None.

    A substring of the text that is quotable (see ``is_quotable``) is always found, with score 1; of several places
    with the same score the first is returned.

    Args:
        quote: what is said to be in the text; quotation marks around it are ignored.
        text: the item.
        threshold: least score of a match, 0 to 1.
    """
    bare = quote.strip(_WRAPPING)
    if not is_quotable(bare):
        return None
    at = text.find(bare)
    if at >= 0:
        return Match(start=at, end=at + len(bare), score=1.0)
    folded = _fold(text)
    parts = [part for part in (_fold(p).text.strip() for p in _ELLIPSIS.split(bare)) if part]
    if not parts:
        return None
    found = _locate_parts(parts, folded.text, threshold)
    return None if found is None else _unfold(found, folded)


def _fold(text: str) -> _Folded:
    """Make typographic variants equal; runs of white space become one space."""
    joined = {i for match in _LINE_HYPHEN.finditer(text) for i in range(match.start(), match.end())}
    pieces: list[str] = []
    origin: list[int] = []
    for i, char in enumerate(text):
        if i in joined or char in _INVISIBLE:
            continue
        for plain in unicodedata.normalize("NFKC", char).casefold().translate(_SAME):
            if plain.isspace():
                if pieces and pieces[-1] == " ":
                    continue
                plain = " "  # noqa: PLW2901 - every kind of space is one space
            pieces.append(plain)
            origin.append(i)
    return _Folded("".join(pieces), origin)


def _unfold(match: Match, folded: _Folded) -> Match:
    """Translate offsets into the original text; spaces at the borders are left out."""
    start, end = match.start, match.end
    while start < end - 1 and folded.text[start] == " ":
        start += 1
    while end > start + 1 and folded.text[end - 1] == " ":
        end -= 1
    return Match(start=folded.origin[start], end=folded.origin[end - 1] + 1, score=match.score)


def _locate_parts(parts: list[str], text: str, threshold: float) -> Match | None:
    """Find the parts of a quote with ellipses, in order and not too far apart."""
    position = 0
    first = None
    weighted = 0.0
    for part in parts:
        window = text[position : position + len(part) * 2 + _WIDEST_GAP] if first is not None else text
        match = _locate(part, window, threshold)
        if match is None:
            return None
        weighted += match.score * len(part)
        if first is None:
            first = match.start
        position += match.end
    return Match(start=first or 0, end=position, score=weighted / sum(map(len, parts)))


def _locate(pattern: str, text: str, threshold: float) -> Match | None:
    """Find the substring of ``text`` with the fewest edits to ``pattern``, if they are few enough."""
    at = text.find(pattern)
    if at >= 0:
        return Match(start=at, end=at + len(pattern), score=1.0)
    allowed = int(len(pattern) * (1 - threshold))
    if not allowed or not _seeded(pattern, text, allowed):
        return None
    end, edits = _best_end(pattern, text)
    if edits > allowed:
        return None
    start = end - _best_length(pattern[::-1], text[max(0, end - len(pattern) - allowed) : end][::-1])
    return Match(start=start, end=end, score=1 - edits / len(pattern))


def _seeded(pattern: str, text: str, allowed: int) -> bool:
    """Tell whether a match is possible: of allowed + 1 disjoint pieces, one must stand unchanged (pigeon holes)."""
    size = len(pattern) // (allowed + 1)
    return any(pattern[i * size : (i + 1) * size] in text for i in range(allowed + 1))


def _best_end(pattern: str, text: str) -> tuple[int, int]:
    """Return the end of the substring of ``text`` nearest to ``pattern`` (the first such), and its edit distance.

    Bit-parallel dynamic programming over one machine integer per column: Myers, "A fast bit-vector algorithm for
    approximate string matching based on dynamic programming", J. ACM 46(3), 1999, with Python's long integers as the
    bit vectors.
    """
    columns = _columns(pattern, text, anchored=False)
    best_end, best = 0, len(pattern)
    for end, edits in enumerate(columns, start=1):
        if edits < best:
            best_end, best = end, edits
    return best_end, best


def _best_length(pattern: str, text: str) -> int:
    """Return the length of the prefix of ``text`` nearest to ``pattern``."""
    columns = _columns(pattern, text, anchored=True)
    best_length, best = 0, len(pattern)
    for length, edits in enumerate(columns, start=1):
        if edits < best:
            best_length, best = length, edits
    return best_length


def _columns(pattern: str, text: str, *, anchored: bool) -> list[int]:
    """Return, for each prefix of ``text``, the least edits between ``pattern`` and a suffix of it.

    Where ``anchored``, only the whole prefix counts.
    """
    masks: dict[str, int] = {}
    for i, char in enumerate(pattern):
        masks[char] = masks.get(char, 0) | (1 << i)
    full = (1 << len(pattern)) - 1
    top = 1 << (len(pattern) - 1)
    plus, minus, edits = full, 0, len(pattern)
    column = []
    for char in text:
        equal = masks.get(char, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = (minus | ~(horizontal | plus)) & full
        down = plus & horizontal
        if up & top:
            edits += 1
        elif down & top:
            edits -= 1
        up = (up << 1 | anchored) & full
        down = (down << 1) & full
        plus = (down | ~(vertical | up)) & full
        minus = up & vertical
        column.append(edits)
    return column
