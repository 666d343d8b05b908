"""The model of a run, with everything it ever said kept: so that a run resumes, and replays where there is no model."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from thinkback.errors import InvalidInput, ModelUnavailable
from thinkback.ids import content_hash
from thinkback.llm.cached import CachedGenerator
from thinkback.ports import Delta, Generator, ModelTraits, Reply, Request

__all__ = ["KeptModel"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id TEXT PRIMARY KEY, traits TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS counts (
    model TEXT NOT NULL, key TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (model, key)
) STRICT, WITHOUT ROWID;
"""
_LARGEST = 1 << 40
_BATCH = 500


class KeptModel:
    """A language model whose replies and token counts are kept in one SQLite file, by what was asked.

    Args:
        inner: the model; None: there is none, only what is kept can be said again.
        path: the file.
        model_id: which of the file's models is meant where there is no ``inner``; None: its only one.

    Raises:
        InvalidInput: there is no ``inner``, and the file does not say which model is meant.
    """

    def __init__(self, inner: Generator | None, path: Path, *, model_id: str | None = None) -> None:
        if inner is None and not path.is_file():
            raise InvalidInput(f"There are no kept replies in {str(path)!r} to replay.")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False, timeout=30)
        self._db.executescript(_SCHEMA)
        model = inner if inner is not None else _Absent(*self._known(model_id))
        self.id, self.traits = model.id, model.traits
        if inner is not None:
            row = (model.id, json.dumps(dataclasses.asdict(model.traits)))
            self._db.execute("INSERT OR REPLACE INTO models VALUES (?, ?)", row)
            self._db.commit()
        self._inner = model
        self._replies = CachedGenerator(model, path, max_bytes=_LARGEST)
        self._counts: dict[str, int] = dict(
            self._db.execute("SELECT key, tokens FROM counts WHERE model = ?", (self.id,)).fetchall()
        )
        self._fresh: list[tuple[str, str, int]] = []

    def generate(self, request: Request) -> Reply:
        """Return the kept reply, or ask and keep it.

        Raises:
            ModelError: as the model; ModelUnavailable: there is none, and this was never asked.
        """
        return self._replies.generate(request)

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield the kept reply, or ask and keep it.

        Raises:
            ModelError: as ``generate``.
        """
        return self._replies.stream(request)

    def count(self, text: str) -> int:
        """Return the model's count of tokens.

        Raises:
            ModelUnavailable: there is no model, and this text was never counted.
        """
        key = content_hash(text)[:32]
        with self._lock:
            known = self._counts.get(key)
        if known is not None:
            return known
        tokens = self._inner.count(text)
        with self._lock:
            self._counts[key] = tokens
            self._fresh.append((self.id, key, tokens))
            if len(self._fresh) >= _BATCH:
                self._flush()
        return tokens

    def close(self) -> None:
        """Write what is not written yet, and close file and model; calling it twice is fine."""
        with self._lock:
            if self._fresh:
                self._flush()
        self._replies.close()
        self._db.close()

    def _flush(self) -> None:
        self._db.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)", self._fresh)
        self._db.commit()
        self._fresh = []

    def _known(self, model_id: str | None) -> tuple[str, ModelTraits]:
        rows = self._db.execute("SELECT id, traits FROM models").fetchall()
        found = [row for row in rows if model_id in (None, row[0])]
        if len(found) != 1:
            names = ", ".join(row[0] for row in rows) or "none"
            raise InvalidInput(f"Which model's replies are meant? The file has those of: {names}.")
        return found[0][0], ModelTraits(**json.loads(found[0][1]))


class _Absent:
    """A model that is not here: it has a name and says nothing."""

    def __init__(self, model_id: str, traits: ModelTraits) -> None:
        self.id, self.traits = model_id, traits

    def generate(self, request: Request) -> Reply:  # noqa: ARG002
        """Refuse."""
        raise ModelUnavailable(f"The model {self.id!r} is not here, and it was never asked this.")

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Refuse."""
        yield self.generate(request)

    def count(self, text: str) -> int:  # noqa: ARG002
        """Refuse."""
        raise ModelUnavailable(f"The model {self.id!r} is not here, and it never counted this text.")

    def close(self) -> None:
        """Do nothing."""
