# ruff: noqa: S608 - only names of our own go into statements, values never
"""The index of words: one FTS5 table a namespace, made with its first row, so that namespaces share no statistics.

The table keeps no text ("contentless"): the text stands in the records, and whoever removes a row hands it over again. It
deletes at once and for good (``secure-delete``), not by a marker. Thoughts lie behind all chunks in it (their row number
plus ``_THOUGHTS``), so that a search of one kind reads that part of each list of rows only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from thinkback.ports import ItemClass
from thinkback.store.sqlite.session import Shared, Space
from thinkback.store.sqlite.sql import Sql
from thinkback.store.words import TOKENIZER, spread, words

__all__ = ["Asked", "WordTable"]

_THOUGHTS = 1 << 40

_HASH_BYTES = 16 << 20
"""FTS5 writes a new segment when so much has gathered in memory; its own 1 MB makes a bulk load merge over and over."""

MOST_TERMS = 128
"""Different words of a question that are looked at; the first ones, as they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question comes to."""

    query: str
    """In FTS5's syntax, made of words in quotes only."""
    postings: int
    """Entries that it reads, at most."""
    dropped: bool
    """Whether words were left out because they stand nearly everywhere."""


class WordTable:
    """The table of one namespace."""

    def __init__(self, sql: Sql, shared: Shared, space: Space) -> None:
        self._sql = sql
        self._shared = shared
        self._space = space
        self.name = f"words_{space.number}"

    # --- writing -----------------------------------------------------------------------------------------------------
    def add(self, kind: ItemClass, rows: Iterable[tuple[int, str]]) -> None:
        """Make texts findable, given as (index row, text)."""
        if not self._space.has_words:
            tokenizer = " ".join(TOKENIZER)
            self._sql.run(f"CREATE VIRTUAL TABLE {self.name} USING fts5(text, content='', tokenize='{tokenizer}')")
            self._configure("secure-delete", 1)
            self._configure("hashsize", _HASH_BYTES)
            self._space.has_words = self._space.changed = True
        self._sql.many(f"INSERT INTO {self.name}(rowid, text) VALUES(?,?)", _shifted(kind, rows))

    def remove(self, kind: ItemClass, rows: Iterable[tuple[int, str]]) -> None:
        """Make texts unfindable; each must be the text that was added."""
        self._sql.many(f"INSERT INTO {self.name}({self.name}, rowid, text) VALUES('delete',?,?)", _shifted(kind, rows))

    def drop(self) -> None:
        """Remove the table."""
        if self._space.has_words:
            self._sql.run(f"DROP TABLE {self.name}")
            self._space.has_words, self._space.changed = False, True

    def _configure(self, name: str, value: int) -> None:
        self._sql.run(f"INSERT INTO {self.name}({self.name}, rank) VALUES(?,?)", (name, value))

    # --- reading -----------------------------------------------------------------------------------------------------
    def ask(self, text: str, budget: int | None) -> Asked | None:
        """Return the query for a text, or None where no word of it is in the index.

        Words join by falling rarity until they read more entries than the budget; the rarest is always in. A common word
        costs a pass over nearly all rows and says next to nothing: what that does to ranking is in
        ``benchmarks/results`` (store_words).

        Args:
            text: of the question.
            budget: entries to read; None: all words.
        """
        pieces: dict[str, str] = {}
        for stem, piece in words(text):
            pieces.setdefault(stem, piece)
            if len(pieces) == MOST_TERMS:
                break
        found = sorted((self._frequency(stem), position, stem) for position, stem in enumerate(pieces))
        chosen: list[str] = []
        postings = 0
        present = [(frequency, stem) for frequency, _, stem in found if frequency]
        for frequency, stem in present:
            if chosen and budget is not None and postings + frequency > budget:
                break
            chosen.append(stem)
            postings += frequency
        if not chosen:
            return None
        query = " OR ".join(f'"{pieces[stem]}"' for stem in chosen)
        return Asked(query=query, postings=postings, dropped=len(chosen) < len(present))

    def _frequency(self, stem: str) -> int:
        """Return in how many rows a stem stands.

        In a large index the number is taken from memory until a fiftieth of the rows has changed: it decides what is
        dropped, not how anything is scored.
        """
        total = self._space.chunk_rows + self._space.thought_rows
        key = self._space.number, stem
        known = self._shared.frequencies.get(key)
        if known is not None and abs(known[1] - total) * 50 <= total and total > 10_000:
            return known[0]
        counted = int(self._sql.value(f"SELECT doc FROM {self._vocabulary()} WHERE term = ?", (stem,)) or 0)
        if len(self._shared.frequencies) > 200_000:
            self._shared.frequencies.clear()
        self._shared.frequencies[key] = counted, total
        return counted

    def _vocabulary(self) -> str:
        name = f"vocabulary_{self._space.number}"
        if name not in self._sql.prepared:
            self._sql.run(
                f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', '{self.name}', 'row')"
            )
            self._sql.prepared.add(name)
        return f"temp.{name}"

    def best(
        self, query: str, kind: ItemClass, limit: int, first: int = 0, last: int = _THOUGHTS - 1
    ) -> list[tuple[int, float]]:
        """Return (index row, BM25) by falling score, ties by rising row, of the rows from ``first`` to ``last``."""
        shift = 0 if kind == "chunk" else _THOUGHTS
        rows = self._sql.rows(
            f"SELECT rowid, bm25({self.name}) AS cost FROM {self.name}"
            f" WHERE {self.name} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY cost, rowid LIMIT ?",
            (query, first + shift, last + shift, limit),
        )
        return [(rowid - shift, -cost) for rowid, cost in rows]


def _shifted(kind: ItemClass, rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    shift = 0 if kind == "chunk" else _THOUGHTS
    return ((seq + shift, spread(text)) for seq, text in rows)
