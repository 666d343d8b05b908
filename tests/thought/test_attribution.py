from __future__ import annotations

import pytest

from thinkback.thought.attribution import misattributed, turns_of
from thinkback.thought.facts import facts
from thinkback.thought.support import supports


def test_turns_begin_after_their_label_and_end_at_the_next() -> None:
    text = "(2 May) Ada: Hello.\nBruno: Hi!\nHow are you?"
    assert [(turn.speaker, text[turn.start : turn.end]) for turn in turns_of(text)] == [
        ("Ada", "Hello."), ("Bruno", "Hi!\nHow are you?"),
    ]  # fmt: skip
    assert turns_of("No one speaks here: it is prose.") == []


TALK = "Ada: Hi Bruno! I moved to Lisbon last week. You found a job there, right? Carla did. She starts on Monday."


@pytest.mark.parametrize(
    ("claim", "carried"),
    [
        ("Ada moved to Lisbon.", True),
        ("Bruno moved to Lisbon.", False),
        ("Dora moved to Lisbon.", False),  # stands nowhere in the talk
        ("Bruno found a job.", True),
        ("Carla starts on Monday.", True),
    ],
)
def test_who_does_it_is_told_by_person(claim: str, carried: bool) -> None:
    assert (not misattributed(facts(claim), TALK, 0, len(TALK))) is carried


def test_a_claim_about_both_is_left_to_other_checks() -> None:
    claim = "Ada told Bruno that she moved to Lisbon."
    assert misattributed(facts(claim), TALK, 0, len(TALK)) == ""


def test_what_one_says_in_one_turn_is_not_the_others() -> None:
    text = "Bruno: How was the trip?\nAda: Wonderful. I joined a choir there."
    assert supports("Ada joined a choir.", text).ok
    verdict = supports("Bruno joined a choir.", text)
    assert not verdict.ok
    assert verdict.reason == "the evidence does not say it of the one whom the claim names"


def test_text_without_turns_is_no_matter_of_persons() -> None:
    assert misattributed(facts("Bruno joined a choir."), "I joined a choir, Bruno.", 0, 24) == ""
