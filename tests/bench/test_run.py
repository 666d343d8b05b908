from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.metrics import make_metrics
from thinkback.bench.ports import Allowance, Output, Query, System
from thinkback.bench.record import run_record
from thinkback.bench.records import Dataset, Task
from thinkback.bench.run import Plan, chunk_corpora, run
from thinkback.bench.score import score
from thinkback.bench.systems import make_systems
from thinkback.errors import InvalidInput, ModelTimeout
from thinkback.ports import Request


class Counting:
    """A system that remembers what it was asked, and fails where it is told to."""

    def __init__(self, *, fail_at: str = "", fail_reading: bool = False) -> None:
        self.name = "counting"
        self.asked: list[str] = []
        self.read: list[tuple[str, ...]] = []
        self.seen: list[tuple[str, ...]] = []
        self._fail_at, self._fail_reading = fail_at, fail_reading

    def reset(self) -> None:
        pass

    def reveal(self, task: Task) -> None:
        self.seen.append(task.references)

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        self.read.append(tuple(pre_queries))
        if self._fail_reading:
            raise ModelTimeout("too slow")

    def answer(self, query: Query, allowance: Allowance) -> Output:
        self.asked.append(query.task_id)
        if query.task_id == self._fail_at:
            raise ModelTimeout("too slow")
        return Output(text=f"answer to {query.text}", shown=())

    def close(self) -> None:
        pass


def folder_for(path: Path, dataset: Dataset, systems: Sequence[System], kit: Kit) -> RunFolder:
    folder = RunFolder(path / "run")
    names = [each.name for each in systems]
    folder.create(run_record({"seed": 1}, dataset=dataset, systems=names, model=None, embedder=kit.embedder.id))
    return folder


def test_a_run_goes_on_where_it_was(tmp_path: Path, tiny: Dataset, kit_without_model: Kit) -> None:
    failing = Counting(fail_at="t2")
    folder = folder_for(tmp_path, tiny, [failing], kit_without_model)
    told: list[tuple[str, int, int | None, str]] = []
    run(
        Plan(dataset=tiny, systems=[failing], kit=kit_without_model), folder,
        progress=lambda stage, done, total, note="": told.append((stage, done, total, note)),
    )  # fmt: skip
    assert failing.asked == ["t1", "t2", "t3"]
    assert failing.read == [("What cools the city?",)]
    assert failing.seen == [("Maples",), ("light",), ()]
    assert told == [("counting", 3, 3, "city")]
    assert {each.task_id: each.error for each in folder.predictions()} == {
        "t1": "", "t2": "ModelTimeout: too slow", "t3": "",
    }  # fmt: skip
    second = Counting()
    run(Plan(dataset=tiny, systems=[second], kit=kit_without_model), RunFolder(folder.path))
    assert second.asked == ["t2"]
    assert all(not each.error for each in folder.predictions())
    third = Counting()
    run(Plan(dataset=tiny, systems=[third], kit=kit_without_model), folder)
    assert third.asked == third.read == []


def test_a_corpus_that_cannot_be_read_fails_its_tasks_by_name(
    tmp_path: Path, tiny: Dataset, kit_without_model: Kit
) -> None:
    broken, fine = Counting(fail_reading=True), Counting()
    broken.name = "broken"
    folder = folder_for(tmp_path, tiny, [broken, fine], kit_without_model)
    run(Plan(dataset=tiny, systems=[broken, fine], kit=kit_without_model, use_pre_queries=False), folder)
    assert fine.read == [()]
    assert [each.error for each in folder.predictions() if each.system == "broken"] == ["ModelTimeout: too slow"] * 3
    found = score(
        tiny, chunk_corpora(tiny, kit_without_model.embedder.count, Plan(dataset=tiny, systems=[], kit=kit_without_model).cutting),
        folder, make_metrics(["rouge"]),
    )  # fmt: skip
    assert found["summary"]["broken"]["rouge_l"]["mean"] is None
    assert found["summary"]["broken"]["rouge_l"]["unscored"] == 3
    assert found["summary"]["counting"]["rouge_l"]["n"] == 2
    assert found["unscored"]["rouge_l: the system failed"] == 3
    assert len(found["errors"]) == 3


def test_systems_write_with_the_same_prompt_from_what_they_show(
    tmp_path: Path, tiny: Dataset, kit_saying: Callable[[Callable[[Request], str]], Kit]
) -> None:
    prompts: list[str] = []

    def say(request: Request) -> str:
        prompts.append(request.messages[-1].content)
        return "Maples"

    kit = kit_saying(say)
    systems = make_systems(["bm25", "tf-idf", "dense"], kit)
    folder = folder_for(tmp_path, tiny, systems, kit)
    run(Plan(dataset=tiny, systems=systems, kit=kit, allowance=Allowance(context_tokens=60)), folder)
    found = {(each.system, each.task_id): each for each in folder.predictions()}
    assert len(found) == 9
    for name in (system.name for system in systems):
        one = found[name, "t1"]
        assert one.output.shown[0].text == "Maples drink most of all."
        assert one.output.text == "Maples"
        assert one.cost.calls == 1
        assert one.cost.prompt_tokens > 0
        assert sum(kit.price(n, item.text) for n, item in enumerate(one.output.shown, 1)) <= 60
    assert all("Question: " in prompt for prompt in prompts)


def test_an_unknown_system_is_named(kit_without_model: Kit) -> None:
    with pytest.raises(InvalidInput, match="no system 'oracel'"):
        make_systems(["oracel"], kit_without_model)
    with pytest.raises(InvalidInput, match="takes no argument"):
        make_systems(["bm25:x"], kit_without_model)
