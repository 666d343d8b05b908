# ruff: noqa: D102 - the port documents these methods
"""Reading the in-memory store: the Reader port over dictionaries that do not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thinkback.errors import NotFound
from thinkback.ids import normalise
from thinkback.ports import HistoryEvent, ItemClass
from thinkback.store import memory_space
from thinkback.store.memory_space import Space
from thinkback.store.rules import cosines
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    Filter,
    FloatMatrix,
    FloatVector,
    Item,
    Link,
    Ranking,
    Rows,
    Status,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

__all__ = ["MemoryReader", "State"]

_STATUSES: tuple[Status, ...] = ("active", "stale", "superseded", "retracted")


@dataclass(slots=True)
class State:
    """Everything. A writer makes a shallow copy and copies the spaces that it touches."""

    spaces: dict[str, Space] = field(default_factory=dict)
    history: tuple[HistoryEvent, ...] = ()
    usage: tuple[tuple[str, float, Usage], ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    next_row: int = 1


class MemoryReader:
    """The Reader port over one state."""

    def __init__(self, state: State, dimension: int) -> None:
        self._state = state
        self._dimension = dimension

    def _space(self, namespace: str) -> Space:
        return self._state.spaces.get(namespace) or Space()

    # --- records -----------------------------------------------------------------------------------------------------
    def namespaces(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, space in self._state.spaces.items() if space.holds_anything()))

    def revision(self, namespace: str) -> int:
        return self._space(namespace).revision

    def counts(self, namespace: str) -> Mapping[str, int]:
        space = self._space(namespace)
        statuses = [thought.status for thought in space.thoughts.values()]
        return {
            "documents": len(space.documents),
            "chunks": len(space.chunks),
            **{f"thoughts_{status}": statuses.count(status) for status in _STATUSES},
            "derivations": len(space.derivations),
            "testimonies": len(space.testimonies),
            "answers": len(space.answers),
        }

    def documents(self, namespace: str, where: Filter | None = None) -> tuple[Document, ...]:
        space = self._space(namespace)
        passing = (d for d in space.documents.values() if space.document_passes(d, where))
        return tuple(sorted(passing, key=lambda d: (d.created_at, d.id)))

    def document(self, namespace: str, document_id: str) -> Document | None:
        return self._space(namespace).documents.get(document_id)

    def document_text(self, namespace: str, document_id: str) -> str | None:
        return self._space(namespace).texts.get(document_id)

    def document_by_uri(self, namespace: str, uri: str) -> Document | None:
        return next((d for d in self.documents(namespace) if d.uri == uri), None)

    def documents_by_hash(self, namespace: str, content_hash: str) -> tuple[Document, ...]:
        return tuple(d for d in self.documents(namespace) if d.content_hash == content_hash)

    def chunks(self, namespace: str, document_id: str) -> tuple[Chunk, ...]:
        space = self._space(namespace)
        return tuple(space.chunks[chunk_id] for chunk_id in space.document_chunks.get(document_id, ()))

    def items(self, namespace: str, ids: Sequence[str]) -> tuple[Item, ...]:
        found = (self._space(namespace).item(item_id) for item_id in ids)
        return tuple(item for item in found if item is not None)

    def testimonies(self, namespace: str, ids: Sequence[str]) -> tuple[Testimony, ...]:
        held = self._space(namespace).testimonies
        return tuple(held[item_id] for item_id in ids if item_id in held)

    def thoughts(self, namespace: str, statuses: Sequence[Status] = ("active",)) -> tuple[Thought, ...]:
        wanted = (t for t in self._space(namespace).thoughts.values() if t.status in statuses)
        return tuple(sorted(wanted, key=lambda t: (t.created_at, t.id)))

    def thoughts_by_text(self, namespace: str, text: str) -> tuple[Thought, ...]:
        return tuple(t for t in self.thoughts(namespace) if normalise(t.text) == normalise(text))

    # --- the graph ---------------------------------------------------------------------------------------------------
    def derivations(self, namespace: str, thought_ids: Sequence[str]) -> Mapping[str, tuple[Derivation, ...]]:
        space = self._space(namespace)
        return {i: space.derivations_of(i) for i in thought_ids if i in space.thoughts}

    def thoughts_on(self, namespace: str, item_ids: Iterable[str]) -> tuple[str, ...]:
        wanted = set(item_ids)
        return tuple(
            sorted(
                {
                    derivation.thought_id
                    for derivation in self._space(namespace).derivations.values()
                    if not wanted.isdisjoint(e.item_id for e in derivation.evidence)
                    or not wanted.isdisjoint(r.id for r in derivation.roots)
                }
            )
        )

    def live_roots(self, namespace: str, root_ids: Iterable[str]) -> frozenset[str]:
        space = self._space(namespace)
        return frozenset(root_id for root_id in root_ids if space.is_live(root_id))

    def links(self, namespace: str, thought_ids: Sequence[str] | None = None) -> tuple[Link, ...]:
        links = self._space(namespace).links
        wanted = (k for k in links if thought_ids is None or k[0] in thought_ids or k[1] in thought_ids)
        return tuple(links[key] for key in sorted(wanted, key=lambda k: (links[k].created_at, k)))

    # --- search ------------------------------------------------------------------------------------------------------
    def search_dense(
        self, namespace: str, vector: FloatVector, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        return memory_space.search_dense(self._space(namespace), vector, k, kind, where)

    def search_words(
        self, namespace: str, text: str, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        return memory_space.search_words(self._space(namespace), text, k, kind, where)

    def window_words(self, namespace: str, text: str, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        return memory_space.window_words(self._space(namespace), text, windows)

    def cosines(self, namespace: str, rows: Rows, vector: FloatVector) -> FloatVector:
        space = self._space(namespace)
        asked = [space.vectors[row] for row in rows.tolist() if self._at(space, row)]
        return cosines(np.array(asked, np.float32).reshape(len(asked), self._dimension), vector)

    def neighbours(self, namespace: str, rows: Rows) -> Rows:
        space = self._space(namespace)
        found = np.full((len(rows), 2), -1, np.int64)
        for position, row in enumerate(rows.tolist()):
            chunk = space.chunks.get(self._at(space, row))
            if chunk is not None:
                beside = dict(enumerate(space.document_chunks[chunk.document_id]))
                for side, ordinal in enumerate((chunk.ordinal - 1, chunk.ordinal + 1)):
                    found[position, side] = space.rows.get(beside.get(ordinal, ""), -1)
        return found

    def rows(self, namespace: str, ids: Sequence[str]) -> Rows:
        rows = self._space(namespace).rows
        return np.array([rows.get(item_id, -1) for item_id in ids], np.int64)

    def items_at(self, namespace: str, rows: Rows) -> tuple[Item, ...]:
        space = self._space(namespace)
        return self.items(namespace, [self._at(space, row) for row in rows.tolist()])

    def vectors(self, namespace: str, ids: Sequence[str]) -> FloatMatrix:
        space = self._space(namespace)
        found = np.zeros((len(ids), self._dimension), np.float32)
        for position, item_id in enumerate(ids):
            if item_id in space.rows:
                found[position] = space.vectors[space.rows[item_id]]
        return found

    @staticmethod
    def _at(space: Space, row: int) -> str:
        if row not in space.at:
            raise NotFound(f"There is no index row {row} in this snapshot.")
        return space.at[row]

    # --- answers, history, usage -------------------------------------------------------------------------------------
    def answer(self, namespace: str, key: str) -> StoredAnswer | None:
        return self._space(namespace).answers.get(key)

    def answers(self, namespace: str) -> tuple[StoredAnswer, ...]:
        return tuple(sorted(self._space(namespace).answers.values(), key=lambda a: (a.created_at, a.key)))

    def history(self, namespace: str, item_id: str | None = None) -> tuple[HistoryEvent, ...]:
        events = (e for e in self._state.history if e.namespace == namespace and item_id in (None, e.item_id))
        return tuple(sorted(events, key=lambda e: e.at))

    def usage(self, namespace: str | None, since: float = 0.0) -> Usage:
        wanted = (u for name, at, u in self._state.usage if namespace in (None, name) and at >= since)
        return sum(wanted, Usage())

    def outcomes(self, namespace: str) -> Mapping[str, int]:
        return dict(self._space(namespace).outcomes)

    def setting(self, name: str) -> str | None:
        return self._state.settings.get(name)
