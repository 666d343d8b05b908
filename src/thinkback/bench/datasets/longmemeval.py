"""LongMemEval (Wu et al., ICLR 2025): questions to a chat assistant, each with a history of sessions of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.passages import iso_date, joined
from thinkback.bench.datasets.reading import json_records, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task

__all__ = ["load_longmemeval"]

_LICENCE = "MIT"
_FILES = ("longmemeval_oracle.json", "longmemeval_s_cleaned.json", "longmemeval_s.json", "longmemeval_sample.json",
          "longmemeval_oracle", "longmemeval_s")  # fmt: skip
_DATE = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")


def load_longmemeval(folder: Path, *, file: str | None = None, limit: int | None = None) -> Dataset:
    """Return a corpus a question, a document a session, and a passage a turn: "(date) role: text".

    Gold are the turns that are marked to hold the answer; where none is marked, the sessions that are named. Questions
    whose id ends in _abs cannot be answered from the history: their category is ``abstention``, their reference says so,
    and they have no gold. Queries say when they are asked, for "last week" depends on it.

    Args:
        folder: with one of the published files.
        file: which; None: the first of oracle, s and sample that is there.
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing or no JSON.
    """
    faults: list[Fault] = []
    corpora: dict[str, Corpus] = {}
    tasks: list[Task] = []
    for where, row in json_records(need_one(folder, [file] if file else _FILES), faults):
        if limit is not None and len(tasks) >= limit:
            break
        key, query, answer = (text_of(row, name) for name in ("question_id", "question", "answer"))
        history = _History(where=f"{where} {key}".strip(), faults=faults)
        documents = history.documents(row)
        reason = ("the same id again" if key in corpora else "") or ("" if key else "no question_id")
        reason = reason or ("" if query else "no question") or ("" if answer else "no answer")
        reason = reason or ("" if documents else "no session that can be read")
        if reason:
            faults.append(Fault(where=history.where, reason=reason))
            continue
        corpora[key] = Corpus(id=key, documents=documents)
        asked, kind = text_of(row, "question_date"), text_of(row, "question_type")
        abstains = key.endswith("_abs")
        gold = () if abstains else history.gold(row)
        if not abstains and not gold:
            faults.append(Fault(where=history.where, reason="no turn and no session is marked as evidence"))
        tasks.append(
            Task(
                id=f"longmemeval/{key}", corpus_id=key, kind="question", references=(answer,), gold=gold,
                query=f"{query} (asked on {asked})" if asked else query, licence=_LICENCE,
                category="abstention" if abstains else kind, metadata={"question_type": kind, "question_date": asked},
            )
        )  # fmt: skip
    return Dataset(
        name="longmemeval",
        corpora=tuple(corpora.values()),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Wu et al., LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR 2025",
        faults=tuple(faults),
    )


@dataclass(slots=True)
class _History:
    """Reads the sessions of one question."""

    where: str
    faults: list[Fault]
    marked: list[Gold] = field(default_factory=list)
    sessions: dict[str, Gold] = field(default_factory=dict)
    """Session id to the whole of it."""

    def documents(self, row: dict[str, Any]) -> tuple[SourceText, ...]:
        """Return a document a session, in the order of their dates, and fill ``marked`` and ``sessions``."""
        ids, dates, given = (row.get(f"haystack_{name}") for name in ("session_ids", "dates", "sessions"))
        if not all(isinstance(each, list) for each in (ids, dates, given)) or not len(ids) == len(dates) == len(given):  # type: ignore[arg-type]
            return ()
        found = []
        for key, date, turns in zip(ids, dates, given, strict=True):  # type: ignore[arg-type]
            if str(key) in self.sessions:
                self.faults.append(Fault(where=f"{self.where} {key}", reason="the same session again"))
                continue
            document = self._document(str(key), str(date), turns if isinstance(turns, list) else [])
            if document is not None:
                found.append(document)
        return tuple(sorted(found, key=lambda document: document.date))

    def _document(self, key: str, date: str, turns: Sequence[Any]) -> SourceText | None:
        lines, answers = [], []
        for number, turn in enumerate(turns):
            role, said = (text_of(turn, name) if isinstance(turn, dict) else "" for name in ("role", "content"))
            if not role or not said:
                self.faults.append(Fault(where=f"{self.where} {key} turn {number}", reason="no role or no content"))
                continue
            lines.append(f"({date}) {role}: {said}")
            answers.append(bool(turn.get("has_answer")))
        if not lines:
            self.faults.append(Fault(where=f"{self.where} {key}", reason="nothing is said in the session"))
            return None
        whole = joined(lines)
        self.sessions[key] = Gold(document_id=key, start=0, end=len(whole.text))
        self.marked += [
            Gold(document_id=key, start=start, end=end)
            for (start, end), answer in zip(whole.spans, answers, strict=True)
            if answer
        ]
        return SourceText(
            id=key, title=f"Session of {date}", text=whole.text, date=iso_date(date, *_DATE), passages=whole.spans
        )

    def gold(self, row: dict[str, Any]) -> tuple[Gold, ...]:
        """Return the marked turns, or else the named sessions."""
        if self.marked:
            return tuple(self.marked)
        named = row.get("answer_session_ids")
        return tuple(self.sessions[key] for key in named or () if key in self.sessions)
