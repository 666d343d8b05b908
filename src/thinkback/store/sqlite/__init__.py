"""The embedded store: one SQLite file is the only truth."""

from thinkback.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
