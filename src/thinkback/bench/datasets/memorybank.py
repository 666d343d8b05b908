"""MemoryBank (Zhong et al., AAAI 2024): ten days of chats of invented users, and questions without reference answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.passages import iso_date, joined
from thinkback.bench.datasets.reading import json_lines, need_file, text_of, whole_json
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Task
from thinkback.errors import InvalidInput

__all__ = ["load_memorybank"]

_LICENCE = "MIT"


def load_memorybank(folder: Path) -> Dataset:
    """Return a corpus a user, a document a day, and a passage a turn: "(date) name: text".

    Questions have neither references nor gold: they are for judges and for reading side by side.

    Args:
        folder: with memory_bank_en.json and probing_questions_en.jsonl.

    Raises:
        InvalidInput: a file is missing, or the first holds no users.
    """
    faults: list[Fault] = []
    file = need_file(folder, "memory_bank_en.json")
    users = whole_json(file)
    if not isinstance(users, dict):
        raise InvalidInput(f"{str(file)!r} holds no users.")
    corpora: dict[str, Corpus] = {}
    for given, user in users.items():
        name = given.strip()
        history = user.get("history") if isinstance(user, dict) else None
        days = _days(name, history if isinstance(history, dict) else {}, faults)
        if days and name not in corpora:
            corpora[name] = Corpus(id=name, documents=days)
        else:
            reason = "the same user again" if days else "no day with a chat"
            faults.append(Fault(where=f"{file.name} {name}", reason=reason))
    return Dataset(
        name="memorybank",
        corpora=tuple(corpora.values()),
        tasks=tuple(_tasks(folder, corpora, faults)),
        licence=_LICENCE,
        source="Zhong et al., MemoryBank: Enhancing Large Language Models with Long-Term Memory, AAAI 2024",
        faults=tuple(faults),
    )


def _days(name: str, history: Mapping[str, Any], faults: list[Fault]) -> tuple[SourceText, ...]:
    found = []
    for date, turns in sorted(history.items()):
        lines = []
        for number, turn in enumerate(turns if isinstance(turns, list) else [], 1):
            said = [text_of(turn, side) if isinstance(turn, dict) else "" for side in ("query", "response")]
            if not any(said):
                faults.append(Fault(where=f"{name} {date} turn {number}", reason="nothing is said"))
            lines += [f"({date}) {who}: {text}" for who, text in zip((name, "Assistant"), said, strict=True) if text]
        if not lines:
            faults.append(Fault(where=f"{name} {date}", reason="nothing is said on that day"))
            continue
        whole = joined(lines)
        found.append(
            SourceText(id=f"{name}/{date}", title=f"{name}, {date}", text=whole.text, passages=whole.spans,
                       date=iso_date(date, "%Y-%m-%d"))
        )  # fmt: skip
    return tuple(found)


def _tasks(folder: Path, corpora: Mapping[str, Corpus], faults: list[Fault]) -> list[Task]:
    found: dict[str, Task] = {}
    for where, row in json_lines(need_file(folder, "probing_questions_en.jsonl"), faults):
        for given, questions in row.items():
            name = given.strip()
            if name not in corpora or not isinstance(questions, list):
                faults.append(
                    Fault(where=f"{where} {name}", reason="no such user" if name not in corpora else "no list")
                )
                continue
            for number, question in _numbered(questions):
                key = f"memorybank/{name}/{number}"
                if not question or key in found:
                    reason = "the same user again" if question else "no question"
                    faults.append(Fault(where=f"{where} {name} question {number}", reason=reason))
                    continue
                found[key] = Task(id=key, corpus_id=name, kind="question", query=question, licence=_LICENCE)
    return list(found.values())


def _numbered(questions: Sequence[Any]) -> list[tuple[int, str]]:
    return [(number, each.strip() if isinstance(each, str) else "") for number, each in enumerate(questions, 1)]
