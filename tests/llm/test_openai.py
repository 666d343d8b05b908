from __future__ import annotations

import json
import subprocess
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx2
import openai
import pytest

from thinkback.errors import (
    BadReply,
    InvalidInput,
    ModelDenied,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from thinkback.llm.openai import OpenAIGenerator
from thinkback.llm.openai_errors import translate
from thinkback.ports import Delta, ModelTraits, Reply

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


def collect(stream: Any) -> tuple[list[str], Reply]:
    *deltas, reply = stream
    assert all(isinstance(piece, Delta) for piece in deltas)
    assert isinstance(reply, Reply)
    return [piece.text for piece in deltas], reply


# --- the ordinary way ------------------------------------------------------------------------------------------------
def test_a_reply_with_its_cost(serve, ask, api) -> None:
    traits = ModelTraits(context_window=1000, money_per_million_prompt=2.0, money_per_million_completion=10.0)
    model, server = serve(api.completion("  Hello. ", usage=api.USAGE), traits=traits)
    reply = model.generate(ask(stop=("END",), seed=7, temperature=0.5))
    assert (reply.text, reply.model, reply.finish) == ("Hello.", "served-model", "stop")
    usage = reply.usage
    assert (usage.calls, usage.failed_calls, usage.prompt_tokens, usage.completion_tokens) == (1, 0, 11, 7)
    assert usage.cached_prompt_tokens == 4
    assert usage.money == pytest.approx((11 * 2 + 7 * 10) / 1e6)
    assert not usage.estimated
    assert server.bodies[0] == {
        "model": "a-model",
        "messages": [{"role": "user", "content": "What is up?"}],
        "max_tokens": 50,
        "temperature": 0.5,
        "seed": 7,
        "stop": ["END"],
    }
    assert server.headers[0]["authorization"] == "Bearer sk-secret-0123456789"
    assert model.id == "openai:a-model@models.test"


def test_fault_79_a_stream_is_counted(serve, ask, api) -> None:
    model, server = serve(
        api.events(
            api.chunk("", role="assistant"),
            api.chunk("Hel"),
            api.chunk("lo."),
            api.chunk(finish="stop"),
            api.usage_chunk(),
            "[DONE]",
        )
    )
    deltas, reply = collect(model.stream(ask()))
    assert deltas == ["Hel", "lo."]
    assert reply.text == "Hello."
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.estimated) == (11, 7, False)
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_missing_usage_is_estimated_and_says_so(serve, ask, api) -> None:
    model, _ = serve(api.completion("Hello there."))
    usage = model.generate(ask()).usage
    assert usage.estimated
    assert usage.prompt_tokens >= 4
    assert usage.completion_tokens >= 3
    streamed, _ = serve(api.events(api.chunk("Hello there.", "stop"), "[DONE]"))
    assert collect(streamed.stream(ask()))[1].usage.estimated


def test_openai_itself_is_the_default_and_wants_a_key(serve, ask, api) -> None:
    model, server = serve(api.completion("x"), base_url=None)
    model.generate(ask())
    assert model.id == "openai:a-model"
    assert server.bodies[0]["max_completion_tokens"] == 50
    keyless = OpenAIGenerator("m")
    with pytest.raises(ModelDenied, match="OPENAI_API_KEY"):
        keyless.generate(ask())


def test_a_local_server_wants_no_key_and_learns_nothing_about_accounts(serve, ask, api, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody")
    model, server = serve(api.completion("x"), api_key=None)
    model.generate(ask())
    assert "openai-organization" not in server.headers[0]
    assert server.headers[0]["authorization"] == "Bearer none"


@pytest.mark.parametrize("address", ["ftp://x/v1", "localhost:8080", "http://"])
def test_an_address_must_be_one(address: str) -> None:
    with pytest.raises(InvalidInput):
        OpenAIGenerator("m", base_url=address)


# --- waiting and trying again ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again_and_counted(serve, ask, api, status: int) -> None:
    model, server = serve(api.refusal(status), api.refusal(status), api.completion("Now."))
    reply = model.generate(ask())
    assert reply.text == "Now."
    assert (reply.usage.calls, reply.usage.failed_calls) == (1, 2)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ModelRejected),
        (401, ModelDenied),
        (402, ModelDenied),
        (403, ModelDenied),
        (404, ModelRejected),
        (413, ModelRejected),
        (422, ModelRejected),
    ],
)
def test_what_cannot_pass_is_not_tried_again(serve, ask, api, status: int, kind: type[ModelError]) -> None:
    model, server = serve(api.refusal(status))
    with pytest.raises(kind) as caught:
        model.generate(ask())
    assert len(server.bodies) == 1
    assert caught.value.usage.failed_calls == 1


