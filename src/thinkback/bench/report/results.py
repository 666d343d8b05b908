"""Tables of one scored run: a row a system, a column a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thinkback.bench.folder import RunFolder
from thinkback.bench.metrics.statistics import compare
from thinkback.bench.report.tables import Cell, Table

__all__ = ["cell_of", "compared_table", "results_table", "run_notes"]


def results_table(folder: RunFolder, *, values: Sequence[str], category: str | None = None) -> Table:
    """Return a run's systems with the values that any of them has.

    Args:
        folder: a scored run.
        values: names of values, in the order of the columns; those that no system has are left out.
        category: of tasks; None: all tasks.
    """
    scores, record = folder.scores(), folder.config()
    summary: Mapping[str, Any] = (
        scores["summary"]
        if category is None
        else {system: found.get(category, {}) for system, found in scores["by_category"].items()}
    )
    shown = [name for name in values if any(name in found for found in summary.values())]
    rows: list[tuple[str | Cell, ...]] = [
        (system, *(cell_of(found.get(name)) for name in shown)) for system, found in summary.items()
    ]
    name = folder.path.name if category is None else f"{folder.path.name}-{category}"
    return Table(
        name=name,
        title=f"{record['config']['dataset']}, {record['config']['allowance']['context_tokens']} tokens of context"
        + (f", {category}" if category else ""),
        columns=("system", *(name.replace("_", " ") for name in shown)),
        rows=tuple(rows),
        notes=tuple(run_notes(folder, scores, record)),
    )


def compared_table(folder: RunFolder, *, value: str, baseline: str, category: str | None = None) -> Table:
    """Return how each system differs from a baseline in one value, task by task.

    Args:
        folder: a scored run.
        value: name of the value.
        baseline: name of the system that the others are compared with; without it in the run all cells are empty.
        category: of tasks; None: all tasks.
    """
    scores, record = folder.scores(), folder.config()
    tasks = [key for key, task in scores["tasks"].items() if category is None or task["category"] == category]
    groups = [scores["tasks"][key]["corpus"] for key in tasks]
    values = {system: [found.get(key, {}).get(value) for key in tasks] for system, found in scores["values"].items()}
    base = values.get(baseline, [None] * len(tasks))
    rows: list[tuple[str | Cell, ...]] = []
    for system, own in values.items():
        if system == baseline:
            continue
        found = compare(own, base, groups, seed=record["config"]["seed"])
        rows.append((
            system,
            Cell(value=found.difference, low=found.low, high=found.high, n=found.n),
            Cell(value=found.p),
            f"{found.better} : {found.worse}",
        ))  # fmt: skip
    config, said = record["config"], value.replace("_", " ")
    return Table(
        name="-".join(filter(None, (folder.path.name, value.replace("_", "-"), "against", baseline, category or ""))),
        title=f"{said} against {baseline}: {config['dataset']}, {config['allowance']['context_tokens']} tokens of context"
        + (f", {category}" if category else ""),
        columns=("system", "difference", "p", "better : worse"),
        rows=tuple(rows),
        notes=(
            "Paired by task; interval and p (sign flips) as in the table of values. Many comparisons: p is not corrected.",
        ),
    )


def cell_of(estimate: Mapping[str, Any] | None) -> Cell:
    """Return an estimate of ``scores.json`` as a cell; unscored outputs are named in it."""
    if estimate is None:
        return Cell(value=None)
    unscored = estimate.get("unscored", 0)
    return Cell(
        value=estimate["mean"], low=estimate["low"], high=estimate["high"], n=estimate["n"],
        note=f"{unscored} unscored" if unscored else "",
    )  # fmt: skip


def run_notes(folder: RunFolder, scores: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """Return what a reader must know of a run: model, size, faults, what was not scored."""
    config = record["config"]
    made = f"model {config['model'] or 'none'}; embedder {config['embedder']}; seed {config['seed']}"
    notes = [
        f"{config['tasks']} tasks; {made}; run {folder.path.name}, begun {record['begun']}.",
        "Brackets: 95 % bootstrap intervals; whole corpora are drawn, or tasks where there is one corpus.",
    ]
    if scores["unscored"]:
        notes.append("Not scored: " + "; ".join(f"{reason} ({n})" for reason, n in sorted(scores["unscored"].items())))
    failed = len(scores["errors"])
    if failed:
        notes.append(f"{failed} answers failed; they are in no mean.")
    missing = {system: len(tasks) for system, tasks in scores["missing"].items() if tasks}
    if missing:
        notes.append("Without a prediction: " + "; ".join(f"{system} {n}" for system, n in missing.items()))
    if record["faults"]:
        notes.append(f"{len(record['faults'])} records of the data set could not be used; run.json names them.")
    return notes
