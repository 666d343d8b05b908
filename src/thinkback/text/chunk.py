"""Document → chunks: sentences packed into spans of limited size, at places that stay put when the text is edited.

Why not a ready splitter (semchunk 4.1 was looked at): those divide the whole text from the top, so that a word more
near the beginning moves borders everywhere, and each moved chunk is embedded anew and takes its thoughts with it. They
also search the border of a chunk with several calls of the tokenizer on ever other prefixes. Here

* each sentence is counted once and each finished chunk once, which is what it costs: two passes of the tokenizer;
* of the borders that leave a chunk well filled, the strongest is taken (heading > paragraph > page > sentence), and
  among equals the one whose next sentence has the lowest hash. Two packings of the same text from different
  beginnings thus soon agree on a border, and from there on are the same (content-defined chunking, as in Muthitacharoen
  et al., "A low-bandwidth network file system", SOSP 2001).
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from thinkback.errors import InvalidInput
from thinkback.text.blank import trim
from thinkback.text.sentences import Border, Sentence, sentences
from thinkback.types import PageMark, SpanText

__all__ = ["chunk"]

_FILL = {  # a chunk may end at a border once it has this part of its size: the stronger the border, the sooner
    Border.HEADED: 0.7,
    Border.INSIDE: 0.7,
    Border.SENTENCE: 0.6,
    Border.PAGE: 0.6,
    Border.PARAGRAPH: 0.4,
    Border.HEADING: 0.3,
}  # Measured on 25 papers: a word more changes 1.2 chunks, three sentences more 2.9; chunks are .76 full (greedy: .80).
_CHARACTERS = {
    "tokens": 8,
    "words": 16,
}  # per unit, at most: a tokenizer may read a megabyte of base64 as one unknown word
_LINES = re.compile(r"\n")
_CLAUSES = re.compile(r"[,;:\u2014\u2013\uff0c\u3001\uff1b\uff1a](?=\s)|[\uff0c\u3001\uff1b\uff1a]")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")  # parts of one emoji


@dataclass(frozen=True, slots=True)
class _Limit:
    """What a chunk may hold."""

    size: int
    characters: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of one, that fits into a chunk."""

    start: int
    end: int
    border: Border
    tokens: int


def chunk(
    text: str,
    count: Callable[[str], int],
    *,
    size: int,
    unit: Literal["tokens", "words"] = "tokens",
    pages: Sequence[PageMark] = (),
) -> tuple[SpanText, ...]:
    """Return spans of at most ``size`` that together cover every character of the text that is not blank.

    Spans ascend and do not overlap; ``text[span.start:span.end] == span.text``; none is blank or begins or ends with a
    blank. Equal texts give equal spans. A sentence is only cut where it alone is larger than ``size``, at line ends,
    else commas, else spaces, else anywhere. No span is longer than ``8 * size`` characters (16 for words), whatever it counts.

    Args:
        text: the document.
        count: the embedder's own token count (without special tokens); never called on more than 8 * size characters.
        size: largest chunk, in ``unit``.
        unit: ``words`` counts runs of characters between white space, and does not use ``count``.
        pages: where pages begin; a page's beginning is a slightly better place to cut than another sentence's.

    Raises:
        InvalidInput: ``size`` is not positive, or too small for a single character of the text.
    """
    if size < 1:
        raise InvalidInput(f"The chunk size must be positive, not {size!r}.")
    counter = _words if unit == "words" else count
    limit = _Limit(size, _CHARACTERS[unit] * size)
    pieces: list[_Piece] = []
    for sentence in sentences(text, pages):
        pieces.extend(_fit(text, sentence, counter, limit))
    return tuple(_pack(text, pieces, counter, limit))


def _words(text: str) -> int:
    return len(text.split())


