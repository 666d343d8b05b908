# ruff: noqa: S608 - only names of our own go into statements, values never
"""Making deleted text vanish from the bytes of the file, its log and the log's index.

``secure_delete`` overwrites what is deleted, and FTS5 does the same with words, but neither does all of it. When SQLite
moves rows between pages it leaves copies behind in the unused middle of a page, and FTS5 keeps the first word of a page as
a signpost after its last row has gone: over twelve random histories 20 of 6,892 deleted texts could still be read. So a purge
writes the index of words anew where such a signpost is left, then the whole file (VACUUM), then empties the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from thinkback.ports import PurgeReport
from thinkback.store.sqlite.sql import Sql

__all__ = ["purge"]

_WAIT_FOR_READERS_S = 0.25

_READ_LOCKS = range(123, 128)
"""Bytes of the -shm file that readers of the log lock: https://sqlite.org/walformat.html, "WAL locks"."""


def purge(sql: Sql, path: Path) -> PurgeReport:
    """Write the file anew without what was deleted, and empty the log. No transaction may be open on the connection."""
    started = time.perf_counter()
    deletions, rewritten, purged = (
        int(sql.value("SELECT value FROM meta WHERE name = ?", (name,)))
        for name in ("deletions", "rewritten", "purged")
    )
    if deletions > purged:
        if deletions > rewritten:
            _rewrite(sql)
            _note(sql, "rewritten", deletions)
        if not _empty_log(sql):
            holders = tuple(_holders(path)) or ("another connection",)
            return PurgeReport(status="purge_pending", held_by=holders, seconds=time.perf_counter() - started)
        _note(sql, "purged", deletions)
    return PurgeReport(status="purged", seconds=time.perf_counter() - started)


def _note(sql: Sql, name: str, value: int) -> None:
    sql.run("UPDATE meta SET value = ? WHERE name = ?", (value, name))


def _rewrite(sql: Sql) -> None:
    sql.begin(write=True)
    try:
        for (space,) in sql.rows("SELECT space FROM namespaces WHERE has_words"):
            name = f"words_{space}"
            if _has_stale_signpost(sql, name):
                _merge_words(sql, name)
        sql.commit()
    finally:
        sql.rollback()
    sql.run("PRAGMA temp_store = FILE")  # a copy of the whole file need not fit into memory; it holds live text only
    try:
        sql.run("VACUUM")
    finally:
        sql.run("PRAGMA temp_store = MEMORY")


def _has_stale_signpost(sql: Sql, name: str) -> bool:
    """Return whether a signpost is not the beginning of any word that is still there."""
    vocabulary = f"temp.signposts_{name}"
    sql.run(f"CREATE VIRTUAL TABLE {vocabulary} USING fts5vocab('main', '{name}', 'row')")
    try:
        for (term,) in sql.rows(f"SELECT DISTINCT term FROM {name}_idx"):
            post = bytes(term)[1:]  # the first byte names the index, of which there is one
            word = sql.value(f"SELECT term FROM {vocabulary} WHERE term >= CAST(? AS TEXT) LIMIT 1", (post,))
            if word is None or not word.encode("utf-8").startswith(post):
                return True
    finally:
        sql.run(f"DROP TABLE {vocabulary}")
    return False


def _merge_words(sql: Sql, name: str) -> None:
    """Write an index of words anew. FTS5 leaves a single segment as it is, so a second one is made first."""
    sql.run(f"INSERT INTO {name}(rowid, stems) VALUES(-1, 'x')")
    sql.run(f"INSERT INTO {name}({name}) VALUES('optimize')")
    sql.run(f"INSERT INTO {name}({name}, rowid, stems) VALUES('delete', -1, 'x')")


def _empty_log(sql: Sql) -> bool:
    """Bring the log into the file and cut it to nothing; False while a reader needs it."""
    waited = int(sql.value("PRAGMA busy_timeout"))
    sql.connection.set_busy_timeout(int(_WAIT_FOR_READERS_S * 1000))
    try:
        row = sql.row("PRAGMA wal_checkpoint(TRUNCATE)")
        return row is not None and row[0] == 0
    finally:
        sql.connection.set_busy_timeout(waited)


def _holders(path: Path) -> Iterator[str]:
    """Yield who reads the log, as far as the system tells: on Linux from its list of file locks."""
    try:
        shared = path.with_name(path.name + "-shm").stat()
        locks = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    seen: set[int] = set()
    for line in locks:  # 12: POSIX  ADVISORY  READ  4711 fe:01:393239 124 124
        fields = line.split()
        if len(fields) != 8 or fields[3] != "READ" or int(fields[5].rpartition(":")[2]) != shared.st_ino:
            continue
        first, last, process = int(fields[6]), fields[7], int(fields[4])
        reads = any(place in _READ_LOCKS for place in (first, int(last) if last.isdigit() else first))
        if reads and process not in seen:
            seen.add(process)
            yield f"process {process} (this one)" if process == os.getpid() else f"process {process}"
