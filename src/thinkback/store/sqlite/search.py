# ruff: noqa: D102, S608 - the port documents these methods; only names of our own go into statements, values never
"""Searching: by vector, by words, and what a retriever asks about the rows it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.errors import NotFound
from thinkback.ports import ItemClass
from thinkback.store.rules import cosines, is_empty
from thinkback.store.sqlite.decode import CHUNK, THOUGHT, chunk_of, thought_of
from thinkback.store.sqlite.filters import matching_documents, matching_thoughts
from thinkback.store.sqlite.session import Facts, Session, Shared, Space
from thinkback.store.sqlite.sql import Sql, integers, strings
from thinkback.store.sqlite.words import WordTable
from thinkback.store.vectors.codes import Positions, nearest
from thinkback.store.vectors.known import KnownCosines
from thinkback.store.vectors.top import top
from thinkback.store.vectors.view import View
from thinkback.types import Filter, FloatMatrix, FloatVector, Item, Ranking, Rows

__all__ = ["SearchReader"]


_KINDS: tuple[ItemClass, ...] = ("chunk", "thought")

_FLOAT32_ERROR = 2e-5
"""More than a float32 product of unit vectors is off by, up to some thousand dimensions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Allowed:
    """Rows that a search may return."""

    view: View
    mask: npt.NDArray[np.bool_] | None
    """(n,) over the view's positions; None: all of them."""
    filtered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Located:
    """Rows of one kind among those asked about."""

    space: Space
    kind: ItemClass
    view: View
    asked: Rows
    """Places in what was asked."""
    positions: Rows
    """In the view."""


def _ranking(rows: Rows, scores: npt.NDArray[np.float32]) -> Ranking:
    return Ranking(rows=np.ascontiguousarray(rows, np.int64), scores=np.ascontiguousarray(scores, np.float32))


def _nothing() -> Ranking:
    return _ranking(np.zeros(0, np.int64), np.zeros(0, np.float32))


def _contenders(scores: npt.NDArray[np.float32], k: int, allowed: npt.NDArray[np.bool_] | None) -> Positions:
    """Return, rising, the positions that may be among the k best once their scores are exact."""
    best = top(scores, k, allowed)
    if len(best) < k:
        return np.sort(best)
    near = scores >= scores[best[-1]] - _FLOAT32_ERROR * max(1.0, abs(float(scores[best[0]])))
    return np.flatnonzero(near if allowed is None else near & allowed)


def _rows_of(hits: list[tuple[int, float]]) -> Rows:
    return np.fromiter((row for row, _ in hits), np.int64, len(hits))


def _among(rows: Rows, allowed: Rows) -> Rows:
    """Return those rows, in order, that are among the (rising, not empty) allowed ones."""
    found = allowed[np.minimum(np.searchsorted(allowed, rows), len(allowed) - 1)] == rows
    return np.asarray(rows[found], np.int64)


