# ruff: noqa: D102 - the port documents these methods; only names of our own go into statements, values never
"""Writing documents with their chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinkback.errors import InvalidInput, NotFound
from thinkback.store.rules import TRUST_ORDER, check_document, check_texts, check_vectors, scalar_key
from thinkback.store.sqlite.decode import json_of
from thinkback.store.sqlite.index_writer import IndexWriter
from thinkback.store.sqlite.session import Space
from thinkback.store.sqlite.sql import integers, is_utf8, strings
from thinkback.types import Chunk, Document, FloatMatrix

__all__ = ["DocumentWriter"]

_Held = dict[str, tuple[int, str]]
"""Chunk id to (row number, text) of the document as it is."""


class DocumentWriter(IndexWriter):
    """The part of the Writer port that writes documents."""

    def put_document(self, document: Document, text: str, chunks: Sequence[Chunk], vectors: FloatMatrix) -> None:
        check_document(document, text, chunks)
        check_vectors(vectors, (len(chunks), self._facts.dimension))
        space = self._own_space(document.namespace)
        number = self._document_number(space, document.id)
        held: _Held = {}
        if number is not None:
            held = {
                chunk_id: (seq, chunk_text)
                for chunk_id, seq, chunk_text in self._sql.rows(
                    "SELECT id, seq, text FROM chunks WHERE document = ?", (number,)
                )
            }
        self._check_ids(space, chunks, held)
        self._step(space)
        number = self._put_record(space, number, document, text, len(chunks))
        self._remove_chunks(space, [held[i] for i in held.keys() - {chunk.id for chunk in chunks}])
        if held:
            self._move_kept(chunks, held)
        fresh = np.array([position for position, chunk in enumerate(chunks) if chunk.id not in held], np.int64)
        if len(fresh):
            self._add_chunks(space, number, [chunks[i] for i in fresh.tolist()], vectors[fresh])

    def _document_number(self, space: Space, document_id: str) -> int | None:
        if not is_utf8(document_id):
            return None
        found = self._sql.value(
            "SELECT document FROM documents WHERE space = ? AND id = ?", (space.number, document_id)
        )
        return None if found is None else int(found)

    def _check_ids(self, space: Space, chunks: Sequence[Chunk], held: _Held) -> None:
        """Refuse an id that stands for something else already."""
        changed = next((c.id for c in chunks if c.id in held and held[c.id][1] != c.text), None)
        fresh = strings(chunk.id for chunk in chunks if chunk.id not in held)
        if changed is None and fresh is not None:
            changed = self._sql.value(
                "SELECT id FROM carray(?) CROSS JOIN chunks ON space = ? AND id = value LIMIT 1", (fresh, space.number)
            )
        if changed is not None:
            raise InvalidInput(f"Chunk {changed!r} exists already, with other text or in another document.")

    def _put_record(self, space: Space, number: int | None, document: Document, text: str, chunk_count: int) -> int:
        values = (
            document.uri,
            document.title,
            json_of(document.metadata),
            document.content_hash,
            document.version,
            TRUST_ORDER.index(document.trust),
            document.created_at,
            document.updated_at,
            chunk_count,
        )
        if number is None:
            self._sql.run(
                "INSERT INTO documents(uri, title, metadata, content_hash, version, trust, created_at, updated_at,"
                " chunk_count, space, id) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                (*values, space.number, document.id),
            )
            number = self._sql.connection.last_insert_rowid()
            self._sql.run("INSERT INTO document_texts(document, text) VALUES(?,?)", (number, text))
        else:
            self._deleted = True
            self._sql.run(
                "UPDATE documents SET uri=?, title=?, metadata=?, content_hash=?, version=?, trust=?, created_at=?,"
                " updated_at=?, chunk_count=? WHERE document = ?",
                (*values, number),
            )
            self._sql.run("UPDATE document_texts SET text = ? WHERE document = ?", (text, number))
            self._sql.run("DELETE FROM document_metadata WHERE document = ?", (number,))
        self._put_metadata(space, number, document)
        return number

    def _put_metadata(self, space: Space, number: int, document: Document) -> None:
        self._sql.many(
            "INSERT INTO document_metadata(space, key, value, document) VALUES(?,?,?,?)",
            ((space.number, key, scalar_key(value), number) for key, value in document.metadata.items()),
        )

    def _move_kept(self, chunks: Sequence[Chunk], held: _Held) -> None:
        """Write what may change of chunks that stay: place, page and hash; row and vector are kept."""
        self._sql.many(
            "UPDATE chunks SET ordinal=?, span_start=?, span_end=?, page=?, content_hash=? WHERE seq = ?",
            (
                (chunk.ordinal, chunk.start, chunk.end, chunk.page, chunk.content_hash, held[chunk.id][0])
                for chunk in chunks
                if chunk.id in held
            ),
        )

    def _add_chunks(self, space: Space, number: int, chunks: Sequence[Chunk], vectors: FloatMatrix) -> None:
        seqs = self._take_rows(len(chunks))
        self._sql.many(
            "INSERT INTO chunks(seq, space, document, ordinal, span_start, span_end, page, id, content_hash, text)"
            " VALUES(?,?,?,?,?,?,?,?,?,?)",
            (
                (seq, space.number, number, c.ordinal, c.start, c.end, c.page, c.id, c.content_hash, c.text)
                for seq, c in zip(seqs.tolist(), chunks, strict=True)
            ),
        )
        self._index(
            space, "chunk", seqs, vectors, [chunk.text for chunk in chunks], np.full(len(chunks), number, np.int32)
        )

    def _remove_chunks(self, space: Space, rows: Sequence[tuple[int, str]]) -> None:
        if rows:
            self._unindex(space, "chunk", ((seq, text) for seq, text in rows if seq > 0))
            seqs = np.array([seq for seq, _ in rows], np.int64)
            self._sql.run("DELETE FROM chunks WHERE seq IN (SELECT value FROM carray(?))", (integers(seqs),))

    def rename_document(self, namespace: str, document_id: str, *, uri: str, title: str) -> None:
        check_texts((uri, title))
        space, number = self._held_document(namespace, document_id)
        self._sql.run("UPDATE documents SET uri = ?, title = ? WHERE document = ?", (uri, title, number))
        self._deleted = True
        self._step(space)

    def set_document(self, document: Document) -> None:
        check_document(document, "", ())
        space, number = self._held_document(document.namespace, document.id)
        self._sql.run(
            "UPDATE documents SET uri=?, title=?, metadata=?, trust=?, updated_at=? WHERE document = ?",
            (
                document.uri,
                document.title,
                json_of(document.metadata),
                TRUST_ORDER.index(document.trust),
                document.updated_at,
                number,
            ),
        )
        self._sql.run("DELETE FROM document_metadata WHERE document = ?", (number,))
        self._put_metadata(space, number, document)
        self._deleted = True
        self._step(space)

    def _held_document(self, namespace: str, document_id: str) -> tuple[Space, int]:
        space = self._space(namespace)
        number = None if space is None else self._document_number(space, document_id)
        if space is None or number is None:
            raise NotFound(f"There is no document {document_id!r} in namespace {namespace!r}.")
        return space, number

    def delete_documents(self, namespace: str, document_ids: Sequence[str]) -> None:
        space, ids = self._space(namespace), strings(document_ids)
        if space is None or ids is None:
            return
        rows = self._sql.rows(
            "SELECT DISTINCT document FROM carray(?) CROSS JOIN documents ON space = ? AND id = value",
            (ids, space.number),
        )
        for (number,) in rows:
            self._step(space)
            chunks = self._sql.rows("SELECT seq, text FROM chunks WHERE document = ?", (number,))
            self._remove_chunks(space, [(seq, text) for seq, text in chunks])
            self._sql.run("DELETE FROM documents WHERE document = ?", (number,))
            self._deleted = True
