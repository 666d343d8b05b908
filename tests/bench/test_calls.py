from __future__ import annotations

from pathlib import Path

import pytest

from thinkback.bench.calls import KeptModel
from thinkback.bench.meter import MeteredGenerator
from thinkback.errors import InvalidInput, ModelUnavailable
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Message, ModelTraits, Reply, Request

ASKED = Request(messages=(Message(role="user", content="Which tree?"),), max_tokens=9)


def test_a_run_replays_without_its_model(tmp_path: Path) -> None:
    inner = ScriptedGenerator(["a maple"], traits=ModelTraits(context_window=777, money_per_million_prompt=2.0))
    model = KeptModel(inner, tmp_path / "calls.sqlite")
    said = model.generate(ASKED)
    tokens = model.count("some words to count")
    model.close()
    model.close()
    again = KeptModel(None, tmp_path / "calls.sqlite")
    assert (again.id, again.traits) == (inner.id, inner.traits)
    assert again.generate(ASKED).text == said.text == "a maple"
    assert again.count("some words to count") == tokens
    with pytest.raises(ModelUnavailable, match="never asked"):
        again.generate(Request(messages=ASKED.messages, max_tokens=10))
    with pytest.raises(ModelUnavailable, match="never asked"):
        list(again.stream(Request(messages=ASKED.messages, max_tokens=10)))
    with pytest.raises(ModelUnavailable, match="never counted"):
        again.count("other words")
    again.close()


def test_without_model_and_replies_there_is_nothing_to_replay(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no kept replies"):
        KeptModel(None, tmp_path / "calls.sqlite")


def test_of_several_models_one_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        KeptModel(ScriptedGenerator(["x"], id=name), tmp_path / "calls.sqlite").close()
    with pytest.raises(InvalidInput, match="one, two"):
        KeptModel(None, tmp_path / "calls.sqlite")
    chosen = KeptModel(None, tmp_path / "calls.sqlite", model_id="two")
    assert chosen.id == "two"
    chosen.close()


def test_a_replayed_run_costs_what_it_once_cost(tmp_path: Path) -> None:
    traits = ModelTraits(context_window=100, money_per_million_prompt=1e6, money_per_million_completion=0.0)
    fresh = MeteredGenerator(KeptModel(ScriptedGenerator(["a maple"], traits=traits), tmp_path / "c"))
    fresh.generate(ASKED)
    first, waited = fresh.take()
    assert first.calls == 1
    assert first.money == first.prompt_tokens > 0
    assert waited >= 0
    fresh.shut()
    replayed = MeteredGenerator(KeptModel(None, tmp_path / "c"))
    *_, reply = replayed.stream(ASKED)
    assert isinstance(reply, Reply)
    second, _ = replayed.take()
    assert (second.calls, second.prompt_tokens, second.money) == (1, first.prompt_tokens, first.money)
    assert second.seconds == pytest.approx(first.seconds, abs=0.05)
    assert replayed.take()[0].calls == 0
    replayed.shut()
