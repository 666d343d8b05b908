from __future__ import annotations

import pytest

from thinkback.errors import ModelUnavailable, RateLimited
from thinkback.llm.scripted import CutOff, ScriptedGenerator, ScriptExhausted
from thinkback.ports import Delta, Message, ModelTraits, Reply, Request
from thinkback.types import Usage


def ask(text: str = "two words") -> Request:
    return Request(messages=(Message(role="user", content=text),), max_tokens=10)


def test_replies_come_in_order_and_requests_are_recorded() -> None:
    whole = Reply(text="as given", model="other", usage=Usage(calls=3))
    model = ScriptedGenerator(
        ["one  reply", whole], id="double", traits=ModelTraits(context_window=9, money_per_million_prompt=1e6)
    )
    first = model.generate(ask())
    assert (first.text, first.model, first.usage.prompt_tokens, first.usage.completion_tokens) == (
        "one  reply",
        "double",
        2,
        2,
    )
    assert first.usage.money == pytest.approx(2)
    assert model.generate(ask("again")) is whole
    assert [request.messages[0].content for request in model.requests] == ["two words", "again"]


def test_running_out_is_not_taken_for_a_fault_of_a_model() -> None:
    model = ScriptedGenerator([])
    with pytest.raises(ScriptExhausted, match="no reply to request 1"):
        model.generate(ask())


def test_a_function_answers_each_request() -> None:
    model = ScriptedGenerator(lambda request: request.messages[0].content.upper())
    assert model.generate(ask("abc")).text == "ABC"
    assert model.generate(ask("def")).text == "DEF"


def test_exceptions_are_raised() -> None:
    model = ScriptedGenerator([RateLimited("slow"), RateLimited("slow")])
    with pytest.raises(RateLimited):
        model.generate(ask())
    with pytest.raises(RateLimited):
        next(iter(model.stream(ask())))


def test_words_stream_and_add_up() -> None:
    model = ScriptedGenerator(["<think>x</think>  A few  words.\n"])
    *deltas, reply = model.stream(ask())
    assert [piece.text for piece in deltas if isinstance(piece, Delta)] == ["A ", "few  ", "words."]
    assert isinstance(reply, Reply)
    assert reply.text == "A few  words."


def test_a_reply_can_break_off() -> None:
    cut = CutOff(text="half an", error=ModelUnavailable("cut"))
    model = ScriptedGenerator([cut, cut])
    stream = model.stream(ask())
    assert next(stream) == Delta(text="half ")
    assert next(stream) == Delta(text="an")
    with pytest.raises(ModelUnavailable):
        next(stream)
    with pytest.raises(ModelUnavailable):
        model.generate(ask())


def test_closing_a_stream_is_counted_and_closing_the_model_ends_it() -> None:
    model = ScriptedGenerator(["a b c", "d"])
    stream = model.stream(ask())
    next(stream)
    stream.close()  # type: ignore[attr-defined] # it is a generator
    assert model.streams_closed == 1
    model.close()
    model.close()
    with pytest.raises(ModelUnavailable):
        model.generate(ask())
    assert "requests=1" in repr(model)
