from __future__ import annotations

from dataclasses import replace
from typing import Any

from thinkback.bench.folder import Prediction
from thinkback.bench.metrics.sharing import shares_evidence
from thinkback.bench.ports import Cost, Output, Shown
from thinkback.bench.records import Task


def said(*shown: Shown, task_id: str = "t") -> Prediction:
    return Prediction(system="s", task_id=task_id, output=Output(text="", shown=shown), cost=Cost())


def tasks(tools: Any, *gold: int) -> list[Task]:
    """Return a task on each of the chunks: t0 asks "0?" and needs chunk 0."""
    return [
        Task(id=f"t{number}", corpus_id="c", kind="question", query=f"{number}?", gold=(tools.whole(number),))
        for number in gold
    ]


def test_evidence_of_another_question_is_shared(tools: Any) -> None:
    item = tools.thought("x", 0, questions=("other?",))
    found = shares_evidence(tasks(tools, 0, 1), [said(item, task_id="t1")], {"c": tools.corpus()})
    assert found == {"t0": True, "t1": False}


def test_the_tasks_own_question_is_no_other(tools: Any) -> None:
    item = tools.thought("x", 0, questions=("0?",))
    found = shares_evidence(tasks(tools, 0), [said(item, task_id="t0")], {"c": tools.corpus()})
    assert found == {"t0": False}
    both = tools.thought("x", 0, questions=("0?", "other?"))
    assert shares_evidence(tasks(tools, 0), [said(both, task_id="t0")], {"c": tools.corpus()}) == {"t0": True}


def test_where_no_question_made_a_thought_nothing_is_known(tools: Any) -> None:
    found = shares_evidence(tasks(tools, 0), [said(tools.thought("x", 0), task_id="t0")], {"c": tools.corpus()})
    assert found == {}
    ungold = [replace(task, gold=()) for task in tasks(tools, 0)]
    item = tools.thought("x", 0, questions=("other?",))
    assert shares_evidence(ungold, [said(item, task_id="t0")], {"c": tools.corpus()}) == {}


def test_the_experiment_knows_better(tools: Any) -> None:
    asked = [replace(task, metadata={"shares_evidence": True}) for task in tasks(tools, 0)]
    assert shares_evidence(asked, [], {"c": tools.corpus()}) == {"t0": True}


def test_predictions_of_unknown_tasks_are_passed_over(tools: Any) -> None:
    item = tools.thought("x", 0, questions=("other?",))
    assert shares_evidence(tasks(tools, 0), [said(item, task_id="zzz")], {"c": tools.corpus()}) == {}
