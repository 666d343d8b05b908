"""Opening a store: what is one, what is not, and who may write to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from thinkback.errors import (
    EmbedderMismatch,
    InvalidInput,
    SchemaTooNew,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from thinkback.store.sqlite import SqliteStore
from thinkback.store.sqlite.schema import APPLICATION_ID, MIGRATIONS

Open = Callable[..., SqliteStore]


def test_a_new_file_says_what_it_is(opened: Open, path: Path) -> None:
    info = opened(clock=lambda: 12.5).info()
    assert (info.embedder_id, info.dimension, info.schema) == ("e", 16, MIGRATIONS[-1].version)
    assert (info.path, info.created_at, info.code_kind) == (str(path), 12.5, "sign")
    assert info.created_by.startswith("thinkback")
    assert opened().info() == info


def test_the_file_is_set_up_for_safety(store: SqliteStore, path: Path, make) -> None:
    make.put(store, ["text"])
    with store._pool.lend() as sql:
        settings = {
            name: sql.value(f"PRAGMA {name}")
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
        assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
        assert sql.value("PRAGMA busy_timeout") == 10_000
        assert sql.value("PRAGMA application_id") == APPLICATION_ID
        plain = sql.rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict")
        assert {name for (name,) in plain} <= {"sqlite_schema", "sqlite_sequence"}
        assert sql.rows("SELECT version, name FROM migrations") == [(m.version, m.name) for m in MIGRATIONS]


@pytest.mark.parametrize(("embedder", "dimension"), [("other", 16), ("e", 17)])
def test_another_embedder_is_refused(opened: Open, embedder: str, dimension: int) -> None:
    opened().close()
    with pytest.raises(EmbedderMismatch) as caught:
        opened(embedder_id=embedder, dimension=dimension)
    assert "reindex" in caught.value.hint


def test_a_dimension_must_be_one(opened: Open, store: SqliteStore) -> None:
    with pytest.raises(InvalidInput):
        opened(dimension=0)
    with pytest.raises(InvalidInput):
        store.reset_vectors("e", 0)


def test_an_open_store_notices_that_another_reindexed_it(opened: Open, make) -> None:
    old, new = opened(), opened()
    make.put(old, ["text"])
    new.reset_vectors("better", 4)
    with pytest.raises(EmbedderMismatch), old.read():
        pass
    with pytest.raises(EmbedderMismatch), old.write():
        pass
    assert opened(embedder_id="better", dimension=4).info().embedder_id == "better"


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_store_is_refused_and_left_alone(opened: Open, path: Path, read_only: bool) -> None:
    opened().close()
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO migrations VALUES(99, 'future', 0.0)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaTooNew, match="99"):
        opened(read_only=read_only)
    assert path.read_bytes() == before


def test_an_older_store_is_brought_up_to_date(opened: Open, path: Path, make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of tomorrow is run once, and recorded with what it did."""
    store = opened()
    make.put(store, ["text"])
    store.close()
    step = type(MIGRATIONS[0])(
        version=99, name="a column", apply=lambda sql: sql.run("ALTER TABLE settings ADD x TEXT") and None
    )
    monkeypatch.setattr("thinkback.store.sqlite.schema.MIGRATIONS", [*MIGRATIONS, step])
    monkeypatch.setattr("thinkback.store.sqlite.opening.MIGRATIONS", [*MIGRATIONS, step])
    for _ in range(2):
        store = opened()
        assert store.info().schema == 99
        assert store.check() == ()
        store.close()


