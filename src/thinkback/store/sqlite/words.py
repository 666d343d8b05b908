# ruff: noqa: S608 - only names of our own go into statements, values never
"""The index of words: one FTS5 table a namespace, made with its first row, so that namespaces share no statistics.

The table keeps no text ("contentless"): the text stands in the records, and whoever removes a row hands it over again. It
deletes at once and for good (``secure-delete``), not by a marker. It is given stems, and only has to cut at spaces.
Thoughts lie behind all chunks in it (their row number plus ``THOUGHTS``), so that a search of one kind reads that part of
each list of rows only.

FTS5 pays for every row that has any word of a question, and common words stand in nearly all rows. So where a question
reads too much, its rarest words choose candidates, and the bags of those rows give their exact score with all words. On
SciFact, reading entries for 2 % of the rows that way ranks as well as reading all (nDCG@10 .689 and .687); without the
second step it is .616. See ``benchmarks/store_words.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.ports import ItemClass
from thinkback.store.bags import bm25, bm25_over, idf, pack
from thinkback.store.sqlite.session import Shared, Space
from thinkback.store.sqlite.sql import Sql, integers
from thinkback.store.words import asked_terms, stems
from thinkback.types import Rows

__all__ = ["THOUGHTS", "Asked", "WordTable"]

THOUGHTS = 1 << 40

_HASH_BYTES = 16 << 20
"""FTS5 writes a new segment when so much has gathered in memory; its own 1 MB makes a bulk load merge over and over."""

_BEYOND = 2
"""A word joins beyond the budget if it stands in no more than so many times the budget's rows."""

_COMMON = 1_000
"""The frequency of a word that stands in more rows is counted anew when a fiftieth of all rows has changed: counting reads
every entry of the word. Of any other it is counted at any change, which is quick, and a new word must be found at once."""

_MOST_KNOWN = 200_000
"""Frequencies that are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The words of a question that stand in the index."""

    rare: Sequence[str]
    """Those that choose candidates, rarest first."""
    weights: dict[str, float]
    """All of them with their idf."""

    @property
    def is_whole(self) -> bool:
        """Whether the rare ones are all of them."""
        return len(self.rare) == len(self.weights)


