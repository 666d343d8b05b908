"""What an experiment is: runs that it makes, and tables that it makes of run folders, apart from each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from thinkback.bench.datasets import load
from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.metrics import make_metrics
from thinkback.bench.ports import Allowance, System
from thinkback.bench.record import run_record
from thinkback.bench.records import Dataset
from thinkback.bench.report.tables import Table
from thinkback.bench.run import Cutting, Plan, chunk_corpora, run
from thinkback.bench.score import score
from thinkback.bench.systems import make_systems
from thinkback.errors import InvalidInput
from thinkback.ports import Progress

__all__ = ["Experiment", "Setting", "limited", "one_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the caller chose for a run of an experiment; None leaves it to the experiment."""

    data: Path
    out: Path
    """Each run gets a folder below it."""
    kit: Kit
    datasets: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    metrics: Sequence[str] | None = None
    limit: int | None = None
    """Most tasks (for corpora of their own: papers) of each data set, the first ones."""
    context_tokens: Sequence[int] | None = None
    answer_tokens: int | None = None
    seed: int = 42
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the data set's loader."""
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One command."""

    name: str
    title: str
    paper: str
    """Which table or figure of the paper it repeats; empty for ours."""
    needs_model: bool
    run: Callable[[Setting], list[Path]]
    """Makes and scores the runs that are not there yet; returns their folders."""
    tables: Callable[[Sequence[RunFolder]], list[Table]]
    """Makes tables of scored run folders; reads nothing else."""


def limited(dataset: Dataset, limit: int | None) -> Dataset:
    """Return the data set with its first tasks only, and the corpora that these are about."""
    if limit is None or limit >= len(dataset.tasks):
        return dataset
    if limit < 1:
        raise InvalidInput(f"At least one task must be run, not {limit}.")
    tasks = dataset.tasks[:limit]
    asked = {task.corpus_id for task in tasks}
    return replace(dataset, tasks=tasks, corpora=tuple(each for each in dataset.corpora if each.id in asked))


def one_run(
    setting: Setting,
    *,
    experiment: str,
    dataset: str | Dataset,
    systems: Sequence[str | System],
    metrics: Sequence[str],
    allowance: Allowance,
    cutting: Cutting | None = None,
    use_pre_queries: bool = True,
    label: str = "",
    config: Mapping[str, Any] | None = None,
    baseline: str | None = None,
) -> Path:
    """Run and score systems on a data set in ``OUT/EXPERIMENT/DATASET-TOKENS[-LABEL]``; go on with what is there.

    Args:
        setting: what the caller chose.
        experiment: its name.
        dataset: a name, or a data set that is made already.
        systems: names, or systems that are made already.
        metrics: names.
        allowance: for each answer.
        cutting: of the corpora; None: the usual one.
        use_pre_queries: whether systems are asked the tasks' earlier questions.
        label: tells runs of one experiment, data set and allowance apart.
        config: what else the run depends on; goes into its record.
        baseline: system that the scores compare the others with; None: none.
    """
    data = dataset if isinstance(dataset, Dataset) else load(dataset, setting.data, **setting.options)
    data = limited(data, setting.limit)
    if not data.tasks:
        raise InvalidInput(f"The data set {data.name} has no usable task; {len(data.faults)} records had faults.")
    made = [*(each for each in systems if not isinstance(each, str))]
    made += make_systems([each for each in systems if isinstance(each, str)], setting.kit)
    cutting = cutting or Cutting()
    plan = Plan(
        dataset=data, systems=made, kit=setting.kit, allowance=allowance, cutting=cutting,
        use_pre_queries=use_pre_queries,
    )  # fmt: skip
    name = "-".join(filter(None, (data.name, str(allowance.context_tokens), label)))
    folder = RunFolder(setting.out / experiment / name)
    chosen = {
        "experiment": experiment, "seed": setting.seed, "allowance": allowance.to_dict(),
        "cutting": {"size": cutting.size, "unit": cutting.unit}, "use_pre_queries": use_pre_queries,
        "label": label, **(config or {}),
    }  # fmt: skip
    folder.create(
        run_record(
            chosen, dataset=data, systems=[each.name for each in made],
            model=setting.kit.llm.id if setting.kit.llm is not None else None, embedder=setting.kit.embedder.id,
        )
    )  # fmt: skip
    run(plan, folder, progress=setting.progress)
    chunked = chunk_corpora(data, setting.kit.embedder.count, cutting)
    score(
        data, chunked, folder, make_metrics(metrics, embedder=setting.kit.embedder), baseline=baseline,
        seed=setting.seed, progress=setting.progress,
    )  # fmt: skip
    return folder.path