def test_a_failing_step_leaves_the_store_as_it_was(opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened().close()

    def half(sql) -> None:
        sql.run("ALTER TABLE settings ADD y TEXT")
        sql.run("ALTER TABLE nothing ADD y TEXT")

    step = type(MIGRATIONS[0])(version=99, name="half", apply=half)
    with monkeypatch.context() as patch:
        patch.setattr("thinkback.store.sqlite.schema.MIGRATIONS", [*MIGRATIONS, step])
        patch.setattr("thinkback.store.sqlite.opening.MIGRATIONS", [*MIGRATIONS, step])
        with pytest.raises(StoreError):
            opened()
    with opened()._pool.lend() as sql:
        assert "y" not in {row[1] for row in sql.rows("PRAGMA table_info(settings)")}


def test_what_is_no_store_is_refused_and_left_alone(opened: Open, path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StoreCorrupt):
        opened()
    assert path.read_bytes() == b"Dear diary, " * 1000
    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs(x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="not a thinkback store"):
        opened()
    assert path.read_bytes() == before
    assert not path.with_name(path.name + "-wal").exists()


def test_a_store_without_some_tables_is_corrupt(opened: Open, path: Path) -> None:
    opened().close()
    connection = apsw.Connection(str(path))
    connection.execute("DROP TABLE meta")
    connection.close()
    with pytest.raises(StoreCorrupt, match="missing"):
        opened()


def test_a_damaged_store_says_so(opened: Open, path: Path, make) -> None:
    store = opened()
    make.put(store, [f"some text {number} " * 30 for number in range(200)])
    store.close()
    data = bytearray(path.read_bytes())
    data[8 * 4096 :] = b"\xff" * (len(data) - 8 * 4096)
    path.write_bytes(data)
    with pytest.raises(StoreCorrupt):
        damaged(opened)
    path.write_bytes(path.read_bytes()[: 3 * 4096])
    with pytest.raises(StoreCorrupt):
        damaged(opened)


def damaged(opened: Open) -> None:
    """Use a store in all ways; one must stumble."""
    store = opened()
    with store.read() as reader:
        reader.documents("n")
        reader.items("n", [f"d-{number}" for number in range(200)])
        reader.document_text("n", "d")


def test_check_reports_damage(opened: Open, path: Path, make) -> None:
    store = opened()
    make.put(store, [f"some text {number} " * 30 for number in range(200)])
    store.close()
    connection = apsw.Connection(str(path))
    pages = [
        row[0] for row in connection.execute("SELECT pageno FROM dbstat WHERE name = 'chunks' AND pagetype = 'leaf'")
    ]
    connection.close()
    data = bytearray(path.read_bytes())
    for page in pages[1:3]:
        data[(page - 1) * 4096 + 8 : page * 4096] = b"\xff" * 4088
    path.write_bytes(data)
    assert opened().check() != ()


def test_a_missing_folder_or_a_folder_in_place_of_a_file(opened: Open, tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "store.sqlite", tmp_path):
        with pytest.raises(StoreError):
            opened(path=path)
    with pytest.raises(StoreError):
        opened(path=tmp_path / "none.sqlite", read_only=True)
    assert not (tmp_path / "none.sqlite").exists()


def test_an_empty_file_cannot_be_read_as_a_store(opened: Open, path: Path) -> None:
    path.touch()
    with pytest.raises(StoreCorrupt, match="empty"):
        opened(read_only=True)
    assert opened().check() == ()


def test_a_store_opened_for_reading_refuses_to_write(opened: Open, make) -> None:
    make.put(opened(), ["some words"])
    store = opened(read_only=True)
    with store.read() as reader:
        assert len(reader.search_words("n", "words", 5, kind="chunk").rows) == 1
        assert len(reader.search_dense("n", make.vectors(1)[0], 5, kind="chunk").rows) == 1
    assert store.check() == ()
    with pytest.raises(StoreReadOnly), store.write():
        pass
    for act in (store.purge, lambda: store.reset_vectors("x", 3), lambda: store.put_vectors("n", [], make.vectors(0))):
        with pytest.raises(StoreReadOnly):
            act()


_IN_A_READ_ONLY_FOLDER = """
import os, sys
from thinkback.errors import StoreReadOnly
from thinkback.store.sqlite import SqliteStore
from thinkback.store.words import stems
stems("import what is imported on first use")
if os.geteuid() == 0:  # the rights of a file do not bind root
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
try:
    SqliteStore.open(sys.argv[1], embedder_id="e", dimension=16)
except StoreReadOnly:
    print("refused")
with SqliteStore.open(sys.argv[1], embedder_id="e", dimension=16, read_only=True).read() as reader:
    print(len(reader.documents("n")), len(reader.search_words("n", "words", 5, kind="chunk").rows))
"""


def test_a_folder_that_cannot_be_written_to_can_be_read(opened: Open, make) -> None:
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to anyone else
    path = folder / "store.sqlite"
    store = opened(path=path)
    make.put(store, ["some words"])
    store.close()
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        command = [sys.executable, "-c", _IN_A_READ_ONLY_FOLDER, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    assert (done.stdout.split(), done.returncode) == (["refused", "1", "1"], 0), done.stderr


def test_a_full_disk_keeps_the_store_as_it_was(opened: Open, path: Path, make) -> None:
    store = opened()
    make.put(store, ["kept"], "kept")
    store.close()
    store = opened(max_bytes=path.stat().st_size + 200_000)
    with pytest.raises(StoreFull) as caught:
        for number in range(100):
            make.put(store, [f"text {number} " * 1000], f"d{number}")
    assert caught.value.retryable
    assert store.check() == ()
    with store.read() as reader:
        held = [document.id for document in reader.documents("n")]
        assert held[0] == "d0"
        assert "kept" in held
        assert len(reader.search_words("n", "text", 200, kind="chunk").rows) == len(held) - 1
    with store.write() as writer:
        writer.delete_documents("n", held[:5])
    make.put(store, ["fits again"], "again")
    assert store.check() == ()


def test_a_writer_that_waits_too_long_is_told_so(opened: Open, make) -> None:
    first, second = opened(), opened(busy_timeout_s=0.05)
    with first.write() as writer:
        writer.put_setting("a", "b")
        with pytest.raises(StoreBusy) as caught, second.write():
            pass
        assert caught.value.retryable
    with second.write() as writer:
        assert writer.setting("a") == "b"


def test_a_fork_must_open_the_store_itself(store: SqliteStore, make, monkeypatch: pytest.MonkeyPatch) -> None:
    make.put(store, ["text"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(StoreClosed, match="fork"), store.read():
            pass
        store.close()  # must not take the parent's locks away
    with store.read() as reader:
        assert len(reader.documents("n")) == 1
