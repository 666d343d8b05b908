from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.support import best_span, idf_of, longer_than_sources, supports

ITEM = (
    "The station was built in 1932. It measures wind and rain every ten minutes, and sends its data by radio. "
    "In 2019 the mast was replaced. The old mast had not been safe since a storm in November."
)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The mast was replaced in 2019.", "In 2019 the mast was replaced."),
        (
            "Wind and rain are measured every 10 minutes.",
            "It measures wind and rain every ten minutes, and sends its data by radio.",
        ),
        (
            "The old mast was not safe after a storm in November.",
            "The old mast had not been safe since a storm in November.",
        ),
        ("The station was constructed in 1932 and sends its data by radio.", None),
    ],
)
def test_a_claim_in_the_text_is_carried_by_the_sentences_that_say_so(claim: str, quote: str | None) -> None:
    verdict = supports(claim, ITEM)
    assert verdict.ok
    assert verdict.reason == ""
    assert verdict.quote == ITEM[verdict.start : verdict.end]
    if quote:
        assert verdict.quote == quote


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        ("The mast was replaced in 2018.", "2018"),
        ("The station measures wind and rain every twelve minutes.", "number"),
        ("The Oslo station measures wind and rain every ten minutes.", "name"),
        ("The old mast had been safe since a storm in November.", "denies"),
        ("The mast was not replaced in 2019.", "denies"),
        ("All stations measure wind and rain every ten minutes.", "wider"),
        ("The new mast had not been safe since a storm in November.", "opposite"),
        ("The station was painted blue by volunteers.", "missing"),
        ("The station measures wind and snow every ten minutes.", "place"),
    ],
)
def test_what_changes_the_claim_is_refused_with_the_reason(claim: str, word: str) -> None:
    verdict = supports(claim, ITEM)
    assert not verdict.ok
    assert word in verdict.reason
    assert verdict.quote == ITEM[verdict.start : verdict.end]


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The scan took three minutes.", "The scan took twelve minutes and the preparation three hours."),
        ("Three nurses were trained.", "Two nurses and three doctors were trained."),
        ("The lamp is brighter than the candle.", "The lamp and the candle were lit at nine."),
        ("The clinic will open in Bonn.", "It is unclear whether the clinic will open in Bonn."),
        ("Group A was paid by group B.", "Group B was paid by group A."),
        ("Sales in Peru rose.", "Sales in Chile rose, while sales in Peru fell."),
        ("The prize was given by the king.", "The prize was given by the mayor, and the king watched."),
        ("Anna taught her grandmother to bake.", "Anna: My grandmother taught me to bake."),
    ],
)
def test_a_claim_pieced_together_from_true_words_is_refused(claim: str, text: str) -> None:
    assert not supports(claim, text, threshold=0.5).ok


def test_doubt_about_something_else_does_not_matter() -> None:
    assert supports("The clinic opened in Bonn.", "The clinic opened in Bonn, if I remember the year right.").ok


def test_a_quote_lowers_the_bar_but_must_stand_there_and_carry_the_claim() -> None:
    text = (
        "The rural station near Graz is old. It measures wind and rain every ten minutes without a break for repairs."
    )
    quote = "measures wind and rain every ten minutes"
    made_up = "the machine measures wind every ten minutes"
    assert not supports("The machine measures wind and rain every ten minutes.", text, threshold=0.95, quote=made_up).ok
    with_quote = supports("The machine measures wind and rain every ten minutes.", text, threshold=0.95, quote=quote)
    assert with_quote.ok
    assert with_quote.quote == quote
    assert not supports("The machine measures wind and rain every ten minutes.", text, threshold=0.95).ok
    assert not supports("The machine measures wind every ten hours.", text, threshold=0.95, quote=quote).ok


def test_a_quote_cannot_hide_the_negation_beside_it() -> None:
    text = "Contrary to what we hoped, the drug did not lower blood pressure in older mice."
    assert not supports(
        "The drug lowered blood pressure in older mice.", text, quote="lower blood pressure in older mice"
    ).ok


