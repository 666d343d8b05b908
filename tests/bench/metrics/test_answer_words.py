from __future__ import annotations

from typing import Any

import pytest

from thinkback.bench.metrics.answer_words import AnswerWords, repeats_answer


def test_four_of_five_new_words_are_enough(tools: Any) -> None:
    """The question's own words do not count: of "trees: oak, elm, ash, fir, yew" five are asked for."""
    asked = {"query": "Which trees?", "references": ["trees: oak, elm, ash, fir, yew"]}
    one = tools.scored(shown=[tools.thought("Oaks and elms and ash."), tools.thought("fir", id="tht_2")], **asked)
    assert tools.values(AnswerWords(), one)["answer_words"] == 1.0
    one = tools.scored(shown=[tools.thought("Oaks, elms and ash grow."), tools.chunk(0)], **asked)
    assert tools.values(AnswerWords(), one)["answer_words"] == 0.0


def test_any_reference_will_do(tools: Any) -> None:
    one = tools.scored(shown=[tools.chunk(2)], references=["by tram", "buses at night"])
    assert tools.values(AnswerWords(), one)["answer_words"] == 1.0


def test_lucky_words_do_not_count_among_the_gold(tools: Any) -> None:
    asked = {"references": ["light"], "gold": [tools.whole(0)]}
    found = tools.values(AnswerWords(), tools.scored(shown=[tools.chunk(1), tools.chunk(0)], **asked))
    assert (found["answer_words"], found["answer_words_gold"]) == (1.0, 0.0)
    found = tools.values(AnswerWords(), tools.scored(shown=[tools.thought("light", 0, 2)], **asked))
    assert (found["answer_words"], found["answer_words_gold"]) == (1.0, 1.0)


def test_repeated_answers_are_taken_out(tools: Any) -> None:
    repeat = tools.thought("What reflects? Roofs.", 1, questions=("What reflects?",), answers=("White roofs do.",))
    other = tools.thought("Roofs are white.", 1, id="tht_2", questions=("Which colour?",), answers=("white",))
    asked = {"query": "What keeps cool?", "references": ["Roofs"], "gold": [tools.whole(1)]}
    found = tools.values(AnswerWords(), tools.scored(shown=[repeat], **asked))
    assert found == {"answer_words": 1.0, "answer_words_gold": 1.0, "answer_words_new": 0.0, "repeated_answer": 1.0}
    found = tools.values(AnswerWords(), tools.scored(shown=[other], **asked))
    assert found == {"answer_words": 1.0, "answer_words_gold": 1.0, "answer_words_new": 1.0, "repeated_answer": 0.0}
    assert not repeats_answer(tools.thought("Roofs", 1), tools.scored(**asked).task)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, "the task has no reference"),
        (
            {"query": "Is it red?", "references": ["It is red."]},
            "the references have no word that is not in the question",
        ),
        ({"references": ["7 May 2023"], "category": "temporal"}, "the answer is a date, and every item has one"),
    ],
)
def test_what_cannot_be_looked_for_is_not_scored(tools: Any, reasons: Any, asked: Any, reason: str) -> None:
    assert reasons(AnswerWords(), tools.scored(shown=[tools.chunk(0)], **asked)) == {reason}


def test_without_gold_the_rest_is_scored(tools: Any) -> None:
    found = AnswerWords().score(tools.scored(references=["light"]))
    assert found["answer_words"].value == 0.0
    assert found["answer_words_gold"].reason == "the task has no gold evidence"
