from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.confidence import is_abstention, is_hypothetical, read_confidence, verdict

GOOD = "The bridge was built in 1932 [1]."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \u200b ",
        "\ufeff",
        "[1][2]",
        "idk",
        "I don't know.",
        "**Unknown.**",
        "The context does not say. If you share the appendix, I can look again.",
        "I'm sorry, but I cannot answer that. Please provide more context.",
        "The text doesn't mention the price, but it is not stated elsewhere either.",
        "The documents do not specify it. They only describe the history of the company.",
    ],
)
def test_a_text_that_only_abstains_is_one(text: str) -> None:
    assert is_abstention(text)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "The paper does not mention training time but gives an inference speed of 140 tokens per second.",
        "The text does not give the day; however, the dam was finished in the spring of 1964.",
        "I don't know the exact day. It was in March 2021.",
        "The drug does not work in children.",
        "42",
        "No.",
    ],
)
def test_a_text_that_gives_something_is_an_answer(text: str) -> None:
    assert not is_abstention(text)


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "word " * 20_000, "The context " * 8_000, "is not " * 12_000, "no, " * 20_000]
)
def test_a_huge_text_is_read_in_reasonable_time(text: str) -> None:
    assert not is_abstention(text)


@pytest.mark.parametrize(
    "question",
    [
        "What if we used Postgres?",
        "what would happen if the valve failed",
        "Suppose the budget doubles. What then?",
        "If we had more GPUs, would training be faster?",
        "How would the results change if dropout were removed?",
        "Was w\u00e4re, wenn wir das Modell vergr\u00f6\u00dfern?",
        "Et si on utilisait un autre jeu de donn\u00e9es ?",
        "\u5982\u679c\u6211\u4eec\u6539\u7528\u53e6\u4e00\u79cd\u65b9\u6cd5\u4f1a\u600e\u6837\uff1f",
    ],
)
def test_fault_15_a_question_about_what_would_be_is_hypothetical(question: str) -> None:
    assert is_hypothetical(question)
    assert verdict(GOOD, valid=True, question=question).status == "hypothetical"


@pytest.mark.parametrize(
    "question",
    [
        "What did the authors use?",
        "Which model is best if memory is short?",
        "Who would not sign the contract?",
        "What is the what-if tool?",
        "How long did training take?",
    ],
)
def test_a_question_about_what_is_is_not(question: str) -> None:
    assert not is_hypothetical(question)


@pytest.mark.parametrize(
    "value", ["", "maybe", "Confidence: high", "1.5", "-0.1", "nan", "inf", None, True, [], {}, b"1", 2, float("nan")]
)
def test_fault_17_an_unreadable_confidence_is_none(value: Any) -> None:
    assert read_confidence(value) is None
    assert not verdict(GOOD, confidence=value).ok
    assert not verdict(GOOD, valid=True, confidence=value if value is not None else "").ok


@pytest.mark.parametrize("value", ["", "maybe", "high", "1", 1, 0, [], "I cannot answer that."])
def test_fault_17_a_flag_that_is_not_yes_or_no_fails_closed(value: Any) -> None:
    found = verdict(GOOD, valid=value)
    assert not found.ok
    assert found.status == "unreadable"


@pytest.mark.parametrize(
    ("given_", "ok", "status", "confidence"),
    [
        ({"valid": True}, True, "confident", 1.0),
        ({"valid": " Yes "}, True, "confident", 1.0),
        ({"valid": True, "confidence": "0.8"}, True, "confident", 0.8),
        ({"confidence": 0.5}, True, "confident", 0.5),
        ({"confidence": 0.49}, False, "doubtful", 0.49),
        ({"valid": False}, False, "abstained", 0.0),
        ({"valid": False, "confidence": 0.9}, False, "abstained", 0.9),
        ({}, False, "unreadable", 0.0),
    ],
)
def test_the_verdict_needs_the_models_word(given_: dict[str, Any], ok: bool, status: str, confidence: float) -> None:
    found = verdict(GOOD, **given_)
    assert (found.ok, found.status, found.confidence) == (ok, status, confidence)
    assert bool(found.reason) != ok


def test_the_models_word_is_never_enough_alone() -> None:
    text = "The context does not say."
    assert verdict(text, valid=True).status == "abstained"
    assert verdict(text, valid=True, measured=False).ok


@given(st.text(max_size=300))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert isinstance(is_abstention(text), bool)
    assert isinstance(is_hypothetical(text), bool)
    assert verdict(text, confidence=text).ok in (True, False)
