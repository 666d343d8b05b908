from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from thinkback.bench.folder import Construction, Prediction, RunFolder
from thinkback.bench.ports import Cost, Output, Shown
from thinkback.errors import InvalidInput

ITEM = Shown(kind="thought", id="tht_1", text="Maples drink most.", roots=("a#0", "b#1"), level=2.5, score=0.5,
             questions=("Which?",))  # fmt: skip
ONE = Prediction(
    system="s", task_id="t", cost=Cost(calls=1, seconds=2.0),
    output=Output(text="Maples", shown=(ITEM,), ranking=(("a#0", 1.5), ("b#1", 0.25)), details={"steps": 3}),
)  # fmt: skip


def made(path: Path) -> RunFolder:
    folder = RunFolder(path / "run")
    folder.create({"config": {"seed": 1}})
    return folder


def test_what_is_written_is_read(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(ONE)
    folder.add(replace(ONE, task_id="u", error="ModelTimeout: no answer"))
    folder.add_construction(Construction(system="s", corpus_id="c", cost=Cost(calls=7)))
    again = RunFolder(folder.path)
    assert list(again.predictions()) == [ONE, replace(ONE, task_id="u", error="ModelTimeout: no answer")]
    assert list(again.constructions()) == [Construction(system="s", corpus_id="c", cost=Cost(calls=7))]
    assert again.faults == []


def test_texts_lie_apart_once_each_so_that_predictions_can_be_published(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(ONE)
    folder.add(replace(ONE, task_id="u"))
    assert "Maples drink most." not in (folder.path / "predictions.jsonl").read_text()
    assert (folder.path / "items.jsonl").read_text().count("Maples drink most.") == 1


def test_of_several_answers_to_one_task_the_last_counts(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(replace(ONE, error="ModelError: first"))
    folder.add(ONE)
    assert list(folder.predictions()) == [ONE]


def test_a_cut_last_line_is_dropped_and_written_over(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(ONE)
    file = folder.path / "predictions.jsonl"
    file.write_bytes(file.read_bytes() + b'{"system": "s", "task_id": "u", "outp')
    again = RunFolder(folder.path)
    assert [each.task_id for each in again.predictions()] == ["t"]
    assert "cut off" in again.faults[0].reason
    again.add(replace(ONE, task_id="v"))
    third = RunFolder(folder.path)
    assert [each.task_id for each in third.predictions()] == ["t", "v"]
    assert third.faults == []


def test_broken_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.add(ONE)
    file = folder.path / "predictions.jsonl"
    file.write_text('nonsense\n[1]\n{"system": "s"}\n' + file.read_text())
    again = RunFolder(folder.path)
    assert [each.task_id for each in again.predictions()] == ["t"]
    assert [fault.where for fault in again.faults] == [
        "predictions.jsonl:1",
        "predictions.jsonl:2",
        "predictions.jsonl",
    ]


def test_a_folder_goes_on_only_under_the_same_config(tmp_path: Path) -> None:
    folder = made(tmp_path)
    folder.create({"config": {"seed": 1}})
    with pytest.raises(InvalidInput, match="another configuration: seed, size"):
        folder.create({"config": {"seed": 2, "size": 3}})


def test_a_run_may_get_more_systems(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.create({"config": {}, "systems": ["a", "b"], "begun": "early"})
    folder.create({"config": {}, "systems": ["b", "c"], "begun": "late"})
    assert folder.config() == {"config": {}, "systems": ["a", "b", "c"], "begun": "early"}


def test_a_folder_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no run's folder"):
        RunFolder(tmp_path).config()
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InvalidInput, match="cannot be read"):
        RunFolder(tmp_path).config()
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(InvalidInput, match="not a run's record"):
        RunFolder(tmp_path).config()


def test_scores_are_asked_for_after_scoring_only(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with pytest.raises(InvalidInput, match="not scored"):
        folder.scores()
    folder.write_scores({"summary": {"s": 0.5}})
    assert json.loads((folder.path / "scores.json").read_text()) == folder.scores() == {"summary": {"s": 0.5}}
