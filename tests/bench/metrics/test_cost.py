from __future__ import annotations

from typing import Any

import pytest

from thinkback.bench.metrics.cost import CostOfAnswer
from thinkback.bench.ports import Cost


def test_cost_and_what_was_shown_for_it(tools: Any) -> None:
    cost = Cost(calls=2, prompt_tokens=900, completion_tokens=50, money=0.25, seconds=3.5)
    shown = [tools.chunk(0), tools.thought("a", 1), tools.chunk(2)]
    assert tools.values(CostOfAnswer(), tools.scored("x", shown=shown, cost=cost)) == {
        "seconds": 3.5, "calls": 2.0, "prompt_tokens": 900.0, "completion_tokens": 50.0, "money": 0.25, "items": 3.0,
        "thought_share": pytest.approx(1 / 3), "mean_level": pytest.approx((1 + 2 + 1) / 3),
    }  # fmt: skip


def test_nothing_shown_has_no_level(tools: Any) -> None:
    found = CostOfAnswer().score(tools.scored())
    assert found["items"].value == 0.0
    assert found["mean_level"].value is found["thought_share"].value is None
    assert found["mean_level"].reason == "nothing was shown"