class SearchReader(Session):
    """The part of the Reader port that searches."""

    def __init__(self, sql: Sql, shared: Shared, facts: Facts) -> None:
        super().__init__(sql, shared, facts)
        self._known = KnownCosines()

    def _before_search(self, space: Space) -> None:
        """Make what a transaction has written so far findable; nothing to do for a snapshot."""

    def _view(self, space: Space, kind: ItemClass) -> View:
        self._before_search(space)
        return self._shared.views.view(
            self._segments(space, kind),
            revision=space.revision,
            reset_at=space.reset_at,
            live=space.live_rows(kind),
            committed=not space.changed,
        )

    def _allowed(self, space: Space, kind: ItemClass, where: Filter | None) -> _Allowed:
        view = self._view(space, kind)
        living = None if view.dead is None else ~view.dead
        if where is None or is_empty(where):
            return _Allowed(view=view, mask=living, filtered=False)
        if kind == "chunk":
            mask = np.isin(view.owners, matching_documents(self._sql, space.number, where))
        else:
            mask = np.isin(view.seqs, matching_thoughts(self._sql, space.number, where))
        return _Allowed(view=view, mask=mask if living is None else mask & living, filtered=True)

    # --- by vector ---------------------------------------------------------------------------------------------------
    def search_dense(
        self, namespace: str, vector: FloatVector, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        space = self._space(namespace)
        if space is None or k <= 0:
            return _nothing()
        allowed = self._allowed(space, kind, where)
        view = allowed.view
        query = np.ascontiguousarray(vector, np.float32)
        if view.live <= self._shared.tuning.exact_rows:
            matrix = self._matrix(space, kind, view)
            near = _contenders(matrix @ query, k, allowed.mask)
            seqs, scores = view.seqs[near], cosines(matrix[near], query)
            self._known.add(query, seqs, scores)
            best = top(scores, k)
            return _ranking(seqs[best], scores[best])
        keep = self._shared.tuning.candidates(k, filtered=allowed.filtered)
        seqs = view.seqs[nearest(self._facts.code_kind, view.codes, query, keep, allowed.mask)]
        scores = cosines(self._stored_vectors(seqs), query)
        self._known.add(query, seqs, scores)
        best = top(scores, k)
        return _ranking(seqs[best], scores[best])

    def _matrix(self, space: Space, kind: ItemClass, view: View) -> FloatMatrix:
        keep = not space.changed and self._shared.views.is_current(space.number, kind, view)
        return self._shared.exact.matrix((space.number, kind), view, self._stored_vectors, keep=keep)

    # --- by words ----------------------------------------------------------------------------------------------------
    def search_words(
        self, namespace: str, text: str, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        space = self._space(namespace)
        if space is None or k <= 0 or not space.has_words or space.live_rows(kind) == 0:
            return _nothing()
        table, tuning = WordTable(self._sql, self._shared, space, self._bags), self._shared.tuning
        if where is not None and not is_empty(where):
            found = self._filtered_words(table, self._allowed(space, kind, where), text, k, kind)
        else:
            asked = table.ask(text, budget=tuning.postings, enough=tuning.shortlist(k))
            if asked is None:
                return _nothing()
            if asked.is_whole:
                found = table.ranked(asked.rare, kind, k)
            else:
                found = table.scored(_rows_of(table.ranked(asked.rare, kind, tuning.shortlist(k))), asked, k)
        return _ranking(_rows_of(found), np.fromiter((score for _, score in found), np.float32, len(found)))

    def window_words(self, namespace: str, text: str, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        space = self._space(namespace)
        if space is None or not space.has_words or windows.size == 0:
            return np.zeros(len(windows), np.float32)
        rows = np.unique(windows)
        here = np.zeros(len(rows), np.bool_)
        for kind in _KINDS:
            if space.live_rows(kind):
                here |= self._view(space, kind).positions(rows) >= 0
        if not here.any():
            return np.zeros(len(windows), np.float32)
        table = WordTable(self._sql, self._shared, space, self._bags)
        return table.over(text, windows, rows[here]).astype(np.float32)

    def _filtered_words(
        self, table: WordTable, allowed: _Allowed, text: str, k: int, kind: ItemClass
    ) -> list[tuple[int, float]]:
        """Return the best among the allowed rows.

        A filter that lets a tenth through needs ten times the entries to find as many rows. Where that costs more than
        scoring the words of each allowed row (about two entries' worth), those are scored one and all.
        """
        tuning = self._shared.tuning
        seqs = allowed.view.seqs if allowed.mask is None else allowed.view.seqs[allowed.mask]
        if len(seqs) == 0:
            return []
        factor = allowed.view.live / len(seqs)
        budget = int(tuning.postings * factor)
        asked = table.ask(text, budget=budget, enough=int(tuning.shortlist(k) * factor))
        if asked is None:
            return []
        rows = seqs
        if len(seqs) > max(tuning.scored_whole, budget // 2):
            rows = _among(_rows_of(table.ranked(asked.rare, kind, -1)), seqs)[: tuning.shortlist(k)]
        return table.scored(rows, asked, k)

    # --- about rows --------------------------------------------------------------------------------------------------
    def cosines(self, namespace: str, rows: Rows, vector: FloatVector) -> npt.NDArray[np.float32]:
        parts = self._located(namespace, rows)
        scores, known = self._known.of(vector, rows)
        for part in parts:
            open_places = ~known[part.asked]
            asked, positions = part.asked[open_places], part.positions[open_places]
            if len(asked) == 0:
                continue
            if part.view.live <= self._shared.tuning.exact_rows:
                vectors = self._matrix(part.space, part.kind, part.view)[positions]
            else:
                vectors = self._stored_vectors(rows[asked])
            scores[asked] = cosines(vectors, vector)
        return scores

    def _located(self, namespace: str, rows: Rows) -> list[_Located]:
        """Return where rows lie in the views of this namespace.

        Raises:
            NotFound: a row is not there.
        """
        parts: list[_Located] = []
        space, open_rows = self._space(namespace), np.ones(len(rows), np.bool_)
        for kind in _KINDS if space is not None and len(rows) else ():
            assert space is not None  # noqa: S101 - said in the line above, for the type checker
            if space.live_rows(kind) and open_rows.any():
                view = self._view(space, kind)
                positions = view.positions(rows)
                here = np.flatnonzero(positions >= 0)
                open_rows[here] = False
                parts.append(_Located(space=space, kind=kind, view=view, asked=here, positions=positions[here]))
        if open_rows.any():
            raise NotFound(f"There is no index row {int(rows[np.argmax(open_rows)])} in this snapshot.")
        return parts

    def neighbours(self, namespace: str, rows: Rows) -> npt.NDArray[np.int64]:
        space = self._space(namespace)
        if space is None or len(rows) == 0:
            return self._none_found(rows)
        found = self._sql.rows(
            """
            SELECT
                coalesce((SELECT b.seq FROM chunks b WHERE b.document = c.document AND b.ordinal = c.ordinal - 1), -1),
                coalesce((SELECT a.seq FROM chunks a WHERE a.document = c.document AND a.ordinal = c.ordinal + 1), -1),
                c.seq IS NOT NULL OR EXISTS (SELECT 1 FROM thoughts t WHERE t.seq = value AND t.space = :space)
            FROM carray(:rows) LEFT JOIN chunks c INDEXED BY chunks_by_place ON c.seq = value AND c.space = :space
            """,
            {"rows": integers(rows), "space": space.number},
        )
        table = np.array(found, np.int64)
        if not table[:, 2].all():
            self._none_found(rows[table[:, 2] == 0])
        return np.maximum(table[:, :2], -1)  # a chunk that is not indexed has a negative row number

    def _none_found(self, rows: Rows) -> Rows:
        if len(rows):
            raise NotFound(f"There is no index row {int(rows[0])} in this snapshot.")
        return np.zeros((0, 2), np.int64)

    def rows(self, namespace: str, ids: Sequence[str]) -> Rows:
        space = self._space(namespace)
        if space is None or strings(ids) is None:
            return np.full(len(ids), -1, np.int64)
        found = dict(
            self._sql.rows(
                """
                SELECT id, seq FROM carray(:ids) CROSS JOIN thoughts ON space = :space AND id = value
                UNION ALL
                SELECT id, seq FROM carray(:again) CROSS JOIN chunks ON space = :space AND id = value
                """,
                {"ids": strings(ids), "again": strings(ids), "space": space.number},
            )
        )
        return np.fromiter((max(found.get(item_id) or -1, -1) for item_id in ids), np.int64, len(ids))

    def items_at(self, namespace: str, rows: Rows) -> tuple[Item, ...]:
        space = self._space(namespace)
        if space is None or len(rows) == 0:
            self._none_found(rows)
            return ()
        chunks = self._sql.rows(
            f"SELECT {CHUNK}, c.seq FROM carray(?) CROSS JOIN chunks c ON c.seq = value AND c.space = ?"
            " JOIN documents d ON d.document = c.document",
            (integers(rows), space.number),
        )
        found: dict[int, Item] = {row[-1]: chunk_of(namespace, row) for row in chunks}
        rest = [row for row in rows.tolist() if row not in found]
        if rest:
            thoughts = self._sql.rows(
                f"SELECT {THOUGHT}, t.seq FROM carray(?) CROSS JOIN thoughts t ON t.seq = value AND t.space = ?",
                (integers(np.array(rest, np.int64)), space.number),
            )
            found |= {row[-1]: thought_of(namespace, row) for row in thoughts}
        missing = [row for row in rest if row not in found]
        if missing:
            raise NotFound(f"There is no index row {missing[0]} in this snapshot.")
        return tuple(found[row] for row in rows.tolist())

    def vectors(self, namespace: str, ids: Sequence[str]) -> FloatMatrix:
        rows = self.rows(namespace, ids)
        found = np.zeros((len(ids), self._facts.dimension), np.float32)
        indexed = np.flatnonzero(rows >= 0)
        found[indexed] = self._stored_vectors(rows[indexed])
        return found
