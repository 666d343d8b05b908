"""The paper's own figures, to stand beside ours."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from thinkback.bench.report.tables import Cell, Table

__all__ = ["beside_paper", "paper_values"]


@cache
def _figures() -> Mapping[str, Any]:
    entry = resources.files("thinkback.bench.report") / "paper_figures.toml"
    return tomllib.loads(entry.read_text(encoding="utf-8"))


def paper_values(experiment: str, dataset: str) -> tuple[str, Mapping[str, float]]:
    """Return which tables of the paper have it, and system to ROUGE-L's F-measure; both empty where none has.

    The comparisons that differ from the main one only in which systems they show have its figures.
    """
    same_as_main = {"recomp", "memwalker", "models", "retrievers", "ablation"}
    found = _figures().get("main" if experiment in same_as_main else experiment, {}).get(dataset)
    return (found["title"], found["f1"]) if found else ("", {})


def beside_paper(table: Table, experiment: str, dataset: str) -> Table:
    """Return a table of systems with a last column of the paper's values, where the paper has any for its rows."""
    title, values = paper_values(experiment, dataset)
    known = [values.get(row[0]) if isinstance(row[0], str) else None for row in table.rows]
    if not any(value is not None for value in known) or "rouge l" not in table.columns:
        return table
    return Table(
        name=table.name,
        title=table.title,
        columns=(*table.columns, "paper"),
        rows=tuple((*row, Cell(value=value)) for row, value in zip(table.rows, known, strict=True)),
        notes=(*table.notes, f"paper: {title}, ROUGE-L, with another model on other texts; compare directions only."),
    )
