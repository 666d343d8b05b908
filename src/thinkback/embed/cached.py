"""Remember vectors, so that the same text is not embedded twice by the same embedder in the same role."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from thinkback.errors import InvalidInput, StoreError
from thinkback.ids import content_hash
from thinkback.ports import Embedder, InputKind, LazyEmbedder, PaidEmbedder
from thinkback.types import FloatMatrix, FloatVector, Usage

__all__ = ["CachedEmbedder"]

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS vectors (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    vector BLOB NOT NULL
) STRICT
"""
_PER_QUERY: Final = 500
"""Keys of one statement; SQLite takes 999 variables in its oldest builds."""


class CachedEmbedder:
    """An embedder that asks ``inner`` only for what it has not seen. Its id and vectors are those of ``inner``.

    Without ``path`` the vectors of the queries last asked are kept in memory, and documents pass through: they are
    embedded once anyhow. With ``path`` both are kept in a file as well, which serves to repeat measurements. Keys are
    SHA-256 of embedder id, kind and text; no text is kept, but who has the file can confirm a guess and a vector says
    much about its text, so a file must not outlive the texts: ``forget`` takes them out.

    Args:
        inner: the embedder that is asked; it is closed with this one.
        path: a file that is made if it is not there; several processes may share it.
        memory: most query vectors in memory.
        limit: most vectors in the file; the oldest give way.

    Raises:
        InvalidInput: a limit is below 1, or the file is not such a cache.
    """

    def __init__(
        self, inner: Embedder, *, path: Path | None = None, memory: int = 4096, limit: int = 1_000_000
    ) -> None:
        if min(memory, limit) < 1:
            raise InvalidInput("A cache needs room for at least one vector.")
        self.id = inner.id
        self.hits = 0
        """Texts that were not sent to ``inner``."""
        self.misses = 0
        """Texts that were."""
        self._inner = inner
        self._lock = threading.Lock()
        self._recent = _Memory(memory)
        self._file: _File | None = None if path is None else _File(path, limit)

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._inner.dimension

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads."""
        return self._inner.max_tokens

    def expect(self, dimension: int) -> None:
        """Tell ``inner`` a dimension that is known from earlier, if it would have to find out."""
        if isinstance(self._inner, LazyEmbedder):
            self._inner.expect(dimension)

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return what ``inner`` returns, shape (len(texts), dimension); a text that occurs twice is asked for once.

        Raises:
            ModelError: as ``inner`` does; then nothing of the call is remembered.
        """
        return self.embed_counted(texts, kind=kind)[0]

    def worst(self, texts: Sequence[str], *, kind: InputKind) -> Usage:
        """Return the most that the texts which are not remembered can cost; nothing if ``inner`` costs nothing."""
        if not isinstance(self._inner, PaidEmbedder):
            return Usage()
        by_key = self._by_key(texts, kind)
        with self._lock:
            known = self._remembered(by_key, kind)
        missing = [text for key, text in by_key.items() if key not in known]
        return self._inner.worst(missing, kind=kind) if missing else Usage()

    def embed_counted(self, texts: Sequence[str], *, kind: InputKind) -> tuple[FloatMatrix, Usage]:
        """Return what ``embed`` does, and what asking ``inner`` did cost.

        Raises:
            ModelError: as ``inner`` does.
        """
        by_key = self._by_key(texts, kind)
        layers = self._layers(kind)
        with self._lock:
            vectors = self._remembered(by_key, kind)
        missing = [key for key in by_key if key not in vectors]
        fresh: dict[str, FloatVector] = {}
        spent = Usage()
        if missing:
            rows, spent = self._ask([by_key[key] for key in missing], kind)
            fresh = {key: row.copy() for key, row in zip(missing, rows, strict=True)}
        with self._lock:
            self.hits += len(texts) - len(missing)
            self.misses += len(missing)
            for layer in layers:
                layer.put({**vectors, **fresh} if layer is self._recent else fresh)
        vectors.update(fresh)
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32), spent
        return np.stack([vectors[content_hash(self.id, kind, text)] for text in texts]), spent

    def _by_key(self, texts: Sequence[str], kind: InputKind) -> dict[str, str]:
        return {content_hash(self.id, kind, text): text for text in texts}

    def _remembered(self, by_key: Mapping[str, str], kind: InputKind) -> dict[str, FloatVector]:
        vectors: dict[str, FloatVector] = {}
        for layer in self._layers(kind):
            vectors.update(layer.get([key for key in by_key if key not in vectors], lambda: self.dimension))
        return vectors

    def _ask(self, texts: list[str], kind: InputKind) -> tuple[FloatMatrix, Usage]:
        if isinstance(self._inner, PaidEmbedder):
            return self._inner.embed_counted(texts, kind=kind)
        return self._inner.embed(texts, kind=kind), Usage()

    def _layers(self, kind: InputKind) -> list[_Layer]:
        layers: list[_Layer] = [self._recent] if kind == "query" else []
        if self._file is not None:
            layers.append(self._file)
        return layers

    def count(self, text: str) -> int:
        """Return the number of tokens, as ``inner`` counts them."""
        return self._inner.count(text)

    def forget(self, texts: Iterable[str]) -> None:
        """Take the vectors of the texts out of memory and file, of either kind.

        Raises:
            StoreError: the file could not be written.
        """
        kinds: tuple[InputKind, ...] = ("query", "document")
        keys = [content_hash(self.id, kind, text) for text in texts for kind in kinds]
        with self._lock:
            for layer in self._layers("query"):
                layer.drop(keys)

    def close(self) -> None:
        """Close the file and ``inner``; calling it twice is fine."""
        with self._lock:
            self._recent.drop(list(self._recent.rows))
            if self._file is not None:
                self._file.close()
                self._file = None
        self._inner.close()


