"""LoCoMo (Maharana et al., ACL 2024): long dialogues with questions, gold turns, and notes that a model made of each session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.passages import iso_date, joined
from thinkback.bench.datasets.reading import need_file, text_of, whole_json
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, Note, SourceText, Task
from thinkback.errors import InvalidInput

__all__ = ["load_locomo"]

_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single", 5: "adversarial"}
_LICENCE = "CC BY-NC 4.0"
_TURN = re.compile(r"D0*(\d+):0*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATE = "%I:%M %p on %d %B, %Y"


def load_locomo(folder: Path, *, dialogues: Sequence[int] | None = None) -> Dataset:
    """Return a corpus a dialogue, a document a session, and a passage a turn: "(date) Speaker: text [shares a photo: caption]".

    Questions of the category adversarial have no reference: the dialogue does not hold the answer, and the wrong one that
    they suggest is in the metadata as ``adversarial_answer``. Notes are observations (one fact, one or two turns),
    session summaries and events; the latter two name no turns, so they stand on their whole session. A question none of
    whose turns is in the dialogue is a fault and not asked; one that misses some keeps the others, and is a fault, too.

    Args:
        folder: with locomo10.json.
        dialogues: places of the dialogues that are wanted, from 0; None: all.

    Raises:
        InvalidInput: the file is missing or no list of dialogues, or there is no dialogue of a place.
    """
    file = need_file(folder, "locomo10.json")
    entries = whole_json(file)
    if not isinstance(entries, list):
        raise InvalidInput(f"{str(file)!r} is no list of dialogues.")
    faults: list[Fault] = []
    corpora: dict[str, Corpus] = {}
    tasks: list[Task] = []
    for place in range(len(entries)) if dialogues is None else dialogues:
        if not 0 <= place < len(entries):
            raise InvalidInput(f"There is no dialogue {place}; there are {len(entries)}.")
        entry = entries[place] if isinstance(entries[place], dict) else {}
        name = text_of(entry, "sample_id")
        talk = entry.get("conversation")
        if not name or not isinstance(talk, dict) or name in corpora:
            reason = "the same dialogue again" if name in corpora else "no name or no conversation"
            faults.append(Fault(where=f"{file.name} dialogue {place}", reason=reason))
            continue
        read = _Reader(name, entry, talk, faults)
        corpora[name] = read.corpus()
        tasks += read.tasks()
    return Dataset(
        name="locomo",
        corpora=tuple(corpora.values()),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024",
        faults=tuple(faults),
    )


@dataclass(slots=True)
class _Reader:
    """Reads one dialogue."""

    name: str
    entry: Mapping[str, Any]
    talk: Mapping[str, Any]
    faults: list[Fault]
    spans: dict[str, Gold] = field(default_factory=dict)
    """Turn id to its span."""

    def corpus(self) -> Corpus:
        """Return the dialogue's sessions, and fill ``spans``."""
        numbers = sorted(int(m[1]) for key in self.talk if (m := _SESSION.fullmatch(key)))
        documents = tuple(each for number in numbers if (each := self._session(number)) is not None)
        return Corpus(id=self.name, documents=documents, notes=tuple(self._notes(numbers)))

    def _date(self, number: int) -> str:
        return str(self.talk.get(f"session_{number}_date_time", ""))

    def _session(self, number: int) -> SourceText | None:
        document_id, date = f"{self.name}/session {number}", self._date(number)
        turns: dict[str, str] = {}
        given = self.talk[f"session_{number}"]
        for place, turn in enumerate(given if isinstance(given, list) else [], 1):
            key, speaker = (text_of(turn, name) if isinstance(turn, dict) else "" for name in ("dia_id", "speaker"))
            if not key or not speaker or key in self.spans or key in turns:
                reason = "the same turn again" if key and speaker else "a turn without id or speaker"
                self.faults.append(Fault(where=f"{document_id} turn {place}", reason=reason))
                continue
            photo = f" [shares a photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns[key] = f"({date}) {speaker}: {turn.get('text', '')}{photo}"
        if not turns:
            self.faults.append(Fault(where=document_id, reason="nothing is said in the session"))
            return None
        whole = joined(turns.values())
        for key, (start, end) in zip(turns, whole.spans, strict=True):
            self.spans[key] = Gold(document_id=document_id, start=start, end=end)
        return SourceText(
            id=document_id, title=f"Session {number}, {date}", text=whole.text, passages=whole.spans,
            date=iso_date(date, _DATE), metadata={"date": date},
        )  # fmt: skip

    def _notes(self, numbers: Sequence[int]) -> Iterator[Note]:
        for number in numbers:
            date = self._date(number)
            document_id = f"{self.name}/session {number}"
            session = tuple(span for span in self.spans.values() if span.document_id == document_id)
            yield from self._observations(number, date)
            summary = _of(self.entry, "session_summary", f"session_{number}_summary")
            if isinstance(summary, str) and summary and session:
                yield Note(text=f"({date}) {summary}", kind="summary", sources=session)
            events = _of(self.entry, "event_summary", f"events_session_{number}")
            for speaker, happened in events.items() if isinstance(events, dict) and session else ():
                for text in happened if speaker != "date" else ():
                    yield Note(text=f"({date}) {text}", kind="event", sources=session)

    def _observations(self, number: int, date: str) -> Iterator[Note]:
        notes = _of(self.entry, "observation", f"session_{number}_observation")
        for speaker, observed in notes.items() if isinstance(notes, dict) else ():
            for place, pair in enumerate(observed, 1):
                text, ids = pair if isinstance(pair, list) and len(pair) == 2 else ("", ())
                sources, _ = self._turns([ids] if isinstance(ids, str) else ids)
                if text and sources:
                    yield Note(text=f"({date}) {text}", kind="observation", sources=sources)
                else:
                    where = f"{self.name}/session {number} observation {place} of {speaker}"
                    self.faults.append(Fault(where=where, reason="no text, or no turn in the dialogue"))

    def tasks(self) -> Iterator[Task]:
        """Yield the questions that have a gold turn in the dialogue."""
        asked_all = self.entry.get("qa")
        for number, asked in enumerate(asked_all if isinstance(asked_all, list) else []):
            task_id = f"locomo/{self.name}/{number}"
            given = asked if isinstance(asked, dict) else {}
            evidence = given.get("evidence")
            gold, missing = self._turns(evidence if isinstance(evidence, list) else [])
            category, query = _CATEGORIES.get(given.get("category", 0), ""), text_of(given, "question")
            answer = "" if category == "adversarial" else text_of(given, "answer")
            reason = ("" if query else "no question") or ("" if category else f"no category {given.get('category')!r}")
            reason = reason or ("" if gold else "no gold turn in the dialogue")
            reason = reason or ("" if answer or category == "adversarial" else "no answer")
            if missing and not reason:
                self.faults.append(Fault(where=task_id, reason=f"without the gold turns {', '.join(missing)}"))
            if reason:
                self.faults.append(Fault(where=task_id, reason=reason))
                continue
            wrong = text_of(given, "adversarial_answer")
            yield Task(
                id=task_id, corpus_id=self.name, kind="question", query=query, references=(answer,) if answer else (),
                gold=gold, licence=_LICENCE, category=category, metadata={"adversarial_answer": wrong} if wrong else {},
            )  # fmt: skip

    def _turns(self, given: Iterable[Any]) -> tuple[tuple[Gold, ...], list[str]]:
        """Return the spans of the turns that are named (D30:05 is D30:5), and the names that the dialogue does not have."""
        ids = list(dict.fromkeys(f"D{session}:{turn}" for text in given for session, turn in _TURN.findall(str(text))))
        return tuple(self.spans[turn] for turn in ids if turn in self.spans), [
            turn for turn in ids if turn not in self.spans
        ]


def _of(entry: Mapping[str, Any], *names: str) -> Any:
    found: Any = entry
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
