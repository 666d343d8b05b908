from __future__ import annotations

from typing import Any

import pytest

from thinkback.bench.metrics.qa import ShortAnswer, exact_match, holds, token_f1


@pytest.mark.parametrize(
    ("text", "reference", "same"),
    [
        ("The Eiffel Tower.", "eiffel tower", True),
        ("an  apple", "Apple", True),
        ("e-mail", "email", True),
        ("Theatre", "atre", False),
        ("12 May", "May 12", False),
        ("", "", True),
        ("the", "", True),
        ("", "x", False),
    ],
)
def test_normalisation_is_squads(text: str, reference: str, *, same: bool) -> None:
    assert exact_match(text, reference) == float(same)


def test_f1_counts_tokens_as_multisets() -> None:
    """ "cat cat dog" and "cat dog dog dog" have cat and dog in common: 2 · 2 / (3 + 4)."""
    assert token_f1("cat cat dog", "the cat dog dog dog") == pytest.approx(4 / 7)
    assert token_f1("in Paris, France", "Paris") == pytest.approx(2 / 4)
    assert token_f1("", "Paris") == token_f1("London", "Paris") == 0.0
    assert token_f1("", "the") == 1.0


def test_yes_and_no_match_themselves_only() -> None:
    assert token_f1("Yes.", "yes") == 1.0
    assert token_f1("yes they did", "yes") == 0.0
    assert token_f1("no", "no way") == 0.0


def test_the_best_reference_counts_for_each_value(tools: Any) -> None:
    one = tools.scored("New York City", references=["NYC", "New York", "city of New York, NY"])
    assert tools.values(ShortAnswer(), one) == {"exact_match": 0.0, "token_f1": pytest.approx(2 * 2 / 5)}
    assert tools.values(ShortAnswer(), tools.scored("nyc!", references=["NYC", "New York"]))["exact_match"] == 1.0


def test_only_questions_with_references_are_scored(tools: Any, reasons: Any) -> None:
    assert reasons(ShortAnswer(), tools.scored("x")) == {"the task has no reference"}
    assert reasons(ShortAnswer(), tools.scored("x", kind="summary", references=["y"])) == {"the task is no question"}


def test_a_reference_stands_in_an_answer_as_whole_words() -> None:
    assert holds("It was in the spring, in Paris.", "Paris")
    assert not holds("Parisian spring", "Paris")
    assert not holds("anything", "the")
