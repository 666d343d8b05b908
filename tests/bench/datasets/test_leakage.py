from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from thinkback.bench.datasets.leakage import SHINGLE, Secret, shingles

REFERENCE = "We plant ninety maples along four streets and measure the shade at noon for three dry summers in a row."


def test_shingles_are_runs_of_words_without_case_and_punctuation() -> None:
    assert shingles("A b, C!", 2) == {("a", "b"), ("b", "c")}
    assert shingles("too short") == set()


def test_a_copied_sentence_goes_and_the_rest_stays() -> None:
    text = f"Trees drink. {REFERENCE} Roofs do not.\n\nNothing else was copied here."
    assert Secret([REFERENCE]).kept_out_of(text) == "Trees drink.  Roofs do not.\n\nNothing else was copied here."


def test_a_run_over_two_sentences_costs_both() -> None:
    reference = "The maples stand along four streets. The shade was measured at noon in summer."
    text = "Before it. So the maples stand along four streets. The shade was measured at noon by us. After it."
    assert Secret([reference]).kept_out_of(text) == "Before it.   After it."


def test_eleven_words_may_be_shared() -> None:
    text = "They plant ninety maples along four streets and measure the shade. Done."
    assert len(re.findall(r"\w+", "plant ninety maples along four streets and measure the shade")) < SHINGLE
    assert Secret([REFERENCE]).kept_out_of(text) == text


def test_a_run_that_only_arises_when_a_sentence_goes_goes_too() -> None:
    first, second = REFERENCE.split(" measure ")
    text = f"{first}. {REFERENCE} Measure {second}"
    kept = Secret([REFERENCE]).kept_out_of(text)
    assert not shingles(REFERENCE) & shingles(kept)


def test_several_secrets_and_letters_that_change_length_in_lower_case() -> None:
    text = f"\u0130stanbul has trees. {REFERENCE} \u0130zmir has roofs."
    assert Secret(["other", REFERENCE]).kept_out_of(text) == "\u0130stanbul has trees.  \u0130zmir has roofs."


WORDS = st.lists(
    st.sampled_from(["maple", "oak", "roof", "shade", "noon.", "dry", "summer,", "street!", "and", "of", "the"]),
    max_size=60,
)


@given(WORDS, WORDS, WORDS)
def test_nothing_of_a_secret_is_left_and_nothing_is_made_up(
    before: list[str], secret: list[str], after: list[str]
) -> None:
    reference = " ".join(secret)
    text = " ".join([*before, *secret, *after])
    kept = Secret([reference]).kept_out_of(text)
    assert not shingles(reference) & shingles(kept)
    assert set(kept.split()) <= set(text.split())
