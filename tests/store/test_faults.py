"""Every error of SQLite has a meaning of ours."""

from __future__ import annotations

import inspect

import apsw
import pytest

from thinkback.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreReadOnly
from thinkback.store.sqlite.faults import KNOWN, translated
from thinkback.store.sqlite.sql import Sql


def test_every_error_class_of_apsw_is_known() -> None:
    """Fails when a new apsw brings a class that nobody has thought about."""
    classes = {each for _, each in inspect.getmembers(apsw, inspect.isclass) if issubclass(each, apsw.Error)}
    assert classes == set(KNOWN)


@pytest.mark.parametrize("kind", list(KNOWN))
def test_every_error_becomes_one_of_ours_without_its_message(kind: type[apsw.Error]) -> None:
    ours = translated(kind("secret text"))
    assert isinstance(ours, StoreError | InvalidInput)
    assert "secret" not in str(ours)


@pytest.mark.parametrize(
    ("kind", "ours", "retryable"),
    [
        (apsw.BusyError, StoreBusy, True),
        (apsw.FullError, StoreFull, True),
        (apsw.ReadOnlyError, StoreReadOnly, False),
        (apsw.CorruptError, StoreCorrupt, False),
        (apsw.NotADBError, StoreCorrupt, False),
        (apsw.TooBigError, InvalidInput, False),
    ],
)
def test_the_errors_that_users_meet(kind: type[apsw.Error], ours: type[Exception], retryable: bool) -> None:
    made = translated(kind("x"))
    assert type(made) is ours
    assert made.retryable is retryable


@pytest.mark.parametrize(
    ("code", "ours"), [(apsw.SQLITE_IOERR_SHMSIZE, StoreFull), (apsw.SQLITE_IOERR_SHORT_READ, StoreCorrupt)]
)
def test_an_io_error_is_told_apart_by_its_code(code: int, ours: type[Exception]) -> None:
    error = apsw.IOError("x")
    error.extendedresult = code
    assert type(translated(error)) is ours


def test_all_verbs_translate(tmp_path) -> None:
    sql = Sql(tmp_path / "x", read_only=False, timeout_s=1.0)
    for act in (
        lambda: sql.rows("nonsense"),
        lambda: sql.row("nonsense"),
        lambda: sql.run("nonsense"),
        lambda: sql.many("nonsense", [()]),
        sql.commit,
    ):
        with pytest.raises(StoreError, match="fault of ours"):
            act()
    sql.begin(write=True)
    sql.rollback()
    sql.rollback()
    sql.close()
    with pytest.raises(StoreError):
        sql.rollback()
