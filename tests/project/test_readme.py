"""The README's Python session works as it stands there; the model behind it is a small server on this machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

import pytest


class _Endpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint that answers every question with the first sentence of the first item shown."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = _reply(body["messages"])
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        common = {"id": "r1", "created": 0, "model": body["model"]}
        if body.get("stream"):
            pieces = [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]
            pieces.append({"index": 0, "delta": {}, "finish_reason": "stop"})
            chunks = [{**common, "object": "chat.completion.chunk", "choices": [piece]} for piece in pieces]
            chunks.append({**common, "object": "chat.completion.chunk", "choices": [], "usage": usage})
            data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
            self._send(data.encode(), "text/event-stream")
        else:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
            self._send(json.dumps(whole).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _reply(messages: list[dict[str, Any]]) -> str:
    system, user = messages[0]["content"], messages[-1]["content"]
    shown = re.search(r'<item n="1"[^>]*>\n(.*?)\n</item>', user, re.DOTALL)
    if shown is None:
        return json.dumps({"valid": False, "atoms": [], "same": False})
    sentence = re.split(r"(?<=[.!?])\s", shown[1].strip())[0]
    if '"atoms"' in system:
        return json.dumps({"valid": True, "atoms": [{"text": sentence, "items": [1], "overview": False}]})
    if '"evidence"' in system:
        return json.dumps({"evidence": [{"item": 1, "quote": sentence}], "found": True, "answer": sentence})
    return f"{sentence} [1]"


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def session(readme: str) -> str:
    block = re.search(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    assert block, "the README has no ```python block: the session that shows the library is gone"
    return block[1]


def test_the_session_is_short_and_about_the_library(session: str) -> None:
    lines = [line for line in session.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert 4 <= len(lines) <= 14
    assert "ThoughtRetriever" in session
    assert ".add(" in session
    assert ".ask(" in session


@pytest.mark.slow
def test_the_session_runs_as_it_stands(
    session: str, endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder with ``papers/`` in it, and any OpenAI-compatible endpoint in the environment."""
    (tmp_path / "papers").mkdir()
    with resources.as_file(resources.files("thinkback") / "samples") as samples:
        for name in ("mutation-based-text-generation.md", "normalized-contrastive-learning.md"):
            shutil.copy(samples / name, tmp_path / "papers" / name)
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("THINKBACK_LLM", "openai:test")
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", session], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert ran.stdout.strip(), "the session shows nothing"


def test_the_readme_is_short_and_leads_with_the_demo(readme: str) -> None:
    assert len(readme.splitlines()) < 200
    assert "make demo" in readme
    assert "make test" in readme


def test_every_command_that_the_readme_shows_exists(readme: str) -> None:
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE))
    shown = set(re.findall(r"^\s*(?:\$ )?thinkback ([a-z]+)", blocks, re.MULTILINE))
    assert shown, "the README shows no command"
    command = Path(sys.executable).with_name("thinkback")
    listed = subprocess.run([str(command), "--help"], capture_output=True, text=True, check=True).stdout
    assert {word for word in shown if not re.search(rf"\b{word}\b", listed)} == set()
