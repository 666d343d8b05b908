from __future__ import annotations

import subprocess
import sys

import pytest

from thinkback.thought.matching import kin, particles
from thinkback.thought.thesaurus import known, names_thing, phrase_known
from thinkback.thought.words import words


def test_a_word_is_known_in_every_form_it_is_written_in() -> None:
    for form in ("purchase", "purchases", "purchased", "purchasing"):
        assert "buy" in known(form).same, form
    assert "death" in known("died").derived
    assert "die" in known("deaths").derived
    assert "bad" in known("good").opposite


def test_rare_senses_make_no_synonyms() -> None:
    assert "learn" not in known("teach").same  # "that'll learn you"
    assert "steal" not in known("buy").same  # both are bargains
    assert "tak" not in known("adopt").same


def test_the_kinds_tell_verbs_from_nouns() -> None:
    assert known("decide").verb == 9
    assert known("house").noun > known("house").verb
    assert known("teacher").person
    assert known("acquisition").event
    assert known("yesterday").time
    assert known("zzyzx") == known("qqqqq")


def test_british_spellings_are_known_by_the_american_ones() -> None:
    assert known("defence").event == known("defense").event is True
    assert known("apologised").verb == known("apologized").verb > 0
    assert known("colour").noun == known("color").noun > 0


def test_some_words_in_ing_are_things_themselves() -> None:
    assert names_thing("training")
    assert not names_thing("updating")


def test_a_verb_with_its_particle_is_looked_up_as_one() -> None:
    assert "breakdown" in phrase_known("broke", "down").derived
    found = words("The enzyme broke the starch down.")
    assert {found[2].start: "down"} == {at: particle.text for at, particle in particles(found).items()}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("died", "death", True),
        ("terminate", "end", True),
        ("approval", "approve", True),
        ("good", "bad", False),
        ("red", "blue", False),
        ("mother", "father", False),
        ("murdered", "killed", False),
        ("town", "city", False),
        ("Tuesday", "Thursday", False),
    ],
)
def test_words_that_can_mean_the_same(left: str, right: str, expected: bool) -> None:
    one, other = words(left)[0], words(right)[0]
    assert kin(one, other) is kin(other, one) is expected


def test_the_data_are_read_only_when_asked_for() -> None:
    code = (
        "import thinkback.thought.twins, thinkback.thought.thesaurus as t\n"
        "assert t._lines.cache_info().currsize == 0\n"
        "t.known('house')\n"
        "assert t._lines.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
