# ruff: noqa: D102, S608 - the port documents these methods; only names of our own go into statements, values never
"""Writing testimonies, kept answers, history, usage, outcomes and settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from thinkback.ports import HistoryEvent
from thinkback.store.rules import TRUST_ORDER, check_answer, check_ids, check_texts
from thinkback.store.sqlite.decode import json_of, usage_of
from thinkback.store.sqlite.index_writer import IndexWriter
from thinkback.store.sqlite.sql import strings
from thinkback.types import StoredAnswer, Testimony, Usage

__all__ = ["LedgerWriter"]


class LedgerWriter(IndexWriter):
    """The part of the Writer port that is about what was said, what happened and what it cost."""

    def put_testimony(self, testimony: Testimony) -> None:
        check_ids((testimony.id,))
        check_texts((testimony.source, testimony.question, testimony.answer))
        space = self._own_space(testimony.namespace)
        self._step(space)
        self._deleted = True
        self._sql.run(
            "INSERT INTO testimonies(space, id, source, question, answer, trust, created_at) VALUES(?,?,?,?,?,?,?)"
            " ON CONFLICT(space, id) DO UPDATE SET source=excluded.source, question=excluded.question,"
            " answer=excluded.answer, trust=excluded.trust, created_at=excluded.created_at",
            (
                space.number,
                testimony.id,
                testimony.source,
                testimony.question,
                testimony.answer,
                TRUST_ORDER.index(testimony.trust),
                testimony.created_at,
            ),
        )

    def delete_testimonies(self, namespace: str, ids: Sequence[str]) -> None:
        space, wanted = self._space(namespace), strings(ids)
        if space is None or wanted is None:
            return
        gone = self._sql.run(
            "DELETE FROM testimonies WHERE space = ? AND id IN (SELECT value FROM carray(?))", (space.number, wanted)
        )
        for _ in range(gone):
            self._step(space)
            self._deleted = True

    def put_answer(self, namespace: str, answer: StoredAnswer) -> None:
        check_answer(answer)
        space = self._own_space(namespace)
        if self._sql.run("DELETE FROM answers WHERE space = ? AND key = ?", (space.number, answer.key)):
            self._deleted = True
        self._sql.run(
            "INSERT INTO answers(space, key, evidence_hash, question, text, found, item_ids, roots, citations, model,"
            " created_at) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
            (
                space.number,
                answer.key,
                answer.evidence_hash,
                answer.question,
                answer.text,
                int(answer.found),
                json_of(answer.item_ids),
                json_of([(root.kind, root.id) for root in answer.roots]),
                json_of([citation.to_dict() for citation in answer.citations]),
                answer.model,
                answer.created_at,
            ),
        )
        number = self._sql.connection.last_insert_rowid()
        ids = dict.fromkeys((*answer.item_ids, *(root.id for root in answer.roots)))
        self._sql.many(
            "INSERT INTO answer_items(space, item_id, answer) VALUES(?,?,?)",
            ((space.number, item_id, number) for item_id in ids),
        )

    def delete_answers_on(self, namespace: str, item_ids: Iterable[str]) -> int:
        space, ids = self._space(namespace), strings(item_ids)
        if space is None or ids is None:
            return 0
        gone = self._sql.run(
            "DELETE FROM answers WHERE answer IN"
            " (SELECT answer FROM carray(?) CROSS JOIN answer_items a ON a.space = ? AND a.item_id = value)",
            (ids, space.number),
        )
        self._deleted = self._deleted or gone > 0
        return gone

    def add_history(self, events: Iterable[HistoryEvent]) -> None:
        for namespace, group in groupby(events, key=lambda event: event.namespace):
            number = self._own_space(namespace).number
            self._sql.many(
                "INSERT INTO history(space, item_id, what, at, detail) VALUES(?,?,?,?,?)",
                ((number, event.item_id, event.event, event.at, json_of(event.detail)) for event in group),
            )

    def add_usage(self, namespace: str, usage: Usage, at: float, purpose: str) -> None:
        number = self._own_space(namespace).number
        self._sql.run(
            "INSERT INTO usage(space, at, purpose, numbers) VALUES(?,?,?,?)",
            (number, at, purpose, json_of(usage.to_dict())),
        )
        total = self._sql.value("SELECT numbers FROM usage_totals WHERE space = ?", (number,))
        summed = usage if total is None else usage_of(total) + usage
        self._sql.run(
            "INSERT INTO usage_totals(space, numbers) VALUES(?1, ?2) ON CONFLICT(space) DO UPDATE SET numbers = ?2",
            (number, json_of(summed.to_dict())),
        )

    def add_outcomes(self, namespace: str, statuses: Sequence[str]) -> None:
        number = self._own_space(namespace).number
        self._sql.many(
            "INSERT INTO outcomes(space, status, times) VALUES(?,?,1)"
            " ON CONFLICT(space, status) DO UPDATE SET times = times + 1",
            ((number, status) for status in statuses),
        )

    def put_setting(self, name: str, value: str) -> None:
        check_texts((name, value))
        self._sql.run(
            "INSERT INTO settings(name, value) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = ?2", (name, value)
        )

    def delete_namespace(self, namespace: str) -> None:
        space = self._space(namespace)
        if space is None:
            return
        self._flush_codes(space)
        self._words(space).drop()
        parameters = (space.number,)
        for index in ("vectors", "bags"):
            for table in ("chunks", "thoughts"):
                self._sql.run(
                    f"DELETE FROM {index} WHERE seq IN (SELECT seq FROM {table} WHERE space = ? AND seq > 0)",
                    parameters,
                )
        for table in ("segments", "chunks", "documents", "thoughts", "testimonies", "answers", "outcomes"):
            self._sql.run(f"DELETE FROM {table} WHERE space = ?", parameters)
        self._step(space)
        space.reset_at, space.chunk_rows, space.thought_rows = space.revision, 0, 0
        self._deleted = True
