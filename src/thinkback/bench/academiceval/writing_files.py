"""The writing tasks ↔ files: a folder a setting, in it one list of records a split, written as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.academiceval.items import SETTINGS, GraphInfo, PaperText, WritingItem
from thinkback.bench.academiceval.layout import listing_from, listing_row, paper_from
from thinkback.bench.records import Fault, Split
from thinkback.errors import InvalidInput

__all__ = ["ReadWriting", "read_setting", "to_record", "write_setting"]

_FILES: Mapping[Split, str] = {"train": "train", "dev": "val", "test": "test"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWriting:
    """Items of a setting with their splits, and what could not be read."""

    items: tuple[tuple[WritingItem, Split], ...]
    faults: tuple[Fault, ...]


def to_record(item: WritingItem) -> dict[str, Any]:
    """Return an item under the benchmark's field names: ``gt`` is what is to be written.

    Where title or abstract is to be written, its own field is empty: whoever puts all fields before a model must not give it
    away.
    """
    row = listing_row(item.listing)
    if item.task in {"title", "abstract"}:
        row[item.task] = ""
    row |= {"label": "Original Paper", "gt": item.reference, "main_content": item.main_content, "task": item.task}
    if item.task == "related":
        row["citations"] = [listing_row(each) for each in item.cited]
    row["additional_info"] = [_example(each) for each in item.examples]
    if item.graph is not None:
        papers = {name: [_example(each) for each in own] for name, own in item.graph.papers.items()}
        row["additional_graph_info"] = {"graph": [list(edge) for edge in item.graph.edges], "node_feat": papers}
    return row


def write_setting(folder: Path, name: str, items: Iterable[tuple[WritingItem, Split]]) -> dict[str, int]:
    """Write the items of a setting and return how many each split has. Old files stay until all new ones are whole."""
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    counts = {"train": 0, "dev": 0, "test": 0}
    with ExitStack() as stack:
        partial = {split: target / f".{file}.json.part" for split, file in _FILES.items()}
        streams = {
            split: stack.enter_context(path.open("w", encoding="utf-8", errors="replace"))
            for split, path in partial.items()
        }
        for item, split in items:
            streams[split].write(",\n" if counts[split] else "[\n")
            streams[split].write(json.dumps(to_record(item), ensure_ascii=False))
            counts[split] += 1
        for split, stream in streams.items():
            stream.write("\n]\n" if counts[split] else "[]\n")
    for split, file in _FILES.items():
        partial[split].replace(target / f"{file}.json")
    return counts


def read_setting(folder: Path, name: str) -> ReadWriting:
    """Return the items of a setting, from ``folder/NAME/*train*.json`` and so on, whoever wrote them.

    Raises:
        InvalidInput: no such setting, or no such folder.
    """
    if name not in SETTINGS:
        raise InvalidInput(f"There is no setting {name!r}; there are {', '.join(SETTINGS)}.")
    target = folder / name
    if not target.is_dir():
        raise InvalidInput(f"There is no folder {str(target)!r}.")
    items: list[tuple[WritingItem, Split]] = []
    faults: list[Fault] = []
    for split, part in _FILES.items():
        for file in sorted(target.glob(f"*{part}*.json*")):
            for where, row in _rows(file, faults):
                try:
                    items.append((_item(row, name, where), split))
                except (InvalidInput, TypeError, AttributeError, ValueError) as error:
                    reason = error.message if isinstance(error, InvalidInput) else f"not an item of {name}"
                    faults.append(Fault(where=where, reason=reason))
    return ReadWriting(items=tuple(items), faults=tuple(faults))


def _rows(file: Path, faults: list[Fault]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        text = file.read_text(encoding="utf-8")
        values = (
            [json.loads(line) for line in text.splitlines() if line.strip()]
            if file.suffix == ".jsonl"
            else json.loads(text)
        )
    except (OSError, ValueError) as error:
        faults.append(Fault(where=f"{file.parent.name}/{file.name}", reason=f"cannot be read: {type(error).__name__}"))
        return
    for number, row in enumerate(values if isinstance(values, list) else list(values.values()), 1):
        where = f"{file.parent.name}/{file.name}:{number}"
        if isinstance(row, dict):
            yield where, row
        else:
            faults.append(Fault(where=where, reason="not a record"))


def _item(row: Mapping[str, Any], name: str, where: str) -> WritingItem:
    task = SETTINGS[name].task
    reference = row.get("gt")
    reference = reference[0] if isinstance(reference, list) and reference else reference
    reference = str(reference or (row.get(task) if task in {"title", "abstract"} else "") or "").strip()
    text = str(row.get("main_content") or "")
    if not reference or not text.strip():
        raise InvalidInput("no gt" if not reference else "no main_content")
    known = {**row, task: reference} if task in {"title", "abstract"} else row
    graph = row.get("additional_graph_info") or None
    return WritingItem(
        task=task, listing=listing_from(known, where), reference=reference, main_content=text,
        cited=tuple(listing_from(each, where) for each in row.get("citations") or () if each.get("title")),
        examples=tuple(paper_from(each, where) for each in row.get("additional_info") or ()),
        graph=_graph(graph, where) if graph else None,
    )  # fmt: skip


def _graph(row: Mapping[str, Any], where: str) -> GraphInfo:
    edges = tuple((str(edge[0]), str(edge[1])) for edge in row.get("graph") or ())
    features = row.get("node_feat") or {}
    papers = {
        str(name): tuple(paper_from(each, f"{where}/{name}") for each in (own if isinstance(own, list) else [own]))
        for name, own in features.items()
    }  # fmt: skip
    return GraphInfo(edges=edges, papers=papers)


def _example(paper: PaperText) -> dict[str, Any]:
    return {**listing_row(paper.listing), "main_content": paper.main_content, "conclusion": paper.conclusion}
