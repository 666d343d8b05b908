"""The folder that a build makes: items of each set, in both layouts, and what is known about it as a whole.

FOLDER/
  build.json                        what was asked for, the rounds, where the splits are cut
  abstract_single/ID.json           one item a file, in the layout of the AcademicEval repository
  abstract_multi/ID.json
  related_multi/ID.json
  related_multi_papers/N.json       several items over one corpus
  SETTING/train.json val.json test.json    the writing tasks: title_10K and so on
  documented/SET.jsonl              the same items under the documented field names, one a line
  splits.json                       set to item to train, dev or test
  report.json                       how many items, what was left out and why, statistics
  state/                            what a build that was stopped goes on from
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from thinkback.bench.academiceval.items import SETS, Item, SetName
from thinkback.bench.academiceval.layout import from_json, to_documented, to_repository
from thinkback.bench.academiceval.papers import file_name
from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput

__all__ = ["BuildFolder", "Read", "read_items", "write_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Items of a folder or file, and what could not be read."""

    items: tuple[Item, ...]
    faults: tuple[Fault, ...]


def read_items(path: Path, kind: SetName) -> Read:
    """Return the items of a folder of JSON files, of a JSON file (one item, or a list of them) or of JSON lines.

    Whoever wrote them: see ``layout``. Items come in the order of the file names and lines; a second one of an id is a fault.

    Raises:
        InvalidInput: there is neither file nor folder.
    """
    if not path.exists():
        raise InvalidInput(f"There is neither a file nor a folder {str(path)!r}.")
    files = sorted(each for each in path.iterdir() if each.suffix in {".json", ".jsonl"}) if path.is_dir() else [path]
    items: dict[str, Item] = {}
    faults: list[Fault] = []
    for file in files:
        for where, value in _values(file, kind, faults):
            try:
                item = from_json(value, kind, where.replace(".json", ""))
            except InvalidInput as error:
                faults.append(Fault(where=where, reason=error.message))
                continue
            if item.id in items:
                faults.append(Fault(where=where, reason=f"the same id again: {item.id}"))
            else:
                items[item.id] = item
    return Read(items=tuple(items.values()), faults=tuple(faults))


def _values(file: Path, kind: SetName, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    """Yield the items of a file as they were parsed."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        faults.append(Fault(where=file.name, reason=f"cannot be read: {type(error).__name__}"))
        return
    if file.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield from _parsed(f"{file.name}:{number}", line, faults)
        return
    for where, value in _parsed(file.name, text, faults):
        several = isinstance(value, list) and value and not _is_item(value, kind)
        if several:
            yield from ((f"{where}:{number}", each) for number, each in enumerate(value, 1))
        else:
            yield where, value


def _is_item(value: list[Any], kind: SetName) -> bool:
    """Say whether a list is one item, and not a list of items."""
    if not isinstance(value[0], Mapping):
        return False
    if kind == "abstract_single":
        return len(value) == 1
    if kind == "abstract_multi":
        return "title" not in value[0] and "title 1" not in value[0]
    return "title" in value[0] and "title 1" not in value[0]


def _parsed(where: str, text: str, faults: list[Fault]) -> Iterator[tuple[str, Any]]:
    try:
        yield where, json.loads(text)
    except (ValueError, RecursionError) as error:
        faults.append(Fault(where=where, reason=f"not JSON: {type(error).__name__}"))


class BuildFolder:
    """Reads and writes the folder of a build.

    Args:
        path: of the folder; made when something is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def state(self) -> Path:
        """Where checkpoints lie."""
        return self.path / "state"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other builds away from the folder.

        Raises:
            InvalidInput: another build is at work in it.
        """
        import fcntl

        self.state.mkdir(parents=True, exist_ok=True)
        with (self.state / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InvalidInput(f"Another build is at work in {str(self.path)!r}.") from error
            yield

    def record(self, name: str) -> dict[str, Any]:
        """Return one of the folder's own records (build, splits, report); empty where it is not there.

        Raises:
            InvalidInput: it is damaged.
        """
        file = self.path / f"{name}.json"
        if not file.is_file():
            return {}
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{str(file)!r} is damaged.") from error
        if not isinstance(found, dict):
            raise InvalidInput(f"{str(file)!r} is no record of a build.")
        return found

    def write_record(self, name: str, value: Mapping[str, Any]) -> None:
        """Write one of the folder's own records, all of it or nothing."""
        write_json(self.path / f"{name}.json", value)

    def ids(self, kind: SetName) -> frozenset[str]:
        """Return the ids of the items that are there, as their files are named."""
        folder = self.path / kind
        return frozenset(each.stem for each in folder.glob("*.json")) if folder.is_dir() else frozenset()

    def has(self, kind: SetName, item_id: str) -> bool:
        """Say whether an item is there."""
        return (self.path / kind / f"{file_name(item_id)}.json").is_file()

    def write_item(self, kind: SetName, item: Item) -> None:
        """Write an item, all of it or nothing."""
        write_json(self.path / kind / f"{file_name(item.id)}.json", to_repository(item))

    def items(self, kind: SetName) -> Read:
        """Return the items of a set; none where there is no such set."""
        folder = self.path / kind
        return read_items(folder, kind) if folder.is_dir() else Read(items=(), faults=())

    def write_documented(self) -> None:
        """Write all items of the three sets under the documented field names."""
        for kind in SETS:
            found = self.items(kind).items
            if found:
                lines = (json.dumps(to_documented(each), ensure_ascii=False) for each in found)
                _replace(self.path / "documented" / f"{kind}.jsonl", (f"{line}\n" for line in lines))


def write_json(file: Path, value: Any) -> None:
    """Write a value as JSON, all of it or nothing."""
    _replace(file, [json.dumps(value, ensure_ascii=False, indent=1) + "\n"])


def _replace(file: Path, pieces: Iterable[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.part")
    with partial.open("w", encoding="utf-8", errors="replace") as stream:
        _write(stream, pieces)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(file)


def _write(stream: IO[str], pieces: Iterable[str]) -> None:
    for piece in pieces:
        stream.write(piece)
