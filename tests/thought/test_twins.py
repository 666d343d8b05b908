from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
        ("Tom taught Ann to swim.", "Ann learned to swim from Tom."),
        ("Ann lent Tom her tent.", "Tom borrowed the tent from Ann."),
        ("Tom is taller than Ann.", "Ann is shorter than Tom."),
        ("The van uses less oil than the bus.", "The bus uses more oil than the van."),
        ("The pump failed to start.", "The pump did not start."),
        ("The house will be sold in May.", "The sale of the house is planned for May."),
        ("The court took the decision to close the mine.", "The court decided to close the mine."),
        ("Thieves stole the bell.", "The bell was stolen."),
        ("She handed the keys over to Tom.", "She gave Tom the keys."),
        ("The storm cut the harvest by a third.", "Because of the storm, the harvest fell by a third."),
        ("Tickets cost 5 euros a day.", "Each day, tickets cost 5 euros."),
        ("Nobody saw the ship.", "The ship was not seen by anybody."),
        ("The cat is looked after by Tom.", "Tom looks after the cat."),
        ("The hall was closed in 1990 and demolished.", "In 1990 the hall was closed and torn down."),
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
        ("Tom hit the wall.", "Tom was hit."),
        ("Max stopped smoking and kept drinking.", "Max kept smoking and stopped drinking."),
        ("Rome has 40 bridges.", "The committee meets 12 times a year."),
        ("", "Tom sells the house."),
        ("...", "!?"),
    ],
)
def test_what_the_words_cannot_tell_stays_undecided(left: str, right: str) -> None:
    assert guard(left, right).verdict == "undecided"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Nora lent her tent to Ilse.", "Ilse's tent was lent to Nora."),  # whose it is
        ("Karl inherited the mill from his aunt.", "Karl's aunt inherited the mill."),
        ("Karl inherited the mill from his aunt.", "Karl's mill was inherited by his aunt."),
        ("Eva moved into her aunt's flat.", "Eva's aunt moved into her flat."),
        ("The king's murderer was his brother.", "The king murdered his brother."),
        ("Acme's purchase of Borea was announced.", "Borea's purchase of Acme was announced."),
        ("Rome's defeat by Carthage was final.", "Rome's defeat of Carthage was final."),
        ("The defence of the city by the rebels failed.", "The defence against the rebels by the city failed."),
        ("Ann works at Acme.", "Ann worked at Acme."),  # when
        ("Tom used to smoke.", "Tom smokes."),
        ("The bridge was being repaired in May.", "The bridge had been repaired in May."),
        ("The hall will be closed.", "The hall was closed."),
        ("Eve was born on 3 April 1962.", "Eve was born on 4 March 1962."),
        ("The alarm rings when the door is open.", "The door is open when the alarm rings."),
        ("He was hired before she was fired.", "He was fired before she was hired."),
        ("The man who sold the car left.", "The man who left sold the car."),
        ("The train leaves for Bern at nine.", "The train leaves Bern at nine."),  # whither
        ("The fee fell to 20 euros.", "The fee fell by 20 euros."),
        ("The ships sailed into the port.", "The ships sailed out of the port."),
        ("She translated it into Dutch.", "She translated it from Dutch."),
        ("The dog chased the cat into the barn.", "The cat was chased into the barn, where the dog was."),
        ("Tom taught Ann to swim.", "Tom learned to swim from Ann."),  # from which side
        ("Tom is taller than Ann.", "Tom is shorter than Ann."),
        ("Ann asked Tom to lend her money.", "Tom asked Ann to lend him money."),
        ("The city hopes to close the mine.", "The city decided to close the mine."),
        ("Cooling the metal shrinks the gap.", "Shrinking the gap cools the metal."),
        ("A few pupils passed.", "Few pupils passed."),
    ],
)
def test_what_is_said_of_others_or_of_another_time_is_not_joined(left: str, right: str) -> None:
    assert guard(left, right).verdict != "same"
    assert guard(right, left).verdict != "same"


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


def test_a_judge_does_not_overrule_what_is_read() -> None:
    read = guard("Nora lent her tent to Ilse.", "Ilse's tent was lent to Nora.")
    assert (read.verdict, read.open) == ("undecided", False)
    assert decide(read, "same") == "undecided"
    assert guard("Fatima has a dog.", "Fatima has a cat.").open


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


def test_most_paraphrases_of_the_open_part_are_read_alike(golden: Callable[..., list[dict[str, Any]]]) -> None:
    pairs = [pair for pair in golden("twins", "dev") if pair["label"] == "same"]
    found = [guard(pair["left"], pair["right"]).verdict for pair in pairs]
    assert found.count("same") >= 0.62 * len(found)  # what was reached: a rule that loses some should be seen
    assert found.count("different") <= 0.03 * len(found)
