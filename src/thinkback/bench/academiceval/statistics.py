"""What a built folder holds: Table 1 (cases and mean length of each set), and the same for the writing tasks."""

from __future__ import annotations

import statistics as numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thinkback.bench.academiceval.dataset import names_in, to_dataset
from thinkback.bench.academiceval.items import SETTINGS
from thinkback.bench.academiceval.splits import counts
from thinkback.bench.records import Corpus, Dataset, Task
from thinkback.types import Record

__all__ = ["PAPER", "SetStatistics", "statistics_of"]

_TYPES = {
    "abstract_single": "one paper, summary", "abstract_multi": "several papers, summary",
    "related_multi": "several papers, related work",
}  # fmt: skip
PAPER = {"abstract_single": (8295, 100), "abstract_multi": (33637, 30), "related_multi": (22107, 30)}
"""Set to mean length and cases in Table 1 of the Thought-Retriever paper, which does not say in what unit it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatistics(Record):
    """One row. Lengths are means over tasks, in tokens of the counter that was given."""

    name: str
    type: str
    cases: int
    input_length: float
    """Of a task's whole corpus."""
    input_median: float
    output_length: float
    """Of a reference."""
    compression: float
    """Input over output; 0 where there is nothing."""
    documents: float
    """Of a corpus."""
    gold: float
    """Cited candidates of a task; 0 where there are none."""
    questions: float
    """Asked before a task."""
    train: int
    dev: int
    test: int
    faults: int
    """Items that could not be used."""


def statistics_of(folder: Path, count: Callable[[str], int]) -> list[SetStatistics]:
    """Return a row for each set and setting of a folder, in their usual order.

    Args:
        folder: of a build, or of the AcademicEval repository.
        count: tokens of a text.
    """
    return [_row(name, to_dataset(folder, name), count) for name in names_in(folder)]


def _row(name: str, dataset: Dataset, count: Callable[[str], int]) -> SetStatistics:
    corpora = {each.id: each for each in dataset.corpora}
    lengths = {key: sum(count(document.text) for document in each.documents) for key, each in corpora.items()}
    inputs = [float(lengths[task.corpus_id]) for task in dataset.tasks]
    outputs = [
        float(numbers.fmean(count(each) for each in task.references)) for task in dataset.tasks if task.references
    ]
    parts = counts(task.split for task in dataset.tasks)
    mean_in, mean_out = _mean(inputs), _mean(outputs)
    return SetStatistics(
        name=name, type=_TYPES.get(name) or f"writing task: {SETTINGS[name].task}", cases=len(dataset.tasks),
        input_length=mean_in, input_median=float(numbers.median(inputs)) if inputs else 0.0, output_length=mean_out,
        compression=mean_in / mean_out if mean_out else 0.0, documents=_mean(_documents(dataset.tasks, corpora)),
        gold=_mean([float(len(task.gold)) for task in dataset.tasks]),
        questions=_mean([float(len(task.pre_queries)) for task in dataset.tasks]), train=parts["train"], dev=parts["dev"],
        test=parts["test"], faults=len(dataset.faults),
    )  # fmt: skip


def _documents(tasks: Sequence[Task], corpora: dict[str, Corpus]) -> list[float]:
    return [float(len(corpora[task.corpus_id].documents)) for task in tasks]


def _mean(values: Sequence[float]) -> float:
    return float(numbers.fmean(values)) if values else 0.0
