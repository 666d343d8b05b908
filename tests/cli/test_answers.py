"""How one answer looks, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from thinkback.app.cli.answers import MARKS, play, show_citations, show_outcomes
from thinkback.engine.events import AnswerEvent, DoneEvent, Event, OutcomeEvent, TextEvent
from thinkback.errors import ModelUnavailable
from thinkback.types import Answer, Citation, Hit, Outcome, OutcomeStatus, Thought, Usage

THOUGHT = "tht_01m8q23dte1zvvd9v1q5prfxz9"


def _events(*outcomes: Outcome) -> list[Event]:
    thought = Thought(id=THOUGHT, namespace="default", text="The bridge opened in 1932.", level=2.0, created_at=0.0)
    hit = Hit(item=thought, kind="thought", row=1, score=1.0, cosine=0.9, why={"dense": 1})
    citation = Citation(
        marker=1,
        document_id="doc_1",
        title="",
        uri="/papers/bridge.pdf",
        page=7,
        start=3,
        end=9,
        quote="It was opened in 1932.",
        root_id="chk_1",
        via=THOUGHT,
    )
    answer = Answer(
        question="When?",
        text="In 1932 [1].",
        found=True,
        citations=(citation,),
        hits=(hit,),
        outcomes=(),
        cached=False,
        usage=Usage(calls=1, prompt_tokens=10, completion_tokens=2, seconds={"answer": 1.0}),
        namespace="default",
        model="m",
        dropped_markers=2,
        warnings=("The answer was cut at its token limit.",),
    )
    done = DoneEvent(answer=answer)
    told = [OutcomeEvent(outcome=outcome) for outcome in outcomes]
    return [TextEvent(text="In 19"), TextEvent(text="32 [1]."), AnswerEvent(answer=answer), *told, done]


def test_everything_about_an_answer_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    stored = Outcome(status="stored", reason="its evidence stands", text="A note.", thought_id=THOUGHT)
    answer = play(_events(stored), thoughts=True)
    said = capsys.readouterr()
    assert answer.text == "In 1932 [1]."
    assert said.out.startswith("In 1932 [1].\n")
    for words in (
        "[1] /papers/bridge.pdf, p. 7, through thought tht_prfxz9",
        "“It was opened in 1932.”",
        "Thoughts reused",
        "tht_prfxz9  The bridge opened in 1932.",
        "1 thought reused",
        "2 markers pointed nowhere",
    ):
        assert words in said.out, words
    assert "cut at its token limit" in said.err


@pytest.mark.parametrize(("carries", "times"), [(None, 0), (True, 0), (False, 1)])
def test_a_quote_that_does_not_carry_the_answer_is_marked(
    carries: bool | None, times: int, capsys: pytest.CaptureFixture[str]
) -> None:
    event = next(event for event in _events() if isinstance(event, AnswerEvent))
    [citation] = event.answer.citations
    show_citations(replace(event.answer, citations=(replace(citation, carries=carries),)))
    assert capsys.readouterr().out.count("the quoted passage does not say this") == times


def test_thoughts_are_counted_but_not_listed_unless_asked(capsys: pytest.CaptureFixture[str]) -> None:
    play(_events())
    out = capsys.readouterr().out
    assert "Thoughts reused" not in out
    assert "1 thought reused" in out
    assert "emembered" not in out


@pytest.mark.parametrize("status", sorted(MARKS))
def test_every_outcome_has_its_mark_and_its_reason(status: OutcomeStatus, capsys: pytest.CaptureFixture[str]) -> None:
    other = "tht_01m8q23dte1zvvd9v1q5prfxyy"
    show_outcomes([Outcome(status=status, reason=f"as {other} says", text="A note.", other_id=other)])
    out = capsys.readouterr().out
    assert f"{MARKS[status][0]} {status.replace('_', ' ')}  A note." in out
    assert "as tht_prfxyy says" in out


def test_the_other_thought_is_named_even_where_the_reason_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    show_outcomes(
        [Outcome(status="linked", reason="the same claim", text="A note.", other_id="tht_01m8q23dte1zvvd9v1q5prfxyy")]
    )
    assert "the same claim (tht_prfxyy)" in capsys.readouterr().out


def test_an_error_in_mid_stream_does_not_share_a_line_with_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> Iterator[Event]:
        yield TextEvent(text="It was opened in")
        raise ModelUnavailable("The connection was cut.")

    with pytest.raises(ModelUnavailable):
        play(broken())
    assert capsys.readouterr().out == "It was opened in\n"
