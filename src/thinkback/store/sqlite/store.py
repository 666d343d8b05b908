"""The store in one SQLite file: records, graph, words, vectors and codes, all written in the same transaction."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from thinkback.errors import EmbedderMismatch, InvalidInput, StoreError, StoreReadOnly
from thinkback.ports import Clock, PurgeReport, Reader, StoreInfo, Writer
from thinkback.store.sqlite import opening
from thinkback.store.sqlite.access import SqliteReader, SqliteWriter
from thinkback.store.sqlite.checking import faults_of
from thinkback.store.sqlite.pool import Pool
from thinkback.store.sqlite.purging import purge
from thinkback.store.sqlite.session import Facts, Shared, read_facts
from thinkback.store.sqlite.sql import Sql
from thinkback.store.sqlite.tuning import Tuning
from thinkback.store.vectors.exact import ExactVectors
from thinkback.types import FloatMatrix

__all__ = ["SqliteStore"]


class SqliteStore:
    """A store that many threads and processes may have open at a time. Make one with ``open``."""

    def __init__(self, path: Path, pool: Pool, facts: Facts, *, read_only: bool, clock: Clock, tuning: Tuning) -> None:
        self._path = path
        self._pool = pool
        self._facts = facts
        self._read_only = read_only
        self._clock = clock
        self._shared = Shared(tuning=tuning, exact=ExactVectors(tuning.exact_bytes))

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        embedder_id: str,
        dimension: int,
        read_only: bool = False,
        clock: Clock = time.time,
        busy_timeout_s: float = 30.0,
        max_bytes: int | None = None,
        tuning: Tuning = Tuning(),  # noqa: B008 - frozen
    ) -> SqliteStore:
        """Open a store, and make it where there is none.

        Args:
            path: of the file; its folder must exist. Not on a network file system.
            embedder_id: names the embedder whose vectors it holds, or shall hold.
            dimension: of those vectors.
            read_only: whether to refuse writing; the file must then exist.
            clock: tells the time.
            busy_timeout_s: seconds to wait for other writers.
            tuning: where one way of searching gives way to another.
            max_bytes: a write that would make the file larger than this raises StoreFull; None: as the disk allows.

        Raises:
            EmbedderMismatch: it holds vectors of another embedder.
            SchemaTooNew: a newer thinkback wrote it.
            StoreCorrupt: it is damaged, or not a store.
            StoreReadOnly: it cannot be written to.
            StoreError: it cannot be opened at all.
        """
        if dimension < 1:
            raise InvalidInput(f"The dimension is {dimension}; it must be at least 1.")
        path = Path(path)
        connect = opening.connector(path, read_only=read_only, timeout_s=busy_timeout_s, max_bytes=max_bytes)
        sql = connect()
        try:
            if not read_only:
                opening.prepare(sql, embedder_id=embedder_id, dimension=dimension, at=clock())
            facts = opening.inspect(sql)
            expected = Facts(embedder_id=embedder_id, dimension=dimension, code_kind=facts.code_kind)
            _match(facts, expected)
        except BaseException:
            sql.close()
            raise
        return cls(path, Pool(connect, sql, busy_timeout_s), expected, read_only=read_only, clock=clock, tuning=tuning)

    def info(self) -> StoreInfo:
        """Return what the file says of itself."""
        with self._pool.lend() as sql:
            return opening.info(sql, self._path)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a snapshot that does not change while it is open.

        Raises:
            EmbedderMismatch: another process has reindexed the store meanwhile.
        """
        with self._pool.lend() as sql:
            sql.begin(write=False)
            yield SqliteReader(sql, self._shared, self._checked_facts(sql))

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """Open a short transaction; leaving it by an error undoes all of it.

        Raises:
            StoreBusy: other writers took longer than the time-out.
            StoreFull: there is no room.
            StoreReadOnly: it was opened for reading.
            EmbedderMismatch: another process has reindexed the store meanwhile.
        """
        with self._write() as writer:
            yield writer

    @contextmanager
    def _write(self) -> Iterator[SqliteWriter]:
        self._pool.check_open()
        if self._read_only:
            raise StoreReadOnly("The store was opened for reading only.")
        with self._pool.turn(), self._pool.lend() as sql:
            sql.begin(write=True)
            writer = SqliteWriter(sql, self._shared, self._checked_facts(sql))
            yield writer
            writer.check_codes()
            writer.flush()
            sql.commit()

    def _checked_facts(self, sql: Sql) -> Facts:
        facts = read_facts(sql)
        _match(facts, self._facts)
        return facts

    def purge(self) -> PurgeReport:
        """Make deleted text vanish from the bytes of the file, its index and its log.

        The file is written anew (VACUUM), which costs about as much as copying it twice; nothing is done where nothing
        was deleted since the last time. While another connection reads an older snapshot, the log cannot be emptied:
        then ``purge_pending``, with the processes that hold it, and a later call finishes it.
        """
        self._pool.check_open()
        if self._read_only:
            raise StoreReadOnly("The store was opened for reading only.")
        with self._pool.turn(), self._pool.lend() as sql:
            return purge(sql, self._path)

    def check(self) -> tuple[str, ...]:
        """Return the faults between tables, index, vectors and words, one sentence each."""
        with self._pool.lend() as sql:
            try:
                sql.begin(write=False)
                return faults_of(sql, self._checked_facts(sql))
            except StoreError as error:
                if isinstance(error.__cause__, apsw.CorruptError | apsw.NotADBError):
                    return ("SQLite finds the file damaged.",)
                raise

    def reset_vectors(self, embedder_id: str, dimension: int) -> None:
        """Forget all vectors and take another embedder; nothing is findable until ``put_vectors`` indexed it anew."""
        if dimension < 1:
            raise InvalidInput(f"The dimension is {dimension}; it must be at least 1.")
        with self._write() as writer:
            writer.reset_index(embedder_id, dimension)
        self._facts = Facts(embedder_id=embedder_id, dimension=dimension, code_kind="sign")
        self._shared.views.forget()
        self._shared.exact.clear()

    def put_vectors(self, namespace: str, ids: Sequence[str], vectors: FloatMatrix) -> None:
        """Index chunks and active thoughts anew; ids of anything else are ignored."""
        with self._write() as writer:
            writer.index_anew(namespace, ids, vectors)

    def close(self) -> None:
        """Release the file, once other threads have given back their snapshots; twice is fine."""
        with contextlib.suppress(StoreError):  # what was acknowledged is on disk; a failing checkpoint loses nothing
            self._pool.close()
        self._shared.exact.clear()
        self._shared.views.forget()


def _match(found: Facts, expected: Facts) -> None:
    if (found.embedder_id, found.dimension) != (expected.embedder_id, expected.dimension):
        raise EmbedderMismatch(
            f"The store holds vectors of {found.embedder_id!r} ({found.dimension} dimensions), not of"
            f" {expected.embedder_id!r} ({expected.dimension}).",
            hint="Use that embedder, or index everything anew with `thinkback reindex`.",
        )
