# ruff: noqa: D102, S608 - the port documents these methods; only names of our own go into statements, values never
"""Reading kept answers, history, usage, outcomes and settings."""

from __future__ import annotations

import json
from collections.abc import Mapping

from thinkback.ports import HistoryEvent
from thinkback.store.sqlite.decode import ANSWER, answer_of, usage_of
from thinkback.store.sqlite.session import Session
from thinkback.store.sqlite.sql import is_utf8
from thinkback.types import StoredAnswer, Usage

__all__ = ["LedgerReader"]


class LedgerReader(Session):
    """The part of the Reader port that is about what happened and what it cost."""

    def answer(self, namespace: str, key: str) -> StoredAnswer | None:
        space = self._space(namespace)
        if space is None or not is_utf8(key):
            return None
        row = self._sql.row(f"SELECT {ANSWER} FROM answers WHERE space = ? AND key = ?", (space.number, key))
        return None if row is None else answer_of(row)

    def answers(self, namespace: str) -> tuple[StoredAnswer, ...]:
        space = self._space(namespace)
        if space is None:
            return ()
        rows = self._sql.rows(f"SELECT {ANSWER} FROM answers WHERE space = ? ORDER BY created_at, key", (space.number,))
        return tuple(answer_of(row) for row in rows)

    def history(self, namespace: str, item_id: str | None = None) -> tuple[HistoryEvent, ...]:
        space = self._space(namespace)
        if space is None or not is_utf8(item_id or ""):
            return ()
        condition = "space = :space" if item_id is None else "space = :space AND item_id = :item"
        rows = self._sql.rows(
            f"SELECT item_id, what, at, detail FROM history WHERE {condition} ORDER BY at, event",
            {"space": space.number, "item": item_id},
        )
        return tuple(
            HistoryEvent(namespace=namespace, item_id=item, event=what, at=at, detail=json.loads(detail))
            for item, what, at, detail in rows
        )

    def usage(self, namespace: str | None, since: float = 0.0) -> Usage:
        table, condition = ("usage_totals", "1") if since <= 0 else ("usage", "at >= :since")
        if namespace is not None:
            space = self._space(namespace)
            condition += " AND space = :space"
            number = -1 if space is None else space.number
        else:
            number = -1
        rows = self._sql.rows(
            f"SELECT numbers FROM {table} WHERE {condition} ORDER BY rowid", {"since": since, "space": number}
        )
        return sum((usage_of(numbers) for (numbers,) in rows), Usage())

    def outcomes(self, namespace: str) -> Mapping[str, int]:
        space = self._space(namespace)
        if space is None:
            return {}
        return dict(self._sql.rows("SELECT status, times FROM outcomes WHERE space = ?", (space.number,)))

    def setting(self, name: str) -> str | None:
        if not is_utf8(name):
            return None
        found = self._sql.value("SELECT value FROM settings WHERE name = ?", (name,))
        return None if found is None else str(found)
