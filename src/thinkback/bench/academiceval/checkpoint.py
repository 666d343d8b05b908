"""What a build has done so far, as lines of JSON that are only ever added to: a build that was killed goes on from them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput

__all__ = ["Checkpoint"]


class Checkpoint:
    """Rows by key, in one file; only the places of the rows are held in memory.

    A last line that was cut off is dropped; a damaged one elsewhere is named and passed over.

    Args:
        path: the file; made with its folder when the first row comes.

    Raises:
        InvalidInput: there is something else than a file, or it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.faults: list[Fault] = []
        self._path = path
        self._places: dict[str, list[int]] = {}
        self._stream: BinaryIO | None = None
        if path.exists():
            self._load()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def rows(self, key: str) -> Sequence[dict[str, Any]]:
        """Return the rows of a key in the order in which they were added."""
        places = self._places.get(key, [])
        if not places:
            return []
        stream = self._open()
        rows = []
        for place in places:
            stream.seek(place)
            rows.append(dict(json.loads(stream.readline())["row"]))
        return rows

    def keys(self) -> tuple[str, ...]:
        """Return the keys in the order in which they first came."""
        return tuple(self._places)

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Add a row. It is handed to the system before this returns, so that it outlives this process."""
        stream = self._open()
        place = stream.seek(0, os.SEEK_END)
        stream.write((json.dumps({"key": key, "row": dict(row)}, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
        stream.flush()
        self._places.setdefault(key, []).append(place)

    def close(self) -> None:
        """Write what is left to the disk; calling it twice is fine."""
        if self._stream is not None:
            os.fsync(self._stream.fileno())
            self._stream.close()
            self._stream = None

    def _open(self) -> BinaryIO:
        if self._stream is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
            self._stream = self._path.open("r+b")
        return self._stream

    def _load(self) -> None:
        place = 0
        torn = None
        try:
            with self._path.open("rb") as stream:
                for number, line in enumerate(stream, 1):
                    if not line.endswith(b"\n"):
                        torn = place
                        break
                    self._note(number, line, place)
                    place += len(line)
        except OSError as error:
            raise InvalidInput(f"The checkpoint {str(self._path)!r} cannot be read: {error.strerror}.") from error
        if torn is not None:  # the process died while it wrote this line; what comes next must not be glued to it
            os.truncate(self._path, torn)

    def _note(self, number: int, line: bytes, place: int) -> None:
        try:
            entry = json.loads(line)
            dict(entry["row"])
            self._places.setdefault(str(entry["key"]), []).append(place)
        except (ValueError, KeyError, TypeError):
            self.faults.append(Fault(where=f"{self._path.name}:{number}", reason="not a row of a checkpoint"))