def test_fault_29_a_server_that_keeps_failing_is_a_typed_error_with_its_count(serve, ask, api) -> None:
    model, server = serve(api.refusal(500), attempts=3)
    with pytest.raises(ModelUnavailable, match="HTTP 500") as caught:
        model.generate(ask())
    assert len(server.bodies) == 3
    assert caught.value.usage.failed_calls == 3
    assert caught.value.retryable


def test_fault_81_retry_after_is_honoured(serve, ask, api) -> None:
    model, _ = serve(api.refusal(429, headers={"retry-after-ms": "300"}), api.completion("Now."))
    began = time.monotonic()
    assert model.generate(ask()).text == "Now."
    assert time.monotonic() - began >= 0.3
    busy, _ = serve(api.refusal(503, headers={"Retry-After": "0.2"}), api.completion("Now."))
    began = time.monotonic()
    assert busy.generate(ask()).text == "Now."
    assert time.monotonic() - began >= 0.2


def test_fault_81_a_wait_too_long_is_told_not_waited(serve, ask, api) -> None:
    model, server = serve(api.refusal(429, headers={"Retry-After": "3600"}))
    with pytest.raises(RateLimited) as caught:
        model.generate(ask())
    assert caught.value.retry_after == 3600
    assert len(server.bodies) == 1


def test_an_empty_purse_is_not_waited_for(serve, ask, api) -> None:
    model, server = serve(api.refusal(429, code="insufficient_quota"))
    with pytest.raises(ModelDenied):
        model.generate(ask())
    assert len(server.bodies) == 1


def test_time_outs_and_broken_connections_are_tried_again(serve, ask, api) -> None:
    model, _ = serve(httpx2.ReadTimeout("slow"), httpx2.ConnectError("down"), api.completion("Now."))
    assert model.generate(ask()).usage.failed_calls == 2
    slow, _ = serve(httpx2.ReadTimeout("slow"), attempts=2)
    with pytest.raises(ModelTimeout):
        slow.generate(ask())
    down, _ = serve(httpx2.ConnectError("down"), attempts=2)
    with pytest.raises(ModelUnavailable):
        down.generate(ask())


