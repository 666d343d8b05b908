"""``bench fetch``: data sets come only with consent, from a server in this process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets import catalogue
from thinkback.bench.datasets.catalogue import RemoteFile, Source

Cli = Callable[..., Any]
DATA = b'{"id": "1", "summary": "It rained.", "articles": [{"text": "It rained all day."}]}\n'


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(DATA)))
        self.end_headers()
        self.wfile.write(DATA)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's name
        pass


@pytest.fixture
def rain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A catalogue of one source that a local server has; return the folder that it is fetched to."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    file = RemoteFile(path="test.jsonl", url=f"http://127.0.0.1:{server.server_address[1]}/test.jsonl")
    source = Source(
        folder="wcep", title="Rain", about="One event.", datasets=("wcep",), licence="CC0 1.0", citation="Ann 2020",
        homepage="https://rain.example", needs=("test.jsonl",), files=(file,),
    )  # fmt: skip
    monkeypatch.setattr(catalogue, "sources", lambda: (source,))
    yield tmp_path / "cache" / "datasets" / "wcep"
    server.shutdown()
    server.server_close()


def test_nothing_is_fetched_without_consent(cli: Cli, rain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = cli("bench", "fetch", "wcep", stdin="y\n")
    assert ran.code == 2
    assert "Licence: CC0 1.0" in ran.err

    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return "n\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    ran = cli("bench", "fetch", "wcep")
    assert (ran.code, ran.out) == (0, "")
    assert "Nothing was fetched" in ran.err
    assert cli("bench", "fetch", "wcep", "--json").json == {"name": "wcep", "path": None}
    assert not rain.exists()


def test_a_fetched_data_set_is_there(cli: Cli, rain: Path) -> None:
    ran = cli("bench", "fetch", "wcep", "--yes")
    assert ran.code == 0, ran.err
    assert str(rain) in ran.out
    assert (rain / "test.jsonl").read_bytes() == DATA
    again = cli("bench", "fetch", "wcep", "--json")
    assert again.json == {"name": "wcep", "path": str(rain)}


def test_what_is_unknown_is_refused(cli: Cli, rain: Path) -> None:
    ran = cli("bench", "fetch", "moon", "--yes")
    assert ran.code == 2
    assert "there are wcep" in ran.err
