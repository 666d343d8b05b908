"""The command line in this process and as real processes, a chat server to ask, and a few files to add."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from thinkback.app.cli.main import main

BRIDGE = (
    "# The harbour bridge\n\nThe harbour bridge is large. The bridge was opened in 1932 after nine years of work."
    " It carries eight lanes of traffic and two rail tracks. Ships pass below it.\n"
)
TOWER = "# The radio tower\n\nThe radio tower was finished in 1926. It is 150 metres high and made of steel.\n"


@dataclass
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with two documents."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "bridge.md").write_text(BRIDGE, encoding="utf-8")
    (folder / "tower.md").write_text(TOWER, encoding="utf-8")
    return folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Run a command line in this process, over a store of its own and the embedder that needs no weights."""
    monkeypatch.setenv("THINKBACK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("THINKBACK_EMBEDDER", "hashing")
    monkeypatch.setenv("THINKBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Ran:
        if stdin is not None:
            data = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(one) for one in arguments])
        captured = capsys.readouterr()
        return Ran(code=code, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command line as a process of its own; ``env`` adds to the environment of the test."""

    def run(
        *arguments: str | Path, env: dict[str, str] | None = None, **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "thinkback.app.cli", *map(str, arguments)],
            env=environment(tmp_path) | (env or {}),
            capture_output=True,
            timeout=120,
            check=False,
            **more,
        )

    return run


def environment(tmp_path: Path) -> dict[str, str]:
    import os

    return {
        **os.environ,
        "THINKBACK_HOME": str(tmp_path / "home"),
        "THINKBACK_EMBEDDER": "hashing",
        "THINKBACK_CACHE": str(tmp_path / "cache"),
    }


@pytest.fixture
def process_environment(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


class ChatServer:
    """An OpenAI-compatible server that answers from the items it is shown, as a good model would.

    ``fact`` is the sentence it knows to look for: the answer cites the item that holds it, and the note repeats it.
    """

    def __init__(self) -> None:
        self.fact = "The bridge was opened in 1932 after nine years of work."
        self.note = "The harbour bridge was opened in 1932 after nine years of work."
        self.answer: str | None = None
        """Said instead, if set."""
        self.status = 200
        self.pause: threading.Event | None = None
        """Waited for before the answer, if set."""
        self.reached = threading.Event()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""

    def reply(self, body: dict[str, Any]) -> str:
        prompt = "\n".join(message["content"] for message in body["messages"] if message["role"] == "user")
        schema = json.dumps(body.get("response_format", {}))
        items = re.findall(r'<item n="(\d+)"[^>]*>\n(.*?)\n</item>', prompt, re.DOTALL)
        number = next((int(n) for n, text in items if self.fact in text), None)
        if "atoms" in schema:
            atoms = [{"text": self.note, "items": [number or 1], "overview": False}]
            return json.dumps({"valid": True, "atoms": atoms})
        if "question" in schema:
            return json.dumps({"question": "When was the harbour bridge opened, and after how long?"})
        if self.answer is not None:
            return self.answer
        return f"{self.fact.rstrip('.')} [{number}]." if number else "I cannot answer this from the items."


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            server.reached.set()
            if server.pause is not None:
                server.pause.wait(30)
            if server.status != 200:
                self._send(server.status, "application/json", json.dumps({"error": {"message": "no"}}).encode())
                return
            text = server.reply(body)
            usage = {"prompt_tokens": 120, "completion_tokens": 20, "total_tokens": 140}
            if not body.get("stream"):
                choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
                whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
                self._send(200, "application/json", json.dumps({**whole, "usage": usage}).encode())
                return
            pieces = re.findall(r"\S+\s*|\s+", text)
            lines = [self._chunk(piece) for piece in pieces]
            lines += [self._chunk(None, finish="stop"), self._chunk(None, choices=[], usage=usage), "[DONE]"]
            self._send(200, "text/event-stream", "".join(f"data: {one}\n\n" for one in lines).encode())

        @staticmethod
        def _chunk(text: str | None, finish: str | None = None, **more: Any) -> str:
            choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
            chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            return json.dumps({**chunk, **more})

        def _send(self, status: int, kind: str, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                return  # the client was stopped

        def log_message(self, *_: Any) -> None:
            """Keep the test's output clean."""

    return Handler


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Start a chat server and name it in the environment, as a user would."""
    state = ChatServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", state.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("THINKBACK_LLM", "openai:stub")
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page() -> Iterator[str]:
    """Serve one HTML page on this machine and give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = b"<html><head><title>A page</title></head><body><p>The ferry leaves at nine.</p></body></html>"
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/page.html"
    server.shutdown()
    server.server_close()


@pytest.fixture
def embeddings() -> Iterator[str]:
    """Serve embeddings of eight dimensions, made from the letters of a text; give the base address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            rows = [[1.0 + sum(ord(c) % 8 == place for c in str(text)) for place in range(8)] for text in texts]
            data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
            if body.get("encoding_format") == "base64":
                for one, row in zip(data, rows, strict=True):
                    one["embedding"] = base64.b64encode(struct.pack("<8f", *row)).decode()
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            whole = json.dumps({"object": "list", "model": "small", "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)

        def log_message(self, *_: Any) -> None:
            """Keep the test's output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
