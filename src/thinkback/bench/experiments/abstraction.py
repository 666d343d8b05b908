"""Do abstract questions draw deeper thoughts? The six kinds of question of the paper's Table 6, on each paper of a data set.

The questions are ours, of the same six kinds, so that they fit any paper. The measure is the mean abstraction level of what
was shown, and its rank correlation with the question's rank, a paper at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thinkback.bench.datasets import load
from thinkback.bench.experiments.plan import Experiment, Setting, limited, one_run
from thinkback.bench.folder import RunFolder
from thinkback.bench.metrics.statistics import estimate
from thinkback.bench.ports import Allowance
from thinkback.bench.report.results import cell_of, run_notes
from thinkback.bench.report.tables import Cell, Table
from thinkback.errors import MissingExtra

__all__ = ["EXPERIMENT", "QUESTIONS"]

QUESTIONS = (
    "How many data sets or examples are used in the experiments?",
    "Explain the most important term that this paper introduces.",
    "Which key methods does this paper introduce?",
    "What are some limitations of this study?",
    "Write an abstract that sums up the key points of the paper.",
    "What could this line of work change in the wider field in the long run?",
)
"""From the least to the most abstract, ranks 1 to 6 as the paper's expert ranked its own."""

_CONTEXT = 1000
_ANSWER = 200


def run(setting: Setting) -> list[Path]:
    """Ask the six questions about each paper, after its general questions."""
    made = []
    for name in setting.datasets or ("abstract-single",):
        data = limited(load(name, setting.data, **setting.options), setting.limit)
        tasks = [
            replace(
                task, id=f"{task.id}/{rank}", kind="question", query=question, references=(), category=str(rank),
                metadata={**task.metadata, "rank": rank},
            )
            for task in data.tasks
            for rank, question in enumerate(QUESTIONS, 1)
        ]  # fmt: skip
        made.append(
            one_run(
                replace(setting, limit=None), experiment="abstraction", dataset=replace(data, tasks=tuple(tasks)),
                systems=setting.systems or ("thoughts:default", "thoughts:paper", "ablation:no-gate"),
                metrics=setting.metrics or ("cost",),
                allowance=Allowance(
                    context_tokens=setting.context_tokens[0] if setting.context_tokens else _CONTEXT,
                    answer_tokens=setting.answer_tokens or _ANSWER,
                ),
            )
        )  # fmt: skip
    return made


def tables(folders: Sequence[RunFolder]) -> list[Table]:
    """Return for each system the mean level by rank, and the mean over papers of Kendall's tau between rank and level."""
    made = []
    for folder in folders:
        scores, record = folder.scores(), folder.config()
        rows: list[tuple[str | Cell, ...]] = []
        for system, values in scores["values"].items():
            levels = [
                cell_of(scores["by_category"][system].get(str(rank), {}).get("mean_level")) for rank in range(1, 7)
            ]
            taus = list(_taus(values).values())
            found = estimate(taus, range(len(taus)), seed=record["config"]["seed"])
            rows.append((system, *levels, Cell(value=found.mean, low=found.low, high=found.high, n=found.n)))
        made.append(
            Table(
                name=f"{folder.path.name}-abstraction",
                title=f"Mean level of what was shown, by how abstract the question is: {record['config']['dataset']}",
                columns=("system", *(f"rank {rank}" for rank in range(1, 7)), "tau"),
                rows=tuple(rows),
                notes=(
                    "tau: Kendall's rank correlation of a paper's six ranks and levels; without a value where all levels are equal.",
                    *run_notes(folder, scores, record),
                ),
            )
        )
    return made


def _taus(values: dict[str, dict[str, float | None]]) -> dict[str, float | None]:
    """Return paper to the rank correlation of its questions' ranks and levels."""
    try:
        from scipy.stats import kendalltau
    except ImportError:
        raise MissingExtra("Rank correlation", "bench") from None
    by_paper: dict[str, list[tuple[int, float]]] = {}
    for task_id, row in values.items():
        paper, _, rank = task_id.rpartition("/")
        level = row.get("mean_level")
        if level is not None:
            by_paper.setdefault(paper, []).append((int(rank), level))
    found: dict[str, float | None] = {}
    for paper, pairs in by_paper.items():
        ranks, levels = zip(*sorted(pairs), strict=True)
        found[paper] = float(kendalltau(ranks, levels).statistic) if len(set(levels)) > 1 else None
    return found


EXPERIMENT = Experiment(
    name="abstraction",
    title="The level of what is shown, for questions from concrete to abstract",
    paper="Table 6 and Figure 5",
    needs_model=True,
    run=run,
    tables=tables,
)
