"""Experiments that compare systems on data sets at equal budgets, and nothing else: one entry each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from thinkback.bench.experiments.plan import Experiment, Setting, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.ports import Allowance
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.bench.systems.ablations import ABLATIONS

__all__ = ["COMPARISONS"]

_WRITTEN = ("rouge_l", "rouge_1", "rouge_2")
_COVERED = (
    "coverage_supported_precision", "coverage_supported_recall", "coverage_supported_f1",
    "coverage_structural_precision", "coverage_structural_recall", "coverage_structural_f1",
)  # fmt: skip
_SPENT = ("seconds", "calls", "prompt_tokens", "completion_tokens", "thought_share", "mean_level")
_WRITING = ("abstract-single", "abstract-multi", "related-multi", "govreport", "wcep")


def _comparison(
    name: str,
    title: str,
    paper: str,
    *,
    datasets: Sequence[str],
    systems: Sequence[str],
    metrics: Sequence[str],
    values: Sequence[str],
    baseline: str | None = None,
    context_tokens: Sequence[int] = (2000,),
    answer_tokens: int = 300,
    needs_model: bool = True,
) -> Experiment:
    """Return an experiment that runs systems on data sets; what the caller sets goes before these defaults."""

    def run(setting: Setting) -> list[Path]:
        return [
            one_run(
                setting,
                experiment=name,
                dataset=dataset,
                systems=setting.systems or systems,
                metrics=setting.metrics or metrics,
                allowance=Allowance(context_tokens=tokens, answer_tokens=setting.answer_tokens or answer_tokens),
                baseline=baseline,
            )
            for dataset in setting.datasets or datasets
            for tokens in setting.context_tokens or context_tokens
        ]

    return Experiment(
        name=name, title=title, paper=paper, needs_model=needs_model, run=run, tables=_tables(values, baseline)
    )


def _tables(values: Sequence[str], baseline: str | None) -> Callable[[Sequence[RunFolder]], list[Table]]:
    def tables(folders: Sequence[RunFolder]) -> list[Table]:
        made = []
        for folder in folders:
            made.append(results_table(folder, values=values))
            if baseline is not None:
                made.append(compared_table(folder, value=values[0], baseline=baseline))
        return made

    return tables


_ENTRIES = (
    _comparison(
        "main", "Every method on every writing task, at equal budgets", "Tables 2 and 13",
        datasets=_WRITING,
        systems=("bm25", "tf-idf", "dense", "hybrid", "left", "right", "ircot", "recomp:extractive", "oracle",
                 "thoughts:paper", "thoughts:default"),
        metrics=("rouge", "coverage", "cost"), values=(*_WRITTEN, *_COVERED), baseline="dense",
    ),
    _comparison(
        "models", "The same with another language model (one run a model: --llm)", "Table 7",
        datasets=("abstract-single", "abstract-multi"),
        systems=("bm25", "tf-idf", "dense", "thoughts:paper", "thoughts:default"),
        metrics=("rouge", "cost"), values=_WRITTEN, baseline="dense",
    ),
    _comparison(
        "retrievers", "Other retrievers, alone and inside Thought-Retriever (one run an embedder: --embedder)", "Table 9",
        datasets=("abstract-single",),
        systems=("dense", "thoughts:paper", "thoughts:default"),
        metrics=("rouge", "cost"), values=_WRITTEN, baseline="dense",
    ),
    _comparison(
        "recomp", "Compressing what was retrieved, against thoughts", "Table 10",
        datasets=("abstract-single", "abstract-multi"),
        systems=("recomp:extractive", "recomp:abstractive", "thoughts:paper", "thoughts:default"),
        metrics=("rouge", "cost"), values=(*_WRITTEN, *_SPENT), baseline="recomp:abstractive",
    ),
    _comparison(
        "memwalker", "Walking a summary tree, against thoughts, with the time that each takes", "Table 12",
        datasets=_WRITING,
        systems=("memwalker", "thoughts:paper", "thoughts:default"),
        metrics=("rouge", "cost"), values=(*_WRITTEN, *_SPENT), baseline="memwalker",
    ),
    _comparison(
        "loogle", "Questions about long documents", "Table 8",
        datasets=("loogle",),
        systems=("bm25", "tf-idf", "dense", "left", "right", "thoughts:paper", "thoughts:default"),
        metrics=("qa", "rouge", "coverage", "answer_words", "cost"),
        values=("token_f1", "exact_match", "rouge_l", "answer_words", *_COVERED[:2]), baseline="dense",
        answer_tokens=80,
    ),
    _comparison(
        "coverage", "Gold chunks among the roots of what is shown: structural, and supported by content",
        "Table 14 and Figure 8",
        datasets=("related-multi", "qmsum", "loogle"),
        systems=("bm25", "dense", "hralm", "thoughts:paper", "thoughts:default"),
        metrics=("coverage", "cost"), values=(*_COVERED, "mean_level"), baseline="hralm",
    ),
    _comparison(
        "experts", "Learning from what other models said, without the facts", "Table 3 and Figure 4",
        datasets=("abstract-single",),
        systems=("retriever-origin", "response-direct", "testimony:answers", "testimony:thoughts"),
        metrics=("rouge", "cost"), values=(*_WRITTEN, *_SPENT), baseline="response-direct",
    ),
    _comparison(
        "ablation", "Thought-Retriever with one part taken out, or another put in", "Figure 7",
        datasets=("abstract-single", "related-multi"),
        systems=("thoughts:default", *(f"ablation:{name}" for name in ABLATIONS)),
        metrics=("rouge", "coverage", "cost"), values=("rouge_l", "coverage_supported_recall", "thought_share"),
        baseline="thoughts:default",
    ),
    _comparison(
        "epsilon", "The paper's redundancy threshold, from lax to strict, beside comparing claims", "",
        datasets=("abstract-single",),
        systems=("ablation:epsilon-80", "ablation:epsilon", "ablation:epsilon-90", "ablation:no-twins", "thoughts:default"),
        metrics=("rouge", "cost"), values=("rouge_l", "thought_share"), baseline="thoughts:default",
    ),
    _comparison(
        "time", "Seconds an answer, tokens and money, building apart", "Table 16",
        datasets=_WRITING,
        systems=("bm25", "tf-idf", "dense", "ircot", "memwalker", "full:left", "thoughts:paper", "thoughts:default"),
        metrics=("cost",), values=_SPENT,
    ),
    _comparison(
        "gate", "The relevance gate on and off, for requests about a whole document", "",
        datasets=("abstract-single",),
        systems=("ablation:chunks-only", "thoughts:default", "ablation:no-overview", "ablation:no-gate"),
        metrics=("rouge", "cost"), values=("rouge_l", "thought_share", "mean_level"), baseline="ablation:chunks-only",
    ),
)  # fmt: skip

COMPARISONS: dict[str, Experiment] = {entry.name: entry for entry in _ENTRIES}
"""Name to experiment."""