def test_names_may_stand_earlier_in_the_item() -> None:
    text = (
        "Maria Lopez joined the group in spring. At first there was little to do. She later built the second telescope."
    )
    assert supports("Maria Lopez built the second telescope.", text, threshold=0.6).ok
    assert not supports("Clara Diaz built the second telescope.", text, threshold=0.6).ok


def test_two_sentences_count_together_only_if_the_second_goes_on_about_the_first() -> None:
    joined = "The archive burned down in 1911. It was rebuilt with private money."
    apart = "The archive burned down in 1911. Schools were rebuilt with private money."
    claim = "The archive burned down in 1911 and was rebuilt with private money."
    assert supports(claim, joined).ok
    assert not supports(claim, apart).ok


def test_acronyms_and_their_words_are_one() -> None:
    assert supports("The LM was fine-tuned on dialogues.", "We fine-tuned the language model on dialogues.").ok
    assert supports("The language model was fine-tuned on dialogues.", "We fine-tuned the LM on dialogues.").ok


def test_best_span_says_what_is_missing() -> None:
    span = best_span("The mast was replaced by Anna in 2019.", ITEM)
    assert ITEM[span.start : span.end] == "In 2019 the mast was replaced."
    assert span.missing == ("Anna",)
    assert 0 < span.score < 1
    nothing = best_span("Penguins swim.", "...")
    assert (nothing.start, nothing.end, nothing.score) == (0, 0, 0.0)
    assert nothing.missing == ("Penguins", "swim")


def test_rare_words_weigh_more_with_idf() -> None:
    idf = idf_of(["the cat sleeps", "the cat eats", "the cat plays", "a quokka sleeps"])
    assert idf("quokka") > idf("cat")
    assert idf("never-seen") >= idf("quokka")
    text = "The cat is here."
    assert best_span("The cat and the quokka.", text, idf).score < best_span("The cat and the quokka.", text).score
    assert idf_of([])("anything") == 1.0


@pytest.mark.parametrize("claim", ["", "of the and", "?!"])
def test_a_claim_without_content_is_never_carried(claim: str) -> None:
    assert not supports(claim, ITEM).ok


def test_fault_91_a_thought_longer_than_its_sources_is_no_distillate() -> None:
    long = "word " * 60
    assert longer_than_sources(long, ["a short source", "and another"])
    assert not longer_than_sources(long, ["word " * 70])
    assert not longer_than_sources("On 3 May Anna told Tom that she had passed her exam.", ["Yes, on the third!"])


SENTENCES = st.lists(
    st.sampled_from(
        [
            "The pump failed in March.",
            "Anna repaired the old pump within two days.",
            "No spare parts were left in the store.",
            "The river rose by 40 cm.",
            "Most villages were warned in time.",
            "\u6c34\u4f4d\u4e0a\u5347\u4e86\u3002",
        ]
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(SENTENCES, st.data())
def test_every_sentence_of_a_text_is_carried_by_it(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    claim = data.draw(st.sampled_from(parts))
    verdict = supports(claim, text, threshold=1.0)
    assert verdict.ok, verdict.reason
    assert verdict.score == 1
    assert claim in text[verdict.start : verdict.end]


@given(st.text(max_size=150), st.text(max_size=400), st.none() | st.text(max_size=80), st.floats(0.05, 1))
def test_any_claim_and_text_get_a_verdict_with_an_exact_span(
    claim: str, text: str, quote: str | None, threshold: float
) -> None:
    verdict = supports(claim, text, quote=quote, threshold=threshold)
    assert 0 <= verdict.start <= verdict.end <= len(text)
    assert verdict.quote == text[verdict.start : verdict.end]
    assert 0 <= verdict.score <= 1
    assert verdict.ok == (verdict.reason == "")
