"""The second pass: score what a run's folder holds. Needs no model, unless a metric is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.folder import Prediction, RunFolder
from thinkback.bench.metrics.statistics import estimate
from thinkback.bench.ports import Metric, Score, Scored
from thinkback.bench.records import Dataset, Task
from thinkback.errors import InvalidInput
from thinkback.ports import Progress

__all__ = ["score"]


def score(
    dataset: Dataset,
    chunked: Mapping[str, ChunkedCorpus],
    folder: RunFolder,
    metrics: Sequence[Metric],
    *,
    seed: int = 42,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Score every prediction and write ``scores.json``; return what was written.

    ``tasks``: task id → its corpus and category, by which intervals are drawn. ``values``: system → task id → name of the
    value → number or None. ``summary``: system → name → mean, interval, n, unscored. ``by_category``: the same within
    each category. ``unscored``: reason → how often. ``missing``: system → tasks that it has no prediction for. ``cost``:
    system → what answering cost a task, and building a corpus, on average.

    Args:
        dataset: what was asked.
        chunked: corpus id to its chunks, cut as in the run.
        folder: the run.
        metrics: what to score by.
        seed: of the intervals.
        progress: is told how far it is.
    """
    tasks = {task.id: task for task in dataset.tasks}
    predictions = list(folder.predictions())
    values: dict[str, dict[str, dict[str, float | None]]] = {}
    reasons: Counter[str] = Counter()
    for number, prediction in enumerate(predictions, 1):
        task = tasks.get(prediction.task_id)
        if task is None:
            raise InvalidInput(f"The run has a prediction for {prediction.task_id!r}, which the data set has not.")
        row = _score_one(prediction, task, chunked[task.corpus_id], metrics)
        reasons.update(f"{name}: {one.reason}" for name, one in row.items() if one.value is None)
        values.setdefault(prediction.system, {})[task.id] = {name: one.value for name, one in row.items()}
        if progress is not None:
            progress("score", number, len(predictions), prediction.system)
    found = {
        "metrics": {metric.name: metric.version for metric in metrics},
        "tasks": {task.id: {"corpus": task.corpus_id, "category": task.category} for task in dataset.tasks},
        "values": values,
        "summary": {system: summarise(rows, dataset.tasks, seed) for system, rows in values.items()},
        "by_category": {
            system: {
                category: summarise(rows, [task for task in dataset.tasks if task.category == category], seed)
                for category in sorted({task.category for task in dataset.tasks if task.category})
            }
            for system, rows in values.items()
        },
        "unscored": dict(reasons),
        "missing": {system: [task for task in tasks if task not in rows] for system, rows in values.items()},
        "errors": {f"{each.system}: {each.task_id}": each.error for each in predictions if each.error},
        "cost": _costs(folder, predictions),
        "faults": [fault.to_dict() for fault in folder.faults],
    }
    folder.write_scores(found)
    return found


def summarise(
    rows: Mapping[str, Mapping[str, float | None]], tasks: Sequence[Task], seed: int
) -> dict[str, dict[str, Any]]:
    """Return value name to its mean over the tasks, with interval; a task without a prediction counts as unscored."""
    names = dict.fromkeys(name for row in rows.values() for name in row)
    groups = [task.corpus_id for task in tasks]
    return {
        name: estimate([rows.get(task.id, {}).get(name) for task in tasks], groups, seed=seed).to_dict()
        for name in names
    }


def _score_one(
    prediction: Prediction, task: Task, chunked: ChunkedCorpus, metrics: Sequence[Metric]
) -> dict[str, Score]:
    scored = Scored(task=task, output=prediction.output, chunked=chunked, cost=prediction.cost)
    row: dict[str, Score] = {}
    for metric in metrics:
        found = metric.score(scored)
        if prediction.error:
            found = {name: Score(value=None, reason="the system failed") for name in found}
        row.update(found)
    return row


def _costs(folder: RunFolder, predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Return per system the mean cost of an answer, of a corpus, and both together spread over the answers."""
    fields = ("calls", "prompt_tokens", "completion_tokens", "money", "seconds")
    built = list(folder.constructions())
    found: dict[str, Any] = {}
    for system in dict.fromkeys(each.system for each in predictions):
        answers = [each.cost for each in predictions if each.system == system and not each.error]
        corpora = [each.cost for each in built if each.system == system and not each.error]
        total = {
            name: (sum(getattr(one, name) for one in answers), sum(getattr(one, name) for one in corpora))
            for name in fields
        }
        found[system] = {
            "answers": len(answers),
            "corpora": len(corpora),
            "per_answer": {name: asked / max(1, len(answers)) for name, (asked, _) in total.items()},
            "per_corpus": {name: read / max(1, len(corpora)) for name, (_, read) in total.items()},
            "amortised": {name: (asked + read) / max(1, len(answers)) for name, (asked, read) in total.items()},
        }
    return found
