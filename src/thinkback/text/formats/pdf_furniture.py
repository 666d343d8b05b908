"""Which lines of a document's pages are furniture: running heads, footers, page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from thinkback.text.formats.pdf_lines import Line

__all__ = ["without_furniture"]

_EDGE = 2  # lines at the head and at the foot of a page that are looked at
_LEAST_PAGES = 3
_SHARE = 0.3  # of the pages: heads often differ between left and right pages
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"^\W*(\d{1,4})\b|\b(\d{1,4})\W*$")
_NUMBER_ALONE = re.compile(
    r"\W*(?:page|seite|p\.)?\W*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von)\s*\d{1,4})?\W*", re.IGNORECASE
)
_LONGEST = 120  # characters; running heads are short


def without_furniture(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return each page's lines without those at its edges that come again on other pages, or that count the pages."""
    edges = [_edge_lines(lines) for lines in pages]
    repeated = _repeated(edges)
    offset = _page_offset(edges)
    kept = []
    for number, (lines, edge) in enumerate(zip(pages, edges, strict=True)):
        dropped = {
            id(line)
            for line in edge
            if _key(line) in repeated
            or (offset is not None and number + offset in _numbers(line))
            or _counts(line, number)
        }
        # A page of nothing but edges (a slide, a label) is no furniture.
        kept.append([line for line in lines if id(line) not in dropped] or list(lines))
    return kept


def _edge_lines(lines: Sequence[Line]) -> list[Line]:
    """Return the short lines among the topmost and lowest of a page; several may stand at one height."""
    heights = sorted({round(line.y) for line in lines}, reverse=True)
    at_edge = {*heights[:_EDGE], *heights[-_EDGE:]}
    return [line for line in lines if round(line.y) in at_edge and len(line.text) <= _LONGEST]


def _key(line: Line) -> tuple[str, int]:
    """Return what makes two running heads the same: the text but for numbers, at about the same height."""
    return _DIGITS.sub("#", line.text).casefold(), round(line.y / 8)


def _repeated(edges: Sequence[Sequence[Line]]) -> set[tuple[str, int]]:
    if len(edges) < _LEAST_PAGES:
        return set()
    counts = Counter(key for edge in edges for key in {_key(line) for line in edge})
    least = max(_LEAST_PAGES, _SHARE * len(edges))
    return {key for key, count in counts.items() if count >= least}


def _numbers(line: Line) -> set[int]:
    return {int(digits) for match in _NUMBER.finditer(line.text) for digits in match.groups() if digits}


def _page_offset(edges: Sequence[Sequence[Line]]) -> int | None:
    """Return printed number minus page index, if most pages with text agree on one."""
    if len(edges) < _LEAST_PAGES:
        return None
    votes: Counter[int] = Counter()
    for number, edge in enumerate(edges):
        votes.update({printed - number for line in edge for printed in _numbers(line)})
    if not votes:
        return None
    offset, count = votes.most_common(1)[0]
    return offset if 2 * count >= sum(1 for edge in edges if edge) and count >= _LEAST_PAGES else None


def _counts(line: Line, number: int) -> bool:
    """Say whether a line is only a page's number; a bare digit only where it is the right one."""
    if not _NUMBER_ALONE.fullmatch(line.text):
        return False
    bare = _DIGITS.fullmatch(line.text.strip())
    return bare is None or int(line.text) == number + 1
