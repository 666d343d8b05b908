"""What every way of fetching a large file needs: room, a lock, and a checksum before use."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from thinkback.errors import ModelUnavailable
from thinkback.ports import Progress

__all__ = ["Space", "check_sum", "one_at_a_time"]

_BLOCK: Final = 4 << 20
_SPARE: Final = 128 << 20
"""Bytes that must stay free besides the file: one package is unpacked at a time, and nobody likes a full disk."""


class Space:
    """Room on the disk, and the error when there is none."""

    @staticmethod
    def check(path: Path, missing: int) -> None:
        """Make sure that ``missing`` bytes more fit beside ``path``.

        Raises:
            ModelUnavailable: they do not; the message says how much there is.
        """
        free = shutil.disk_usage(path.parent).free
        if free < missing + _SPARE:
            raise ModelUnavailable(
                f"{path.parent} has {_mb(free)} free; the model needs {_mb(missing + _SPARE)}.",
                hint="Make room, or set THINKBACK_CACHE to a folder on a larger disk.",
            )

    @staticmethod
    @contextlib.contextmanager
    def needed_for(path: Path) -> Iterator[None]:
        """Turn a full or read-only disk into a clear error."""
        try:
            yield
        except OSError as error:
            reason = "is full" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "cannot be written"
            raise ModelUnavailable(
                f"The disk of {path.parent} {reason}.", hint="What was fetched is kept; pull again to go on."
            ) from error


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


@contextlib.contextmanager
def one_at_a_time(lock: Path, name: str) -> Iterator[None]:
    """Keep a second process from pulling the same model into the same file.

    Raises:
        ModelUnavailable: another process is at it.
    """
    try:
        import fcntl  # noqa: PLC0415 - there is none on Windows, where the file itself cannot be opened twice
    except ImportError:
        yield
        return
    with lock.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ModelUnavailable(f"Another process is pulling {name!r} at this moment.") from None
        yield


def check_sum(path: Path, expected: str | None, *, name: str, progress: Progress) -> str:
    """Return the SHA-256 of a file, after comparing it with what is expected (None: nothing is known).

    Raises:
        ModelUnavailable: it differs; the file is deleted.
    """
    total = path.stat().st_size
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as handle:
        while block := handle.read(_BLOCK):
            digest.update(block)
            done += len(block)
            progress("check", done, total, name)
    actual = digest.hexdigest()
    if expected is not None and actual != expected:
        path.unlink()
        path.with_name(path.name + ".parts").unlink(missing_ok=True)
        raise ModelUnavailable(
            f"What was fetched for {name!r} is not the promised file: its checksum differs. It was deleted.",
            hint="Pull again; if it happens twice, the source has changed.",
        )
    return actual
