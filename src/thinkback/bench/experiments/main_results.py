"""The paper's main comparison (Tables 2 and 13): every method on every writing task, at equal budgets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from thinkback.bench.experiments.plan import Experiment, Setting, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.ports import Allowance
from thinkback.bench.report.results import results_table
from thinkback.bench.report.tables import Table

__all__ = ["EXPERIMENT"]

_DATASETS = ("abstract-single", "abstract-multi", "related-multi", "govreport", "wcep")
_SYSTEMS = ("bm25", "tf-idf", "dense", "left", "oracle", "thoughts:paper", "thoughts:default")
_METRICS = ("rouge", "coverage", "cost")
_CONTEXT = 2000
_ANSWER = 300


def run(setting: Setting) -> list[Path]:
    """Run every system on every data set."""
    return [
        one_run(
            setting,
            experiment="main",
            dataset=name,
            systems=setting.systems or _SYSTEMS,
            metrics=setting.metrics or _METRICS,
            allowance=Allowance(context_tokens=tokens, answer_tokens=setting.answer_tokens or _ANSWER),
        )
        for name in setting.datasets or _DATASETS
        for tokens in setting.context_tokens or (_CONTEXT,)
    ]


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return one table a run: ROUGE-L (the paper's F1) first, then coverage and cost."""
    return [
        results_table(
            folder,
            values=("rouge_l", "rouge_1", "rouge_2", "coverage_supported_recall", "coverage_structural_recall"),
        )
        for folder in folders
    ]


EXPERIMENT = Experiment(
    name="main",
    title="Every method on every writing task, at equal budgets",
    paper="Tables 2 and 13",
    needs_model=True,
    run=run,
    tables=tables,
)
