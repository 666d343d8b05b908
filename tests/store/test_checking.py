"""check() finds what is wrong; each fault is made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore

Open = Callable[..., SqliteStore]


@pytest.fixture
def filled(opened: Open, make) -> SqliteStore:
    store = opened()
    make.put(store, ["one", "two", "three"], metadata={"k": 1})
    with store.write() as writer:
        writer.put_thought(make.thought("t"), make.vectors(1, 5)[0], [make.derivation("v", "t", ["d-0"])])
    assert store.check() == ()
    return store


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DELETE FROM vectors WHERE seq = 1", "codes of kind chunk"),
        ("UPDATE vectors SET vector = zeroblob(3) WHERE seq = 1", "1 vectors do not have 16 dimensions"),
        (
            "UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE seq = 2) WHERE seq = 1",
            "1 codes of kind chunk",
        ),
        ("INSERT INTO vectors VALUES(99, zeroblob(32))", "1 vectors belong to nothing"),
        ("INSERT INTO vectors VALUES(99, zeroblob(32))", "1 row numbers are larger"),
        ("DELETE FROM bags WHERE seq = 1", "1 rows have no bag"),
        ("INSERT INTO bags VALUES(99, x'')", "1 bags have no row"),
        ("DELETE FROM segments WHERE kind = 'thought'", "1 rows of kind thought differ between codes"),
        ("UPDATE segments SET last_seq = 2, first_seq = 2 WHERE kind = 'chunk'", "beyond its range"),
        ("UPDATE namespaces SET chunk_rows = 7", "3 rows of kind chunk, 7 recorded"),
        ("INSERT INTO words_1(rowid, stems) VALUES(77, 'x')", "1 rows of kind chunk differ in the index of words"),
        ("INSERT INTO words_1(words_1, rowid, stems) VALUES('delete', 1, 'one')", "differ in the index of words"),
        ("UPDATE documents SET chunk_count = 2", "1 documents do not have as many chunks"),
        ("UPDATE chunks SET ordinal = 9 WHERE ordinal = 1", "1 documents do not have as many chunks"),
        ("DELETE FROM document_texts", "1 documents have no text"),
        ("DELETE FROM document_metadata", "1 entries of metadata"),
        ("UPDATE thoughts SET status = 'stale'", "1 thoughts are indexed and not active"),
        ("UPDATE thoughts SET seq = NULL", "1 active thoughts are not indexed"),
        ("UPDATE chunks SET seq = -seq", "3 chunks are not indexed"),
        ("UPDATE thoughts SET seq = 1", "1 row numbers stand for a chunk and a thought"),
        ("DELETE FROM thoughts", "refer to rows that do not exist"),
    ],
)
def test_each_fault_is_found(filled: SqliteStore, statement: str, fault: str) -> None:
    with filled._pool.lend() as sql:
        sql.run("PRAGMA foreign_keys = OFF")
        sql.run(statement)
        sql.run("PRAGMA foreign_keys = ON")
    assert any(fault in found for found in filled.check()), filled.check()


def test_the_store_in_memory_finds_its_own(make) -> None:
    store = MemoryStore(dimension=16)
    make.put(store, ["one"])
    assert store.check() == ()
    store._state.spaces["n"].unindex("d-0")
    assert store.check() == ("Namespace 'n': 1 items differ between records and index.",)
