"""Text → sentences, with how strong the border before each one is.

Everything here is decided from a few lines around a place, never from the whole text, so that a change in one
paragraph leaves the borders in all others as they were.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from thinkback.text.blank import trim
from thinkback.types import PageMark

__all__ = ["Border", "Sentence", "sentences"]


class Border(IntEnum):
    """How good a place is to cut, rising."""

    HEADED = 0
    """Right after a heading: cut only where nothing else will do."""
    INSIDE = 1
    """Within a sentence."""
    SENTENCE = 2
    PAGE = 3
    """A sentence that is the first on its page."""
    PARAGRAPH = 4
    HEADING = 5
    """Right before a heading."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of the text, without blanks at its ends, and the border before it."""

    start: int
    end: int
    border: Border


_LINE = re.compile(r"[^\n]+")
_MARKED_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022\u25e6\u2013|>]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\[[\w:.+-]{1,40}\])[ \t]+\S")
_ENDS = ".!?\u2026:;,\u3002\uff01\uff1f\uff0c\u3001\uff1b\uff1a\u0964\u061f\u06d4"
_LONGEST_HEADING = 80  # characters: a title line of a paper is rarely longer, a wrapped line of prose rarely shorter
_LONG_LINE = 100  # longer lines are not wrapped by hand, so the short line before one was broken on purpose

# The look-behind lets a run of full stops be tried once, not from each of its characters (leaders of dots are long).
_WESTERN = r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u2019\u201d\u00bb)\]}]*+(?=\s)"
_EASTERN = r"(?<![\u3002\uff01\uff1f\uff61])[\u3002\uff01\uff1f\uff61]++[\u300d\u300f\u2019\u201d\uff09\u3011\u300b]*+"
_OTHER = r"(?<![\u0964\u0965\u061f\u06d4\u1362\u104b])[\u0964\u0965\u061f\u06d4\u1362\u104b]++(?=\s)"
_END = re.compile(f"{_WESTERN}|{_EASTERN}|{_OTHER}")
_NEXT = re.compile(r"\s+(\S)")
_LAST_WORD = re.compile(r"[^\W\d_][^\W\d_.]*(?:\.[^\W\d_]+)*$")
_ABBREVIATIONS = re.compile(
    r"al|app|approx|art|bzw|ca|cap|cf|ch|chap|def|dept|dr|e\.g|eds?|eqs?|equ|est|ex|figs?|gen|i\.e|ibid|inc|jr|lem|ltd"
    r"|max|min|mrs?|ms|nat|nr|no|op|pp?|p\.ex|prof|prop|proc|refs?|resp|sec|sect|sr|st|suppl|tab|thm|univ|viz|vol|vs"
    r"|z\.b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    border: Border


def sentences(text: str, pages: Sequence[PageMark] = ()) -> Iterator[Sentence]:
    """Yield the sentences in order; together they cover every character that is not blank.

    Headings are sentences of their own. A line that begins a list item or a table row begins a sentence. There is no
    upper length: text without full stops is one sentence.

    Args:
        text: any text; headings as ``# Title`` lines, or short lines that stand alone.
        pages: where pages begin; only makes the border of a page's first sentence stronger.
    """
    starts = [mark.start for mark in pages]
    previous_end = 0
    for block in _blocks(text):
        border = block.border
        for start, end in _split(text, block.start, block.end):
            if border == Border.SENTENCE and _begins_page(starts, previous_end, start):
                border = Border.PAGE
            yield Sentence(start, end, border)
            border, previous_end = Border.SENTENCE, end


def _begins_page(page_starts: Sequence[int], previous_end: int, start: int) -> bool:
    at = bisect_left(page_starts, max(previous_end, 1))  # the first page's beginning, 0, is no border
    return at < len(page_starts) and page_starts[at] <= start


def _blocks(text: str) -> Iterator[_Block]:
    """Yield runs of lines that belong together: a paragraph, a list item, a heading."""
    begun: int | None = None
    border, headed, end = Border.PARAGRAPH, False, 0
    gap = True  # a blank line, or the beginning of the text, lies before
    for line in _LINE.finditer(text):
        start, stop = trim(text, line.start(), line.end())
        if start == stop:
            gap = True
            continue
        gap = gap or text.find("\n\n", end, start) >= 0
        heading = _is_heading(text, line, start, stop, gap=gap, previous_end=end)
        if gap or heading or headed or _ITEM.match(text, line.start(), line.end()):
            if begun is not None:
                yield _Block(begun, end, border)
            begun = start
            border = _border(heading=heading, headed=headed, gap=gap)
        end, gap, headed = stop, False, heading
    if begun is not None:
        yield _Block(begun, end, border)


def _border(*, heading: bool, headed: bool, gap: bool) -> Border:
    if headed:  # also for a heading right after a heading: the two belong to what follows
        return Border.HEADED
    if heading:
        return Border.HEADING
    return Border.PARAGRAPH if gap else Border.SENTENCE


def _is_heading(text: str, line: re.Match[str], start: int, stop: int, *, gap: bool, previous_end: int) -> bool:
    """Say whether a line is a title: marked as one, or short, unpunctuated and set apart by what is around it."""
    if _MARKED_HEADING.match(text, start, stop):
        return True
    if (
        stop - start > _LONGEST_HEADING
        or text[stop - 1] in _ENDS
        or not (text[start].isupper() or text[start].isdigit())
    ):
        return False
    if not gap and text[previous_end - 1] not in _ENDS:
        return False
    after = line.end()
    if after + 1 >= len(text):
        return False
    if gap and text[after + 1] == "\n":
        return True
    following = text.find("\n", after + 1, after + 1 + _LONG_LINE)
    return following < 0 and len(text) - after - 1 >= _LONG_LINE


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of one block."""
    begun = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and _is_end(text, match, begun):
            yield trim(text, begun, match.end())
            begun = match.end()
    first, last = trim(text, begun, end)
    if first < last:
        yield first, last


def _is_end(text: str, match: re.Match[str], begun: int) -> bool:
    """Say whether a full stop ends a sentence rather than an abbreviation, an initial or a number."""
    if text[match.start()] not in ".!?\u2026":
        return True
    following = _NEXT.match(text, match.end())
    if following is None or following.group(1).islower():
        return False
    if match.group()[0] != "." or len(match.group()) > 1:
        return True
    word = _LAST_WORD.search(text, max(begun, match.start() - 16), match.start())
    if word is None:
        return True
    last = word.group()
    return not (_ABBREVIATIONS.fullmatch(last) or (len(last) == 1 and last.isupper()))
