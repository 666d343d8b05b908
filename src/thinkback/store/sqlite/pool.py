"""Connections for many threads: any number of readers, one writer at a time, in the order in which they came."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from thinkback.errors import StoreBusy, StoreClosed
from thinkback.store.sqlite.sql import Sql

__all__ = ["Pool"]

_IDLE = 8
"""Connections that are kept open for the next caller."""


class Pool:
    """Lends connections, each to one thread at a time.

    Args:
        connect: opens a connection.
        first: a connection that is open already; it is the pool's from now on.
        timeout_s: seconds that a writer of this process waits for its turn, and ``close`` for those at work.
    """

    def __init__(self, connect: Callable[[], Sql], first: Sql, timeout_s: float) -> None:
        self._connect = connect
        self._timeout_s = timeout_s
        self._process = os.getpid()
        self._idle = [first]
        self._lent: dict[int, int] = {}
        """Thread to the number of connections that it holds."""
        self._state = threading.Condition()
        self._closed = False
        self._queue: deque[object] = deque()
        self._turn = threading.Condition()
        self._writer: int | None = None

    def check_open(self) -> None:
        """Raise if there is nothing to lend.

        Raises:
            StoreClosed: the store was closed, or this process is a fork of the one that opened it.
        """
        if self._process != os.getpid():
            raise StoreClosed("The store was opened by another process.", hint="Open it again after a fork.")
        if self._closed:
            raise StoreClosed("The store was closed.")

    @contextmanager
    def lend(self) -> Iterator[Sql]:
        """Lend a connection. A transaction that is still open at the end is undone."""
        thread = threading.get_ident()
        with self._state:
            self.check_open()
            sql = self._idle.pop() if self._idle else None
            self._lent[thread] = self._lent.get(thread, 0) + 1
        try:
            if sql is None:
                sql = self._connect()
            yield sql
        finally:
            self._take_back(sql, thread)

    def _take_back(self, sql: Sql | None, thread: int) -> None:
        try:
            if sql is not None:
                sql.rollback()
        finally:
            with self._state:
                self._lent[thread] -= 1
                if not self._lent[thread]:
                    del self._lent[thread]
                keep = not self._closed and len(self._idle) < _IDLE
                if sql is not None and keep:
                    self._idle.append(sql)
                self._state.notify_all()
            if sql is not None and not keep:
                sql.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn to write, first come, first served.

        Raises:
            StoreBusy: it did not come in time, or this thread has it already.
        """
        self.check_open()
        me, thread = object(), threading.get_ident()
        if self._writer == thread:
            raise StoreBusy("This thread has a transaction open already.")
        deadline = time.monotonic() + self._timeout_s
        with self._turn:
            self._queue.append(me)
            try:
                while self._writer is not None or self._queue[0] is not me:
                    if not self._turn.wait(max(deadline - time.monotonic(), 0)) and time.monotonic() >= deadline:
                        raise StoreBusy("Other threads kept writing for longer than the time-out.", hint="Try again.")
                self._writer = thread
            finally:
                self._queue.remove(me)
                self._turn.notify_all()
        try:
            yield
        finally:
            with self._turn:
                self._writer = None
                self._turn.notify_all()

    def close(self) -> None:
        """Lend no more, wait for other threads to give back what they have, close everything. Twice is fine."""
        if self._process != os.getpid():
            return  # closing would take the parent's locks away
        deadline = time.monotonic() + self._timeout_s
        with self._state:
            self._closed = True
            while self._lent.keys() - {threading.get_ident()} and time.monotonic() < deadline:
                self._state.wait(max(deadline - time.monotonic(), 0))
            idle, self._idle = self._idle, []
        for sql in idle:
            sql.close()
