"""Read the files that data sets come in, and say which of their records were broken."""

from __future__ import annotations

import gzip
import json
import lzma
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput

__all__ = ["json_lines", "json_records", "need_file", "need_one", "text_of", "whole_json"]

_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError)


def need_file(folder: Path, name: str) -> Path:
    """Return a file of a folder.

    Raises:
        InvalidInput: it is not there.
    """
    return need_one(folder, [name])


def need_one(folder: Path, names: Sequence[str]) -> Path:
    """Return the first of some files that is in a folder.

    Raises:
        InvalidInput: none of them is there.
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    which = repr(names[0]) if len(names) == 1 else f"one of the files {', '.join(names)}"
    what = f"the file {which}" if len(names) == 1 else which
    raise InvalidInput(f"The data set needs {what} in {str(folder)!r}.")


def json_lines(file: Path, faults: list[Fault]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each record stands (``NAME:LINE``) and the record; what is no JSON object becomes a fault.

    Files that end in .gz or .xz are unpacked on the way; where one breaks off, that is a fault, too.
    """
    number = 0
    with _opened(file) as stream:
        while True:
            number += 1
            where = f"{file.name}:{number}"
            try:
                line = stream.readline()
            except _BROKEN as error:
                faults.append(Fault(where=where, reason=f"the file cannot be read on: {error}"))
                return
            if not line:
                return
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                faults.append(Fault(where=where, reason=f"not JSON: {error}"))
                continue
            yield from _checked(where, row, faults)


def json_records(file: Path, faults: list[Fault]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the same of a file that is either one JSON list of records or has one record a line.

    In a list, records are counted from 1 like lines.

    Raises:
        InvalidInput: the file begins like a list and is none.
    """
    with _opened(file) as stream:
        try:
            begins = stream.read(64).lstrip()[:1]
        except _BROKEN as error:
            raise InvalidInput(f"{str(file)!r} cannot be read: {error}.") from error
    if begins != b"[":
        yield from json_lines(file, faults)
        return
    for number, row in enumerate(cast("list[Any]", whole_json(file)), 1):
        yield from _checked(f"{file.name}:{number}", row, faults)


def whole_json(file: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        InvalidInput: it cannot be read.
    """
    try:
        with _opened(file) as stream:
            return json.loads(stream.read())
    except (ValueError, RecursionError, *_BROKEN) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error}.") from error


def text_of(row: Mapping[str, Any], name: str) -> str:
    """Return a field as text without blanks at its ends; empty where it is missing, null or no text or number."""
    value = row.get(name)
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _opened(file: Path) -> BinaryIO:
    if file.suffix == ".gz":
        return cast("BinaryIO", gzip.open(file))
    return cast("BinaryIO", lzma.open(file)) if file.suffix == ".xz" else file.open("rb")


def _checked(where: str, row: Any, faults: list[Fault]) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(row, dict):
        yield where, row
    else:
        faults.append(Fault(where=where, reason=f"not a record but {type(row).__name__}"))