class _Layer(Protocol):
    """A place that keeps vectors by key."""

    def get(self, keys: Sequence[str], dimension: Callable[[], int]) -> dict[str, FloatVector]: ...

    def put(self, vectors: Mapping[str, FloatVector]) -> None: ...

    def drop(self, keys: Sequence[str]) -> None: ...


class _Memory:
    """The vectors last used."""

    def __init__(self, limit: int) -> None:
        self.rows: OrderedDict[str, FloatVector] = OrderedDict()
        self._limit = limit

    def get(self, keys: Sequence[str], dimension: Callable[[], int]) -> dict[str, FloatVector]:  # noqa: ARG002 - all have the same
        return {key: self.rows[key] for key in keys if key in self.rows}

    def put(self, vectors: Mapping[str, FloatVector]) -> None:
        for key, vector in vectors.items():
            self.rows[key] = vector
            self.rows.move_to_end(key)
        while len(self.rows) > self._limit:
            self.rows.popitem(last=False)

    def drop(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.rows.pop(key, None)


class _File:
    """Vectors in a SQLite file, as little-endian float32. A full disk or a busy file loses entries, never answers."""

    def __init__(self, path: Path, limit: int) -> None:
        self._limit = limit
        try:
            self._connection = sqlite3.connect(path, timeout=5, check_same_thread=False, isolation_level=None)
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute("PRAGMA secure_delete = ON")
                self._connection.execute(_SCHEMA)
                self._connection.execute("SELECT number, key, vector FROM vectors LIMIT 1")
            except sqlite3.Error:
                self._connection.close()
                raise
        except sqlite3.Error as error:
            raise InvalidInput(f"The file {str(path)!r} cannot be used to keep vectors: {error}.") from error

    def get(self, keys: Sequence[str], dimension: Callable[[], int]) -> dict[str, FloatVector]:
        found: dict[str, FloatVector] = {}
        if not keys:
            return found
        size = 4 * dimension()
        with contextlib.suppress(sqlite3.Error):
            for start in range(0, len(keys), _PER_QUERY):
                part = keys[start : start + _PER_QUERY]
                marks = ", ".join("?" * len(part))
                rows = self._connection.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})",  # noqa: S608 - question marks only
                    part,
                )
                for key, raw in rows:
                    if len(raw) == size:
                        found[key] = np.frombuffer(raw, dtype="<f4").astype(np.float32)
        return found

    def put(self, vectors: Mapping[str, FloatVector]) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        if not rows:
            return
        with contextlib.suppress(sqlite3.Error), self._transaction():
            self._connection.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
            # New rows get the highest number: what lies further back than the limit goes, without counting a million.
            self._connection.execute(
                "DELETE FROM vectors WHERE number <= (SELECT max(number) FROM vectors) - ?", (self._limit,)
            )

    def drop(self, keys: Sequence[str]) -> None:
        try:
            with self._transaction():
                self._connection.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key in keys])
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:  # unlike a lost entry, one that stays must be known
            raise StoreError(f"Vectors could not be taken out of the cache: {error}.") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()
