"""QMSum (Zhong et al., NAACL 2021): meetings, and summaries of them or of what was said on one matter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from thinkback.bench.datasets.passages import Joined, joined
from thinkback.bench.datasets.reading import json_lines, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Split, Task
from thinkback.errors import InvalidInput

__all__ = ["load_qmsum"]

_LICENCE = "MIT; transcripts of AMI and ICSI CC BY 4.0, of the committees of two parliaments"
_FILES = {"train": "train.jsonl", "dev": "val.jsonl", "test": "test.jsonl"}


def load_qmsum(
    folder: Path,
    *,
    split: Split = "test",
    queries: Literal["specific", "general", "both"] = "both",
    passages: Literal["cut", "turns"] = "cut",
    limit: int | None = None,
) -> Dataset:
    """Return a corpus of one document a meeting, with a line "Speaker: what is said" a turn, and a task a query.

    Gold are the ranges of turns that a specific query was written from; general queries have none.

    Args:
        folder: with test.jsonl, val.jsonl or train.jsonl.
        split: which of them.
        queries: general ones are about the whole meeting.
        passages: what is a chunk: a turn, or what the bench cuts (turns have 7 words in the middle of all).
        limit: most meetings, the first; None: all.

    Raises:
        InvalidInput: the file is missing, or an option has another value.
    """
    if queries not in {"specific", "general", "both"} or passages not in {"cut", "turns"}:
        raise InvalidInput("queries is specific, general or both, and passages is cut or turns.")
    faults: list[Fault] = []
    corpora: list[Corpus] = []
    tasks: list[Task] = []
    for number, (where, row) in enumerate(json_lines(need_one(folder, [_FILES[split]]), faults), 1):
        if limit is not None and len(corpora) >= limit:
            break
        name = f"meeting {number}"
        turns = _turns(where, row, faults)
        if not turns.text:
            faults.append(Fault(where=where, reason="nothing is said in the meeting"))
            continue
        spans = tuple(span for span in turns.spans if span[0] < span[1]) if passages == "turns" else ()
        corpora.append(Corpus(id=name, documents=(SourceText(id=name, text=turns.text, passages=spans),)))
        for kind in ("general", "specific"):
            if queries in {kind, "both"}:
                tasks += _tasks(name, kind, where, row, turns, split, faults)
    return Dataset(
        name="qmsum",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Zhong et al., QMSum: A New Benchmark for Query-based Multi-domain Meeting Summarization, NAACL 2021",
        faults=tuple(faults),
    )


def _turns(where: str, row: dict[str, Any], faults: list[Fault]) -> Joined:
    """Join the turns; one that cannot be read keeps its place as an empty line, for ranges count turns."""
    lines = []
    given = row.get("meeting_transcripts")
    for number, turn in enumerate(given if isinstance(given, list) else []):
        if isinstance(turn, dict) and isinstance(turn.get("content"), str) and isinstance(turn.get("speaker"), str):
            lines.append(f"{turn['speaker']}: {turn['content']}")
        else:
            faults.append(Fault(where=f"{where} turn {number}", reason="no speaker or no content"))
            lines.append("")
    return joined(lines) if any(lines) else Joined("", ())


def _tasks(
    name: str, kind: str, where: str, row: dict[str, Any], turns: Joined, split: Split, faults: list[Fault]
) -> Iterator[Task]:
    given = row.get(f"{kind}_query_list")
    seen: set[tuple[str, str]] = set()
    for number, asked in enumerate(given if isinstance(given, list) else [], 1):
        place = f"{where} {kind} query {number}"
        query, answer = (text_of(asked, key) if isinstance(asked, dict) else "" for key in ("query", "answer"))
        reason = ("" if query else "no query") or ("" if answer else "no answer")
        reason = reason or ("the same query and answer again" if (query, answer) in seen else "")
        gold = _gold(name, asked.get("relevant_text_span"), turns) if kind == "specific" and not reason else ()
        if kind == "specific" and not reason and not gold:
            reason = "no turn of the meeting is its evidence"
        if reason:
            faults.append(Fault(where=place, reason=reason))
            continue
        seen.add((query, answer))
        yield Task(
            id=f"qmsum/{name}/{kind} {number}", corpus_id=name, kind="summary", query=query, references=(answer,),
            gold=gold, split=split, licence=_LICENCE, category=kind,
        )  # fmt: skip


def _gold(name: str, ranges: Any, turns: Joined) -> tuple[Gold, ...]:
    """Return ranges of turns as spans, overlapping and adjoining ones as one, without turns that are not there."""
    wanted: set[int] = set()
    for pair in ranges if isinstance(ranges, list) else []:
        try:
            first, last = map(int, pair)
        except (TypeError, ValueError):
            continue
        wanted.update(range(max(first, 0), min(last, len(turns.spans) - 1) + 1))
    found: list[tuple[int, int]] = []
    for turn in sorted(wanted):
        start, end = turns.spans[turn]
        if found and turn - 1 in wanted:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(Gold(document_id=name, start=start, end=end) for start, end in found if start < end)
