from __future__ import annotations

from typing import Any

import pytest

from thinkback.bench.metrics.answered import Answered


@pytest.mark.parametrize("text", ["", "No information available.", "The documents do not say when it happened."])
@pytest.mark.parametrize("category", ["adversarial", "abstention"])
def test_silence_is_right_where_there_is_no_answer(tools: Any, text: str, category: str) -> None:
    found = tools.values(Answered(), tools.scored(text, category=category))
    assert found == {"answered": None, "rightly_silent": 1.0, "misled": None}


def test_elsewhere_it_is_only_no_answer(tools: Any) -> None:
    assert tools.values(Answered(), tools.scored("I don't know.", references=["May"]))["answered"] == 0.0
    found = tools.values(Answered(), tools.scored("In May.", references=["May"]))
    assert found == {"answered": 1.0, "rightly_silent": None, "misled": None}


def test_who_gives_the_suggested_answer_is_misled(tools: Any) -> None:
    """The words of the suggestion that the question lacks are self, care, important."""
    asked = {
        "query": "What did Ann realise after the race?",
        "category": "adversarial",
        "metadata": {"adversarial_answer": "self-care is important"},
    }
    found = tools.values(Answered(), tools.scored("That self-care is important.", **asked))
    assert found == {"answered": None, "rightly_silent": 0.0, "misled": 1.0}
    assert tools.values(Answered(), tools.scored("That running is fun.", **asked))["misled"] == 0.0
    silent = tools.scored("It is not mentioned that self-care is important.", **asked)
    assert tools.values(Answered(), silent)["misled"] == 0.0


def test_a_search_answers_nothing(tools: Any, reasons: Any) -> None:
    assert reasons(Answered(), tools.scored("", kind="search")) == {"a search writes nothing"}
