"""Faults that users of such memories reported, as far as pure functions of this folder can show them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from thinkback.thought.confidence import is_abstention, verdict
from thinkback.thought.stale import support_of
from thinkback.thought.support import supports
from thinkback.thought.twins import decide, guard
from thinkback.types import Derivation

STANDING = "Mara's boat is moored in Trieste."


def test_fault_3_a_twin_brings_no_second_text() -> None:
    assert decide(guard(STANDING, "In Trieste, Mara's boat is moored.")) == "same"


def test_fault_4_the_same_evidence_twenty_times_is_support_of_one(make_derivation: Callable[..., Derivation]) -> None:
    ways = {"t": [make_derivation(f"d{i}", "t", "chunk-1", at=float(i)) for i in range(20)]}
    assert support_of("t", ways) == 1
    ways["t"].append(make_derivation("other", "t", "chunk-2"))
    assert support_of("t", ways) == 2


def test_fault_13_an_echo_of_a_thought_is_that_thought_and_confirms_nothing(
    make_derivation: Callable[..., Derivation],
) -> None:
    assert guard(STANDING, STANDING).verdict == "same"
    ways = {"t": [make_derivation("first", "t", "a"), make_derivation("echo", "t", "a b", via="t")]}
    assert support_of("t", ways) == 1


@pytest.mark.parametrize(
    "claim",
    [
        "The settings are stored in /etc/boat/settings.yml.",
        "The service listens on port 8443.",
        "The service restarts the database every night.",
    ],
)
def test_fault_14_what_the_chunks_do_not_say_is_unsupported(claim: str) -> None:
    chunk = "The service reads its settings at start and listens on port 8080. Logs are written once a minute."
    assert not supports(claim, chunk).ok


def test_fault_15_an_answer_to_a_what_if_is_no_fact() -> None:
    found = verdict("Queries would be twice as fast.", valid=True, question="What if we used a second index?")
    assert (found.ok, found.status) == (False, "hypothetical")


@pytest.mark.parametrize(
    "text",
    [
        "This cannot be determined from the text.",
        "\u6839\u636e\u6587\u672c\u65e0\u6cd5\u786e\u5b9a\u3002",
        "Cela ne peut pas \u00eatre d\u00e9termin\u00e9 \u00e0 partir du texte.",
    ],
)
def test_fault_18_abstentions_are_kept_out_in_any_language(text: str) -> None:
    assert not verdict(text, valid=True).ok


def test_fault_18_a_word_that_contains_idk_is_not_an_abstention() -> None:
    assert verdict("The sidkit library replaces idk-tools since May.", valid=True).ok


@pytest.mark.parametrize("text", ["I don't know.", "The documents do not say.", "", "[1]"])
def test_fault_20_an_abstention_is_one_even_with_markers(text: str) -> None:
    assert is_abstention(f"{text} [1][2]")
