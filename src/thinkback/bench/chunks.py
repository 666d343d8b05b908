"""One way to cut a corpus, the same for every system, and the chunks that hold a task's gold evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from thinkback.bench.records import Corpus, Gold, SourceText
from thinkback.errors import InvalidInput
from thinkback.text.chunk import chunk
from thinkback.types import Record

__all__ = ["ChunkedCorpus", "Piece", "cut"]

_LEAST_OVERLAP = 0.5
"""Of a gold span or of a chunk: a chunk that holds less of either is not called gold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece(Record):
    """A chunk of a corpus: ``document.text[start:end] == text``."""

    id: str
    """``DOCUMENT#ORDINAL``, the ordinal from 0."""
    document_id: str
    ordinal: int
    start: int
    end: int
    text: str
    title: str
    """Of the document."""
    date: str


@dataclass(frozen=True)
class ChunkedCorpus:
    """A corpus and its chunks, in the order of its documents."""

    corpus: Corpus
    pieces: tuple[Piece, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Piece]:
        """The chunks by their id."""
        return {piece.id: piece for piece in self.pieces}

    @cached_property
    def _by_document(self) -> Mapping[str, Sequence[Piece]]:
        found: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            found.setdefault(piece.document_id, []).append(piece)
        return found

    def gold(self, spans: Iterable[Gold]) -> dict[str, int]:
        """Return chunk id to grade for the chunks that hold the spans, in the order of the spans.

        A chunk counts if it holds at least half of a span, or lies in one with at least half of itself. A span that is
        so cut that no chunk does, counts for the chunk that holds most of it. Spans of grade 0 are left out.
        """
        found: dict[str, int] = {}
        for span in spans:
            if span.grade <= 0:
                continue
            shares = [(self._share(piece, span), piece) for piece in self._by_document.get(span.document_id, ())]
            good = [piece for share, piece in shares if share >= _LEAST_OVERLAP]
            if not good and shares:
                best, piece = max(shares, key=lambda pair: pair[0])
                good = [piece] if best > 0 else []
            for piece in good:
                found[piece.id] = max(found.get(piece.id, 0), span.grade)
        return found

    @staticmethod
    def _share(piece: Piece, span: Gold) -> float:
        common = min(piece.end, span.end) - max(piece.start, span.start)
        return max(common / (span.end - span.start), common / (piece.end - piece.start), 0.0)


def cut(
    corpus: Corpus, count: Callable[[str], int], *, size: int = 250, unit: Literal["tokens", "words"] = "tokens"
) -> ChunkedCorpus:
    """Cut a corpus: documents that bring their own passages along those, others as the product cuts them.

    Args:
        corpus: what to cut.
        count: tokens of a text, under the embedder's tokenizer.
        size: largest chunk.
        unit: what ``size`` counts.

    Raises:
        InvalidInput: passages of a document overlap, are empty or reach outside its text.
    """
    pieces = [
        Piece(
            id=f"{document.id}#{ordinal}", document_id=document.id, ordinal=ordinal, start=start, end=end,
            text=document.text[start:end], title=document.title, date=document.date,
        )
        for document in corpus.documents
        for ordinal, (start, end) in enumerate(_spans(document, count, size, unit))
    ]  # fmt: skip
    return ChunkedCorpus(corpus, tuple(pieces))


def _spans(
    document: SourceText, count: Callable[[str], int], size: int, unit: Literal["tokens", "words"]
) -> Sequence[tuple[int, int]]:
    if not document.passages:
        return [(each.start, each.end) for each in chunk(document.text, count, size=size, unit=unit)]
    last = 0
    for start, end in document.passages:
        if not last <= start < end <= len(document.text):
            raise InvalidInput(f"The passages of document {document.id!r} are not in order or not in its text.")
        last = end
    return document.passages
