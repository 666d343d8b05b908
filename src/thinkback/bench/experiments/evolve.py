"""``bench evolve``: do thoughts help on your own documents and questions? One half of the questions is asked, the other tested.

The held-out half is answered twice under the same budget: from an empty memory, and from the one that the first half left.
With reference answers the verdict rests on them, without on how many questions are answered at all; either way it is given
only where its interval leaves out zero.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from thinkback.bench.experiments.evolution import AfterQuestions, evolution_split
from thinkback.bench.experiments.plan import Setting, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.metrics.statistics import Comparison, compare
from thinkback.bench.ports import Allowance
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Task
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.config import load_preset
from thinkback.errors import InvalidInput, LoadError
from thinkback.text.load import iter_files, load

__all__ = ["evolve", "own_dataset", "read_questions", "tables", "verdict"]

Verdict = Literal["thoughts help here", "thoughts do not help here", "not shown either way"]
_CORPUS = "yours"
_EMPTY, _EVOLVED = "empty memory", "evolved memory"
_CONTEXT = 1000
_ANSWER = 200


def read_questions(file: Path) -> list[tuple[str, str]]:
    """Return questions with their reference answers (empty where none is given), in the file's order.

    Args:
        file: plain lines, one question each; or JSON lines with ``question`` and, if known, ``answer``.

    Raises:
        InvalidInput: the file cannot be read, a line is no question, or there are fewer than four questions.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read as text.") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question, answer = line.strip(), ""
        if line.lstrip().startswith("{"):
            try:
                row: Any = json.loads(line)
                question, answer = str(row["question"]).strip(), str(row.get("answer") or "").strip()
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise InvalidInput(f"{file.name}:{number} is no JSON object with a question.") from error
        if not question:
            raise InvalidInput(f"{file.name}:{number} has an empty question.")
        found[question] = answer
    if len(found) < 4:
        raise InvalidInput(
            f"{str(file)!r} has {len(found)} different questions; at least four are needed to halve them."
        )
    return list(found.items())


def own_dataset(folder: Path, questions: Sequence[tuple[str, str]]) -> Dataset:
    """Return the files of a folder as one corpus, with a task a question. Files that cannot be read are faults.

    Raises:
        InvalidInput: there is no such folder, or nothing in it that can be read.
    """
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r}.")
    faults: list[Fault] = []
    documents = []
    for file in iter_files(folder):
        name = file.relative_to(folder).as_posix()
        try:
            loaded = load(file)
        except LoadError as error:
            faults.append(Fault(where=name, reason=error.message))
            continue
        if loaded.text.strip():
            documents.append(SourceText(id=name, title=loaded.title, text=loaded.text))
        else:
            faults.append(Fault(where=name, reason="no text"))
    if not documents:
        raise InvalidInput(f"No file in {str(folder)!r} can be read as text.")
    tasks = tuple(
        Task(
            id=f"q{number}", corpus_id=_CORPUS, kind="question", query=question,
            references=(answer,) if answer else (),
        )
        for number, (question, answer) in enumerate(questions, 1)
    )  # fmt: skip
    return Dataset(
        name="yours", corpora=(Corpus(id=_CORPUS, documents=tuple(documents)),), tasks=tasks, licence="yours",
        source=folder.name, faults=tuple(faults),
    )  # fmt: skip


def evolve(setting: Setting, folder: Path, questions: Path) -> tuple[RunFolder, Verdict, Comparison]:
    """Run the comparison and return its run, the verdict and what it rests on.

    Raises:
        InvalidInput: documents or questions cannot be used.
        ModelError
    """
    data = own_dataset(folder, read_questions(questions))
    data = replace(data, tasks=tuple(evolution_split(data.tasks, setting.seed)))
    preset = load_preset("default")
    systems = [
        AfterQuestions(setting.kit, preset=preset, questions=0, name=_EMPTY),
        AfterQuestions(setting.kit, preset=preset, questions=None, name=_EVOLVED),
    ]
    path = one_run(
        replace(setting, limit=None), experiment="evolve", dataset=data, systems=systems,
        metrics=("qa", "rouge", "answered", "cost"),
        allowance=Allowance(
            context_tokens=setting.context_tokens[0] if setting.context_tokens else _CONTEXT,
            answer_tokens=setting.answer_tokens or _ANSWER,
        ),
    )  # fmt: skip
    run = RunFolder(path)
    return run, *verdict(run)


def verdict(run: RunFolder) -> tuple[Verdict, Comparison]:
    """Return what a run shows, and the comparison of evolved and empty memory that it rests on.

    Token F1 with the references decides where at least half of the tested questions have one, else the share of questions
    that were answered.
    """
    scores = run.scores()
    tasks = list(scores["tasks"])
    with_reference = sum(scores["values"][_EMPTY].get(task, {}).get("token_f1") is not None for task in tasks)
    value = "token_f1" if 2 * with_reference >= len(tasks) else "answered"
    both = [[scores["values"][name].get(task, {}).get(value) for task in tasks] for name in (_EVOLVED, _EMPTY)]
    found = compare(both[0], both[1], [_CORPUS] * len(tasks), seed=run.config()["config"]["seed"])
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return "not shown either way", found
    return ("thoughts help here" if found.low > 0 else "thoughts do not help here"), found


def tables(run: RunFolder) -> list[Table]:
    """Return the values of both memories, and their difference in each."""
    values = ("token_f1", "exact_match", "rouge_l", "answered", "thought_share", "seconds", "prompt_tokens")
    return [
        results_table(run, values=values),
        *(compared_table(run, value=value, baseline=_EMPTY) for value in ("token_f1", "answered")),
    ]
