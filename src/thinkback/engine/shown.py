"""What a question was shown: the packed items, each followed down to raw text.

Gathered in one read of the store, so that citing and remembering need no second look while a model is at work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from thinkback.engine.standing import live_ways
from thinkback.ports import Reader
from thinkback.thought.admit import Source
from thinkback.types import Chunk, Derivation, Document, Hit, Root, Testimony

__all__ = ["RawSpan", "Shown", "gather", "raw_spans"]

_DEEPEST = 64  # the graph is acyclic; this only keeps a damaged store from looping


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSpan:
    """A quoted span of raw text."""

    root: Root
    start: int
    end: int
    quote: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The packed items in order, and what they rest on."""

    hits: tuple[Hit, ...]
    documents: Mapping[str, Document]
    """By id: of every chunk below."""
    chunks: Mapping[str, Chunk]
    """By id: shown ones and those that shown thoughts rest on."""
    testimonies: Mapping[str, Testimony]
    spans: Mapping[str, tuple[RawSpan, ...]]
    """Thought id to the raw spans that its evidence ends at, best first."""
    sources: tuple[Source, ...] = field(default=())
    """The hits as what an atom may stand on; same order."""
    texts: tuple[str, ...] = field(default=())
    """What the model sees of each source: its text, or an excerpt of it."""

    @classmethod
    def of_testimony(cls, said: Testimony, source: Source) -> Shown:
        """Return what a learned answer stands on: itself."""
        return cls(
            hits=(),
            documents={},
            chunks={},
            testimonies={said.id: said},
            spans={},
            sources=(source,),
            texts=(source.text,),
        )

    @property
    def roots(self) -> tuple[Root, ...]:
        """All raw items below what was shown, sorted."""
        pairs = {(root.kind, root.id) for source in self.sources for root in source.roots}
        return tuple(Root(kind=kind, id=root_id) for kind, root_id in sorted(pairs))


def gather(reader: Reader, namespace: str, hits: Sequence[Hit], texts: Sequence[str] | None = None) -> Shown:
    """Return the hits with everything that citing and remembering them will need.

    Args:
        reader: the snapshot that they came from.
        namespace: where.
        hits: as packed.
        texts: what is shown of each; None: all of it.
    """
    thought_ids = [hit.item.id for hit in hits if hit.kind == "thought"]
    ways = live_ways(reader, namespace, reader.derivations(namespace, thought_ids))
    roots = {thought_id: _roots(ways.get(thought_id, ())) for thought_id in thought_ids}
    spans = {thought_id: raw_spans(reader, namespace, thought_id) for thought_id in thought_ids}
    chunks = {hit.item.id: hit.item for hit in hits if isinstance(hit.item, Chunk)}
    below = {root.id for group in roots.values() for root in group if root.kind == "chunk"} - chunks.keys()
    chunks |= {item.id: item for item in reader.items(namespace, sorted(below)) if isinstance(item, Chunk)}
    spoken = {root.id for group in roots.values() for root in group if root.kind == "testimony"}
    documents = {
        document_id: document
        for document_id in sorted({chunk.document_id for chunk in chunks.values()})
        if (document := reader.document(namespace, document_id))
    }
    return Shown(
        hits=tuple(hits),
        documents=documents,
        chunks=chunks,
        testimonies={said.id: said for said in reader.testimonies(namespace, sorted(spoken))},
        spans=spans,
        sources=tuple(_source(hit, roots) for hit in hits),
        texts=tuple(texts) if texts is not None else tuple(hit.item.text for hit in hits),
    )


def _source(hit: Hit, roots: Mapping[str, tuple[Root, ...]]) -> Source:
    if isinstance(hit.item, Chunk):
        own = (Root(kind="chunk", id=hit.item.id),)
        return Source(
            kind="chunk",
            id=hit.item.id,
            text=hit.item.text,
            level=1.0,
            trust=hit.item.trust,
            roots=own,
            title=hit.title,
        )
    thought = hit.item
    return Source(
        kind="thought",
        id=thought.id,
        text=thought.text,
        level=thought.level,
        trust=thought.trust,
        roots=roots[thought.id],
    )


def _roots(ways: Iterable[Derivation]) -> tuple[Root, ...]:
    pairs = sorted({(root.kind, root.id) for way in ways for root in way.roots})
    return tuple(Root(kind=kind, id=root_id) for kind, root_id in pairs)


def raw_spans(reader: Reader, namespace: str, thought_id: str) -> tuple[RawSpan, ...]:
    """Return the raw spans that a thought rests on in the end, best first: evidence that is a thought is followed down."""
    found: dict[tuple[str, int, int], RawSpan] = {}
    frontier, visited = [thought_id], {thought_id}
    for _ in range(_DEEPEST):
        if not frontier:
            break
        below: list[str] = []
        for ways in live_ways(reader, namespace, reader.derivations(namespace, frontier)).values():
            for evidence in (piece for way in ways for piece in way.evidence):
                if evidence.item_kind == "thought":
                    below.append(evidence.item_id)
                    continue
                span = RawSpan(
                    root=Root(kind=evidence.item_kind, id=evidence.item_id),
                    start=evidence.start,
                    end=evidence.end,
                    quote=evidence.quote,
                    score=evidence.score,
                )
                found.setdefault((evidence.item_id, evidence.start, evidence.end), span)
        frontier = [item_id for item_id in dict.fromkeys(below) if item_id not in visited]
        visited.update(frontier)
    return tuple(sorted(found.values(), key=lambda span: (-span.score, span.root.id, span.start)))
