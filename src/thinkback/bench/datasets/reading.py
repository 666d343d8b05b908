"""Read lines of JSON and say which were broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput

__all__ = ["json_lines", "need_file"]


def need_file(folder: Path, name: str) -> Path:
    """Return a file of a folder.

    Raises:
        InvalidInput: it is not there.
    """
    file = folder / name
    if not file.is_file():
        raise InvalidInput(f"The data set needs the file {name!r} in {str(folder)!r}.")
    return file


def json_lines(file: Path, faults: list[Fault]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where each record stands (``NAME:LINE``) and the record; what is no JSON object becomes a fault."""
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            where = f"{file.name}:{number}"
            try:
                row = json.loads(line)
            except (UnicodeDecodeError, json.JSONDecodeError) as error:
                faults.append(Fault(where=where, reason=f"not JSON: {error}"))
                continue
            if isinstance(row, dict):
                yield where, row
            else:
                faults.append(Fault(where=where, reason=f"not a record but {type(row).__name__}"))
