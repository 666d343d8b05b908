"""LoCoMo (Maharana et al., ACL 2024): long dialogues with questions, gold turns, and notes that a model made of each session."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.reading import need_file
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, Note, SourceText, Task
from thinkback.errors import InvalidInput

__all__ = ["load_locomo"]

_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
_LICENCE = "CC BY-NC 4.0"
_TURN = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


def load_locomo(folder: Path, *, dialogues: Sequence[int] | None = None) -> Dataset:
    """Return a corpus a dialogue, a document a session, and a passage a turn: "(date) Speaker: text [shares a photo: caption]".

    Questions of the category adversarial have no reference: the dialogue does not hold the answer, and the wrong one that
    they suggest is in the metadata as ``adversarial_answer``. Notes are observations (one fact, one or two turns),
    session summaries and events; the latter two name no turns, so they stand on their whole session.

    Args:
        folder: with locomo10.json.
        dialogues: places of the dialogues that are wanted, from 0; None: all.

    Raises:
        InvalidInput: the file is missing or no list of dialogues.
    """
    file = need_file(folder, "locomo10.json")
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read: {error}.") from error
    if not isinstance(entries, list):
        raise InvalidInput(f"{str(file)!r} is no list of dialogues.")
    wanted = range(len(entries)) if dialogues is None else dialogues
    faults: list[Fault] = []
    corpora, tasks = [], []
    for place in wanted:
        if not 0 <= place < len(entries):
            raise InvalidInput(f"There is no dialogue {place}; there are {len(entries)}.")
        read = _Reader(entries[place], faults)
        corpora.append(read.corpus())
        tasks += list(read.tasks())
    return Dataset(
        name="locomo",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024",
        faults=tuple(faults),
    )


@dataclass(slots=True)
class _Reader:
    """Reads one dialogue."""

    entry: Mapping[str, Any]
    faults: list[Fault]
    spans: dict[str, Gold] = field(default_factory=dict)
    """Turn id to its span."""

    @property
    def name(self) -> str:
        return str(self.entry.get("sample_id", "dialogue"))

    def corpus(self) -> Corpus:
        """Return the dialogue's sessions, and fill ``spans``."""
        talk = self.entry["conversation"]
        numbers = sorted(int(m[1]) for key in talk if (m := _SESSION.fullmatch(key)))
        documents = tuple(self._session(talk, number) for number in numbers)
        return Corpus(id=self.name, documents=documents, notes=tuple(self._notes(numbers)))

    def _session(self, talk: Mapping[str, Any], number: int) -> SourceText:
        document_id = f"{self.name}/session {number}"
        date = str(talk.get(f"session_{number}_date_time", ""))
        parts: list[str] = []
        passages: list[tuple[int, int]] = []
        at = 0
        for turn in talk[f"session_{number}"]:
            photo = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            text = f"({date}) {turn['speaker']}: {turn['text']}{photo}"
            passages.append((at, at + len(text)))
            self.spans[turn["dia_id"]] = Gold(document_id=document_id, start=at, end=at + len(text))
            parts.append(text)
            at += len(text) + 1
        return SourceText(
            id=document_id, title=f"Session {number}, {date}", text="\n".join(parts), passages=tuple(passages),
            metadata={"date": date},
        )  # fmt: skip

    def _notes(self, numbers: Sequence[int]) -> Iterator[Note]:
        talk = self.entry["conversation"]
        for number in numbers:
            date = talk.get(f"session_{number}_date_time", "")
            session = tuple(span for span in self.spans.values() if span.document_id == f"{self.name}/session {number}")
            for notes in self.entry.get("observation", {}).get(f"session_{number}_observation", {}).values():
                for text, ids in notes:
                    sources = self._turns([ids] if isinstance(ids, str) else ids)
                    if sources:
                        yield Note(text=f"({date}) {text}", kind="observation", sources=sources)
            summary = self.entry.get("session_summary", {}).get(f"session_{number}_summary")
            if summary:
                yield Note(text=f"({date}) {summary}", kind="summary", sources=session)
            events = self.entry.get("event_summary", {}).get(f"events_session_{number}", {})
            for speaker, happened in events.items():
                if speaker != "date":
                    for text in happened:
                        yield Note(text=f"({date}) {text}", kind="event", sources=session)

    def tasks(self) -> Iterator[Task]:
        """Yield the questions whose gold turns are in the dialogue; the others are faults."""
        for number, asked in enumerate(self.entry.get("qa", ())):
            task_id = f"locomo/{self.name}/{number}"
            gold = self._turns(asked.get("evidence", ()))
            category = _CATEGORIES.get(asked.get("category"), "")
            if not gold or not category:
                reason = "no gold turn in the dialogue" if category else f"no category {asked.get('category')!r}"
                self.faults.append(Fault(where=task_id, reason=reason))
                continue
            answer = "" if category == "adversarial" else str(asked.get("answer", ""))
            extra = {"adversarial_answer": str(asked["adversarial_answer"])} if "adversarial_answer" in asked else {}
            yield Task(
                id=task_id, corpus_id=self.name, kind="question", query=str(asked["question"]),
                references=(answer,) if answer else (), gold=gold, licence=_LICENCE, category=category, metadata=extra,
            )  # fmt: skip

    def _turns(self, given: Sequence[Any]) -> tuple[Gold, ...]:
        ids = dict.fromkeys(turn for text in given for turn in _TURN.findall(str(text)))
        return tuple(self.spans[turn] for turn in ids if turn in self.spans)
