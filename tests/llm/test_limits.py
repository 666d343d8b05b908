from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput, ModelUnavailable, RateLimited
from thinkback.llm.limits import LimitedGenerator
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Message, Reply, Request


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds


def ask(words: int = 1, max_tokens: int = 1) -> Request:
    return Request(messages=(Message(role="user", content="word " * words),), max_tokens=max_tokens)


def limited(replies: Any, moment: FakeTime, **limits: Any) -> LimitedGenerator:
    return LimitedGenerator(ScriptedGenerator(replies), clock=moment.clock, sleep=moment.sleep, **limits)


def test_fault_81_requests_per_minute_are_waited_for() -> None:
    moment = FakeTime()
    model = limited(lambda _: "ok", moment, requests_per_minute=2)
    sent = []
    for _ in range(5):
        model.generate(ask())
        sent.append(moment.now - 1000)
    assert sent == [0, 0, 60, 60, 120]


def test_fault_81_tokens_per_minute_are_waited_for() -> None:
    moment = FakeTime()
    model = limited(lambda _: "ok", moment, tokens_per_minute=100)
    sent = []
    for _ in range(4):
        model.generate(ask(words=49, max_tokens=1))
        sent.append(moment.now - 1000)
    assert sent == [0, 0, 60, 60]


def test_what_was_not_used_is_free_again() -> None:
    moment = FakeTime()
    model = limited(lambda _: "ok", moment, tokens_per_minute=100)
    for _ in range(5):
        model.generate(ask(words=1, max_tokens=50))  # two tokens in truth
    assert moment.slept == []


def test_a_request_over_the_limit_goes_out_alone() -> None:
    moment = FakeTime()
    model = limited(lambda _: "ok", moment, tokens_per_minute=10)
    model.generate(ask(words=500))
    model.generate(ask(words=500))
    assert moment.now == 1060


def test_fault_81_a_refusal_makes_everybody_wait_as_long_as_it_says() -> None:
    moment = FakeTime()
    model = limited([RateLimited("slow", retry_after=7), "ok", RateLimited("slow"), "ok"], moment)
    for expected in (1007, 1012):
        with pytest.raises(RateLimited):
            model.generate(ask())
        assert model.generate(ask()).text == "ok"
        assert moment.now == expected
    streamed = limited([RateLimited("slow", retry_after=3), "ok"], moment)
    with pytest.raises(RateLimited):
        list(streamed.stream(ask()))
    before = moment.now
    list(streamed.stream(ask()))
    assert moment.now == before + 3


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=25), st.integers(1, 5), st.integers(20, 80))
def test_no_minute_ever_sees_more_than_allowed(requests: list[tuple[int, int]], per_minute: int, tokens: int) -> None:
    moment = FakeTime()
    model = limited(lambda _: "ok", moment, requests_per_minute=per_minute, tokens_per_minute=tokens)
    sent: list[tuple[float, int]] = []
    for words, room in requests:
        used = model.generate(ask(words, room)).usage.tokens
        sent.append((moment.now, used))
        moment.now += room / 7
    for at, _ in sent:
        window = [used for when, used in sent if at <= when < at + 60]
        assert len(window) <= per_minute
        assert sum(window) <= tokens or len(window) == 1


def test_no_more_calls_at_a_time_than_allowed() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def answer(_: Request) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return "ok"

    model = LimitedGenerator(ScriptedGenerator(answer), concurrency=3)
    threads = [threading.Thread(target=model.generate, args=(ask(),)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3


def test_a_stream_holds_its_slot_until_it_is_closed_or_has_its_reply() -> None:
    model = LimitedGenerator(ScriptedGenerator(["a b", "c d", "e"]), concurrency=1)
    stream = model.stream(ask())
    next(stream)
    got: list[Reply] = []
    waiting = threading.Thread(target=lambda: got.append(model.generate(ask())))
    waiting.start()
    waiting.join(0.05)
    assert not got
    stream.close()
    waiting.join(5)
    assert got[0].text == "c d"
    held = model.stream(ask())
    assert isinstance([next(held), next(held)][-1], Reply)


def test_errors_free_the_slot() -> None:
    model = LimitedGenerator(ScriptedGenerator([ModelUnavailable("x"), ModelUnavailable("x"), "ok"]), concurrency=1)
    with pytest.raises(ModelUnavailable):
        model.generate(ask())
    with pytest.raises(ModelUnavailable):
        list(model.stream(ask()))
    assert model.generate(ask()).text == "ok"
    assert "ScriptedGenerator" in repr(model)


@pytest.mark.parametrize(
    "limits", [{"concurrency": 0}, {"requests_per_minute": 0}, {"tokens_per_minute": -1}, {"tokens_per_minute": 0}]
)
def test_limits_are_positive(limits: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        LimitedGenerator(ScriptedGenerator([]), **limits)
