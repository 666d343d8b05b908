"""One connection to the file: every statement goes through here, so every error is one of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from thinkback.store.sqlite.faults import translated
from thinkback.types import Rows

__all__ = ["Sql", "integers", "is_utf8", "strings"]

Parameters = Sequence[Any] | Mapping[str, Any]

_PAGE_CACHE_KIB = 2048
"""Kept per connection: small, since the vectors that a search reads are seldom the same twice."""


def integers(values: Rows) -> apsw.CArrayBinding:
    """Return whole numbers as one parameter, for ``carray(?)``; at least one."""
    return apsw.carray(np.ascontiguousarray(values, np.int64))


def strings(values: Iterable[str]) -> apsw.CArrayBinding | None:
    """Return texts as one parameter, for ``carray(?)``, or None where none are left.

    Those with NUL or a lone surrogate are dropped: no id has one, and SQLite would cut the former short.
    """
    kept = tuple(value for value in values if "\0" not in value and is_utf8(value))
    return apsw.carray(kept) if kept else None


def is_utf8(text: str) -> bool:
    """Return whether the file can hold the text: it has no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Sql:
    """A connection, as short verbs.

    Args:
        path: of the file.
        read_only: whether to open it for reading only.
        immutable: the file cannot change, so no lock is taken and no log is looked for (a read-only folder).
        timeout_s: seconds to wait for another writer.
    """

    def __init__(self, path: Path, *, read_only: bool, immutable: bool = False, timeout_s: float) -> None:
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        name = f"{path.absolute().as_uri()}?immutable=1" if immutable else str(path)
        self.prepared: set[str] = set()
        """Temporary tables that this connection has; a rollback may take them with it."""
        try:
            self.connection = apsw.Connection(name, flags=flags | (apsw.SQLITE_OPEN_URI if immutable else 0))
        except apsw.Error as error:
            raise translated(error) from error
        try:
            self._set_up(timeout_s)
        except apsw.Error as error:
            self.connection.close()
            raise translated(error) from error

    def _set_up(self, timeout_s: float) -> None:
        self.connection.set_busy_timeout(int(timeout_s * 1000))
        self.connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        self.connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        for name, value in (
            ("secure_delete", "ON"),
            ("foreign_keys", "ON"),
            ("synchronous", "FULL"),
            ("cache_size", -_PAGE_CACHE_KIB),
            ("temp_store", "MEMORY"),  # a sort must not leave text in a temporary file
        ):
            self.connection.pragma(name, value)

    def rows(self, sql: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
        """Return all rows."""
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except apsw.Error as error:
            raise translated(error) from error

    def row(self, sql: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None."""
        try:
            return self.connection.execute(sql, parameters).fetchone()
        except apsw.Error as error:
            raise translated(error) from error

    def value(self, sql: str, parameters: Parameters = ()) -> Any:
        """Return the first column of the first row, or None."""
        found = self.row(sql, parameters)
        return None if found is None else found[0]

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Carry out a statement and return how many rows it changed."""
        try:
            self.connection.execute(sql, parameters).fetchall()
            return self.connection.changes()
        except apsw.Error as error:
            raise translated(error) from error

    def many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Carry out a statement once for each of the parameters."""
        try:
            self.connection.executemany(sql, parameters)
        except apsw.Error as error:
            raise translated(error) from error

    def begin(self, *, write: bool) -> None:
        """Open a transaction whose snapshot is fixed from now on."""
        self.run("BEGIN IMMEDIATE" if write else "BEGIN")
        if not write:
            self.value("SELECT 1 FROM meta")  # a deferred transaction has no snapshot before its first read

    def commit(self) -> None:
        """End the transaction; what it wrote is on disk afterwards."""
        self.run("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, if there is one."""
        self.prepared.clear()
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise translated(error) from error

    def close(self) -> None:
        """Close the connection."""
        try:
            self.connection.close()
        except apsw.Error as error:
            raise translated(error) from error
