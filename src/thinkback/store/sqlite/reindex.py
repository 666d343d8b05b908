"""Vectors anew: another embedder, or codes of another kind where signs say too little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinkback.errors import InvalidInput
from thinkback.ports import ItemClass
from thinkback.store.rules import check_vectors
from thinkback.store.sqlite.index_writer import IndexWriter
from thinkback.store.sqlite.session import Space, find_space
from thinkback.store.sqlite.sql import strings
from thinkback.store.vectors.codes import encode
from thinkback.store.vectors.recall import recall_of_codes
from thinkback.store.vectors.view import RowBlock
from thinkback.types import FloatMatrix, Rows

__all__ = ["Reindexer"]

_SAMPLE = 20_000
_BATCH = 2_000


class Reindexer(IndexWriter):
    """What changes the index as a whole."""

    def _all_spaces(self) -> list[Space]:
        for (name,) in self._sql.rows("SELECT name FROM namespaces ORDER BY space"):
            if self._spaces.get(name) is None:
                self._spaces[name] = find_space(self._sql, name)
        return [space for space in self._spaces.values() if space is not None]

    def reset_index(self, embedder_id: str, dimension: int) -> None:
        """Forget all vectors and words. Row numbers of chunks turn negative: they are there, but not indexed."""
        self._waiting.clear()
        for space in self._all_spaces():
            self._words(space).drop()
            self._step(space)
            space.reset_at, space.chunk_rows, space.thought_rows = space.revision, 0, 0
        for statement in (
            "DELETE FROM vectors",
            "DELETE FROM bags",
            "DELETE FROM segments",
            "UPDATE chunks SET seq = -seq WHERE seq > 0",
            "UPDATE thoughts SET seq = NULL",
        ):
            self._sql.run(statement)
        for name, value in (("embedder_id", embedder_id), ("dimension", dimension), ("code_kind", "sign")):
            self._sql.run("UPDATE meta SET value = ? WHERE name = ?", (value, name))
        self._deleted = True

    def index_anew(self, namespace: str, ids: Sequence[str], vectors: FloatMatrix) -> None:
        """Index chunks and active thoughts under fresh row numbers; other ids are ignored."""
        check_vectors(vectors, (len(ids), self._facts.dimension))
        if len(set(ids)) != len(ids):
            raise InvalidInput("An id is given twice.")
        space, wanted = self._space(namespace), strings(ids)
        if space is None or wanted is None:
            return
        self._step(space)
        chunks = {
            chunk_id: (seq, text, document)
            for chunk_id, seq, text, document in self._sql.rows(
                "SELECT id, seq, text, document FROM carray(?) CROSS JOIN chunks ON space = ? AND id = value",
                (wanted, space.number),
            )
        }
        thoughts = {
            thought_id: (seq, text)
            for thought_id, seq, text in self._sql.rows(
                "SELECT id, seq, text FROM carray(?) CROSS JOIN thoughts ON space = ? AND id = value"
                " AND status = 'active'",
                (strings(ids), space.number),
            )
        }
        known = [position for position, item_id in enumerate(ids) if item_id in chunks or item_id in thoughts]
        rows = dict(zip((ids[position] for position in known), self._take_rows(len(known)).tolist(), strict=True))
        at = {item_id: position for position, item_id in enumerate(ids)}
        self._index_chunks({i: chunks[i] for i in rows if i in chunks}, space, rows, vectors, at)
        self._index_thoughts({i: thoughts[i] for i in rows if i not in chunks}, space, rows, vectors, at)

    def _index_chunks(
        self,
        chunks: dict[str, tuple[int, str, int]],
        space: Space,
        rows: dict[str, int],
        vectors: FloatMatrix,
        at: dict[str, int],
    ) -> None:
        if not chunks:
            return
        self._unindex(space, "chunk", [(seq, text) for seq, text, _ in chunks.values() if seq > 0])
        self._sql.many("UPDATE chunks SET seq = ? WHERE seq = ?", ((rows[i], seq) for i, (seq, _, _) in chunks.items()))
        seqs = np.array([rows[i] for i in chunks], np.int64)
        owners = np.array([document for _, _, document in chunks.values()], np.int32)
        self._index(space, "chunk", seqs, vectors[[at[i] for i in chunks]], [t for _, t, _ in chunks.values()], owners)

    def _index_thoughts(
        self,
        thoughts: dict[str, tuple[int | None, str]],
        space: Space,
        rows: dict[str, int],
        vectors: FloatMatrix,
        at: dict[str, int],
    ) -> None:
        if not thoughts:
            return
        self._unindex(space, "thought", [(seq, text) for seq, text in thoughts.values() if seq is not None])
        self._sql.many(
            "UPDATE thoughts SET seq = ? WHERE space = ? AND id = ?", ((rows[i], space.number, i) for i in thoughts)
        )
        seqs = np.array([rows[i] for i in thoughts], np.int64)
        owners = np.full(len(seqs), -1, np.int32)
        self._index(
            space, "thought", seqs, vectors[[at[i] for i in thoughts]], [t for _, t in thoughts.values()], owners
        )

    # --- codes -------------------------------------------------------------------------------------------------------
    def check_codes(self) -> None:
        """Look whether signs still find what they should, each time a namespace has doubled beyond exact search.

        To be called before ``flush``. Where they do not, all codes of the store are written anew as int8.
        """
        kinds: tuple[ItemClass, ...] = ("chunk", "thought")
        for space in [each for each in self._spaces.values() if each is not None and each.changed]:
            for kind in kinds:
                added = sum(len(block.seqs) for block in self._waiting.get((space.number, kind), ()))
                if self._facts.code_kind == "sign" and _crosses(
                    self._shared.tuning.exact_rows, space.live_rows(kind) - added, space.live_rows(kind)
                ):
                    self._flush_codes(space)
                    if self._recall(space, kind) < self._shared.tuning.least_recall:
                        self._recode()

    def _recall(self, space: Space, kind: ItemClass) -> float:
        seqs = np.concatenate([segment.block.seqs for segment in self._segments(space, kind).all()])
        rng = np.random.default_rng(len(seqs))
        chosen = np.sort(rng.choice(seqs, size=min(_SAMPLE, len(seqs)), replace=False))
        return recall_of_codes(
            "sign", self._stored_vectors(chosen), keep=self._shared.tuning.candidates(10, filtered=False)
        )

    def _recode(self) -> None:
        """Write all codes as int8, from the stored vectors."""
        kinds: tuple[ItemClass, ...] = ("chunk", "thought")
        spaces = self._all_spaces()
        for space in spaces:
            self._flush_codes(space)
        held = {
            (space.number, kind): [segment.block for segment in self._segments(space, kind).all()]
            for space in spaces
            for kind in kinds
        }
        self._facts.code_kind = "int8"
        self._sql.run("UPDATE meta SET value = 'int8' WHERE name = 'code_kind'")
        for space in spaces:
            self._step(space)
            space.reset_at = space.revision
            for kind in kinds:
                table = self._segments(space, kind)
                table.drop()
                for block in held[space.number, kind]:
                    if len(block.seqs):
                        codes = encode("int8", self._batched(block.seqs))
                        table.add(RowBlock(seqs=block.seqs, owners=block.owners, codes=codes), space.revision)

    def _batched(self, seqs: Rows) -> FloatMatrix:
        parts = [self._stored_vectors(seqs[start : start + _BATCH]) for start in range(0, len(seqs), _BATCH)]
        return np.concatenate(parts)


def _crosses(bound: int, before: int, after: int) -> bool:
    """Return whether a count went over the bound, or over its double, or the double of that ..."""
    bound = max(bound, 1)
    while bound < after:
        if before <= bound:
            return True
        bound *= 2
    return False
