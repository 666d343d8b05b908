"""What a data set consists of, in numbers: the paper's Table 1 (task, mean length, cases), and a little more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from thinkback.bench.records import Dataset
from thinkback.types import Record

__all__ = ["Statistics", "statistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics(Record):
    """Numbers of a data set; means are over tasks, and 0 where there is none."""

    name: str
    kinds: tuple[str, ...]
    """Of its tasks, in order of first occurrence."""
    cases: int
    """Tasks."""
    corpora: int
    documents: int
    """Of all corpora."""
    words: float
    """Of the whole corpus that a task is about, divided at white space."""
    tokens: float | None
    """The same, as a counter counts; None without one."""
    query_words: float
    references: float
    reference_words: float
    """Of one reference, over those there are."""
    gold: float
    """Spans of a grade above 0."""
    pre_queries: float
    faults: int


def statistics(dataset: Dataset, count: Callable[[str], int] | None = None) -> Statistics:
    """Return the numbers of a data set.

    Args:
        dataset: which.
        count: tokens of a text; None: they are not counted.
    """
    asked = {task.corpus_id for task in dataset.tasks}
    texts = {corpus.id: [each.text for each in corpus.documents] for corpus in dataset.corpora if corpus.id in asked}
    words = {corpus: sum(len(text.split()) for text in own) for corpus, own in texts.items()}
    tokens = {corpus: sum(map(count, own)) for corpus, own in texts.items()} if count is not None else None
    tasks = dataset.tasks
    return Statistics(
        name=dataset.name,
        kinds=tuple(dict.fromkeys(task.kind for task in tasks)),
        cases=len(tasks),
        corpora=len(dataset.corpora),
        documents=sum(len(corpus.documents) for corpus in dataset.corpora),
        words=_mean([words[task.corpus_id] for task in tasks]),
        tokens=_mean([tokens[task.corpus_id] for task in tasks]) if tokens is not None else None,
        query_words=_mean([len(task.query.split()) for task in tasks]),
        references=_mean([len(task.references) for task in tasks]),
        reference_words=_mean([len(each.split()) for task in tasks for each in task.references]),
        gold=_mean([sum(gold.grade > 0 for gold in task.gold) for task in tasks]),
        pre_queries=_mean([len(task.pre_queries) for task in tasks]),
        faults=len(dataset.faults),
    )


def _mean(values: list[int]) -> float:
    return fmean(values) if values else 0.0
