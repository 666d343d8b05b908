"""Plain retrieval on collections with judgements: sparse, dense and both, and the product's own search. No model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thinkback.bench.datasets import load
from thinkback.bench.experiments.plan import Experiment, Setting, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.ports import Allowance
from thinkback.bench.records import Dataset
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table

__all__ = ["EXPERIMENT"]

_DATASETS = ("scifact", "cacm", "cranfield", "hotpotqa", "musique", "2wiki")
_SYSTEMS = ("bm25", "tf-idf", "dense", "hybrid", "thoughts:default")
_VALUES = ("ndcg_10", "recall_10", "recall_100", "recall_1000", "map", "mrr", "coverage_supported_recall")
_CONTEXT = 2000


def run(setting: Setting) -> list[Path]:
    """Rank for every task of every collection."""
    return [
        one_run(
            setting,
            experiment="retrieval",
            dataset=_as_searches(load(name, setting.data, **setting.options)),
            systems=setting.systems or _SYSTEMS,
            metrics=setting.metrics or ("ranking", "coverage", "cost"),
            allowance=Allowance(context_tokens=tokens),
            use_pre_queries=False,
            baseline="bm25",
        )
        for name in setting.datasets or _DATASETS
        for tokens in setting.context_tokens or (_CONTEXT,)
    ]


def _as_searches(data: Dataset) -> Dataset:
    """Return the same tasks with nothing to be written: what has no gold cannot be ranked for."""
    return replace(data, tasks=tuple(replace(task, kind="search") for task in data.tasks if task.gold))


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return for each collection the measures, and how nDCG differs from BM25's."""
    made = []
    for folder in folders:
        made.append(results_table(folder, values=_VALUES))
        made.append(compared_table(folder, value="ndcg_10", baseline="bm25"))
    return made


EXPERIMENT = Experiment(
    name="retrieval",
    title="Ranking alone, on collections with judgements",
    paper="",
    needs_model=False,
    run=run,
    tables=tables,
)
