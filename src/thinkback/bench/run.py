"""The first pass: let systems read corpora and answer tasks, and write down what they say and what it cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal, Self

from thinkback.bench.chunks import ChunkedCorpus, cut
from thinkback.bench.folder import Construction, Prediction, RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Cost, Output, Query, SeesGold, System
from thinkback.bench.records import Dataset, Task
from thinkback.errors import ThinkbackError
from thinkback.ports import Progress

__all__ = ["Cutting", "Plan", "chunk_corpora", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """How corpora are cut, the same for all systems."""

    size: int = 250
    unit: Literal["tokens", "words"] = "tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run."""

    dataset: Dataset
    systems: Sequence[System]
    kit: Kit
    allowance: Allowance = field(default_factory=Allowance)
    cutting: Cutting = field(default_factory=Cutting)
    use_pre_queries: bool = True


def chunk_corpora(dataset: Dataset, count: Callable[[str], int], cutting: Cutting) -> dict[str, ChunkedCorpus]:
    """Return corpus id to its chunks, for all corpora that a task is about."""
    asked = {task.corpus_id for task in dataset.tasks}
    return {
        corpus.id: cut(corpus, count, size=cutting.size, unit=cutting.unit)
        for corpus in dataset.corpora
        if corpus.id in asked
    }


def run(plan: Plan, folder: RunFolder, *, progress: Progress | None = None) -> None:
    """Run every system over every corpus and task that the folder does not hold yet.

    A system that fails at a task, or at reading a corpus, has the error as its prediction; the others go on. What went
    wrong is tried again when the run is called again. Ctrl-C loses the task at hand, nothing else.

    Args:
        plan: what to run; the folder's ``run.json`` was made from it.
        folder: where the results go, and which were made before.
        progress: is told how far it is: stage = the system's name.
    """
    chunked = chunk_corpora(plan.dataset, plan.kit.embedder.count, plan.cutting)
    done = {(each.system, each.task_id) for each in folder.predictions() if not each.error}
    read = {(each.system, each.corpus_id) for each in folder.constructions() if not each.error}
    for system in plan.systems:
        count = 0
        for corpus_id, tasks in _by_corpus(plan.dataset.tasks):
            missing = [task for task in tasks if (system.name, task.id) not in done]
            if missing:
                first_time = (system.name, corpus_id) not in read
                _one_corpus(plan, folder, system, chunked[corpus_id], missing, first_time=first_time)
            count += len(tasks)
            if progress is not None:
                progress(system.name, count, len(plan.dataset.tasks), corpus_id)
        system.close()


def _by_corpus(tasks: Iterable[Task]) -> list[tuple[str, list[Task]]]:
    """Group tasks by corpus, in the order in which corpora first occur."""
    order: dict[str, int] = {}
    for task in tasks:
        order.setdefault(task.corpus_id, len(order))
    arranged = sorted(tasks, key=lambda task: order[task.corpus_id])
    return [(corpus_id, list(group)) for corpus_id, group in groupby(arranged, key=lambda task: task.corpus_id)]


def _one_corpus(
    plan: Plan, folder: RunFolder, system: System, chunked: ChunkedCorpus, tasks: Sequence[Task], *, first_time: bool
) -> None:
    pre_queries = list(dict.fromkeys(q for task in tasks for q in task.pre_queries)) if plan.use_pre_queries else []
    system.reset()
    error = ""
    with _Watch(plan.kit) as watch:
        try:
            system.ingest(chunked, pre_queries)
        except ThinkbackError as fault:
            error = f"{type(fault).__name__}: {fault.message}"
    if first_time or error:
        folder.add_construction(
            Construction(system=system.name, corpus_id=chunked.corpus.id, cost=watch.cost, error=error)
        )
    for task in tasks:
        if error:
            nothing = Output(text="", shown=())
            folder.add(Prediction(system=system.name, task_id=task.id, output=nothing, cost=Cost(), error=error))
        else:
            folder.add(_one_task(plan, system, task))


def _one_task(plan: Plan, system: System, task: Task) -> Prediction:
    if isinstance(system, SeesGold):
        system.reveal(task)
    error, output = "", Output(text="", shown=())
    with _Watch(plan.kit) as watch:
        try:
            output = system.answer(Query.of(task), plan.allowance)
        except ThinkbackError as fault:
            error = f"{type(fault).__name__}: {fault.message}"
    return Prediction(system=system.name, task_id=task.id, output=output, cost=watch.cost, error=error)


class _Watch:
    """Takes the time, and what the model cost; kept replies count with the time that they once took."""

    def __init__(self, kit: Kit) -> None:
        self._llm = kit.llm
        self.cost = Cost()

    def __enter__(self) -> Self:
        if self._llm is not None:
            self._llm.take()
        self._begun = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        seconds = time.perf_counter() - self._begun
        spent, waited = self._llm.take() if self._llm is not None else (Cost(), 0.0)
        self.cost = replace(spent, seconds=spent.seconds + max(0.0, seconds - waited))
