"""Opening the file: is it one of ours, may we write to it, which version has it?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw

from thinkback.errors import StoreCorrupt, StoreError, StoreReadOnly
from thinkback.ports import StoreInfo
from thinkback.store.sqlite.schema import MIGRATIONS, migrate, refuse_newer, schema_version
from thinkback.store.sqlite.session import Facts, read_facts
from thinkback.store.sqlite.sql import Sql

__all__ = ["connector", "info", "inspect", "prepare"]

_CREATED_BY = "thinkback 0.1"


def connector(path: Path, *, read_only: bool, timeout_s: float, max_bytes: int | None) -> Callable[[], Sql]:
    """Return what opens one more connection to the file."""

    def connect() -> Sql:
        if read_only:
            return _for_reading(path, timeout_s)
        sql = Sql(path, read_only=False, timeout_s=timeout_s)
        try:
            _refuse_read_only(sql)
            if max_bytes is not None:
                page = int(sql.value("PRAGMA page_size"))
                sql.run(f"PRAGMA max_page_count = {max(max_bytes // page, 1)}")
        except BaseException:
            sql.close()
            raise
        return sql

    return connect


def _refuse_read_only(sql: Sql) -> None:
    """SQLite opens for reading, and says nothing, where the system lets it do no more."""
    if sql.connection.readonly("main"):
        raise StoreReadOnly("The store cannot be written to.", hint="Open it with read_only=True.")


def _for_reading(path: Path, timeout_s: float) -> Sql:
    """Open for reading; in a folder where no lock file can be made, as a file that does not change."""
    try:
        return Sql(path, read_only=True, timeout_s=timeout_s)
    except StoreError as error:
        log = path.with_name(path.name + "-wal")
        shut_out = isinstance(error.__cause__, apsw.CantOpenError | apsw.ReadOnlyError)
        if not shut_out or not path.exists() or (log.exists() and log.stat().st_size):
            raise
        return Sql(path, read_only=True, immutable=True, timeout_s=timeout_s)


def prepare(sql: Sql, *, embedder_id: str, dimension: int, at: float) -> None:
    """Make the tables, or bring them to the newest version.

    Raises:
        SchemaTooNew, StoreCorrupt: the file is not one that this code may touch.
    """
    version = schema_version(sql)
    refuse_newer(version)
    if sql.value("PRAGMA journal_mode = WAL") != "wal":
        raise StoreError("This file system cannot keep a write-ahead log.", hint="Use a local disk.")
    if version == MIGRATIONS[-1].version:
        return
    sql.begin(write=True)
    try:
        fresh = schema_version(sql) == 0  # another process may have been quicker
        migrate(sql, at=at)
        if fresh:
            sql.many(
                "INSERT INTO meta(name, value) VALUES(?,?)",
                (
                    ("embedder_id", embedder_id),
                    ("dimension", dimension),
                    ("code_kind", "sign"),
                    ("created_by", _CREATED_BY),
                    ("created_at", at),
                    ("next_row", 1),
                    ("deletions", 0),
                    ("rewritten", 0),
                    ("purged", 0),
                ),
            )
        sql.commit()
    finally:
        sql.rollback()


def inspect(sql: Sql) -> Facts:
    """Return what the file says of its vectors.

    Raises:
        StoreCorrupt: it is not a store.
        SchemaTooNew: it is too new.
    """
    version = schema_version(sql)
    if version == 0:
        raise StoreCorrupt("The file is empty: there is no store in it.")
    refuse_newer(version)
    return read_facts(sql)


def info(sql: Sql, path: Path) -> StoreInfo:
    """Return what the file says of itself."""
    facts = read_facts(sql)
    return StoreInfo(
        path=str(path),
        schema=schema_version(sql),
        embedder_id=facts.embedder_id,
        dimension=facts.dimension,
        created_by=str(sql.value("SELECT value FROM meta WHERE name = 'created_by'")),
        created_at=float(sql.value("SELECT value FROM meta WHERE name = 'created_at'")),
        code_kind=facts.code_kind,
    )
