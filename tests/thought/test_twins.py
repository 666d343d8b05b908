from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.twins import GuardResult, decide, guard


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Tom bought the house.", "The house was purchased by Tom."),
        ("The court approved the plan on 3 May.", "On May 3 the court gave its approval to the plan."),
        ("The engine needs 1.5 GB of memory.", "1,500 MB of memory are needed by the engine."),
        ("Because of fog the flight was cancelled.", "The flight was cancelled due to fog."),
        ("Her brother Karl, a baker, lives in Graz.", "Karl, her brother, a baker, lives in Graz."),
        ("Users can't edit invoices.", "Users cannot edit invoices."),
        ("Tom and Ann wrote the paper.", "The paper was written by Ann and Tom."),
        ("Only staff may enter the lab.", "The lab may be entered by staff only."),
    ],
)
def test_what_is_said_in_other_words_is_the_same(left: str, right: str) -> None:
    assert guard(left, right).verdict == "same", guard(left, right).reason


@pytest.mark.parametrize(
    ("left", "right", "word"),
    [
        ("The valve holds 30 bar.", "The valve holds 35 bar.", "number"),
        ("The valve holds 30 bar in Oslo.", "The valve holds 30 bar in Bergen.", "name"),
        ("The valve holds in frost.", "The valve does not hold in frost.", "denies"),
        ("Lea warned Max about Tom.", "Max warned Lea about Tom.", "parts"),
        ("Lea moved from Rome to Paris.", "Lea moved from Paris to Rome.", "parts"),
        ("The mayor was thanked by the pupils.", "The pupils were thanked by the mayor.", "parts"),
        ("Protein A1 blocks protein B2.", "Protein A1 is blocked by protein B2.", "parts"),
        ("It is warmer in Rome than in Oslo.", "It is warmer in Oslo than in Rome.", "parts"),
        ("Prices rose in spring.", "Prices fell in spring.", "opposite"),
        ("All valves passed the test.", "Some valves passed the test.", "quantity"),
        ("The valve is safe.", "The valve is unsafe.", "opposite"),
    ],
)
def test_what_contradicts_is_different_in_a_named_point(left: str, right: str, word: str) -> None:
    found = guard(left, right)
    assert found.verdict == "different"
    assert word in found.reason


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Fatima has a dog.", "Fatima has a cat."),
        ("Tom may sell the house.", "Tom sells the house."),
        ("The house was sold.", "The house was sold for 300,000 euros."),
        ("The treatment works in adults.", "The treatment works only in adults."),
        ("Tom taught Ann to swim.", "Ann learned to swim from Tom."),
        ("Tom hit the wall.", "Tom was hit."),
        ("Max stopped smoking and kept drinking.", "Max kept smoking and stopped drinking."),
        ("Rome has 40 bridges.", "The committee meets 12 times a year."),
        ("", "Tom sells the house."),
        ("...", "!?"),
    ],
)
def test_what_the_words_cannot_tell_stays_undecided(left: str, right: str) -> None:
    assert guard(left, right).verdict == "undecided"


def test_fault_1_the_same_text_again_is_the_same_claim() -> None:
    text = "Mara takes her parents to the coast every June."
    assert guard(text, text).verdict == "same"


def test_fault_2_and_5_a_note_with_one_fact_more_is_neither_twin_nor_conflict() -> None:
    short = "The tour suits elderly people."
    long = "The tour suits elderly people and is mostly booked by families."
    for left, right in ((short, long), (long, short)):
        found = guard(left, right)
        assert found.verdict == "undecided"
        assert "more" in found.reason or "quantity" in found.reason


@pytest.mark.parametrize(
    ("guarded", "judged", "expected"),
    [
        ("same", None, "same"),
        ("same", "different", "same"),
        ("different", "same", "different"),
        ("undecided", None, "undecided"),
        ("undecided", "same", "same"),
        ("undecided", "different", "different"),
        ("undecided", "undecided", "undecided"),
    ],
)
def test_a_judge_is_heard_only_where_the_words_do_not_tell(guarded: str, judged: str | None, expected: str) -> None:
    assert decide(GuardResult(verdict=guarded, reason=""), judged) == expected  # type: ignore[arg-type]


NAMES = st.sampled_from(["Ann", "Ben", "Carla", "David", "Emil"])
VERBS = st.sampled_from(["paid", "visited", "warned", "hired", "followed"])


@given(NAMES, VERBS, NAMES, st.integers(2, 400), st.integers(2, 400))
def test_numbers_and_roles_of_built_sentences_always_count(who: str, did: str, whom: str, one: int, other: int) -> None:
    if who == whom:
        return
    left = f"{who} {did} {whom} after {one} weeks."
    assert guard(left, left).verdict == "same"
    assert guard(left, f"{whom} was {did} by {who} after {one} weeks.").verdict == "same"
    assert guard(left, f"{whom} {did} {who} after {one} weeks.").verdict == "different"
    assert guard(left, f"{who} was {did} by {whom} after {one} weeks.").verdict == "different"
    if one != other:
        assert guard(left, f"{who} {did} {whom} after {other} weeks.").verdict == "different"


@given(st.text(max_size=120), st.text(max_size=120))
def test_the_guard_is_symmetric(left: str, right: str) -> None:
    assert guard(left, right) == guard(right, left)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=120))
def test_no_text_is_different_from_itself(text: str) -> None:
    assert guard(text, text).verdict != "different"
