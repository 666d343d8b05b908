"""Does the memory get better with every question? The curve over questions asked before, and the causal split.

*Curve* (Figure 6): the same request after none, one, two, five and ten general questions about the paper.
*Causal* (Table 15): tasks of a shared corpus are halved; one half is asked, then the other half is tested, with the memory
that the first half left and with an empty one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.datasets import load
from thinkback.bench.experiments.plan import Experiment, Setting, limited, one_run
from thinkback.bench.experiments.transfer import halves
from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance
from thinkback.bench.records import Task
from thinkback.bench.report.results import compared_table, results_table
from thinkback.bench.report.tables import Table
from thinkback.bench.systems.thoughts import Thoughts
from thinkback.config import Preset, load_preset

__all__ = ["CAUSAL", "CURVE", "AfterQuestions", "evolution_split"]

_QUESTIONS = (0, 1, 2, 5, 10)
_CONTEXT = 1000
_ANSWER = 260
_VALUES = (
    "rouge_l", "token_f1", "coverage_supported_recall", "coverage_structural_recall", "thought_share", "mean_level",
    "seconds",
)  # fmt: skip


class AfterQuestions(Thoughts):
    """Thought-Retriever after the first of the questions that are asked before.

    Args:
        kit: what all systems share.
        preset: how the loop runs.
        questions: how many are asked; None: all.
        name: of the row; None: made of preset and number.
    """

    def __init__(self, kit: Kit, *, preset: Preset, questions: int | None, name: str | None = None) -> None:
        super().__init__(kit, preset=preset, name=name or f"{preset.name} after {questions}")
        self._questions = questions

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Store the chunks and ask the first questions.

        Raises:
            ModelError
        """
        super().ingest(chunked, pre_queries if self._questions is None else pre_queries[: self._questions])


def evolution_split(tasks: Sequence[Task], seed: int) -> list[Task]:
    """Return one half of the tasks of each corpus, to be tested, with the other half's questions as those asked before.

    Corpora with a single task have nothing to learn from and are left out.
    """
    first, second = halves(tasks, seed)
    tested = []
    for task in second:
        before = [other for other in first if other.corpus_id == task.corpus_id]
        asked = [question for other in before for question in (*other.pre_queries, other.query)]
        if before:
            tested.append(replace(task, pre_queries=tuple(dict.fromkeys(asked))))
    return tested


def _run_curve(setting: Setting) -> list[Path]:
    preset = load_preset("default")
    systems = [AfterQuestions(setting.kit, preset=preset, questions=number) for number in _QUESTIONS]
    made = []
    for name in setting.datasets or ("abstract-single",):
        data = limited(load(name, setting.data, **{"pre_queries": max(_QUESTIONS), **setting.options}), setting.limit)
        made.append(
            one_run(
                setting, experiment="evolution", dataset=data, systems=setting.systems or systems,
                metrics=setting.metrics or ("rouge", "coverage", "cost"), allowance=_allowance(setting),
            )
        )  # fmt: skip
    return made


def _run_causal(setting: Setting) -> list[Path]:
    preset = load_preset("default")
    systems = [
        AfterQuestions(setting.kit, preset=preset, questions=0, name="empty memory"),
        AfterQuestions(setting.kit, preset=preset, questions=None, name="evolved memory"),
    ]
    made = []
    for name in setting.datasets or ("related-multi-pooled", "locomo"):
        data = limited(load(name, setting.data, **setting.options), setting.limit)
        tested = evolution_split([task for task in data.tasks if task.references], setting.seed)
        made.append(
            one_run(
                setting, experiment="causal", dataset=replace(data, tasks=tuple(tested)),
                systems=setting.systems or systems, metrics=setting.metrics or ("rouge", "qa", "coverage", "cost"),
                allowance=_allowance(setting),
            )
        )  # fmt: skip
    return made


def _allowance(setting: Setting) -> Allowance:
    tokens = setting.context_tokens[0] if setting.context_tokens else _CONTEXT
    return Allowance(context_tokens=tokens, answer_tokens=setting.answer_tokens or _ANSWER)


def _tables(baseline: str, folders: Sequence[RunFolder]) -> list[Table]:
    made = []
    for folder in folders:
        made.append(results_table(folder, values=_VALUES))
        made += [
            compared_table(folder, value=value, baseline=baseline) for value in ("rouge_l", "coverage_supported_recall")
        ]
    return made


CURVE = Experiment(
    name="evolution",
    title="The same request after none, one, two, five and ten questions",
    paper="Figure 6",
    needs_model=True,
    run=_run_curve,
    tables=lambda folders: _tables("default after 0", folders),
)
CAUSAL = Experiment(
    name="causal",
    title="One half of the questions fills the memory, the other half is tested",
    paper="Table 15",
    needs_model=True,
    run=_run_causal,
    tables=lambda folders: _tables("empty memory", folders),
)
