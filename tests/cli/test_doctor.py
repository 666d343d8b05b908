"""``doctor``: what is in use and where from, never a key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


def _checks(ran: Any) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in ran.json["checks"]}


def test_a_fresh_machine_is_told_what_to_do(cli: Cli, tmp_path: Path) -> None:
    ran = cli("doctor", "--no-measure")
    assert ran.code == 0
    for word in ("is not there yet", "thinkback models pull", "free where the store is", "embedder"):
        assert word in " ".join(ran.out.split()), word
    assert not (tmp_path / "home").exists()


def test_each_choice_says_where_it_comes_from(
    cli: Cli, chat: Any, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THINKBACK_LLM")
    config = tmp_path / "mine.toml"
    config.write_text('preset = "fast"\nllm = "openai:stub"\n', encoding="utf-8")
    cli("add", papers, "--store", tmp_path / "s.sqlite")
    ran = cli("doctor", "--json", "--config", config, "--store", tmp_path / "s.sqlite", "--embedder", "hashing")
    assert ran.code == 0, ran.out
    found = {name: check["origin"] for name, check in _checks(ran).items()}
    assert found["preset"] == "file"
    assert found["language model"] == "file"
    assert found["store"] == "argument"
    assert found["embedder"] == "argument"
    assert found["endpoint"] == "environment"
    assert "2 documents" in _checks(ran)["store"]["text"]


def test_speeds_are_measured_within_seconds(cli: Cli, chat: Any) -> None:
    ran = cli("doctor", "--json")
    checks = _checks(ran)
    assert checks["embedder"]["numbers"]["texts_per_second"] > 0
    assert checks["language model"]["numbers"]["first_token_seconds"] >= 0
    assert len(chat.bodies) == 1
    assert chat.bodies[0].get("max_tokens", chat.bodies[0].get("max_completion_tokens")) <= 16


def test_a_key_is_never_shown(cli: Cli, chat: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url.replace("http://", "http://user:pa55word@"))
    for arguments in (["doctor"], ["doctor", "--json"], ["doctor", "--no-measure"]):
        ran = cli(*arguments)
        assert "127.0.0.1" in ran.out
        assert "with a key from environment" in ran.out
        assert "sk-secret" not in ran.out + ran.err
        assert "pa55word" not in ran.out + ran.err


def test_a_model_that_does_not_answer_is_a_failure_with_advice(cli: Cli, chat: Any) -> None:
    chat.status = 401
    ran = cli("doctor")
    assert ran.code == 1
    assert "✗ language model" in ran.out


@pytest.mark.parametrize(
    ("variable", "value", "check"),
    [
        ("THINKBACK_EMBEDDER", "nosuch", "embedder"),
        ("THINKBACK_LLM", "nosuch", "language model"),
        ("THINKBACK_LLM", "gguf:/nowhere.gguf", "language model"),
        ("THINKBACK_LLM", "qwen2.5-coder-1.5b-instruct", "language model"),
    ],
)
def test_a_choice_that_cannot_be_had_does_not_stop_the_others(
    cli: Cli, papers: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, check: str
) -> None:
    cli("add", papers)
    monkeypatch.setenv(variable, value)
    ran = cli("doctor", "--no-measure", "--json")
    assert ran.code == 1
    checks = _checks(ran)
    assert checks[check]["state"] == "bad"
    assert checks[check]["origin"] == "environment"
    assert checks["disk"]["state"] in {"ok", "note"}


def test_a_file_that_is_no_store_is_reported(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "no.sqlite"
    path.write_bytes(b"this is no database at all" * 100)
    ran = cli("doctor", "--no-measure", "--store", path, "--json")
    assert ran.code == 1
    assert _checks(ran)["store"]["state"] == "bad"


def test_wrong_settings_are_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    config = tmp_path / "bad.toml"
    config.write_text("threads = 'many'\n", encoding="utf-8")
    ran = cli("doctor", "--config", config)
    assert ran.code == 2
    assert "threads" in ran.err
    assert cli("docs", "--config", tmp_path / "nowhere.toml").code == 2


def test_without_the_runtime_it_says_how_to_get_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "llama_cpp" else find(name, *rest)
    )
    assert "thinkback[local]" in cli("doctor", "--no-measure").out