def test_a_retry_prints_nothing() -> None:
    code = """
import httpx2
from thinkback.llm.openai import OpenAIGenerator
from thinkback.ports import Message, Request
choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Now."}}
answers = [httpx2.Response(503), httpx2.Response(200, json={"choices": [choice]})]
client = httpx2.Client(transport=httpx2.MockTransport(lambda _: answers.pop(0)))
model = OpenAIGenerator("m", base_url="http://models.test/v1", http_client=client, first_wait=0.001)
print(model.generate(Request(messages=(Message(role="user", content="q"),), max_tokens=5)).text)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("Now.\n", "")


# --- what servers do not know ----------------------------------------------------------------------------------------
def form_of(body: dict[str, Any]) -> str:
    given = body.get("response_format")
    return "words" if given is None else given["type"] + ("+schema" if "schema" in given else "")


def test_a_schema_is_asked_for_in_the_strictest_form(serve, ask, api) -> None:
    model, server = serve(api.completion('{"a": "b"}'))
    model.generate(ask(schema=SCHEMA))
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }
    assert server.bodies[0]["messages"][-1]["content"] == "What is up?"


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize("taken", ["json_schema", "json_object+schema", "json_object", "words"])
def test_the_form_falls_back_to_what_the_server_takes_and_stays_there(serve, ask, api, status: int, taken: str) -> None:
    def answer(body: dict[str, Any]) -> httpx2.Response:
        return api.completion('{"a": "b"}') if form_of(body) == taken else api.refusal(status, "internal")

    model, server = serve(answer)
    first = model.generate(ask(schema=SCHEMA))
    tried = [form_of(body) for body in server.bodies]
    assert tried == ["json_schema", "json_object+schema", "json_object", "words"][: len(tried)]
    assert tried[-1] == taken
    assert first.usage.failed_calls == len(tried) - 1
    if taken != "json_schema":
        assert json.dumps(SCHEMA) in server.bodies[-1]["messages"][-1]["content"]
    collect_server = len(server.bodies)
    assert model.generate(ask(schema=SCHEMA)).usage.failed_calls == 0
    assert form_of(server.bodies[collect_server]) == taken


def test_a_server_that_is_down_is_not_taken_for_one_without_schemas(serve, ask, api) -> None:
    model, server = serve(*[api.refusal(500)] * 4, api.completion('{"a": "b"}'))
    assert model.generate(ask(schema=SCHEMA)).text == '{"a": "b"}'
    assert [form_of(body) for body in server.bodies] == [
        "json_schema",
        "json_object+schema",
        "json_object",
        "words",
        "json_schema",
    ]


def test_a_proven_form_is_kept_through_failures(serve, ask, api) -> None:
    model, server = serve(api.completion("{}"), api.refusal(500), api.completion("{}"))
    model.generate(ask(schema=SCHEMA))
    model.generate(ask(schema=SCHEMA))
    assert {form_of(body) for body in server.bodies} == {"json_schema"}


def test_a_server_that_ignores_the_schema_is_asked_in_words_next_time(serve, ask, api) -> None:
    model, server = serve(api.completion("Sure, here you are."))
    model.generate(ask(schema=SCHEMA))
    model.generate(ask(schema=SCHEMA))
    assert [form_of(body) for body in server.bodies] == ["json_schema", "words"]


def test_words_follow_an_assistant_turn_as_a_turn_of_their_own(serve, api) -> None:
    from thinkback.ports import Message, Request

    model, server = serve(
        api.refusal(400, "response_format"),
        api.refusal(400, "response_format"),
        api.refusal(400, "response_format"),
        api.completion("{}"),
    )
    turns = (Message(role="user", content="q"), Message(role="assistant", content="a"))
    model.generate(Request(messages=turns, max_tokens=5, schema=SCHEMA))
    assert [each["role"] for each in server.bodies[-1]["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("parameter", ["temperature", "seed", "stop"])
def test_a_refused_parameter_is_dropped_once_and_for_all(serve, ask, api, parameter: str) -> None:
    def answer(body: dict[str, Any]) -> httpx2.Response:
        refused = api.refusal(400, f"Unsupported value: '{parameter}'", param=parameter)
        return refused if parameter in body else api.completion("ok")

    model, server = serve(answer)
    assert model.generate(ask(stop=("x",))).usage.failed_calls == 1
    assert model.generate(ask(stop=("x",))).usage.failed_calls == 0
    assert len(server.bodies) == 3


@pytest.mark.parametrize("official", [True, False])
def test_the_other_name_of_the_limit_is_tried(serve, ask, api, official: bool) -> None:
    refused, taken = ("max_completion_tokens", "max_tokens") if official else ("max_tokens", "max_completion_tokens")

    def answer(body: dict[str, Any]) -> httpx2.Response:
        return api.refusal(400, f"Unsupported parameter: '{refused}'") if refused in body else api.completion("ok")

    model, server = serve(answer, **({"base_url": None} if official else {}))
    assert model.generate(ask()).text == "ok"
    assert model.generate(ask()).usage.failed_calls == 0
    assert server.bodies[-1][taken] == 50


def test_a_limit_that_no_name_makes_acceptable_is_an_error(serve, ask, api) -> None:
    model, server = serve(api.refusal(400, "max_tokens is too large"))
    with pytest.raises(ModelRejected):
        model.generate(ask())
    assert len(server.bodies) == 2


def test_a_server_without_stream_options_streams_all_the_same(serve, ask, api) -> None:
    def answer(body: dict[str, Any]) -> httpx2.Response:
        return (
            api.refusal(422, "stream_options: extra fields not permitted")
            if "stream_options" in body
            else api.events(api.chunk("ok", "stop"))
        )

    model, _ = serve(answer)
    deltas, reply = collect(model.stream(ask()))
    assert deltas == ["ok"]
    assert reply.usage.failed_calls == 1
    assert reply.usage.estimated


def test_a_prompt_that_is_too_long_is_told_as_such(serve, ask, api) -> None:
    said = "This model's maximum context length is 8192 tokens. Reduce the length of the messages or max_tokens."
    model, server = serve(api.refusal(400, said, code="context_length_exceeded"))
    with pytest.raises(ModelRejected, match=r"too long.*context_length_exceeded"):
        model.generate(ask())
    assert len(server.bodies) == 1


# --- strange replies -------------------------------------------------------------------------------------------------
def test_fault_26_a_model_that_thought_too_long_gets_more_room_once(serve, ask, api) -> None:
    thinking = api.completion(None, finish="length", reasoning_content="Let me see ...", usage=api.USAGE)
    model, server = serve(thinking, api.completion("Yes.", usage=api.USAGE))
    reply = model.generate(ask())
    assert reply.text == "Yes."
    assert server.bodies[1]["max_tokens"] > 4000
    assert (reply.usage.calls, reply.usage.completion_tokens) == (2, 14)
    for_ever, server = serve(thinking)
    with pytest.raises(BadReply, match="thought") as caught:
        for_ever.generate(ask())
    assert len(server.bodies) == 2
    assert caught.value.usage.calls == 2


def test_fault_26_in_a_stream(serve, ask, api) -> None:
    thinking = api.events(api.chunk(None, reasoning_content="Hm"), api.chunk(None, "length"), "[DONE]")
    unclosed = api.events(api.chunk("<think>Hm"), api.chunk(None, "length"), "[DONE]")
    for first in (thinking, unclosed):
        model, server = serve(first, api.events(api.chunk("Yes.", "stop"), "[DONE]"))
        deltas, reply = collect(model.stream(ask()))
        assert deltas == ["Yes."]
        assert reply.usage.calls == 2
        assert server.bodies[1]["max_tokens"] > 4000
    for_ever, _ = serve(lambda _: api.events(api.chunk(None, "length", reasoning="Hm"), "[DONE]"))
    with pytest.raises(BadReply, match="thought"):
        list(for_ever.stream(ask()))


def test_more_room_stays_within_the_window(serve, ask, api) -> None:
    thinking = api.completion("<think>Hm", finish="length")
    model, server = serve(thinking, api.completion("Yes."), traits=ModelTraits(context_window=200))
    model.generate(ask())
    assert 50 <= server.bodies[1]["max_tokens"] <= 200


def test_fault_23_an_empty_reply_is_an_error(serve, ask, api) -> None:
    for text in ("", None, " \n"):
        model, _ = serve(api.completion(text, finish="stop"))
        with pytest.raises(BadReply, match="empty"):
            model.generate(ask())
    streamed, _ = serve(api.events(api.chunk(None, "stop"), "[DONE]"))
    with pytest.raises(BadReply, match="empty"):
        list(streamed.stream(ask()))


def test_refusals_and_filters_are_errors_unless_something_was_said(serve, ask, api) -> None:
    refused, _ = serve(api.completion(None, refusal="I will not."))
    with pytest.raises(BadReply, match="refused"):
        refused.generate(ask())
    filtered, _ = serve(api.completion("", finish="content_filter"))
    with pytest.raises(BadReply, match="filter"):
        filtered.generate(ask())
    partly, _ = serve(api.completion("So far", finish="content_filter"))
    assert partly.generate(ask()).finish == "filter"


@pytest.mark.parametrize(
    ("finish", "meaning"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("tool_calls", "stop"),
        ("else", "stop"),
        (None, "stop"),
    ],
)
def test_reasons_to_end(serve, ask, api, finish: str | None, meaning: str) -> None:
    model, _ = serve(api.completion("text", finish=finish))
    assert model.generate(ask()).finish == meaning


def test_fault_25_thinking_in_the_content_is_taken_off(serve, ask, api) -> None:
    model, _ = serve(api.completion("<think>Hm</think>Yes."))
    assert model.generate(ask()).text == "Yes."
    streamed, _ = serve(
        api.events(
            *map(api.chunk, ["<th", "ink>H", "m</thi", "nk>\n\n", "Ye", "s."]), api.chunk(None, "stop"), "[DONE]"
        )
    )
    deltas, reply = collect(streamed.stream(ask()))
    assert "".join(deltas) == reply.text == "Yes."


def test_fault_25_a_server_whose_prompt_opens_the_block_is_known_after_its_first_reply(serve, ask, api) -> None:
    inside = [api.chunk("Hm, "), api.chunk("yes.</think>"), api.chunk("Yes.", "stop"), "[DONE]"]
    model, _ = serve(api.completion("Hm</think>Yes."), api.events(*inside), api.events(api.chunk("At once.", "stop")))
    assert model.generate(ask()).text == "Yes."
    deltas, reply = collect(model.stream(ask()))
    assert "".join(deltas) == reply.text == "Yes."
    assert collect(model.stream(ask())) == (["At once."], collect_reply("At once.", model, ask))


def collect_reply(text: str, model: OpenAIGenerator, ask: Any) -> Reply:
    from thinkback.types import Usage

    prompt = model.count(ask().messages[0].content) + 8
    return Reply(
        text=text,
        model="served-model",
        usage=Usage(calls=1, prompt_tokens=prompt, completion_tokens=model.count(text), estimated=True),
    )


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>Welcome</html>", headers={"content-type": "text/html"}),
        httpx2.Response(200, json={"choices": []}),
        httpx2.Response(200, json={"hello": 1}),
        httpx2.Response(200, json={"choices": [{"finish_reason": "stop"}]}),
        httpx2.Response(200, text="{not json", headers={"content-type": "application/json"}),
        httpx2.Response(200, json=[1]),
    ],
)
def test_an_answer_that_is_no_completion(serve, ask, answer: httpx2.Response) -> None:
    model, _ = serve(answer)
    with pytest.raises(BadReply):
        model.generate(ask())


def test_content_in_parts_is_joined(serve, ask, api) -> None:
    model, _ = serve(api.completion([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, {"type": "x"}]))  # type: ignore[arg-type]
    assert model.generate(ask()).text == "ab"


def test_odd_usage_is_replaced(serve, ask, api) -> None:
    model, _ = serve(
        api.completion("text", usage={"prompt_tokens": -1, "completion_tokens": "many", "total_tokens": None})
    )
    usage = model.generate(ask()).usage
    assert usage.estimated
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


# --- streams that break ----------------------------------------------------------------------------------------------
def test_a_stream_that_ends_without_a_word_of_its_end_was_cut(serve, ask, api) -> None:
    model, _ = serve(api.events(api.chunk("So f"), api.chunk("ar")))
    pieces = []
    with pytest.raises(ModelUnavailable, match="cut") as caught:
        pieces.extend(model.stream(ask()))
    assert pieces == [Delta(text="So f"), Delta(text="ar")]
    assert caught.value.usage.failed_calls == 1


def test_an_error_inside_a_stream(serve, ask, api) -> None:
    model, server = serve(api.events(api.chunk("So"), {"error": {"message": "the GPU is on fire", "code": "oom"}}))
    stream = model.stream(ask())
    assert next(stream) == Delta(text="So")
    with pytest.raises(ModelUnavailable):
        next(stream)
    assert len(server.bodies) == 1
    garbled, _ = serve(api.events(api.chunk("So"), "{half"))
    with pytest.raises(BadReply):
        list(garbled.stream(ask()))


def test_a_stream_that_breaks_before_its_first_piece_is_tried_again(serve, ask, api) -> None:
    model, _ = serve(api.refusal(503), api.events(api.chunk("")), api.events(api.chunk("Now.", "stop"), "[DONE]"))
    deltas, reply = collect(model.stream(ask()))
    assert deltas == ["Now."]
    assert reply.usage.failed_calls == 2


def test_a_connection_cut_by_a_real_server(socket_server, ask) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("content-length", "100000")
        handler.end_headers()
        handler.wfile.write(b'data: {"choices":[{"index":0,"delta":{"content":"So far"}}]}\n\n')
        handler.wfile.flush()
        handler.connection.close()

    model = OpenAIGenerator("m", base_url=socket_server(answer), first_wait=0.001)
    stream = model.stream(ask())
    assert next(stream) == Delta(text="So far")
    with pytest.raises(ModelUnavailable):
        next(stream)
    model.close()


def test_a_real_server_whole_and_streamed(socket_server, ask, api) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = api.completion("Whole.", usage=api.USAGE).content
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    model = OpenAIGenerator("m", base_url=socket_server(answer))
    assert model.generate(ask()).text == "Whole."
    model.close()
    model.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        model.generate(ask())


def test_a_server_that_never_answers(socket_server, ask) -> None:
    model = OpenAIGenerator("m", base_url=socket_server(lambda _: time.sleep(1)), timeout=0.1, attempts=1)
    with pytest.raises(ModelTimeout):
        model.generate(ask())
    model.close()


def test_closing_a_stream_hangs_up(socket_server, ask) -> None:
    hung_up: list[bool] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        try:
            for _ in range(500):
                handler.wfile.write(b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n')
                time.sleep(0.01)
        except OSError:
            hung_up.append(True)

    model = OpenAIGenerator("m", base_url=socket_server(answer))
    stream = model.stream(ask())
    next(stream)
    stream.close()
    deadline = time.monotonic() + 5
    while not hung_up and time.monotonic() < deadline:
        time.sleep(0.01)
    assert hung_up
    model.close()


# --- errors ----------------------------------------------------------------------------------------------------------
def _response(status: int, headers: dict[str, str] | None = None) -> httpx2.Response:
    return httpx2.Response(status, headers=headers, request=httpx2.Request("POST", "http://models.test/v1"))


@pytest.mark.parametrize(
    "error",
    [
        openai.OpenAIError("x"),
        openai.APIConnectionError(request=httpx2.Request("POST", "http://models.test")),
        openai.APITimeoutError(httpx2.Request("POST", "http://models.test")),
        openai.InternalServerError("x", response=_response(500), body=None),
        openai.ContentFilterFinishReasonError(),
        httpx2.ConnectError("x"),
        json.JSONDecodeError("x", "y", 0),
    ],
)
def test_each_kind_of_error_names_the_server(error: Exception) -> None:
    ours = translate(error, server="models.test")
    assert "models.test" in str(ours)
    assert ours.message.endswith(".")


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_keys_and_prompts_never_get_into_errors_or_reprs(serve, ask, api, status: int, caplog) -> None:
    caplog.set_level("INFO")  # fault 76
    key = "sk-secret-0123456789"
    said = f"Incorrect API key provided: {key}; you said What is up?"
    model, _ = serve(api.refusal(status, said, code=key), attempts=2)
    with pytest.raises(ModelError) as caught:
        model.generate(ask())
    shown = (
        "".join(traceback.format_exception(caught.value))
        + repr(model)
        + repr(caught.value)
        + str(vars(model))
        + caplog.text
    )
    assert key not in shown
    assert "What is up" not in str(caught.value) + caplog.text


def test_an_address_with_a_password_is_not_shown(ask) -> None:
    model = OpenAIGenerator("m", base_url="http://user:hunter2@127.0.0.1:9/v1", attempts=1)
    with pytest.raises(ModelUnavailable) as caught:
        model.generate(ask())
    assert "hunter2" not in str(caught.value) + repr(model) + model.id
    model.close()
