"""What the in-memory store holds for one namespace, and the plain searches over it: exact cosines, BM25 as in the book."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, fields

import numpy as np
import numpy.typing as npt

from thinkback.ports import ItemClass
from thinkback.store.bags import K1, LEAST_IDF, B
from thinkback.store.rules import cosines, is_empty, metadata_passes, trust_passes
from thinkback.store.words import asked_terms, stems
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    Filter,
    FloatVector,
    Item,
    Link,
    Ranking,
    StoredAnswer,
    Testimony,
    Thought,
)

__all__ = ["Space", "empty_ranking", "search_dense", "search_words"]


@dataclass(slots=True)
class Space:
    """The records of one namespace. A writer works on a copy, so a reader's space never changes."""

    documents: dict[str, Document] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, Chunk] = field(default_factory=dict)
    document_chunks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    thoughts: dict[str, Thought] = field(default_factory=dict)
    derivations: dict[str, Derivation] = field(default_factory=dict)
    testimonies: dict[str, Testimony] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    answers: dict[str, StoredAnswer] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    """Item id to index row."""
    at: dict[int, str] = field(default_factory=dict)
    """Index row to item id."""
    vectors: dict[int, FloatVector] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    revision: int = 0

    def copy(self) -> Space:
        """Return a space that can be changed without changing this one; the records themselves are frozen."""
        fresh = copy(self)
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, dict):
                setattr(fresh, each.name, value.copy())
        return fresh

    def holds_anything(self) -> bool:
        """Return whether there is a record in it."""
        return any((self.documents, self.thoughts, self.testimonies, self.answers))

    def item(self, item_id: str) -> Item | None:
        """Return the chunk or thought of that id."""
        return self.chunks.get(item_id) or self.thoughts.get(item_id)

    def is_live(self, root_id: str) -> bool:
        """Return whether it is a chunk or testimony that exists."""
        return root_id in self.chunks or root_id in self.testimonies

    def index(self, item_id: str, row: int, vector: FloatVector) -> None:
        """Make an item findable."""
        self.unindex(item_id)
        self.rows[item_id] = row
        self.at[row] = item_id
        self.vectors[row] = vector

    def unindex(self, item_id: str) -> None:
        """Make an item unfindable, if it was not."""
        row = self.rows.pop(item_id, None)
        if row is not None:
            del self.at[row], self.vectors[row]

    def derivations_of(self, thought_id: str) -> tuple[Derivation, ...]:
        """Return them oldest first."""
        own = (d for d in self.derivations.values() if d.thought_id == thought_id)
        return tuple(sorted(own, key=lambda d: (d.created_at, d.id)))

    def passes(self, item_id: str, where: Filter | None) -> bool:
        """Return whether an item may be returned.

        A thought stands on its live derivations: those whose roots all exist. It passes if it has one and every root of
        all of them passes; a testimony has no document and no metadata, so it passes a filter on trust alone.
        """
        if where is None or is_empty(where):
            return True
        if item_id in self.chunks:
            return self._root_passes(item_id, where)
        live = [d for d in self.derivations_of(item_id) if d.roots and all(self.is_live(r.id) for r in d.roots)]
        return bool(live) and all(self._root_passes(root.id, where) for d in live for root in d.roots)

    def _root_passes(self, root_id: str, where: Filter) -> bool:
        if root_id in self.testimonies:
            limited = where.document_ids is not None or bool(where.metadata)
            return not limited and trust_passes(self.testimonies[root_id].trust, where.min_trust)
        return self.document_passes(self.documents[self.chunks[root_id].document_id], where)

    def document_passes(self, document: Document, where: Filter | None) -> bool:
        """Return whether a document fulfils all conditions."""
        return where is None or (
            (where.document_ids is None or document.id in where.document_ids)
            and metadata_passes(document.metadata, where.metadata)
            and trust_passes(document.trust, where.min_trust)
        )

    def indexed(self, kind: ItemClass) -> Iterator[tuple[int, str]]:
        """Yield (row, item id) of one kind by rising row."""
        of_kind: Mapping[str, Item] = self.chunks if kind == "chunk" else self.thoughts
        return ((row, self.at[row]) for row in sorted(self.at) if self.at[row] in of_kind)

    def searched(self, kind: ItemClass, where: Filter | None) -> list[tuple[int, str]]:
        """Return (row, item id) of what a search may return, by rising row."""
        return [(row, item_id) for row, item_id in self.indexed(kind) if self.passes(item_id, where)]


def empty_ranking() -> Ranking:
    """Return a ranking of nothing."""
    return Ranking(rows=np.zeros(0, np.int64), scores=np.zeros(0, np.float32))


def _ranking(scored: Iterable[tuple[int, float]], k: int) -> Ranking:
    best = sorted(scored, key=lambda pair: (-pair[1], pair[0]))[: max(k, 0)]
    return Ranking(
        rows=np.array([row for row, _ in best], np.int64), scores=np.array([score for _, score in best], np.float32)
    )


def search_dense(space: Space, vector: FloatVector, k: int, kind: ItemClass, where: Filter | None) -> Ranking:
    """Return the k rows with the largest cosine among those that pass."""
    rows = [row for row, _ in space.searched(kind, where)]
    if not rows:
        return empty_ranking()
    scores = cosines(np.stack([space.vectors[row] for row in rows]), vector)
    return _ranking(zip(rows, scores.tolist(), strict=True), k)


def search_words(space: Space, text: str, k: int, kind: ItemClass, where: Filter | None) -> Ranking:
    """Return the k rows with the largest BM25 among those that pass; statistics count all rows, of both kinds."""
    asked = asked_terms(text)
    bags = {row: Counter(stems(_text(space, item_id))) for row, item_id in space.at.items()}
    if not bags or not asked:
        return empty_ranking()
    mean_length = sum(bag.total() for bag in bags.values()) / len(bags)
    scores: dict[int, float] = {}
    for stem in asked:
        containing = [row for row, bag in bags.items() if stem in bag]
        idf = max(math.log((len(bags) - len(containing) + 0.5) / (len(containing) + 0.5)), LEAST_IDF)
        for row in containing:
            frequency, length = bags[row][stem], bags[row].total()
            share = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / mean_length))
            scores[row] = scores.get(row, 0.0) + idf * share
    passing = {row for row, _ in space.searched(kind, where)}
    return _ranking(((row, score) for row, score in scores.items() if row in passing), k)


def window_words(space: Space, text: str, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Return the BM25 of each window, the words of its rows taken together."""
    bags = {row: Counter(stems(_text(space, item_id))) for row, item_id in space.at.items()}
    width, found = windows.shape[1], np.zeros(len(windows))
    if not bags:
        return found.astype(np.float32)
    mean_length = width * sum(bag.total() for bag in bags.values()) / len(bags)
    for stem in asked_terms(text):
        share = sum(stem in bag for bag in bags.values()) / len(bags)
        containing = round(len(bags) * (1 - (1 - share) ** width))
        idf = max(math.log((len(bags) - containing + 0.5) / (containing + 0.5)), LEAST_IDF)
        for place, window in enumerate(windows.tolist()):
            together = sum((bags[row] for row in window if row in bags), Counter[str]())
            if together[stem]:
                damping = K1 * (1 - B + B * together.total() / mean_length)
                found[place] += idf * together[stem] * (K1 + 1) / (together[stem] + damping)
    return found.astype(np.float32)


def _text(space: Space, item_id: str) -> str:
    item = space.item(item_id)
    assert item is not None  # noqa: S101 - only items are indexed
    return item.text
