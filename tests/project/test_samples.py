"""The sample papers: openly licensed, named as such, small, and able to answer the questions that the demo asks."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

ORDER = ["fact", "repeat", "follow-up", "comparison", "unanswerable", "overview"]


def _samples() -> Path:
    with resources.as_file(resources.files("thinkback") / "samples") as folder:
        return folder


def _papers() -> list[Path]:
    return sorted(path for path in _samples().glob("*.md") if path.name != "README.md")


@pytest.fixture(scope="module")
def questions() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = tomllib.loads((_samples() / "questions.toml").read_text(encoding="utf-8"))[
        "question"
    ]
    return loaded


def test_the_papers_are_few_and_small() -> None:
    assert len(_papers()) == 5
    assert sum(path.stat().st_size for path in _samples().iterdir() if path.is_file()) < 400_000


@pytest.mark.parametrize("paper", _papers(), ids=lambda path: path.stem)
def test_a_paper_names_its_licence_and_source(paper: Path) -> None:
    text = paper.read_text(encoding="utf-8")
    head = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    assert head["license"] == "CC-BY-4.0"
    assert head["license_url"] == "https://creativecommons.org/licenses/by/4.0/"
    assert re.fullmatch(r'"\d{4}\.\d{5}"', head["arxiv"])
    assert head["source"] == f"https://arxiv.org/abs/{head['arxiv'].strip(chr(34))}"
    assert head["title"].strip('"') in text.split("---\n", 2)[2].splitlines()[1]
    assert head["authors"].strip('"')
    assert "## Abstract" in text
    assert len(text) > 20_000
    assert not re.search(r"<(?:table|figure)>|\[package index\]", text)


def test_the_readme_lists_every_paper_with_authors_and_changes() -> None:
    readme = (_samples() / "README.md").read_text(encoding="utf-8")
    for paper in _papers():
        head = dict(line.split(": ", 1) for line in paper.read_text(encoding="utf-8").split("---\n")[1].splitlines())
        row = next(line for line in readme.splitlines() if f"`{paper.name}`" in line)
        for key in ("title", "authors", "source"):
            assert head[key].strip('"') in row
    assert "## What was changed" in readme
    assert "creativecommons.org/licenses/by/4.0" in readme


def test_the_questions_grow_in_abstraction(questions: list[dict[str, Any]]) -> None:
    kinds = [question["kind"] for question in questions]
    assert 8 <= len(kinds) <= 9
    assert set(kinds) == set(ORDER)
    firsts = [kinds.index(kind) for kind in ORDER]
    assert firsts == sorted(firsts)
    assert kinds[-1] == "overview"
    for question in questions:
        assert question["text"].strip()
        assert question["why"].strip()
        assert set(question) == {"text", "kind", "why", "paper", "quote"}


def test_one_question_is_repeated_word_for_word(questions: list[dict[str, Any]]) -> None:
    texts = [question["text"] for question in questions]
    [repeat] = [index for index, question in enumerate(questions) if question["kind"] == "repeat"]
    assert texts[repeat] in texts[:repeat]
    assert len(set(texts)) == len(texts) - 1


def test_every_expected_answer_stands_in_its_paper(questions: list[dict[str, Any]]) -> None:
    for question in questions:
        names = question["paper"]
        texts = [(_samples() / name).read_text(encoding="utf-8") for name in names]
        for quote in question["quote"]:
            assert any(quote in text for text in texts), quote
        for name, text in zip(names, texts, strict=True):
            assert any(quote in text for quote in question["quote"]), f"{name} gives nothing for {question['text']}"


def test_what_cannot_be_answered_is_in_no_paper(questions: list[dict[str, Any]]) -> None:
    [question] = [question for question in questions if question["kind"] == "unanswerable"]
    assert question["paper"] == question["quote"] == []
    text = (_samples() / "euclidnets.md").read_text(encoding="utf-8").casefold()
    assert "cost" in text  # near enough to tempt a model
    assert (
        re.findall(
            r"price|dollar|usd\b|\beur\b|€|£|\$\s?\d+(?:[.,]\d+)?\s?(?:k|thousand|million)\b|purchase|\bpaid\b", text
        )
        == []
    )


@pytest.mark.data
def test_the_script_makes_the_papers_from_the_published_sample(
    root: Path, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("thinkback_samples_script", root / "scripts" / "samples.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "TARGET", tmp_path)
    monkeypatch.setattr("sys.argv", ["samples.py", str(data_folder)])
    script.main()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {p.name: p.read_text() for p in _papers()}