class WordTable:
    """The table of one namespace.

    Args:
        sql: the connection.
        shared: the store's caches.
        space: the namespace.
        seen: bags that were read already in this snapshot; those that are read now join them.
    """

    def __init__(self, sql: Sql, shared: Shared, space: Space, seen: dict[int, bytes]) -> None:
        self._seen = seen
        self._sql = sql
        self._shared = shared
        self._space = space
        self.name = f"words_{space.number}"

    # --- writing -----------------------------------------------------------------------------------------------------
    def add(self, kind: ItemClass, rows: Iterable[tuple[int, str]]) -> None:
        """Make texts findable, given as (index row, text)."""
        if not self._space.has_words:
            self._sql.run(f"CREATE VIRTUAL TABLE {self.name} USING fts5(stems, content='', tokenize='ascii')")
            self._configure("secure-delete", 1)
            self._configure("hashsize", _HASH_BYTES)
            self._space.has_words = self._space.changed = True
        cut = [(row, stems(text)) for row, text in rows]
        self._space.words += sum(len(found) for _, found in cut)
        shift = _shift(kind)
        self._sql.many(
            f"INSERT INTO {self.name}(rowid, stems) VALUES(?,?)", ((row + shift, " ".join(found)) for row, found in cut)
        )
        self._sql.many("INSERT INTO bags(seq, bag) VALUES(?,?)", ((row, pack(found)) for row, found in cut))

    def remove(self, kind: ItemClass, rows: Iterable[tuple[int, str]]) -> None:
        """Make texts unfindable; each must be the text that was added."""
        cut = [(row, stems(text)) for row, text in rows]
        self._space.words -= sum(len(found) for _, found in cut)
        shift = _shift(kind)
        self._sql.many(
            f"INSERT INTO {self.name}({self.name}, rowid, stems) VALUES('delete',?,?)",
            ((row + shift, " ".join(found)) for row, found in cut),
        )
        self._sql.run(
            "DELETE FROM bags WHERE seq IN (SELECT value FROM carray(?))",
            (integers(np.array([row for row, _ in cut], np.int64)),),
        )

    def drop(self) -> None:
        """Remove the table; the bags go with their rows."""
        if self._space.has_words:
            self._sql.run(f"DROP TABLE {self.name}")
            self._space.has_words, self._space.words, self._space.changed = False, 0, True

    def _configure(self, name: str, value: int) -> None:
        self._sql.run(f"INSERT INTO {self.name}({self.name}, rank) VALUES(?,?)", (name, value))

    # --- reading -----------------------------------------------------------------------------------------------------
    def ask(self, text: str, *, budget: int, enough: int) -> Asked | None:
        """Return what a question comes to, or None where no word of it is in the index.

        The rarest word is always among the rare ones. Others join by falling rarity while all of them together stand in
        no more rows than the budget, and beyond it until there are enough rows to choose from; but then no word that
        stands in many more rows than the budget (it would cost more than all the rest) or in half of all (it weighs nothing).
        """
        terms = asked_terms(text)
        counted = sorted((self._frequency(stem), place, stem) for place, stem in enumerate(terms))
        present = [(frequency, stem) for frequency, _, stem in counted if frequency]
        if not present:
            return None
        rows = self._space.chunk_rows + self._space.thought_rows
        rare, read = [present[0][1]], present[0][0]
        for frequency, stem in present[1:]:
            if read + frequency > budget and (read >= enough or frequency > _BEYOND * budget or 2 * frequency >= rows):
                break
            rare.append(stem)
            read += frequency
        return Asked(rare=rare, weights={stem: idf(rows, frequency) for frequency, stem in present})

    def _frequency(self, stem: str) -> int:
        """Return in how many rows a stem stands."""
        total = self._space.chunk_rows + self._space.thought_rows
        key, now = (self._space.number, stem), (total, self._space.revision)
        known = self._shared.frequencies.get(key)
        if known is not None:
            count, total_then, revision_then = known
            settled = count > _COMMON and abs(total - total_then) * 50 <= total
            if settled or (revision_then == self._space.revision and not self._space.changed):
                return count
        count = int(self._sql.value(f"SELECT doc FROM {self._vocabulary()} WHERE term = ?", (stem,)) or 0)
        if not self._space.changed:
            if len(self._shared.frequencies) > _MOST_KNOWN:
                self._shared.frequencies.clear()
            self._shared.frequencies[key] = (count, *now)
        return count

    def _vocabulary(self) -> str:
        name = f"vocabulary_{self._space.number}"
        if name not in self._sql.prepared:
            self._sql.run(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', '{self.name}', 'row')"
            )
            self._sql.prepared.add(name)
        return f"temp.{name}"

    def ranked(self, terms: Sequence[str], kind: ItemClass, limit: int) -> list[tuple[int, float]]:
        """Return (index row, BM25 by these words) by falling score, ties by rising row; -1: all."""
        shift = _shift(kind)
        rows = self._sql.rows(
            f"SELECT rowid, bm25({self.name}) AS cost FROM {self.name}"
            f" WHERE {self.name} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY cost, rowid LIMIT ?",
            (" OR ".join(f'"{stem}"' for stem in terms), shift, shift + THOUGHTS - 1, limit),
        )
        return [(rowid - shift, -cost) for rowid, cost in rows]

    def scored(self, rows: Rows, asked: Asked, k: int) -> list[tuple[int, float]]:
        """Return the k best of some index rows by their BM25 with all words, ties by rising row."""
        rows = np.sort(rows)
        if len(rows) == 0:
            return []
        mean = self._space.words / (self._space.chunk_rows + self._space.thought_rows)
        scores = bm25(self._bags(rows), asked.weights, mean)
        best = np.argsort(-scores, kind="stable")[:k]
        return [(int(rows[place]), float(scores[place])) for place in best if scores[place] > 0]

    def over(self, text: str, windows: npt.NDArray[np.int64], rows: Rows) -> npt.NDArray[np.float64]:
        """Return the BM25 of windows (n, w) of index rows, (n,): see the port.

        Args:
            text: of the question.
            windows: index rows; those that are not among ``rows`` have no words.
            rows: rising, at least one; rows of this namespace.
        """
        total, width = self._space.chunk_rows + self._space.thought_rows, windows.shape[1]
        shares = {stem: self._frequency(stem) / total for stem in asked_terms(text)}
        weights = {
            stem: idf(total, round(total * (1 - (1 - share) ** width))) for stem, share in shares.items() if share
        }
        places = np.minimum(np.searchsorted(rows, windows), len(rows) - 1)
        places[rows[places] != windows] = -1
        return bm25_over(self._bags(rows), places, weights, width * self._space.words / total)

    def _bags(self, rows: Rows) -> list[bytes]:
        """Return the bags of index rows, in order."""
        wanted, seen = rows.tolist(), self._seen
        missing = [row for row in wanted if row not in seen]
        if missing:
            seen.update(
                self._sql.rows(
                    "SELECT seq, bag FROM carray(?) CROSS JOIN bags ON seq = value",
                    (integers(np.array(missing, np.int64)),),
                )
            )
        return [seen[row] for row in wanted]


def _shift(kind: ItemClass) -> int:
    return 0 if kind == "chunk" else THOUGHTS
