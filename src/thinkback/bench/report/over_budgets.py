"""Several runs of one experiment and data set under growing budgets, as one table and one plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thinkback.bench.folder import RunFolder
from thinkback.bench.report.plots import Plot, Series, lines
from thinkback.bench.report.results import cell_of
from thinkback.bench.report.tables import Cell, Table

__all__ = ["budget_groups", "budget_plot", "budget_table"]

Estimates = Mapping[str, Mapping[int, Mapping[str, Any]]]


def budget_groups(folders: Sequence[RunFolder]) -> list[tuple[str, list[RunFolder]]]:
    """Return runs that differ in their budget only, budgets rising, each group under its name; groups of one are left out."""
    found: dict[str, list[RunFolder]] = {}
    for folder in folders:
        config = folder.config()["config"]
        name = "-".join(filter(None, (config["experiment"], config["dataset"], config.get("label", ""))))
        found.setdefault(name, []).append(folder)
    return [(name, sorted(group, key=_tokens)) for name, group in found.items() if len(group) > 1]


def _tokens(folder: RunFolder) -> int:
    return int(folder.config()["config"]["allowance"]["context_tokens"])


def _estimates(group: Sequence[RunFolder], value: str) -> Estimates:
    """Return system → budget → estimate, for the systems that have the value anywhere."""
    found: dict[str, dict[int, Mapping[str, Any]]] = {}
    for folder in group:
        for system, values in folder.scores()["summary"].items():
            if value in values:
                found.setdefault(system, {})[_tokens(folder)] = values[value]
    return found


def budget_table(name: str, group: Sequence[RunFolder], value: str) -> Table | None:
    """Return a row a system and a column a budget; None where no system has the value."""
    found = _estimates(group, value)
    if not found:
        return None
    budgets = [_tokens(folder) for folder in group]
    rows: list[tuple[str | Cell, ...]] = [
        (system, *(cell_of(own.get(tokens)) for tokens in budgets)) for system, own in found.items()
    ]
    return Table(
        name=f"{name}-{value.replace('_', '-')}",
        title=f"{value.replace('_', ' ')} over tokens of context: {name}",
        columns=("system", *(f"{tokens:,} tokens" for tokens in budgets)),
        rows=tuple(rows),
        notes=("Brackets: 95 % bootstrap intervals. The runs' own tables say on what they rest.",),
    )


def budget_plot(name: str, group: Sequence[RunFolder], value: str, *, most: int = 8) -> Plot | None:
    """Return lines over budgets, of the first systems only where there are many; None where no system has the value."""
    found = _estimates(group, value)
    if not found:
        return None
    series = [
        Series(
            label=system,
            x=tuple(own),
            y=tuple(each["mean"] for each in own.values()),
            low=tuple(each["low"] for each in own.values()),
            high=tuple(each["high"] for each in own.values()),
        )
        for system, own in list(found.items())[:most]
    ]
    said = value.replace("_", " ")
    left_out = f" (the first {most} of {len(found)} systems)" if len(found) > most else ""
    return lines(
        f"{name}-{value.replace('_', '-')}", f"{said} over budgets: {name}{left_out}", "tokens of context", said, series,
        log=True,
    )  # fmt: skip
