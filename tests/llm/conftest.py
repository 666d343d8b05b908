"""A chat completions server, in process and over a real socket, that answers as each test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest

from thinkback.llm.openai import OpenAIGenerator
from thinkback.ports import Message, Request

Answer = Callable[[dict[str, Any]], httpx2.Response]


class FakeServer:
    """Answers with each of ``answers`` in turn (the last one again and again), and keeps what it was asked."""

    def __init__(self, answers: list[Answer | httpx2.Response | Exception]) -> None:
        self.answers = answers
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[httpx2.Headers] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.bodies.append(body)
        self.headers.append(request.headers)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else answer(body)


def completion(
    text: str | None, *, finish: str | None = "stop", usage: dict[str, Any] | None = None, **message: Any
) -> httpx2.Response:
    content = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage is not None:
        content["usage"] = usage
    return httpx2.Response(200, json=content)


def chunk(text: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}],
    }


def events(*chunks: dict[str, Any] | str) -> httpx2.Response:
    lines = [f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n" for each in chunks]
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content="".join(lines).encode())


def refusal(status: int, message: str = "no", **rest: Any) -> httpx2.Response:
    headers = rest.pop("headers", None)
    return httpx2.Response(status, json={"error": {"message": message, **rest}}, headers=headers)


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "prompt_tokens_details": {"cached_tokens": 4}}


def usage_chunk() -> dict[str, Any]:
    return {**chunk(), "choices": [], "usage": USAGE}


@pytest.fixture
def api() -> Any:
    """The builders of answers above, for tests may not import from one another."""

    class Api:
        completion = staticmethod(completion)
        chunk = staticmethod(chunk)
        events = staticmethod(events)
        refusal = staticmethod(refusal)
        usage_chunk = staticmethod(usage_chunk)
        USAGE = USAGE

    return Api


@pytest.fixture
def serve() -> Iterator[Callable[..., tuple[OpenAIGenerator, FakeServer]]]:
    """Make a generator before a server in this process."""
    clients: list[httpx2.Client] = []

    def make(*answers: Any, **settings: Any) -> tuple[OpenAIGenerator, FakeServer]:
        server = FakeServer(list(answers))
        client = httpx2.Client(transport=httpx2.MockTransport(server))
        clients.append(client)
        settings = {
            "base_url": "http://models.test/v1",
            "api_key": "sk-secret-0123456789",
            "first_wait": 0.001,
        } | settings
        return OpenAIGenerator("a-model", http_client=client, **settings), server

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def ask() -> Callable[..., Request]:
    """Make a request with one user message."""

    def make(text: str = "What is up?", **rest: Any) -> Request:
        return Request(messages=(Message(role="user", content=text),), **({"max_tokens": 50} | rest))

    return make


@pytest.fixture
def socket_server() -> Iterator[Callable[[Callable[[BaseHTTPRequestHandler], None]], str]]:
    """Start a real HTTP server whose POST is handled by the given function; return its address."""
    servers: list[ThreadingHTTPServer] = []

    def start(answer: Callable[[BaseHTTPRequestHandler], None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                answer(self)

            def log_message(self, *_: Any) -> None:
                """Keep the test's output clean."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
