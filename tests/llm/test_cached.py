from __future__ import annotations

import dataclasses
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from thinkback.errors import InvalidInput, ModelUnavailable
from thinkback.llm.cached import CachedGenerator, reply_key
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Delta, Message, Reply, Request


def ask(text: str = "q", **rest: Any) -> Request:
    return Request(messages=(Message(role="user", content=text),), **({"max_tokens": 5} | rest))


def test_a_reply_is_kept_across_openings_and_costs_nothing(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "replies.sqlite"
    first = CachedGenerator(ScriptedGenerator(["one two"]), file)
    asked = first.generate(ask())
    first.close()
    again = CachedGenerator(ScriptedGenerator([]), file)
    kept = again.generate(ask())
    assert (kept.text, kept.model, kept.finish) == (asked.text, asked.model, asked.finish)
    assert (kept.usage.calls, kept.usage.completion_tokens) == (0, 2)
    assert again.hits == 1
    *deltas, reply = again.stream(ask())
    assert deltas == [Delta(text="one two")]
    assert reply == kept
    again.close()


def test_a_streamed_reply_is_kept_once_it_is_whole(tmp_path: Path) -> None:
    model = CachedGenerator(ScriptedGenerator(["a b c", "d e f", "never"]), tmp_path / "r")
    stream = model.stream(ask())
    next(stream)
    stream.close()
    assert isinstance(list(model.stream(ask()))[-1], Reply)
    assert model.generate(ask()).text == "d e f"
    model.close()


@pytest.mark.parametrize(
    "change",
    [
        {"max_tokens": 6},
        {"temperature": 0.5},
        {"seed": 1},
        {"stop": ("x",)},
        {"schema": {"type": "object"}},
        {"messages": (Message(role="system", content="q"),)},
        {"messages": (Message(role="user", content="q"), Message(role="user", content=""))},
    ],
)
def test_fault_64_everything_that_changes_a_reply_is_in_its_key(change: dict[str, Any]) -> None:
    request = ask()
    changed = dataclasses.replace(request, **change)
    assert reply_key("m", request) != reply_key("m", changed)
    assert reply_key("m", request) != reply_key("other", request)
    assert reply_key("m", request) == reply_key("m", dataclasses.replace(request, purpose="judge"))


def test_fault_64_another_model_gets_another_reply(tmp_path: Path) -> None:
    one = CachedGenerator(ScriptedGenerator(["of one"], id="one"), tmp_path / "r")
    two = CachedGenerator(ScriptedGenerator(["of two"], id="two"), tmp_path / "r")
    assert one.generate(ask()).text == "of one"
    assert two.generate(ask()).text == "of two"
    one.close()
    two.close()


def test_the_order_of_a_schemas_fields_counts() -> None:
    left = ask(schema={"properties": {"a": {}, "b": {}}})
    right = ask(schema={"properties": {"b": {}, "a": {}}})
    assert reply_key("m", left) != reply_key("m", right)


def test_fault_12_the_file_is_bounded_and_the_least_used_give_way(tmp_path: Path) -> None:
    model = CachedGenerator(
        ScriptedGenerator(lambda request: request.messages[0].content * 100), tmp_path / "r", max_bytes=1000
    )
    for text in "abcdefgh":
        model.generate(ask(text))
    before = model.hits
    model.generate(ask("h"))
    assert model.hits == before + 1
    model.generate(ask("i"))
    model.generate(ask("j"))
    model.generate(ask("k"))
    with sqlite3.connect(tmp_path / "r") as db:
        (size,) = db.execute("SELECT sum(size) FROM timed_replies").fetchone()
    db.close()
    assert size <= 1000
    model.generate(ask("a"))
    assert model.hits == before + 1
    model.close()


def test_errors_are_not_kept(tmp_path: Path) -> None:
    model = CachedGenerator(ScriptedGenerator([ModelUnavailable("x"), "ok"]), tmp_path / "r")
    with pytest.raises(ModelUnavailable):
        model.generate(ask())
    assert model.generate(ask()).text == "ok"
    assert "ScriptedGenerator" in repr(model)
    model.close()


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"not a database at all, but long enough to be read as one" * 100)
    with pytest.raises(InvalidInput):
        CachedGenerator(ScriptedGenerator([]), tmp_path / "r")
    (tmp_path / "f").write_text("x")
    with pytest.raises(InvalidInput):
        CachedGenerator(ScriptedGenerator([]), tmp_path / "f" / "r")


def test_a_reply_that_cannot_be_kept_is_still_a_reply(tmp_path: Path) -> None:
    model = CachedGenerator(ScriptedGenerator(["ok", "ok"]), tmp_path / "r")
    with sqlite3.connect(tmp_path / "r") as other:
        other.execute("DROP TABLE timed_replies")
        other.execute(
            "CREATE TABLE timed_replies (key, text, model, finish, prompt_tokens, completion_tokens, estimated, seconds, used_at)"
        )
    other.close()
    assert model.generate(ask()).text == "ok"
    assert model.not_kept == 1
    model.close()
    model.close()


def test_many_threads(tmp_path: Path) -> None:
    model = CachedGenerator(ScriptedGenerator(lambda request: request.messages[0].content), tmp_path / "r")
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: texts.append(model.generate(ask(str(n % 4))).text)) for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == sorted(str(n % 4) for n in range(16))
    model.close()


def test_a_kept_reply_says_how_long_it_once_took(tmp_path: Path) -> None:
    model = CachedGenerator(ScriptedGenerator(["a reply"]), tmp_path / "r")
    fresh = model.generate(ask())
    kept = model.generate(ask())
    model.close()
    assert "model" not in fresh.usage.seconds
    assert kept.usage.calls == 0
    assert 0 <= kept.usage.seconds["model"] < 60
