from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thinkback.types import Derivation, Evidence, Root, Thought

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(scope="session")
def golden() -> Callable[..., list[dict[str, Any]]]:
    """Read a file of the labelled set; optionally one split of it."""

    def read(name: str, split: str | None = None) -> list[dict[str, Any]]:
        lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        return [row for row in rows if split is None or row["split"] == split]

    return read


@pytest.fixture
def make_thought() -> Callable[..., Thought]:
    def make(thought_id: str, **changes: Any) -> Thought:
        fields: dict[str, Any] = {
            "id": thought_id,
            "namespace": "n",
            "text": f"text of {thought_id}",
            "level": 2.0,
            "created_at": 0.0,
        }
        return Thought(**{**fields, **changes})

    return make


@pytest.fixture
def make_derivation() -> Callable[..., Derivation]:
    """Build a derivation from root ids and the ids of thoughts that it also stands on."""

    def make(
        derivation_id: str,
        thought_id: str,
        roots: str = "",
        *,
        via: str = "",
        at: float = 0.0,
        level: float = 2.0,
    ) -> Derivation:
        items = [("chunk", one) for one in roots.split() if not via] + [("thought", one) for one in via.split()]
        return Derivation(
            id=derivation_id,
            thought_id=thought_id,
            question="q",
            answer="a",
            confidence=1.0,
            model="m",
            prompt_hash="h",
            created_at=at,
            level=level,
            evidence=tuple(
                Evidence(item_kind=kind, item_id=one, start=0, end=1, quote="x", score=1.0)  # type: ignore[arg-type]
                for kind, one in items
            ),
            roots=tuple(Root(kind="chunk", id=one) for one in sorted(roots.split())),
        )

    return make
