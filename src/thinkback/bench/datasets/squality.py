"""SQuALITY (Wang et al., EMNLP 2022): questions on short stories, each with four summaries, and how people rated systems'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.reading import json_lines, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Split, Task
from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["HumanRating", "human_ratings", "load_squality"]

_LICENCE = "questions and summaries CC BY 4.0; stories in the public domain in the USA"
_RATINGS = ("human-eval-all-responses.jsonl", "all-responses.jsonl")


def load_squality(folder: Path, *, split: Split = "test", limit: int | None = None) -> Dataset:
    """Return a corpus a story, and a task a question; category ``plot`` for the first, which is the same for all stories.

    Args:
        folder: with SPLIT.jsonl in the version's txt form.
        split: which file.
        limit: most stories, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    faults: list[Fault] = []
    corpora: dict[str, Corpus] = {}
    tasks: list[Task] = []
    for where, row in json_lines(need_one(folder, [f"{split}.jsonl"]), faults):
        if limit is not None and len(corpora) >= limit:
            break
        metadata, text = row.get("metadata"), text_of(row, "document")
        key = text_of(metadata, "passage_id") if isinstance(metadata, dict) else ""
        reason = ("" if key else "no id") or ("" if text else "no document")
        if reason or key in corpora:
            faults.append(Fault(where=f"{where} {key}".strip(), reason=reason or "the same story again"))
            continue
        corpora[key] = Corpus(id=key, documents=(SourceText(id=key, text=text, title=_title(text)),))
        tasks += _tasks(key, where, row, split, faults)
    return Dataset(
        name="squality",
        corpora=tuple(corpora.values()),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Wang et al., SQuALITY: Building a Long-Document Summarization Dataset the Hard Way, EMNLP 2022",
        faults=tuple(faults),
    )


def _title(text: str) -> str:
    """Return the first line that is neither empty nor about how the electronic text was made."""
    lines = (line.strip() for line in text.splitlines())
    made = ("Produced by", "Distributed Proof", "Online Dist", "E-text prep")
    return next((line for line in lines if line and not line.startswith(made)), "")[:120]


def _tasks(key: str, where: str, row: dict[str, Any], split: Split, faults: list[Fault]) -> Iterator[Task]:
    questions = row.get("questions")
    seen: set[str] = set()
    for place, asked in enumerate(questions if isinstance(questions, list) else [], 1):
        number = text_of(asked, "question_number") or str(place) if isinstance(asked, dict) else str(place)
        query = text_of(asked, "question_text") if isinstance(asked, dict) else ""
        answers = asked.get("responses") if isinstance(asked, dict) else None
        written = [text_of(each, "response_text") for each in answers or [] if isinstance(each, dict)]
        references = tuple(dict.fromkeys(text for text in written if text))
        reason = ("" if query else "no question") or ("" if references else "no response")
        reason = reason or ("the same number again" if number in seen else "")
        if reason:
            faults.append(Fault(where=f"{where} {key} question {number}", reason=reason))
            continue
        seen.add(number)
        yield Task(
            id=f"squality/{key}/{number}", corpus_id=key, kind="summary", query=query, references=references,
            split=split, licence=_LICENCE, category="plot" if number == "1" else "question",
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRating(Record):
    """What one reviewer said of one system's answer to one question."""

    passage_id: str
    question: int
    """From 1, as in the tasks' ids."""
    system: str
    """``human``, ``bart`` or ``bart-dpr``."""
    reviewer: str
    correctness: float
    """0 to 100, like the others."""
    coverage: float
    """The data calls it selection: how much of what matters is in the answer."""
    overall: float
    response: str
    """The answer that was rated."""


def human_ratings(folder: Path) -> tuple[tuple[HumanRating, ...], tuple[Fault, ...]]:
    """Return every rating of SQuALITY's human evaluation, in the order of the file, and what could not be read of it.

    Args:
        folder: with human-eval-all-responses.jsonl (in the repository: data/human-eval/all-responses.jsonl).

    Raises:
        InvalidInput: the file is missing or holds no rating.
    """
    faults: list[Fault] = []
    found = []
    file = need_one(folder, _RATINGS)
    for where, row in json_lines(file, faults):
        questions = row.get("questions")
        for place, systems in questions.items() if isinstance(questions, dict) else ():
            for system, answer in systems.items() if isinstance(systems, dict) else ():
                for review in answer.get("reviews", ()) if isinstance(answer, dict) else ():
                    try:
                        found.append(_rating(text_of(row, "passage-id"), int(place) + 1, system, answer, review))
                    except (KeyError, TypeError, ValueError, AttributeError) as error:
                        place_of = f"{where} question {place} {system}"
                        faults.append(Fault(where=place_of, reason=f"not a rating: {type(error).__name__} {error}"))
    if not found:
        raise InvalidInput(f"{str(file)!r} holds no rating.")
    return tuple(found), tuple(faults)


def _rating(passage: str, question: int, system: str, answer: dict[str, Any], review: dict[str, Any]) -> HumanRating:
    values = {name: float(review[f"{name}-rating"]) for name in ("correctness", "selection", "overall")}
    if not all(0 <= value <= 100 for value in values.values()):
        raise ValueError("outside 0 to 100")
    return HumanRating(
        passage_id=passage, question=question, system=system, reviewer=str(review["worker_id"]),
        correctness=values["correctness"], coverage=values["selection"], overall=values["overall"],
        response=str(answer["response"]),
    )  # fmt: skip
