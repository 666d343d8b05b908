"""The embedded store: one SQLite file is the only truth."""

from thinkback.store.sqlite.store import SqliteStore
from thinkback.store.sqlite.tuning import Tuning

__all__ = ["SqliteStore", "Tuning"]
