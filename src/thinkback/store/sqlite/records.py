# ruff: noqa: D102, S608 - the port documents these methods; only names of our own go into statements, values never
"""Reading documents, chunks, thoughts and testimonies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thinkback.ids import content_hash, normalise
from thinkback.store.rules import is_empty
from thinkback.store.sqlite.decode import (
    CHUNK,
    DOCUMENT,
    TESTIMONY,
    THOUGHT,
    chunk_of,
    document_of,
    testimony_of,
    thought_of,
)
from thinkback.store.sqlite.filters import matching_documents
from thinkback.store.sqlite.session import Session
from thinkback.store.sqlite.sql import integers, is_utf8, strings
from thinkback.types import Chunk, Document, Filter, Item, Status, Testimony, Thought

__all__ = ["RecordsReader", "text_key"]

_STATUSES: tuple[Status, ...] = ("active", "stale", "superseded", "retracted")
_FROM_CHUNKS = "chunks c JOIN documents d ON d.document = c.document"


def text_key(text: str) -> str:
    """Return what equal thoughts have in common: a hash of the normalised text."""
    return content_hash(normalise(text))


class RecordsReader(Session):
    """The part of the Reader port that looks records up."""

    def namespaces(self) -> tuple[str, ...]:
        held = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} x WHERE x.space = n.space)"
            for table in ("documents", "thoughts", "testimonies", "answers")
        )
        return tuple(sorted(name for (name,) in self._sql.rows(f"SELECT name FROM namespaces n WHERE {held}")))

    def revision(self, namespace: str) -> int:
        space = self._space(namespace)
        return 0 if space is None else space.revision

    def counts(self, namespace: str) -> Mapping[str, int]:
        space = self._space(namespace)
        number = -1 if space is None else space.number
        statuses = dict(
            self._sql.rows("SELECT status, count(*) FROM thoughts WHERE space = ? GROUP BY status", (number,))
        )
        return {
            "documents": self._count("documents", number),
            "chunks": self._count("chunks", number),
            **{f"thoughts_{status}": statuses.get(status, 0) for status in _STATUSES},
            "derivations": self._count("derivations", number),
            "testimonies": self._count("testimonies", number),
            "answers": self._count("answers", number),
        }

    def _count(self, table: str, space: int) -> int:
        return int(self._sql.value(f"SELECT count(*) FROM {table} WHERE space = ?", (space,)))

    def documents(self, namespace: str, where: Filter | None = None) -> tuple[Document, ...]:
        space = self._space(namespace)
        if space is None:
            return ()
        if where is None or is_empty(where):
            return self._documents(namespace, "d.space = ?", (space.number,))
        numbers = matching_documents(self._sql, space.number, where)
        if len(numbers) == 0:
            return ()
        return self._documents(namespace, "d.document IN (SELECT value FROM carray(?))", (integers(numbers),))

    def _documents(self, namespace: str, condition: str, parameters: Sequence[Any]) -> tuple[Document, ...]:
        rows = self._sql.rows(
            f"SELECT {DOCUMENT} FROM documents d WHERE {condition} ORDER BY d.created_at, d.id", parameters
        )
        return tuple(document_of(namespace, row) for row in rows)

    def document(self, namespace: str, document_id: str) -> Document | None:
        return next(iter(self._documents_by(namespace, "id", document_id)), None)

    def document_text(self, namespace: str, document_id: str) -> str | None:
        space = self._space(namespace)
        if space is None or not is_utf8(document_id):
            return None
        found = self._sql.value(
            "SELECT x.text FROM documents d JOIN document_texts x ON x.document = d.document WHERE d.space = ? AND d.id = ?",
            (space.number, document_id),
        )
        return None if found is None else str(found)

    def document_by_uri(self, namespace: str, uri: str) -> Document | None:
        return next(iter(self._documents_by(namespace, "uri", uri)), None)

    def documents_by_hash(self, namespace: str, content_hash: str) -> tuple[Document, ...]:
        return self._documents_by(namespace, "content_hash", content_hash)

    def _documents_by(self, namespace: str, column: str, value: str) -> tuple[Document, ...]:
        space = self._space(namespace)
        if space is None or not is_utf8(value):
            return ()
        return self._documents(namespace, f"d.space = ? AND d.{column} = ?", (space.number, value))

    def chunks(self, namespace: str, document_id: str) -> tuple[Chunk, ...]:
        space = self._space(namespace)
        if space is None or not is_utf8(document_id):
            return ()
        rows = self._sql.rows(
            f"SELECT {CHUNK} FROM documents d JOIN chunks c ON c.document = d.document"
            " WHERE d.space = ? AND d.id = ? ORDER BY c.ordinal",
            (space.number, document_id),
        )
        return tuple(chunk_of(namespace, row) for row in rows)

    def items(self, namespace: str, ids: Sequence[str]) -> tuple[Item, ...]:
        space, wanted = self._space(namespace), strings(ids)
        if space is None or wanted is None:
            return ()
        chunks = self._sql.rows(
            f"SELECT {CHUNK} FROM carray(?) CROSS JOIN chunks c ON c.space = ? AND c.id = value"
            " JOIN documents d ON d.document = c.document",
            (wanted, space.number),
        )
        found: dict[str, Item] = {row[0]: chunk_of(namespace, row) for row in chunks}
        if len(found) < len(set(ids)):
            thoughts = self._sql.rows(
                f"SELECT {THOUGHT} FROM carray(?) CROSS JOIN thoughts t ON t.space = ? AND t.id = value",
                (strings(ids), space.number),
            )
            found |= {row[0]: thought_of(namespace, row) for row in thoughts if row[0] not in found}
        return tuple(found[item_id] for item_id in ids if item_id in found)

    def testimonies(self, namespace: str, ids: Sequence[str]) -> tuple[Testimony, ...]:
        space, wanted = self._space(namespace), strings(ids)
        if space is None or wanted is None:
            return ()
        rows = self._sql.rows(
            f"SELECT {TESTIMONY} FROM carray(?) CROSS JOIN testimonies ON space = ? AND id = value",
            (wanted, space.number),
        )
        return tuple(testimony_of(namespace, row) for row in rows)

    def thoughts(self, namespace: str, statuses: Sequence[Status] = ("active",)) -> tuple[Thought, ...]:
        space, wanted = self._space(namespace), strings(statuses)
        if space is None or wanted is None:
            return ()
        rows = self._sql.rows(
            f"SELECT {THOUGHT} FROM thoughts t WHERE t.space = ? AND t.status IN (SELECT value FROM carray(?))"
            " ORDER BY t.created_at, t.id",
            (space.number, wanted),
        )
        return tuple(thought_of(namespace, row) for row in rows)

    def thoughts_by_text(self, namespace: str, text: str) -> tuple[Thought, ...]:
        space = self._space(namespace)
        if space is None:
            return ()
        rows = self._sql.rows(
            f"SELECT {THOUGHT} FROM thoughts t WHERE t.space = ? AND t.text_hash = ? AND t.status = 'active'"
            " ORDER BY t.created_at, t.id",
            (space.number, text_key(text)),
        )
        return tuple(thought_of(namespace, row) for row in rows)