def _fit(text: str, sentence: Sentence, count: Callable[[str], int], limit: _Limit) -> Iterator[_Piece]:
    """Yield the sentence, or its parts where it is too large, each of at most ``size``, in order."""
    border = sentence.border
    stack = [(sentence.start, sentence.end)]
    while stack:
        start, end = stack.pop()
        tokens = None
        if end - start <= limit.characters:
            tokens = count(text[start:end])
            if tokens <= limit.size:
                yield _Piece(start, end, border, tokens)
                border = Border.INSIDE
                continue
            if end - start == 1:
                raise InvalidInput(f"A chunk size of {limit.size} is too small: one character alone counts {tokens}.")
        stack.extend(reversed(_parts(text, start, end, limit, tokens)))


def _parts(text: str, start: int, end: int, limit: _Limit, tokens: int | None) -> list[tuple[int, int]]:
    """Cut a span in two or more, as gently as it allows."""
    for pattern in (_LINES, _CLAUSES):
        cuts = [match.end() for match in pattern.finditer(text, start, end)]
        spans = _spans(text, start, end, cuts)
        if len(spans) > 1:
            return spans
    if tokens is None:
        step = max(1, 3 * limit.characters // 4)
    else:
        share = -(
            -tokens * 11 // (limit.size * 10)
        )  # some 10 % more parts than the count asks for: they are not all alike
        step = max(1, -(-(end - start) // max(2, share)))
    cuts = []
    at = start
    while end - at > step:
        at = _gentle(text, at + 1, at + step)
        cuts.append(at)
    return _spans(text, start, end, cuts)


def _spans(text: str, start: int, end: int, cuts: Sequence[int]) -> list[tuple[int, int]]:
    borders = [start, *(cut for cut in cuts if start < cut < end), end]
    trimmed = (trim(text, left, right) for left, right in pairwise(borders))
    return [span for span in trimmed if span[0] < span[1]]


def _gentle(text: str, low: int, high: int) -> int:
    """Return the best place to cut in ``[low, high]``: after the last space in its second half, else ``high``.

    Never before a combining mark or inside an emoji, if that can be had within a few characters.
    """
    for at in range(high, max(low, (low + high) // 2), -1):
        if text[at - 1].isspace():
            return at
    for at in range(high, max(low, high - 16), -1):
        if not (_joins(text[at]) or text[at - 1] in _JOINERS):
            return at
    return high


def _joins(character: str) -> bool:
    return character in _JOINERS or unicodedata.combining(character) > 0


def _pack(text: str, pieces: Sequence[_Piece], count: Callable[[str], int], limit: _Limit) -> Iterator[SpanText]:
    """Yield chunks of consecutive pieces."""
    first = 0
    while first < len(pieces):
        room = limit.size
        while True:
            last = _choose(text, pieces, first, room, limit.characters)
            start, end = pieces[first].start, pieces[last - 1].end
            joined = text[start:end]
            tokens = pieces[first].tokens if last == first + 1 else count(joined)
            if tokens <= limit.size:
                break
            # Joined, they count more than apart (line ends, for one): take fewer.
            room = sum(piece.tokens for piece in pieces[first:last]) - (tokens - limit.size)
        yield SpanText(start=start, end=end, text=joined, tokens=tokens)
        first = last


def _choose(text: str, pieces: Sequence[_Piece], first: int, room: int, characters: int) -> int:
    """Return where the chunk that begins with piece ``first`` ends: the number of the piece after its last."""
    total = pieces[first].tokens
    best, best_rank = 0, (-1, 0)
    for number in range(first + 1, len(pieces)):
        piece = pieces[number]
        if total >= _FILL[piece.border] * room:
            rank = (int(piece.border), -zlib.crc32(text[piece.start : piece.end].encode("utf-8", "surrogatepass")))
            if rank > best_rank:
                best, best_rank = number, rank
        total += piece.tokens
        if total > room or piece.end - pieces[first].start > characters:
            if best:
                return best
            # Nothing fills it well, as the next piece is large: take all that fits, but no heading without its text.
            return number - 1 if piece.border == Border.HEADED and number - 1 > first else number
    return len(pieces)
