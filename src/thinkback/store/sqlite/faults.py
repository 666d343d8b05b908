"""SQLite's errors as ours: the only place where one becomes the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import apsw

from thinkback.errors import (
    InvalidInput,
    StoreBusy,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    ThinkbackError,
)

__all__ = ["KNOWN", "translated"]

_Maker = Callable[[], ThinkbackError]


def _busy() -> StoreError:
    return StoreBusy("Another writer held the store for longer than the time-out.", hint="Try again.")


def _read_only() -> StoreError:
    return StoreReadOnly("The store cannot be written to.", hint="Look at the rights of the file and its folder.")


def _full() -> StoreError:
    return StoreFull("There is no room to write; nothing of the last write was kept.", hint="Free some space.")


def _corrupt() -> StoreError:
    return StoreCorrupt("The file is not a thinkback store, or is damaged.", hint="Take it from a backup or a bundle.")


def _closed() -> StoreError:
    return StoreClosed("The store was closed.")


def _system() -> StoreError:
    return StoreError("The system could not read or write the store's file.")


def _cannot_open() -> StoreError:
    return StoreError("The store's file cannot be opened.", hint="Does its folder exist, and may you read it?")


def _memory() -> StoreError:
    return StoreError("There is not enough memory for the store's work.")


def _internal() -> StoreError:
    return StoreError("The store did something that SQLite does not allow: a fault of ours, please report it.")


def _too_big() -> ThinkbackError:
    return InvalidInput("A text is larger than SQLite can hold (a thousand million bytes).")


KNOWN: Mapping[type[apsw.Error], _Maker] = {
    apsw.AbortError: _busy,
    apsw.AuthError: _read_only,
    apsw.BindingsError: _internal,
    apsw.BusyError: _busy,
    apsw.CantOpenError: _cannot_open,
    apsw.ConnectionClosedError: _closed,
    apsw.ConnectionNotClosedError: _internal,
    apsw.ConstraintError: _internal,
    apsw.CorruptError: _corrupt,
    apsw.CursorClosedError: _closed,
    apsw.EmptyError: _internal,
    apsw.Error: _internal,
    apsw.ExecTraceAbort: _internal,
    apsw.ExecutionCompleteError: _internal,
    apsw.ExtensionLoadingError: _internal,
    apsw.ForkingViolationError: _internal,
    apsw.FormatError: _corrupt,
    apsw.FullError: _full,
    apsw.IOError: _system,
    apsw.IncompleteExecutionError: _internal,
    apsw.InternalError: _internal,
    apsw.InterruptError: _busy,
    apsw.InvalidContextError: _internal,
    apsw.LockedError: _busy,
    apsw.MismatchError: _internal,
    apsw.MisuseError: _internal,
    apsw.NoFTS5Error: _internal,
    apsw.NoLFSError: _system,
    apsw.NoMemError: _memory,
    apsw.NotADBError: _corrupt,
    apsw.NotFoundError: _internal,
    apsw.PermissionsError: _read_only,
    apsw.ProtocolError: _busy,
    apsw.RangeError: _internal,
    apsw.ReadOnlyError: _read_only,
    apsw.SQLError: _internal,
    apsw.SchemaChangeError: _busy,
    apsw.ThreadingViolationError: _internal,
    apsw.TooBigError: _too_big,
    apsw.VFSFileClosedError: _internal,
    apsw.VFSNotImplementedError: _internal,
}
"""Every class of error that apsw has (a test compares) and what it means to a user."""

_BY_CODE: Mapping[int, _Maker] = {
    apsw.SQLITE_IOERR_SHMSIZE: _full,  # the shared index of the log cannot grow: no space left
    apsw.SQLITE_IOERR_SHORT_READ: _corrupt,
    apsw.SQLITE_IOERR_CORRUPTFS: _corrupt,
    apsw.SQLITE_IOERR_DATA: _corrupt,
    apsw.SQLITE_IOERR_NOMEM: _memory,
}


def translated(error: apsw.Error) -> ThinkbackError:
    """Return what to raise ``from`` an error of SQLite. Its own message stays out: it may quote text."""
    code = getattr(error, "extendedresult", 0)
    if code in _BY_CODE:
        return _BY_CODE[code]()
    return KNOWN.get(type(error), _internal)()
