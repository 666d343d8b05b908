from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.case import read_case
from thinkback.thought.support import best_span, idf_of, longer_than_sources, supports
from thinkback.thought.unsaid import asked_only

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


RATED = (
    "The index covers 8,484 firms. The scores that were given by Refinitiv for 2018-2020 are averaged over the years."
)


def test_a_name_and_a_number_do_not_carry_what_is_said_of_them() -> None:
    verdict = supports("Refinitiv was founded in 2018.", RATED)
    assert not verdict.ok
    assert "'founded'" in verdict.reason
    assert not supports("Refinitiv was founded in 2018.", RATED, threshold=0.3).ok
    assert not supports("Refinitiv was founded in 2018.", RATED, quote="given by Refinitiv for 2018-2020").ok


@pytest.mark.parametrize(
    "text",
    [
        "Founded in 2018, Refinitiv rates firms.",
        "Since its foundation in 2018 Refinitiv has rated firms.",
        "The founders of Refinitiv met in 2018.",
        "Refinitiv was established in 2018.",
    ],
)
def test_the_predicate_may_stand_there_in_another_form(text: str) -> None:
    assert supports("Refinitiv was founded in 2018.", text).ok


def test_what_a_claim_has_from_its_question_alone_is_not_carried() -> None:
    claim, question = "The warranty of the Argo router covers water, dust and heat.", "What does the warranty cover?"
    text = "Against water, dust and heat the Argo router is covered from all sides."
    asked = supports(claim, text, question=question)
    assert not asked.ok
    assert asked.reason == "'warranty' is a word of the question, not of the evidence"
    assert supports(claim, text).ok  # nothing else refuses it
    claim, question = "The harbour bridge was opened in 1932.", "When was the harbour bridge opened?"
    assert supports(claim, "The bridge was opened in 1932.", question=question).ok
    assert not supports(claim, "The harbour was opened in 1932.", question=question, threshold=0.4).ok


def test_words_of_the_question_but_for_the_predicate_may_stand_earlier_in_the_item() -> None:
    claim, question = "The battery of the Sprint bike lasted 70 kilometres.", "How far did the battery last?"
    before = "The Sprint bike has a new battery. "
    assert supports(claim, before + "In winter 70 kilometres lasted.", threshold=0.5, question=question).ok
    before = "The Sprint bike has a battery that lasted. "
    assert not supports(claim, before + "In winter 70 kilometres are common.", threshold=0.3, question=question).ok


def test_the_words_of_a_question_in_chinese_count_too() -> None:
    claim, question = "晨光公司成立于2005年。", "晨光公司成立于哪一年？"
    text = "晨光公司2005年的销售额为三亿元。"
    assert "question" in asked_only(read_case(claim, text, 0, len(text), question=question))
    assert asked_only(read_case(claim, text, 0, len(text))) == ""
    assert supports(claim, "2005年成立的晨光公司总部设在杭州。", question=question).ok


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Port Elm was opened in 2018.", "Port Elm was opened in 1999 and rated safe in 2018."),
        ("Arvid designed the chapel.", "Arvid carried stones for the chapel, which Berta designed in one night."),
        ("Sample B7 holds 14% iron.", "Sample B7 absorbed 14% of the light and grew warm near the iron rod."),
    ],
)
def test_a_predicate_that_is_said_of_another_is_refused(claim: str, text: str) -> None:
    assert not supports(claim, text, threshold=0.5).ok


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Sales rose by 6% in 2020.", "Sales rose by 4% in 2019 and 6% in 2020."),
        ("The tent costs 120 euros.", "Price of the tent: 120 euros."),
        ("Ahmed learned to swim.", "Ahmed: My daughter taught me to swim!"),
        ("Tim visited a castle.", "(3 May) Tim: I went to a castle on Friday."),
        ("Der Turm von Alm wurde 1703 zerstört.", "Nach der Zerstörung 1703 blieb vom Turm von Alm nur der Keller."),
    ],
)
def test_a_predicate_that_goes_without_saying_or_is_put_otherwise_is_not_missed(claim: str, text: str) -> None:
    assert supports(claim, text).ok


def test_names_may_stand_in_the_title_of_the_document_but_no_numbers_and_no_other_words() -> None:
    text = "The ratings of six agencies were compared. The ratings differ most in what they measure."
    title = "Aggregate Confusion: Why ESG Ratings Diverge since 2010"
    assert supports("ESG ratings differ most in what they measure.", text, title=title).ok
    assert not supports("ESG ratings differ most in what they measure.", text).ok
    assert not supports("Nordic ratings differ most in what they measure.", text, title=title).ok
    assert not supports("Since 2010 the ratings differ most in what they measure.", text, title=title).ok
    assert not supports("The ratings diverge.", text, title=title).ok
    assert best_span("ESG ratings differ.", text, title=title).missing == ()
    assert best_span("ESG ratings differ.", text).missing == ("ESG",)


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
