from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from thinkback.bench.metrics.thoughts import ThoughtStatistics
from thinkback.embed.hashing import HashingEmbedder


class Counting(HashingEmbedder):
    """Counts what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: Any) -> Any:
        self.seen += texts
        return super().embed(texts, kind=kind)


def test_of_one_answer(tools: Any) -> None:
    """The third thought is the first again, so a third of them is a repeat."""
    shown = [
        tools.thought("maples drink most water", 0),
        tools.chunk(1),
        tools.thought("buses run at night", 2, 3, id="tht_2"),
        tools.thought("maples drink most water", 0, id="tht_3"),
    ]
    found = tools.values(ThoughtStatistics(HashingEmbedder()), tools.scored(shown=shown))
    assert found == {
        "thoughts": 3.0, "thought_words": 4.0, "thought_level": 2.0, "thought_roots": pytest.approx(4 / 3),
        "thought_repeats": pytest.approx(1 / 3),
    }  # fmt: skip


def test_without_thoughts_or_embedder(tools: Any) -> None:
    found = ThoughtStatistics().score(tools.scored(shown=[tools.chunk(0)]))
    assert found["thoughts"].value == 0.0
    assert found["thought_words"].reason == "no thought was shown"
    found = ThoughtStatistics().score(tools.scored(shown=[tools.thought("a", 0)]))
    assert (found["thought_repeats"].value, found["thought_words"].value) == (None, 1.0)
    assert ThoughtStatistics().over_all([tools.scored(shown=[tools.chunk(0)])]) == {}


def test_of_a_whole_run(tools: Any) -> None:
    """Two different thoughts are shown three times over three answers, of which two have one; four are stored."""
    one, two = tools.thought("maples drink", 0), tools.thought("roofs reflect bright light", 1, 2, id="tht_2")
    outputs = [
        tools.scored(shown=[one, two], details={"thoughts": 4}),
        tools.scored(shown=[one], details={"thoughts": 4}),
        tools.scored(shown=[tools.chunk(3)], details={"thoughts": 4}),
    ]
    assert ThoughtStatistics(HashingEmbedder()).over_all(outputs) == {
        "different": 2, "words": 3.0, "roots": 1.5, "levels": {"2": 2}, "repeats": 0.0, "shown": 1.5,
        "answers": pytest.approx(2 / 3), "stored": 4.0, "used": 0.5,
    }  # fmt: skip


def test_how_much_is_stored_may_not_be_known(tools: Any) -> None:
    found = ThoughtStatistics().over_all([tools.scored(shown=[tools.thought("maples drink", 0)])])
    assert (found["stored"], found["used"], found["repeats"]) == (None, None, None)


def test_each_text_is_embedded_once(tools: Any) -> None:
    embedder = Counting()
    metric = ThoughtStatistics(embedder)
    one = tools.scored(shown=[tools.thought("maples drink", 0), tools.thought("roofs", 1, id="tht_2")])
    metric.score(one)
    metric.over_all([one, one])
    assert sorted(embedder.seen) == ["maples drink", "roofs"]
