# ruff: noqa: D102 - the port documents these methods; only names of our own go into statements, values never
"""Writing thoughts with their derivations and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from thinkback.errors import InvalidInput, NotFound
from thinkback.store.rules import TRUST_ORDER, check_derivations, check_texts, check_vectors, link_key
from thinkback.store.sqlite.index_writer import IndexWriter
from thinkback.store.sqlite.records import text_key
from thinkback.store.sqlite.session import Space
from thinkback.store.sqlite.sql import strings
from thinkback.types import Derivation, FloatVector, Link, Thought

__all__ = ["ThoughtWriter"]


class ThoughtWriter(IndexWriter):
    """The part of the Writer port that writes thoughts."""

    def put_thought(self, thought: Thought, vector: FloatVector | None, derivations: Sequence[Derivation] = ()) -> None:
        check_texts((thought.text, thought.reason))
        check_derivations(thought, derivations)
        if vector is not None:
            check_vectors(vector, (self._facts.dimension,))
        space = self._own_space(thought.namespace)
        held = self._sql.row(
            "SELECT thought, seq, text FROM thoughts WHERE space = ? AND id = ?", (space.number, thought.id)
        )
        number, seq, text = held or (None, None, "")
        active = thought.status == "active"
        stays = seq is not None and text == thought.text
        if active and not stays and vector is None:
            raise InvalidInput(f"Thought {thought.id!r} is active and not indexed: its vector is needed.")
        self._check_owners(space, number, derivations)
        self._step(space)
        if seq is not None and not (active and stays):
            self._unindex(space, "thought", [(seq, text)])
            seq = None
        if active and not stays:
            assert vector is not None  # noqa: S101 - checked above
            rows = self._take_rows(1)
            seq = int(rows[0])
            self._index(space, "thought", rows, vector[None, :], [thought.text], np.full(1, -1, np.int32))
        number = self._put_thought_record(space, number, seq, thought)
        for derivation in derivations:
            self._put_derivation(space, number, derivation)

    def _check_owners(self, space: Space, number: int | None, derivations: Sequence[Derivation]) -> None:
        for derivation in derivations:
            owner = self._sql.value(
                "SELECT thought FROM derivations WHERE space = ? AND id = ?", (space.number, derivation.id)
            )
            if owner is not None and owner != number:
                raise InvalidInput(f"Derivation {derivation.id!r} belongs to another thought.")

    def _put_thought_record(self, space: Space, number: int | None, seq: int | None, thought: Thought) -> int:
        values = (
            seq,
            thought.text,
            text_key(thought.text),
            thought.level,
            thought.status,
            thought.reason,
            TRUST_ORDER.index(thought.trust),
            thought.support,
            thought.created_at,
            thought.last_used_at,
            thought.use_count,
        )
        if number is None:
            self._sql.run(
                "INSERT INTO thoughts(seq, text, text_hash, level, status, reason, trust, support, created_at,"
                " last_used_at, use_count, space, id) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (*values, space.number, thought.id),
            )
            return self._sql.connection.last_insert_rowid()
        self._deleted = True
        self._sql.run(
            "UPDATE thoughts SET seq=?, text=?, text_hash=?, level=?, status=?, reason=?, trust=?, support=?,"
            " created_at=?, last_used_at=?, use_count=? WHERE thought = ?",
            (*values, number),
        )
        return number

    def _put_derivation(self, space: Space, thought: int, derivation: Derivation) -> None:
        if self._sql.run("DELETE FROM derivations WHERE space = ? AND id = ?", (space.number, derivation.id)):
            self._deleted = True
        self._sql.run(
            "INSERT INTO derivations(space, id, thought, question, answer, confidence, model, prompt_hash, created_at,"
            " level) VALUES(?,?,?,?,?,?,?,?,?,?)",
            (
                space.number,
                derivation.id,
                thought,
                derivation.question,
                derivation.answer,
                derivation.confidence,
                derivation.model,
                derivation.prompt_hash,
                derivation.created_at,
                derivation.level,
            ),
        )
        number = self._sql.connection.last_insert_rowid()
        self._sql.many(
            "INSERT INTO evidence(derivation, position, space, item_kind, item_id, span_start, span_end, quote, score)"
            " VALUES(?,?,?,?,?,?,?,?,?)",
            (
                (number, place, space.number, e.item_kind, e.item_id, e.start, e.end, e.quote, e.score)
                for place, e in enumerate(derivation.evidence)
            ),
        )
        self._sql.many(
            "INSERT INTO roots(derivation, position, space, root_kind, root_id) VALUES(?,?,?,?,?)",
            ((number, place, space.number, root.kind, root.id) for place, root in enumerate(derivation.roots)),
        )
        self._sql.many(
            "INSERT INTO shown(derivation, position, space, item_id) VALUES(?,?,?,?)",
            ((number, place, space.number, item_id) for place, item_id in enumerate(derivation.shown)),
        )

    def delete_thoughts(self, namespace: str, thought_ids: Sequence[str]) -> None:
        space, ids = self._space(namespace), strings(dict.fromkeys(thought_ids))
        if space is None or ids is None:
            return
        rows = self._sql.rows(
            "SELECT thought, seq, text FROM carray(?) CROSS JOIN thoughts ON space = ? AND id = value",
            (ids, space.number),
        )
        if rows:
            self._step(space)
            self._unindex(space, "thought", [(seq, text) for _, seq, text in rows if seq is not None])
            self._sql.many("DELETE FROM thoughts WHERE thought = ?", ((number,) for number, _, _ in rows))
            self._deleted = True

    def delete_derivations(self, namespace: str, derivation_ids: Sequence[str]) -> None:
        space, ids = self._space(namespace), strings(derivation_ids)
        if space is None or ids is None:
            return
        if self._sql.run(
            "DELETE FROM derivations WHERE space = ? AND id IN (SELECT value FROM carray(?))", (space.number, ids)
        ):
            self._step(space)
            self._deleted = True

    def redact_derivations(self, namespace: str, root_ids: Iterable[str]) -> int:
        space, ids = self._space(namespace), strings(root_ids)
        if space is None or ids is None:
            return 0
        blanked = self._sql.run(
            "UPDATE derivations SET question = '', answer = '' WHERE (question <> '' OR answer <> '') AND derivation IN"
            " (SELECT derivation FROM carray(?) CROSS JOIN shown s ON s.space = ? AND s.item_id = value)",
            (ids, space.number),
        )
        self._deleted = self._deleted or blanked > 0
        return blanked

    def touch(self, namespace: str, thought_ids: Sequence[str], at: float) -> None:
        space, ids = self._space(namespace), strings(thought_ids)
        if space is not None and ids is not None:
            self._sql.run(
                "UPDATE thoughts SET use_count = use_count + 1, last_used_at = ?"
                " WHERE space = ? AND id IN (SELECT value FROM carray(?))",
                (at, space.number, ids),
            )

    def put_link(self, namespace: str, link: Link) -> None:
        left, right, kind = link_key(link)
        ends = self._thought_number(namespace, left), self._thought_number(namespace, right)
        self._sql.run(
            "INSERT OR IGNORE INTO links(left_thought, right_thought, kind, created_at) VALUES(?,?,?,?)",
            (*ends, kind, link.created_at),
        )

    def _thought_number(self, namespace: str, thought_id: str) -> int:
        space = self._space(namespace)
        found = None
        if space is not None and strings((thought_id,)) is not None:
            found = self._sql.value(
                "SELECT thought FROM thoughts WHERE space = ? AND id = ?", (space.number, thought_id)
            )
        if found is None:
            raise NotFound(f"There is no thought {thought_id!r} in namespace {namespace!r}.")
        return int(found)
