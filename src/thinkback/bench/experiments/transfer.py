"""Do thoughts that were born from other questions help a new one? Without a model, on gold answers: an upper bound.

Half of the questions about a corpus become thoughts, "question answer" rooted in the gold evidence; the other half is
asked, and then the other way round. Results are split by whether a question shares evidence with those that made the
thoughts, and given again with thoughts of the same answer left out: what is left is not the repetition of an answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thinkback.bench.datasets import load
from thinkback.bench.experiments.plan import Experiment, Setting, limited, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.ports import Allowance, System
from thinkback.bench.records import Dataset, Note, Task
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.bench.systems.thoughts import GivenThoughts
from thinkback.config import load_preset

__all__ = ["EXPERIMENT", "halves", "notes_of", "sharing"]

_BUDGETS = (250, 500, 1000, 2000)
_VALUES = ("coverage_supported_recall", "coverage_structural_recall", "answer_words", "answer_words_gold")
_GATES: dict[str, dict[str, Any]] = {
    "thoughts, default": {},
    "thoughts, no gate": {"gate": None, "root_tokens": None},
    "thoughts, gate at cosine .6": {"gate": 0.6, "root_tokens": None},
    "thoughts, dense mixture": {"rankings": ["dense"], "gate": None, "root_tokens": None},
}


def notes_of(tasks: Sequence[Task]) -> dict[str, list[Note]]:
    """Return corpus id to the thoughts that the tasks, answered rightly, would leave: question and answer, gold roots."""
    found: dict[str, list[Note]] = {}
    for task in tasks:
        if task.references and task.gold:
            found.setdefault(task.corpus_id, []).append(
                Note(text=f"{task.query} {task.references[0]}", kind="answer", sources=task.gold, question=task.query,
                     answer=task.references[0])
            )  # fmt: skip
    return found


def halves(tasks: Sequence[Task], seed: int) -> tuple[list[Task], list[Task]]:
    """Return two halves of the tasks, each corpus halved by a seeded draw; order within a half is kept."""
    first: list[Task] = []
    second: list[Task] = []
    for corpus_id in dict.fromkeys(task.corpus_id for task in tasks):
        own = [task for task in tasks if task.corpus_id == corpus_id]
        drawn = set(random.Random(f"{seed} {corpus_id}").sample(range(len(own)), len(own) // 2))
        first += [task for place, task in enumerate(own) if place in drawn]
        second += [task for place, task in enumerate(own) if place not in drawn]
    return first, second


def sharing(task: Task, others: Sequence[Task]) -> bool:
    """Return whether a task has a gold span in common with another task of its corpus."""
    own = {(gold.document_id, gold.start, gold.end) for gold in task.gold}
    return any(
        own & {(gold.document_id, gold.start, gold.end) for gold in other.gold}
        for other in others
        if other.corpus_id == task.corpus_id and other.id != task.id
    )


def run(setting: Setting) -> list[Path]:
    """Run both halves of LoCoMo's answerable questions, and MuSiQue with the question's own thought left out."""
    made: list[Path] = []
    for name in setting.datasets or ("locomo", "musique"):
        data = limited(load(name, setting.data, **setting.options), setting.limit)
        usable = [task for task in data.tasks if task.gold and task.references and task.category != "adversarial"]
        for tokens in setting.context_tokens or _BUDGETS:
            if name == "musique":
                made.append(_one(setting, data, usable, usable, tokens, label="leave-one-out", leave_own_out=True))
                continue
            for number, (memory, asked) in enumerate(_both_ways(halves(usable, setting.seed)), 1):
                made.append(_one(setting, data, memory, asked, tokens, label=f"half-{number}"))
    return made


def _both_ways(pair: tuple[list[Task], list[Task]]) -> list[tuple[list[Task], list[Task]]]:
    first, second = pair
    return [(first, second), (second, first)]


def _one(
    setting: Setting,
    data: Dataset,
    memory: Sequence[Task],
    asked: Sequence[Task],
    tokens: int,
    *,
    label: str,
    leave_own_out: bool = False,
) -> Path:
    """Ask some tasks with the thoughts of others; the category says whether evidence is shared."""
    marked = tuple(replace(task, category="shared" if sharing(task, memory) else "not shared") for task in asked)
    notes = notes_of(memory)
    return one_run(
        setting,
        experiment="transfer",
        dataset=replace(data, tasks=marked),
        systems=setting.systems or _systems(setting, notes, leave_own_out=leave_own_out),
        metrics=setting.metrics or ("coverage", "answer_words"),
        allowance=Allowance(context_tokens=tokens),
        use_pre_queries=False,
        label=label,
        config={"thoughts": sum(map(len, notes.values()))},
        baseline="raw++",
    )


def _systems(setting: Setting, notes: Mapping[str, Sequence[Note]], *, leave_own_out: bool) -> list[System]:
    kit = setting.kit
    raw = GivenThoughts(kit, preset=load_preset("default", overview_door=False), name="raw++")
    raw_dense = GivenThoughts(
        kit, preset=load_preset("default", overview_door=False, rankings=["dense"]), name="raw, dense"
    )
    made: list[System] = [raw, raw_dense]
    for without in (False, True):
        made += [
            GivenThoughts(
                kit, preset=load_preset("default", overview_door=False, **change),
                name=f"{name}, same answers out" if without else name, notes=notes,
                leave_own_out=leave_own_out, leave_same_answers_out=without,
            )
            for name, change in _GATES.items()
        ]  # fmt: skip
    return made


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return for each run the values, and the differences to raw text with and without shared evidence."""
    made = []
    for folder in folders:
        made.append(results_table(folder, values=_VALUES))
        made += [
            compared_table(folder, value=value, baseline="raw++", category=category)
            for value in ("coverage_supported_recall", "answer_words")
            for category in (None, "shared", "not shared")
        ]
    return made


EXPERIMENT = Experiment(
    name="transfer",
    title="Thoughts born from other questions, on questions that share evidence with them and on those that do not",
    paper="Table 15, without a model",
    needs_model=False,
    run=run,
    tables=tables,
)
