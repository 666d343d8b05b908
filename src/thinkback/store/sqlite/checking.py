# ruff: noqa: S608 - only names of our own go into statements, values never
"""Looking for faults: in the file itself, and between what is written in two places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from thinkback.errors import StoreError
from thinkback.ports import ItemClass
from thinkback.store.sqlite.segments import SegmentTable
from thinkback.store.sqlite.session import Facts
from thinkback.store.sqlite.sql import Sql, integers
from thinkback.store.sqlite.words import THOUGHTS
from thinkback.store.vectors.codes import encode
from thinkback.types import Rows

__all__ = ["faults_of"]


def faults_of(sql: Sql, facts: Facts) -> tuple[str, ...]:
    """Return what is wrong, one sentence each; empty when all is sound. Reads everything."""
    return (*_file(sql), *_records(sql), *_vectors(sql, facts), *_index(sql, facts))


def _file(sql: Sql) -> Iterator[str]:
    # FTS5 checks itself against what this connection last read of an index, and calls it damaged where another connection
    # has written since (seen in 3.54.1); a query makes it read anew.
    for (space,) in sql.rows("SELECT space FROM namespaces WHERE has_words"):
        with suppress(StoreError):  # a damaged one is named by the check itself
            sql.rows(f"SELECT rowid FROM words_{space} WHERE words_{space} MATCH 'x' LIMIT 1")
    faults = [message for (message,) in sql.rows("PRAGMA integrity_check(20)") if message != "ok"]
    if faults:
        yield f"SQLite finds {len(faults)} faults in the file, the first: {faults[0][:200]}."
    broken = sql.rows("PRAGMA foreign_key_check")
    if broken:
        yield f"{len(broken)} rows refer to rows that do not exist, the first in table {broken[0][0]}."


_COUNTS = {
    "{} documents do not have as many chunks as they say, or gaps between them.": """
        SELECT count(*) FROM (
            SELECT d.document FROM documents d LEFT JOIN chunks c ON c.document = d.document GROUP BY d.document
            HAVING count(c.seq) <> d.chunk_count OR coalesce(max(c.ordinal), -1) <> d.chunk_count - 1
                OR count(DISTINCT c.ordinal) <> d.chunk_count OR max(c.space <> d.space)
        )""",
    "{} documents have no text.": """
        SELECT count(*) FROM documents WHERE document NOT IN (SELECT document FROM document_texts)""",
    "{} chunks are not indexed.": "SELECT count(*) FROM chunks WHERE seq <= 0",
    "{} active thoughts are not indexed.": "SELECT count(*) FROM thoughts WHERE status = 'active' AND seq IS NULL",
    "{} thoughts are indexed and not active.": "SELECT count(*) FROM thoughts WHERE status <> 'active' AND seq > 0",
    "{} row numbers stand for a chunk and a thought.": "SELECT count(*) FROM chunks JOIN thoughts USING (seq)",
    "{} row numbers are larger than any that was given out.": """
        SELECT count(*) FROM vectors WHERE seq >= (SELECT value FROM meta WHERE name = 'next_row')""",
}


def _records(sql: Sql) -> Iterator[str]:
    for sentence, query in _COUNTS.items():
        number = sql.value(query)
        if number:
            yield sentence.format(number)
    said = {
        (number, key)
        for number, text in sql.rows("SELECT document, metadata FROM documents")
        for key in json.loads(text)
    }
    found = set(sql.rows("SELECT document, key FROM document_metadata"))
    if said != found:
        yield f"{len(said ^ found)} entries of metadata differ between documents and their index."


def _vectors(sql: Sql, facts: Facts) -> Iterator[str]:
    wrong = sql.value("SELECT count(*) FROM vectors WHERE length(vector) <> ?", (2 * facts.dimension,))
    if wrong:
        yield f"{wrong} vectors do not have {facts.dimension} dimensions."
    unknown = sql.value(
        "SELECT count(*) FROM vectors WHERE seq NOT IN"
        " (SELECT seq FROM chunks UNION ALL SELECT seq FROM thoughts WHERE seq IS NOT NULL)"
    )
    if unknown:
        yield f"{unknown} vectors belong to nothing."

    bare = sql.value("SELECT count(*) FROM (SELECT seq FROM vectors EXCEPT SELECT seq FROM bags)")
    loose = sql.value("SELECT count(*) FROM (SELECT seq FROM bags EXCEPT SELECT seq FROM vectors)")
    if bare or loose:
        yield f"{bare} rows have no bag of words, and {loose} bags have no row."


def _index(sql: Sql, facts: Facts) -> Iterator[str]:
    for space, name, has_words, *recorded in sql.rows(
        "SELECT space, name, has_words, chunk_rows, thought_rows FROM namespaces ORDER BY space"
    ):
        kinds: tuple[ItemClass, ...] = ("chunk", "thought")
        words: set[int] = set()
        if has_words:
            words = {rowid for (rowid,) in sql.rows(f"SELECT rowid FROM words_{space}")}
        for kind, count in zip(kinds, recorded, strict=True):
            due = _due(sql, space, kind)
            if len(due) != count:
                yield f"Namespace {name!r}: {len(due)} rows of kind {kind}, {count} recorded."
            shift = 0 if kind == "chunk" else THOUGHTS
            here = {rowid - shift for rowid in words if (rowid >= THOUGHTS) == (kind == "thought")}
            if here != set(due):
                yield f"Namespace {name!r}: {len(here ^ set(due))} rows of kind {kind} differ in the index of words."
            yield from _codes(sql, facts, space, kind, name, due)


def _due(sql: Sql, space: int, kind: ItemClass) -> dict[int, int]:
    """Return the row numbers that must be indexed, with their owners."""
    if kind == "chunk":
        return dict(sql.rows("SELECT seq, document FROM chunks WHERE space = ? AND seq > 0 ORDER BY seq", (space,)))
    return {
        seq: -1
        for (seq,) in sql.rows("SELECT seq FROM thoughts WHERE space = ? AND seq IS NOT NULL ORDER BY seq", (space,))
    }


def _codes(sql: Sql, facts: Facts, space: int, kind: ItemClass, name: str, due: dict[int, int]) -> Iterator[str]:
    table = SegmentTable(
        sql=sql, space=space, kind=kind, code_kind=facts.code_kind, dimension=facts.dimension, full=1, small=1
    )
    segments = table.all()
    found: dict[int, int] = {}
    last, wrong = -1, 0
    for segment in segments:
        seqs = segment.block.seqs
        if segment.first <= last or (len(seqs) and (seqs[0] < segment.first or seqs[-1] > segment.last)):
            yield f"Namespace {name!r}: a segment of kind {kind} holds rows beyond its range."
        last = segment.last
        found |= dict(zip(seqs.tolist(), segment.block.owners.tolist(), strict=True))
        wrong += _wrong_codes(sql, facts, seqs, segment.block.codes) if len(seqs) else 0
    if found != due:
        yield f"Namespace {name!r}: {len(found.items() ^ due.items())} rows of kind {kind} differ between codes and records."
    if wrong:
        yield f"Namespace {name!r}: {wrong} codes of kind {kind} are not those of their vectors."


def _wrong_codes(sql: Sql, facts: Facts, seqs: Rows, codes: object) -> int:
    rows = sql.rows("SELECT seq, vector FROM carray(?) CROSS JOIN vectors ON seq = value", (integers(seqs),))
    vectors = {seq: vector for seq, vector in rows if len(vector) == 2 * facts.dimension}
    missing = len(seqs) - len(vectors)
    there = np.isin(seqs, np.fromiter(vectors, np.int64, len(vectors)))
    if not there.any():
        return missing
    data = b"".join(vectors[seq] for seq in seqs[there].tolist())
    matrix = np.frombuffer(data, np.float16).reshape(-1, facts.dimension).astype(np.float32)
    kept = np.asarray(codes)[:, there]
    return missing + int((encode(facts.code_kind, matrix) != kept).any(axis=0).sum())
