"""The second pass: score what a run's folder holds. Needs no model, unless a metric is one.

What ``scores.json`` holds:

``tasks``: task id → its corpus and category, by which intervals are drawn. ``values``: system → task id → name of the
value → number or None. ``summary``: system → name → mean, interval, n, unscored. ``by_category``: the same within
each category. ``by_evidence``: the same for tasks that share evidence with the thoughts' questions and for the others,
empty where that is not known (see ``metrics.sharing``). ``comparisons``: each system minus the baseline, task by task.
``sets``: system → metric → values of all its outputs together. ``judged``: summaries of the folder's judgements.
``unscored``: reason → how often. ``missing``: system → tasks that it has no prediction for; systems that the run was made
for and that said nothing are among them. ``cost``: system → what answering cost a task, and building a corpus, on
average. ``faults``: what could not be used: broken lines, and predictions for tasks that the data set has not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.folder import Prediction, RunFolder
from thinkback.bench.metrics.judged import summaries
from thinkback.bench.metrics.judging import read_judgements, text_key
from thinkback.bench.metrics.sharing import shares_evidence
from thinkback.bench.metrics.statistics import compare, estimate
from thinkback.bench.ports import Metric, ReadsItems, Score, Scored, SetMetric
from thinkback.bench.records import Dataset, Fault, Task
from thinkback.errors import InvalidInput
from thinkback.ports import Progress

__all__ = ["score", "summarise"]

Values = Mapping[str, Mapping[str, float | None]]
"""Task id to name of the value to the value."""
_PREDICTIONS = "predictions.jsonl"


def score(
    dataset: Dataset,
    chunked: Mapping[str, ChunkedCorpus],
    folder: RunFolder,
    metrics: Sequence[Metric],
    *,
    baseline: str | None = None,
    seed: int = 42,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Score every prediction and write ``scores.json``; return what was written.

    Args:
        dataset: what was asked.
        chunked: corpus id to its chunks, cut as in the run.
        folder: the run.
        metrics: what to score by.
        baseline: system that the others are compared with, by its name, or by what stands before a colon if that names
            one only; None: no comparisons.
        seed: of the intervals.
        progress: is told how far it is.

    Raises:
        InvalidInput: a corpus that a task is about was not cut.
    """
    tasks = {task.id: task for task in dataset.tasks}
    lacking = {task.corpus_id for task in dataset.tasks} - set(chunked)
    if lacking:
        raise InvalidInput(f"The corpora {', '.join(sorted(lacking))} are not cut into chunks.")
    faults: list[Fault] = []
    predictions = _of_known_tasks(list(folder.predictions()), tasks, faults)
    values, reasons = _values(predictions, tasks, chunked, metrics, progress)
    split = _Split(dataset, shares_evidence(dataset.tasks, predictions, chunked))
    found = {
        "metrics": {metric.name: metric.version for metric in metrics},
        "tasks": {task.id: {"corpus": task.corpus_id, "category": task.category} for task in dataset.tasks},
        "values": values,
        "summary": {system: summarise(rows, dataset.tasks, seed) for system, rows in values.items()},
        "by_category": split.by_category(values, lambda rows, some: summarise(rows, some, seed)),
        "by_evidence": split.by_evidence(values, lambda rows, some: summarise(rows, some, seed)),
        "comparisons": _comparisons(values, split, baseline, seed, faults),
        "sets": _sets(predictions, tasks, chunked, metrics),
        "judged": _judged(folder, predictions, seed),
        "unscored": dict(reasons),
        "missing": {
            system: [task for task in tasks if task not in values.get(system, {})]
            for system in dict.fromkeys([*values, *_meant(folder, faults)])
        },
        "errors": {f"{each.system}: {each.task_id}": each.error for each in predictions if each.error},
        "cost": _costs(folder, predictions),
    }
    found["faults"] = [fault.to_dict() for fault in dict.fromkeys([*folder.faults, *faults])]
    folder.write_scores(found)
    return found


def summarise(rows: Values, tasks: Sequence[Task], seed: int) -> dict[str, dict[str, Any]]:
    """Return value name to its mean over the tasks, with interval; a task without a prediction counts as unscored."""
    groups = [task.corpus_id for task in tasks]
    return {
        name: estimate([rows.get(task.id, {}).get(name) for task in tasks], groups, seed=seed).to_dict()
        for name in _names(rows)
    }


def _names(rows: Values) -> list[str]:
    return list(dict.fromkeys(name for row in rows.values() for name in row))


def _of_known_tasks(
    predictions: Sequence[Prediction], tasks: Mapping[str, Task], faults: list[Fault]
) -> list[Prediction]:
    """Return the predictions for tasks of the data set; the others are a fault a system."""
    strange: dict[str, list[str]] = {}
    for each in predictions:
        if each.task_id not in tasks:
            strange.setdefault(each.system, []).append(each.task_id)
    for system, ids in strange.items():
        some = ", ".join(repr(each) for each in ids[:3]) + (", ..." if len(ids) > 3 else "")
        reason = f"{system}: {len(ids)} predictions for tasks that the data set has not: {some}"
        faults.append(Fault(where=_PREDICTIONS, reason=reason))
    return [each for each in predictions if each.task_id in tasks]


