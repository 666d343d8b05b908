"""Keep a language model's replies in a file, so that a benchmark can be run again without asking again.

Not for everyday use, where the answer cache of the engine follows the evidence: this one only knows the prompt. Its file
holds prompts' hashes and replies' text, and is the caller's to delete.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

from thinkback.errors import InvalidInput, ModelUnavailable
from thinkback.ids import canonical_json, content_hash
from thinkback.ports import Delta, Reply, Request
from thinkback.ports import Generator as LanguageModel
from thinkback.types import Usage

__all__ = ["CachedGenerator", "reply_key"]

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS timed_replies (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    model TEXT NOT NULL,
    finish TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    seconds REAL NOT NULL,
    size INTEGER NOT NULL,
    used_at REAL NOT NULL
) STRICT, WITHOUT ROWID
"""


def reply_key(model: str, request: Request) -> str:
    """Return the SHA-256 under which a reply is kept: of the model's id and everything in the request but its purpose."""
    asked = {
        "model": model,
        "messages": [[each.role, each.content] for each in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "schema": None if request.schema is None else json.dumps(dict(request.schema)),  # the order of fields counts
        "stop": list(request.stop),
    }
    return content_hash(canonical_json(asked))


class CachedGenerator:
    """A language model whose replies are kept in one SQLite file. Safe to use from many threads and processes.

    Args:
        inner: the model; its ``id`` is a part of each key.
        path: the file; it is made with its folder if it is not there.
        max_bytes: of replies' text; the least recently used give way.

    Raises:
        InvalidInput: the file is something else, or cannot be written.
    """

    def __init__(self, inner: LanguageModel, path: Path, *, max_bytes: int = 256 << 20) -> None:
        self.id = inner.id
        self.traits = inner.traits
        self.hits = 0
        """How many replies came from the file."""
        self.not_kept = 0
        """How many could not be written to it: the disk is full, or another process held it too long."""
        self._inner = inner
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=30)
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(_SCHEMA)
            except sqlite3.Error:
                self._db.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise InvalidInput(f"{path.name!r} cannot be used as a cache of replies.") from error

    def __repr__(self) -> str:
        return f"CachedGenerator({self._inner!r})"

    def generate(self, request: Request) -> Reply:
        """Return the kept reply, or ask and keep it.

        A kept one has no calls and costs nothing, but says how many tokens it once took, and in ``seconds["model"]`` how long.

        Raises:
            ModelError: as the inner model; errors are not kept.
        """
        key = reply_key(self.id, request)
        kept = self._find(key)
        if kept is not None:
            return kept
        begun = time.perf_counter()
        reply = self._inner.generate(request)
        self._keep(key, reply, time.perf_counter() - begun)
        return reply

    def stream(self, request: Request) -> Generator[Delta | Reply, None, None]:
        """Yield the kept reply in one piece, or stream a new one and keep it once it is whole.

        Raises:
            ModelError: as the inner model.
        """
        key = reply_key(self.id, request)
        kept = self._find(key)
        if kept is not None:
            yield Delta(text=kept.text)
            yield kept
            return
        begun = time.perf_counter()
        pieces = iter(self._inner.stream(request))
        try:
            for piece in pieces:
                if isinstance(piece, Reply):
                    self._keep(key, piece, time.perf_counter() - begun)
                yield piece
        finally:
            if isinstance(pieces, Generator):
                pieces.close()

    def count(self, text: str) -> int:
        """Return the inner model's count."""
        return self._inner.count(text)

    def close(self) -> None:
        """Close the file and the inner model."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._db.close()
        self._inner.close()

    def _find(self, key: str) -> Reply | None:
        with self._lock:
            self._open()
            row = self._db.execute(
                "SELECT text, model, finish, prompt_tokens, completion_tokens, estimated, seconds FROM timed_replies WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                return None
            self._db.execute("UPDATE timed_replies SET used_at = ? WHERE key = ?", (time.time(), key))
            self.hits += 1
        text, model, finish, prompt, completion, estimated, seconds = row
        # calls and money stay 0: nothing was asked. The tokens are what a run without the cache would have taken.
        usage = Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            estimated=bool(estimated),
            seconds={"model": seconds},
        )
        return Reply(text=text, model=model, usage=usage, finish=finish)

    def _keep(self, key: str, reply: Reply, seconds: float) -> None:
        usage = reply.usage
        size = len(reply.text.encode("utf-8", "replace"))
        counts = (usage.prompt_tokens, usage.completion_tokens, usage.estimated)
        row = (key, reply.text, reply.model, reply.finish, *counts, seconds, size, time.time())
        with self._lock:
            self._open()
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.execute("INSERT OR REPLACE INTO timed_replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                self._shrink()
                self._db.execute("COMMIT")
            except sqlite3.Error:
                self.not_kept += 1  # the reply itself is good
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _shrink(self) -> None:
        (size,) = self._db.execute("SELECT coalesce(sum(size), 0) FROM timed_replies").fetchone()
        if size <= self._max_bytes:
            return
        for key, each in self._db.execute("SELECT key, size FROM timed_replies ORDER BY used_at, key").fetchall():
            if size <= self._max_bytes * 9 // 10:  # some room, so that not every new reply has to make its own
                break
            self._db.execute("DELETE FROM timed_replies WHERE key = ?", (key,))
            size -= each

    def _open(self) -> None:
        if self._closed:
            raise ModelUnavailable(f"The model {self.id!r} was closed.")
