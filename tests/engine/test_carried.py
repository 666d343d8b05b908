"""What a small model invents around real names, numbers and quotes is neither remembered nor passed off as cited."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thinkback.ports import ModelTraits

SMALL = ModelTraits(context_window=4096, evidence_first=True, local=True)
RATED = (
    "We compare the scores of six agencies. The funds of the sample were rated by Refinitiv for 2018-2020, and the "
    "scores of each fund were found to be stable over the years."
)
QUOTE = "were rated by Refinitiv for 2018-2020"
QUESTION = "In which year was Refinitiv founded?"
INVENTED = "Refinitiv was founded in 2018."


def reply(answer: str, *quotes: str) -> str:
    """Return what a model says that quotes before it answers."""
    return json.dumps({"evidence": [{"item": 1, "quote": quote} for quote in quotes], "found": True, "answer": answer})


@pytest.mark.parametrize("support", [0.7, 0.3])
@pytest.mark.parametrize("answer", [INVENTED, "2018", "It was founded in 2018."])
def test_an_invention_around_a_real_quote_is_marked_and_not_remembered(
    make_engine: Any, script: Any, atoms: Any, answer: str, support: float
) -> None:
    engine = make_engine(traits=SMALL, support=support)
    engine.add(RATED, title="Ratings compared")
    script.answer, script.distil = reply(answer, QUOTE), atoms(INVENTED)
    said = engine.ask(QUESTION)
    [citation] = said.citations
    assert (citation.quote, citation.carries) == (QUOTE, False)
    assert citation.to_dict()["carries"] is False
    assert any("do not carry the answer" in warning for warning in said.warnings)
    [outcome] = said.outcomes
    assert outcome.status == "unsupported"
    assert "founded" in outcome.reason
    assert engine.get_all() == ()
    kept = engine.ask(QUESTION)
    assert kept.cached
    assert [citation.carries for citation in kept.citations] == [False]


def test_an_invention_of_a_model_that_answers_in_prose_is_not_remembered(engine: Any, script: Any, atoms: Any) -> None:
    engine.add(RATED)
    script.answer, script.distil = f"{INVENTED[:-1]} [1].", atoms(INVENTED)
    said = engine.ask(QUESTION)
    assert [outcome.status for outcome in said.outcomes] == ["unsupported"]
    assert [citation.carries for citation in said.citations] == [None]


@pytest.mark.parametrize("answer", ["The funds were rated by Refinitiv for 2018-2020.", "Refinitiv"])
def test_a_quote_that_carries_the_answer_is_marked_so(make_engine: Any, script: Any, answer: str) -> None:
    engine = make_engine(traits=SMALL)
    engine.add(RATED)
    script.answer = reply(answer, QUOTE)
    said = engine.ask("Who rated the funds?", remember=False)
    assert [citation.carries for citation in said.citations] == [True]
    assert said.warnings == ()


def test_a_citation_moves_to_the_passage_of_its_item_that_carries_the_answer(
    make_engine: Any, script: Any, bridge: str
) -> None:
    engine = make_engine(traits=SMALL)
    [added] = engine.add(bridge)
    script.answer = reply("The bridge was opened in 1932.", "The harbour bridge is a steel arch.")
    [citation] = engine.ask("When was the bridge opened?", remember=False).citations
    assert (citation.quote, citation.carries) == ("The bridge was opened in 1932 after nine years of work.", True)
    assert engine.text(added.document_id)[citation.start : citation.end] == citation.quote


def test_a_part_of_the_answer_that_no_quote_carries_is_warned_of(make_engine: Any, script: Any, bridge: str) -> None:
    engine = make_engine(traits=SMALL)
    engine.add(bridge)
    script.answer = reply(
        "The bridge is a steel arch. It was designed by a queen.", "The harbour bridge is a steel arch."
    )
    said = engine.ask("What is the bridge?", remember=False)
    assert [citation.carries for citation in said.citations] == [True]
    assert said.warnings == ("The quotes stand in the sources, but do not carry all of the answer.",)


def test_what_the_model_quoted_helps_its_notes_to_be_found(make_engine: Any, script: Any, atoms: Any) -> None:
    text = "The rural station near Graz is old. It measures wind and rain every ten minutes without any break."
    note = "The machine measures wind and rain every ten minutes."
    engine = make_engine(traits=SMALL, support=0.8)
    engine.add(text)
    script.distil = atoms(note)
    script.answer = reply("It measures wind and rain every ten minutes.", "It measures wind and rain every ten minutes")
    [outcome] = engine.ask("What does the station measure?").outcomes
    assert (outcome.status, outcome.support < 0.8) == ("stored", True)
    other = make_engine(traits=SMALL, support=0.8)
    other.add(text)
    script.answer = reply("It is old.", "The rural station near Graz is old.")
    assert [one.status for one in other.ask("What does the station measure?").outcomes] == ["unsupported"]


def test_a_name_of_the_title_belongs_to_what_the_document_says(engine: Any, script: Any, atoms: Any) -> None:
    note = "The ESG ratings of six agencies differ most in what they measure."
    engine.add("The ratings of six agencies differ most in what they measure.", title="Why ESG ratings diverge")
    script.distil = atoms(
        note, "The ratings of six agencies diverge.", "The Nordic ratings of six agencies differ most."
    )
    said = engine.ask("In what do ratings differ?")
    assert [outcome.status for outcome in said.outcomes] == ["stored", "unsupported", "unsupported"]
    assert [thought.text for thought in engine.get_all()] == [note]
    assert engine.audit().counts.get("unsupported", 0) == 0


def test_notes_that_cannot_be_understood_alone_are_refused(engine: Any, script: Any, atoms: Any, bridge: str) -> None:
    engine.add(bridge)
    script.distil = atoms("and eight lanes of traffic", "It carries eight lanes of traffic and two rail tracks.")
    said = engine.ask("What does the bridge carry?")
    assert [outcome.status for outcome in said.outcomes] == ["unsupported", "unsupported"]
    assert all(outcome.reason.startswith("not self-contained: ") for outcome in said.outcomes)
    assert engine.get_all() == ()