def _values(
    predictions: Sequence[Prediction],
    tasks: Mapping[str, Task],
    chunked: Mapping[str, ChunkedCorpus],
    metrics: Sequence[Metric],
    progress: Progress | None,
) -> tuple[dict[str, dict[str, dict[str, float | None]]], Counter[str]]:
    """Return system to task id to values, and how often which value was not scored, and why."""
    values: dict[str, dict[str, dict[str, float | None]]] = {}
    reasons: Counter[str] = Counter()
    for number, prediction in enumerate(predictions, 1):
        row = _score_one(_scored(prediction, tasks, chunked), metrics, failed=bool(prediction.error))
        reasons.update(f"{name}: {one.reason}" for name, one in row.items() if one.value is None)
        values.setdefault(prediction.system, {})[prediction.task_id] = {name: one.value for name, one in row.items()}
        if progress is not None:
            progress("score", number, len(predictions), prediction.system)
    return values, reasons


def _scored(prediction: Prediction, tasks: Mapping[str, Task], chunked: Mapping[str, ChunkedCorpus]) -> Scored:
    task = tasks[prediction.task_id]
    return Scored(task=task, output=prediction.output, chunked=chunked[task.corpus_id], cost=prediction.cost)


def _score_one(scored: Scored, metrics: Sequence[Metric], *, failed: bool) -> dict[str, Score]:
    textless = any(not item.text for item in scored.output.shown)  # nobody shows an empty text: it is not in the folder
    row: dict[str, Score] = {}
    for metric in metrics:
        found = metric.score(scored)
        reason = "the system failed" if failed else ""
        if textless and isinstance(metric, ReadsItems):
            reason = reason or "the texts of shown items are not in the folder"
        row.update({name: Score(value=None, reason=reason) for name in found} if reason else found)
    return row


class _Split:
    """The tasks of a data set by category, and by whether they share evidence with thoughts' questions."""

    def __init__(self, dataset: Dataset, shared: Mapping[str, bool]) -> None:
        self.tasks = dataset.tasks
        categories = sorted({task.category for task in dataset.tasks if task.category})
        self.categories = {name: tuple(task for task in dataset.tasks if task.category == name) for name in categories}
        self.evidence = {
            name: tuple(task for task in dataset.tasks if shared.get(task.id) is shares)
            for name, shares in (("shared", True), ("not shared", False))
            if shared
        }

    def by_category(
        self, values: Mapping[str, Values], work: Callable[[Values, Sequence[Task]], Any]
    ) -> dict[str, dict[str, Any]]:
        """Return system to category to what ``work`` makes of the system's values for its tasks."""
        return {
            system: {name: work(rows, some) for name, some in self.categories.items()}
            for system, rows in values.items()
        }

    def by_evidence(
        self, values: Mapping[str, Values], work: Callable[[Values, Sequence[Task]], Any]
    ) -> dict[str, dict[str, Any]]:
        """Return the same for "shared" and "not shared"; empty where it is not known of any task."""
        if not self.evidence:
            return {}
        return {
            system: {name: work(rows, some) for name, some in self.evidence.items()} for system, rows in values.items()
        }


def _comparisons(
    values: Mapping[str, Values], split: _Split, baseline: str | None, seed: int, faults: list[Fault]
) -> dict[str, Any]:
    """Return the baseline's name, and system to value to how it differs from it: over all tasks, and within splits."""
    if baseline is None:
        return {}
    fitting = [name for name in values if name == baseline] or [
        name for name in values if name.partition(":")[0] == baseline
    ]
    if len(fitting) != 1:
        reason = f"the baseline {baseline!r} names {len(fitting)} of the systems; nothing is compared with it"
        faults.append(Fault(where=_PREDICTIONS, reason=reason))
        return {}
    base = values[fitting[0]]
    others = {system: rows for system, rows in values.items() if system != fitting[0]}

    def against(rows: Values, some: Sequence[Task]) -> dict[str, Any]:
        return _differences(rows, base, some, seed)

    return {
        "baseline": fitting[0],
        "all": {system: against(rows, split.tasks) for system, rows in others.items()},
        "by_category": split.by_category(others, against),
        "by_evidence": split.by_evidence(others, against),
    }


def _differences(rows: Values, base: Values, tasks: Sequence[Task], seed: int) -> dict[str, Any]:
    groups = [task.corpus_id for task in tasks]
    known = set(_names(base))
    return {
        name: compare(
            [rows.get(task.id, {}).get(name) for task in tasks],
            [base.get(task.id, {}).get(name) for task in tasks],
            groups,
            seed=seed,
        ).to_dict()
        for name in _names(rows)
        if name in known
    }


def _sets(
    predictions: Sequence[Prediction],
    tasks: Mapping[str, Task],
    chunked: Mapping[str, ChunkedCorpus],
    metrics: Sequence[Metric],
) -> dict[str, dict[str, Any]]:
    """Return system to metric to the values that only all of its outputs together have; what is empty is left out."""
    found: dict[str, dict[str, Any]] = {}
    for system in dict.fromkeys(each.system for each in predictions):
        own = [_scored(each, tasks, chunked) for each in predictions if each.system == system and not each.error]
        readable = [each for each in own if all(item.text for item in each.output.shown)]
        made = {
            metric.name: dict(metric.over_all(readable))
            for metric in metrics
            if isinstance(metric, SetMetric) and readable
        }
        if any(made.values()):
            found[system] = {name: values for name, values in made.items() if values}
    return found


def _judged(folder: RunFolder, predictions: Iterable[Prediction], seed: int) -> list[dict[str, Any]]:
    current = {(each.system, each.task_id): text_key(each.output.text) for each in predictions}
    return [each.to_dict() for each in summaries(read_judgements(folder), current=current, seed=seed)]


def _meant(folder: RunFolder, faults: list[Fault]) -> list[str]:
    """Return the systems that the run was made for, as its record says."""
    try:
        named = folder.config().get("systems", ())
    except InvalidInput as error:
        faults.append(Fault(where="run.json", reason=error.message))
        return []
    return [str(each) for each in named] if isinstance(named, list) else []


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
