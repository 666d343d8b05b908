"""Why: the provenance of a thought as a tree down to quoted spans of raw text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thinkback.errors import NotFound
from thinkback.ports import Reader
from thinkback.types import Chunk, Derivation, Evidence, Record, Thought

__all__ = ["WhyNode", "explain"]

_DEEPEST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNode(Record):
    """One thing in a provenance tree: a thought, one of its derivations, or the span of raw text where a branch ends."""

    kind: Literal["thought", "derivation", "chunk", "testimony", "gone"]
    """gone: raw text that was changed or deleted since; the quote may be kept with a stale thought."""
    id: str
    text: str
    """The thought's text, the derivation's question, or the quote."""
    level: float = 1.0
    status: str = ""
    confidence: float | None = None
    score: float | None = None
    """How much of the claim the span carries."""
    model: str = ""
    created_at: float | None = None
    title: str = ""
    uri: str = ""
    page: int | None = None
    start: int | None = None
    end: int | None = None
    """Character offsets into the document's text."""
    repeated: bool = False
    """Shown in full elsewhere in this tree."""
    children: tuple[WhyNode, ...] = ()


def explain(reader: Reader, namespace: str, item_id: str) -> WhyNode:
    """Return the tree of a thought, or the place of a chunk.

    Raises:
        NotFound: neither a thought nor a chunk.
    """
    found = reader.items(namespace, [item_id])
    if not found:
        raise NotFound(f"There is no thought or chunk {item_id!r} in namespace {namespace!r}.")
    item = found[0]
    if isinstance(item, Chunk):
        return _place(reader, namespace, item, 0, len(item.text), None)
    return _thought(reader, namespace, item, set(), 0)


def _thought(reader: Reader, namespace: str, thought: Thought, seen: set[str], depth: int) -> WhyNode:
    repeated = thought.id in seen or depth > _DEEPEST
    seen.add(thought.id)
    ways = () if repeated else reader.derivations(namespace, [thought.id]).get(thought.id, ())
    return WhyNode(
        kind="thought",
        id=thought.id,
        text=thought.text,
        level=thought.level,
        status=f"{thought.status}: {thought.reason}" if thought.reason else thought.status,
        created_at=thought.created_at,
        repeated=repeated,
        children=tuple(_derivation(reader, namespace, way, seen, depth) for way in ways),
    )


def _derivation(reader: Reader, namespace: str, way: Derivation, seen: set[str], depth: int) -> WhyNode:
    return WhyNode(
        kind="derivation",
        id=way.id,
        text=way.question,
        level=way.level,
        confidence=way.confidence,
        model=way.model,
        created_at=way.created_at,
        children=tuple(_evidence(reader, namespace, piece, seen, depth) for piece in way.evidence),
    )


def _evidence(reader: Reader, namespace: str, piece: Evidence, seen: set[str], depth: int) -> WhyNode:
    if piece.item_kind == "testimony":
        for said in reader.testimonies(namespace, [piece.item_id]):
            return WhyNode(
                kind="testimony",
                id=said.id,
                text=piece.quote,
                score=piece.score,
                title=said.source,
                uri=f"testimony:{said.id}",
                start=piece.start,
                end=piece.end,
                created_at=said.created_at,
            )
    for item in reader.items(namespace, [piece.item_id]):
        if isinstance(item, Thought):
            return _thought(reader, namespace, item, seen, depth + 1)
        return _place(reader, namespace, item, piece.start, piece.end, piece.score)
    return WhyNode(kind="gone", id=piece.item_id, text=piece.quote, score=piece.score)


def _place(reader: Reader, namespace: str, chunk: Chunk, start: int, end: int, score: float | None) -> WhyNode:
    document = reader.document(namespace, chunk.document_id)
    return WhyNode(
        kind="chunk",
        id=chunk.id,
        text=chunk.text[start:end],
        score=score,
        title=document.title if document else "",
        uri=document.uri if document else "",
        page=chunk.page,
        start=chunk.start + start,
        end=chunk.start + end,
    )
