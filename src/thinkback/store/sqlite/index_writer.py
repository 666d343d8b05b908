"""Writing to the index inside a transaction: vectors, codes and words of one item go in and out together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from thinkback.ports import ItemClass
from thinkback.store.rules import check_texts, half
from thinkback.store.sqlite.session import Facts, Session, Shared, Space, find_space
from thinkback.store.sqlite.sql import Sql, integers
from thinkback.store.sqlite.words import WordTable
from thinkback.store.vectors.codes import encode
from thinkback.store.vectors.view import RowBlock
from thinkback.types import FloatMatrix, Rows

__all__ = ["IndexWriter"]


class IndexWriter(Session):
    """What all writers of records use. Codes gather here and go to disk in one segment at the end.

    Every operation calls ``_step`` before it changes the index: what is written bears the revision at which it appears.
    """

    def __init__(self, sql: Sql, shared: Shared, facts: Facts) -> None:
        super().__init__(sql, shared, facts)
        self._next_row = int(sql.value("SELECT value FROM meta WHERE name = 'next_row'"))
        self._first_next_row = self._next_row
        self._waiting: dict[tuple[int, ItemClass], list[RowBlock]] = {}
        self._deleted = False

    # --- namespaces --------------------------------------------------------------------------------------------------
    def _own_space(self, namespace: str) -> Space:
        """Return the namespace, made if need be."""
        space = self._space(namespace)
        if space is None:
            check_texts((namespace,))
            self._sql.run(
                "INSERT INTO namespaces(name, revision, reset_at, chunk_rows, thought_rows, has_words, words)"
                " VALUES(?, 0, 0, 0, 0, 0, 0)",
                (namespace,),
            )
            space = self._spaces[namespace] = find_space(self._sql, namespace)
            assert space is not None  # noqa: S101 - inserted two lines above
        return space

    @staticmethod
    def _step(space: Space) -> None:
        """Count one change of what is retrievable."""
        space.revision += 1
        space.changed = True

    def _words(self, space: Space) -> WordTable:
        return WordTable(self._sql, self._shared, space, {})

    # --- rows --------------------------------------------------------------------------------------------------------
    def _take_rows(self, count: int) -> Rows:
        """Return fresh row numbers. The counter is kept in the file and never goes back: a number is used once."""
        first = self._next_row
        self._next_row += count
        return np.arange(first, first + count)

    def _index(
        self,
        space: Space,
        kind: ItemClass,
        seqs: Rows,
        vectors: FloatMatrix,
        texts: Sequence[str],
        owners: npt.NDArray[np.int32],
    ) -> None:
        """Make items findable under fresh, rising row numbers; owners are their documents' numbers, -1 for a thought."""
        kept = half(vectors)
        numbers = seqs.tolist()
        self._sql.many(
            "INSERT INTO vectors(seq, vector) VALUES(?,?)",
            zip(numbers, (row.tobytes() for row in kept), strict=True),
        )
        self._words(space).add(kind, zip(numbers, texts, strict=True))
        codes = encode(self._facts.code_kind, kept.astype(np.float32))
        block = RowBlock(seqs=seqs, owners=owners, codes=codes)
        self._waiting.setdefault((space.number, kind), []).append(block)
        space.count_rows(kind, len(seqs))
        space.changed = True

    def _unindex(self, space: Space, kind: ItemClass, rows: Iterable[tuple[int, str]]) -> None:
        """Make items unfindable, given as (row number, the text that it was indexed with)."""
        gone = list(rows)
        if not gone:
            return
        self._flush_codes(space)
        seqs = np.array([seq for seq, _ in gone], np.int64)
        self._words(space).remove(kind, gone)
        self._sql.run("DELETE FROM vectors WHERE seq IN (SELECT value FROM carray(?))", (integers(seqs),))
        self._segments(space, kind).remove(seqs, space.revision)
        space.count_rows(kind, -len(seqs))
        space.changed = self._deleted = True

    def _flush_codes(self, space: Space) -> None:
        """Write the codes that wait, so that a search within this transaction finds them."""
        kinds: tuple[ItemClass, ...] = ("chunk", "thought")
        for kind in kinds:
            blocks = self._waiting.pop((space.number, kind), None)
            if blocks:
                joined = RowBlock(
                    seqs=np.concatenate([block.seqs for block in blocks]),
                    owners=np.concatenate([block.owners for block in blocks]),
                    codes=np.concatenate([block.codes for block in blocks], axis=1),
                )
                self._segments(space, kind).add(joined, space.revision)

    def flush(self) -> None:
        """Write what was gathered: to be called once, before the transaction is committed."""
        for space in self._spaces.values():
            if space is not None and space.changed:
                self._flush_codes(space)
                self._sql.run(
                    "UPDATE namespaces SET revision = ?, reset_at = ?, chunk_rows = ?, thought_rows = ?, has_words = ?,"
                    " words = ? WHERE space = ?",
                    (
                        space.revision,
                        space.reset_at,
                        space.chunk_rows,
                        space.thought_rows,
                        int(space.has_words),
                        space.words,
                        space.number,
                    ),
                )
        if self._next_row != self._first_next_row:
            self._sql.run("UPDATE meta SET value = ? WHERE name = 'next_row'", (self._next_row,))
        if self._deleted:
            self._sql.run("UPDATE meta SET value = value + 1 WHERE name = 'deletions'")
