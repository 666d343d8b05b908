"""Every claim and rule of the paper is mapped to the tests or benchmarks that cover it, and those exist (fault 105)."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from thinkback.config import load_preset
from thinkback.ports import Message, Request

ROWS = (
    "A1",
    "A2",
    "A3",
    "A4",
    "A5",
    "A6",
    "A7",
    "A8",
    "B1",
    "B2",
    "B3",
    "B4",
    "C1",
    "C2",
    "C3",
    "C4",
    "C5",
    "D1",
    "D2",
    "D3",
)
"""Rows that must be there: the steps of Algorithm 1, its parameters, the released script, the findings, the measures."""


@cache
def _rows(page: Path) -> dict[str, str]:
    found = {}
    for line in page.read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| ([A-D]\d+) \| (.+) \|$", line)
        if match:
            assert match[1] not in found, f"{match[1]} stands twice"
            found[match[1]] = match[2]
    return found


@cache
def _tests(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


@pytest.fixture(scope="module")
def rows(root: Path) -> dict[str, str]:
    return _rows(root / "docs" / "paper-map.md")


def test_every_step_parameter_and_finding_has_a_row(rows: dict[str, str]) -> None:
    assert [name for name in ROWS if name not in rows] == []


def test_every_row_names_what_covers_it(rows: dict[str, str]) -> None:
    covered = re.compile(r"`(?:tests/[\w/]+\.py::test_\w+|benchmarks/[\w./-]+)`|not covered: \w")
    assert [name for name, text in rows.items() if not covered.search(text)] == []


def test_every_named_test_and_benchmark_exists(rows: dict[str, str], root: Path) -> None:
    missing = []
    for name, text in rows.items():
        for reference in re.findall(r"`((?:tests|benchmarks)/[^`]+)`", text):
            path, _, test = reference.partition("::")
            file = root / path
            if not file.exists() or (test and test not in _tests(file)):
                missing.append(f"{name}: {reference}")
    assert missing == []


def test_the_paper_preset_has_the_papers_numbers() -> None:
    """K = 8, epsilon = 0.85, chunks of 500 words, 2,000 tokens of context, dense retrieval, nothing else on."""
    paper = load_preset("paper")
    assert (paper.top_k, paper.epsilon, paper.context_tokens) == (8, 0.85, 2000)
    assert (paper.chunk_size, paper.chunk_unit) == (500, "words")
    assert paper.rankings == ("dense",)
    assert (paper.admission, paper.sources, paper.confidence, paper.distil) == (
        "epsilon",
        "context",
        "model",
        "summary",
    )
    assert not paper.overview_door
    assert not paper.answer_cache
    assert paper.diversify is None
    assert paper.gate is None or paper.gate <= -1  # every thought takes part, however far
    code = load_preset("paper-code")
    assert (code.candidates, code.diversify, code.top_k) == (40, 0.85, 8)
    assert (code.admission, code.confidence) == ("none", "marker")


def test_requests_are_made_with_the_papers_temperature_and_seed() -> None:
    request = Request(messages=(Message(role="user", content="x"),), max_tokens=1)
    assert (request.temperature, request.seed) == (0.0, 42)
