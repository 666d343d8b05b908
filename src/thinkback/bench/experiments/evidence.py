"""What stands in the context at equal budgets, without a model: raw text alone, and with a data set's own notes as thoughts.

LoCoMo's observations, session summaries and events are what some model distilled from every session. As thoughts they are
an upper bound for notes that are made eagerly; nothing here was born from a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thinkback.bench.experiments.plan import Experiment, Setting, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, System
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.bench.systems.thoughts import GivenThoughts
from thinkback.config import load_preset

__all__ = ["EXPERIMENT", "VALUES"]

_BUDGETS = (250, 500, 1000, 2000)
_FLAT = ("dense", "bm25", "hybrid")
_NOTES: dict[str, tuple[str, ...]] = {
    "raw++": (),
    "raw++ and observations": ("observation",),
    "raw++ and summaries": ("summary",),
    "raw++ and events": ("event",),
    "raw++ and all notes": ("observation", "summary", "event"),
}
VALUES = (
    "coverage_supported_recall",
    "coverage_structural_recall",
    "answer_words",
    "answer_words_gold",
    "coverage_supported_precision",
    "coverage_structural_precision",
)
"""What the tables show of each system."""


def systems(kit: Kit) -> list[System]:
    """Return the product's retrieval over raw text and over notes, and its gates."""
    default = load_preset("default", overview_door=False)
    made: list[System] = [
        GivenThoughts(kit, preset=default, name=name, note_kinds=kinds) for name, kinds in _NOTES.items()
    ]
    variants: dict[str, dict[str, Any]] = {
        "observations, no gate": {"gate": None, "root_tokens": None},
        "observations, gate at cosine .6": {"gate": 0.6, "root_tokens": None},
        "observations, dense mixture": {"rankings": ["dense"], "gate": None, "root_tokens": None},
    }
    made += [
        GivenThoughts(
            kit, preset=load_preset("default", overview_door=False, **change), name=name, note_kinds=("observation",)
        )
        for name, change in variants.items()
    ]
    made.append(
        GivenThoughts(
            kit, preset=default, name="observations alone", note_kinds=("observation",), kinds=frozenset({"thought"})
        )
    )
    return made


def run(setting: Setting) -> list[Path]:
    """Run all budgets; LoCoMo has one corpus a dialogue."""
    return [
        one_run(
            setting,
            experiment="evidence",
            dataset=name,
            systems=setting.systems or [*_FLAT, *systems(setting.kit)],
            metrics=setting.metrics or ("coverage", "answer_words"),
            allowance=Allowance(context_tokens=tokens),
            use_pre_queries=False,
            baseline="raw++",
        )
        for name in setting.datasets or ("locomo",)
        for tokens in setting.context_tokens or _BUDGETS
    ]


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return for each budget the values, the differences to raw text, and those of each category."""
    made = []
    for folder in folders:
        made.append(results_table(folder, values=VALUES))
        made.append(compared_table(folder, value="coverage_supported_recall", baseline="raw++"))
        made.append(compared_table(folder, value="answer_words_gold", baseline="raw++"))
    return made


EXPERIMENT = Experiment(
    name="evidence",
    title="Evidence in the context: raw text, and a data set's notes as thoughts",
    paper="",
    needs_model=False,
    run=run,
    tables=tables,
)
