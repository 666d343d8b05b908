"""What a snapshot and a transaction share: the connection, the namespaces seen so far, and the caches of the store."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thinkback.ports import ItemClass
from thinkback.store.sqlite.segments import SegmentTable
from thinkback.store.sqlite.sql import Sql, integers, is_utf8
from thinkback.store.sqlite.tuning import Tuning
from thinkback.store.sqlite.views import Views
from thinkback.store.vectors.codes import CodeKind
from thinkback.store.vectors.exact import ExactVectors
from thinkback.store.vectors.widen import widened
from thinkback.types import FloatMatrix, Rows

__all__ = ["Facts", "Session", "Shared", "Space", "find_space", "read_facts"]


@dataclass(slots=True)
class Shared:
    """What belongs to the store and not to one connection. The caches hold nothing that the file does not."""

    tuning: Tuning
    exact: ExactVectors
    views: Views = field(default_factory=Views)
    frequencies: dict[tuple[int, str], tuple[int, int, int]] = field(default_factory=dict)
    """(namespace number, stem) to (rows with it, rows in all and revision when it was counted)."""


@dataclass(slots=True, kw_only=True)
class Facts:
    """What the file says of its vectors, in one snapshot or transaction."""

    embedder_id: str
    dimension: int
    code_kind: CodeKind


def read_facts(sql: Sql) -> Facts:
    """Read them."""
    held = dict(sql.rows("SELECT name, value FROM meta WHERE name IN ('embedder_id', 'dimension', 'code_kind')"))
    return Facts(embedder_id=held["embedder_id"], dimension=held["dimension"], code_kind=held["code_kind"])


@dataclass(slots=True)
class Space:
    """A namespace as its row says; a writer changes it and writes it back at the end."""

    number: int
    name: str
    revision: int
    reset_at: int
    chunk_rows: int
    thought_rows: int
    has_words: bool
    words: int
    """Words of all indexed rows together."""
    changed: bool = False

    def live_rows(self, kind: ItemClass) -> int:
        """Return how many rows of a kind are indexed."""
        return self.chunk_rows if kind == "chunk" else self.thought_rows

    def count_rows(self, kind: ItemClass, change: int) -> None:
        """Add to the number of indexed rows."""
        if kind == "chunk":
            self.chunk_rows += change
        else:
            self.thought_rows += change


class Session:
    """Base of readers and writers over one connection with an open transaction."""

    def __init__(self, sql: Sql, shared: Shared, facts: Facts) -> None:
        self._sql = sql
        self._shared = shared
        self._facts = facts
        self._spaces: dict[str, Space | None] = {}
        self._bags: dict[int, bytes] = {}
        """Bags read so far, by index row. A row never changes what it stands for."""

    def _space(self, namespace: str) -> Space | None:
        """Return the namespace, or None if nothing was ever written to it."""
        if namespace not in self._spaces:
            self._spaces[namespace] = find_space(self._sql, namespace)
        return self._spaces[namespace]

    def _segments(self, space: Space, kind: ItemClass) -> SegmentTable:
        return SegmentTable(
            sql=self._sql,
            space=space.number,
            kind=kind,
            code_kind=self._facts.code_kind,
            dimension=self._facts.dimension,
            full=self._shared.tuning.full_segment,
            small=self._shared.tuning.small_segment,
        )

    def _stored_vectors(self, seqs: Rows) -> FloatMatrix:
        """Return the vectors of index rows, in order; zeros where there is none."""
        found = np.zeros((len(seqs), self._facts.dimension), np.float32)
        if len(seqs) == 0:
            return found
        rows = self._sql.rows("SELECT vector FROM carray(?) CROSS JOIN vectors ON seq = value", (integers(seqs),))
        if len(rows) == len(seqs):
            return widened(b"".join([row[0] for row in rows]), self._facts.dimension)
        there = self._sql.rows(
            "SELECT seq, vector FROM vectors WHERE seq IN (SELECT value FROM carray(?))", (integers(seqs),)
        )
        by_seq = {seq: np.frombuffer(vector, np.float16) for seq, vector in there}
        for position, seq in enumerate(seqs.tolist()):
            if seq in by_seq:
                found[position] = by_seq[seq]
        return found


def find_space(sql: Sql, namespace: str) -> Space | None:
    """Read a namespace's row."""
    if not is_utf8(namespace):
        return None
    row = sql.row(
        "SELECT space, name, revision, reset_at, chunk_rows, thought_rows, has_words, words FROM namespaces WHERE name = ?",
        (namespace,),
    )
    if row is None:
        return None
    number, name, revision, reset_at, chunk_rows, thought_rows, has_words, words = row
    return Space(number, name, revision, reset_at, chunk_rows, thought_rows, bool(has_words), words)
