"""A run's folder: what was run (``run.json``), what came out (``predictions.jsonl``), and what it cost to build.

    run.json            config, seed, data's hash, model, prompts' hash, versions, commit, machine
    predictions.jsonl   one line a task, system and repetition: text, items shown by id, cost; or the error
    construction.jsonl  one line a system and corpus: what reading it cost
    items.jsonl         id and text of what was shown; needed to score again, and not for publication
    judgements.jsonl    what a judge said of pairs of answers, one line a pair, order and judge
    scores.json         what ``score`` wrote

Lines are appended and flushed as they come, so a run that was stopped goes on where it was. A last line that was cut is
dropped and its task done again; any other broken line is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.ports import Cost, Output, Shown
from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput
from thinkback.ids import canonical_json, content_hash
from thinkback.types import Record

__all__ = ["Construction", "Prediction", "RunFolder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction(Record):
    """One answer, or why there is none."""

    system: str
    task_id: str
    output: Output
    cost: Cost
    error: str = ""
    """Empty for an answer; else the kind of the error and what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction(Record):
    """What a system spent on a corpus before it was asked."""

    system: str
    corpus_id: str
    cost: Cost
    error: str = ""


class RunFolder:
    """Reads and writes a run's folder.

    Args:
        path: the folder; ``create`` makes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[Fault] = []
        """Lines that could not be read, since the folder was opened."""
        self._texts: dict[str, str] | None = None

    def create(self, record: Mapping[str, Any]) -> None:
        """Make the folder, or open one of the same ``config`` to go on; its ``systems`` may grow.

        Raises:
            InvalidInput: there is a run of another config in it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / "run.json"
        kept = dict(record)
        if file.exists():
            found = self.config()
            differing = _differing(found.get("config", {}), json.loads(canonical_json(record["config"])))
            if differing:
                raise InvalidInput(
                    f"{str(self.path)!r} holds a run of another configuration: {', '.join(differing)}.",
                    hint="Name another folder for this run.",
                )
            systems = list(dict.fromkeys([*found.get("systems", ()), *record.get("systems", ())]))
            if systems == list(found.get("systems", ())):
                return
            kept = {**found, "systems": systems}
        _replace(file, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")

    def config(self) -> dict[str, Any]:
        """Return what ``run.json`` says.

        Raises:
            InvalidInput: there is none, or it cannot be read.
        """
        file = self.path / "run.json"
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InvalidInput(f"{str(self.path)!r} is no run's folder: it has no run.json.") from None
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InvalidInput(f"{str(file)!r} cannot be read.") from error
        if not isinstance(found, dict):
            raise InvalidInput(f"{str(file)!r} is not a run's record.")
        return found

    def add(self, prediction: Prediction) -> None:
        """Append an answer; its items' texts go to their own file, each once."""
        known = self._known_texts()
        fresh = {}
        for shown in prediction.output.shown:
            key = content_hash(shown.text)[:24]
            if key not in known:
                known[key] = fresh[key] = shown.text
        for key, text in fresh.items():
            self._append("items.jsonl", {"key": key, "text": text})
        row = prediction.to_dict()
        for shown in row["output"]["shown"]:
            shown["text"] = content_hash(shown["text"])[:24]
        self._append("predictions.jsonl", row)

    def add_construction(self, construction: Construction) -> None:
        """Append what a corpus cost."""
        self._append("construction.jsonl", construction.to_dict())

    def predictions(self) -> Iterator[Prediction]:
        """Yield the answers in the order in which they were made; of several for one task the last counts."""
        texts = self._known_texts()
        found: dict[tuple[str, str], Prediction] = {}
        for row in self._rows("predictions.jsonl"):
            try:
                one = _prediction(row, texts)
            except (KeyError, TypeError, ValueError) as error:
                self.faults.append(Fault(where="predictions.jsonl", reason=f"{type(error).__name__}: {error}"))
                continue
            found[one.system, one.task_id] = one
        yield from found.values()

    def constructions(self) -> Iterator[Construction]:
        """Yield what corpora cost."""
        for row in self._rows("construction.jsonl"):
            try:
                yield Construction(**{**row, "cost": Cost(**row["cost"])})
            except (KeyError, TypeError) as error:
                self.faults.append(Fault(where="construction.jsonl", reason=f"{type(error).__name__}: {error}"))

    def add_judgement(self, row: Mapping[str, Any]) -> None:
        """Append what a judge said; ``metrics.judging`` gives the rows their form."""
        self._append("judgements.jsonl", row)

    def judgements(self) -> Iterator[dict[str, Any]]:
        """Yield what judges said, in the order in which they said it."""
        yield from self._rows("judgements.jsonl")

    def write_scores(self, scores: Mapping[str, Any]) -> None:
        """Write ``scores.json`` whole."""
        _replace(self.path / "scores.json", json.dumps(scores, indent=1, ensure_ascii=False) + "\n")

    def scores(self) -> dict[str, Any]:
        """Return what ``scores.json`` says.

        Raises:
            InvalidInput: the run was not scored.
        """
        file = self.path / "scores.json"
        if not file.exists():
            raise InvalidInput(f"The run in {str(self.path)!r} is not scored yet.", hint="Run: thinkback bench score")
        try:
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InvalidInput(f"{str(file)!r} cannot be read.") from error
        return found

    def _known_texts(self) -> dict[str, str]:
        if self._texts is None:
            self._texts = {row["key"]: row["text"] for row in self._rows("items.jsonl") if {"key", "text"} <= set(row)}
        return self._texts

    def _append(self, name: str, row: Mapping[str, Any]) -> None:
        file = self.path / name
        line = json.dumps(row, ensure_ascii=False) + "\n"
        with file.open("a+b") as stream:
            _mend_tail(stream)
            stream.write(line.encode("utf-8", "replace"))

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        file = self.path / name
        if not file.exists():
            return
        lines = file.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            row = _record(line)
            if row is None:
                cut = number == len(lines)
                self.faults.append(
                    Fault(where=f"{name}:{number}", reason="cut off; its task is done again" if cut else "not a record")
                )
                continue
            yield row


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (UnicodeDecodeError, json.JSONDecodeError):
        return None
    return row if isinstance(row, dict) else None


def _prediction(row: Mapping[str, Any], texts: Mapping[str, str]) -> Prediction:
    output = row["output"]

    return Prediction(
        system=str(row["system"]),
        task_id=str(row["task_id"]),
        output=Output(
            text=str(output["text"]),
            shown=tuple(
                Shown(
                    **{
                        **each,
                        "text": texts.get(each["text"], ""),
                        "roots": tuple(each["roots"]),
                        "questions": tuple(each.get("questions", ())),
                        "answers": tuple(each.get("answers", ())),
                    }
                )
                for each in output["shown"]
            ),
            ranking=tuple((str(chunk), float(score)) for chunk, score in output.get("ranking", ())),
            details=output.get("details", {}),
        ),
        cost=Cost(**row["cost"]),
        error=str(row.get("error", "")),
    )


def _mend_tail(stream: Any) -> None:
    """Go to the end; a last line that was cut in writing is taken off."""
    end = stream.seek(0, 2)
    if end == 0:
        return
    stream.seek(end - 1)
    if stream.read(1) == b"\n":
        return
    stream.seek(0)
    whole = stream.read().rfind(b"\n") + 1
    stream.truncate(whole)
    stream.seek(0, 2)


def _replace(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = file.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)
