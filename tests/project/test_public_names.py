"""What ``import thinkback`` offers: this list, and each name on it works."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import thinkback

PUBLIC = [
    "AddReport",
    "AddResult",
    "Answer",
    "AnswerEvent",
    "Budget",
    "Chunk",
    "Citation",
    "Document",
    "DoneEvent",
    "Filter",
    "HashingEmbedder",
    "Hit",
    "Outcome",
    "OutcomeEvent",
    "Preset",
    "ScriptedGenerator",
    "Settings",
    "TextEvent",
    "ThinkbackError",
    "Thought",
    "ThoughtRetriever",
    "Usage",
    "__version__",
    "load_preset",
    "load_settings",
]
"""Changing it is a change that users see: it goes into the changelog."""


def test_the_public_names_are_these() -> None:
    assert thinkback.__all__ == PUBLIC
    assert dir(thinkback) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_can_be_had(name: str) -> None:
    value = getattr(thinkback, name)
    if name != "__version__":
        assert value.__name__ == name


def test_no_other_name_is_made_up() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        thinkback.Nothing  # noqa: B018 - the look-up is the test


def test_the_package_itself_imports_nothing_until_it_is_used() -> None:
    code = "import sys; before = set(sys.modules); import thinkback; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.partition(".")[0] for name in ran.stdout.split()}
    assert imported <= {"thinkback", *sys.stdlib_module_names}
    assert "dataclasses" not in ran.stdout


def test_every_listed_name_of_every_module_exists(modules: dict[str, Path]) -> None:
    missing = []
    for name in modules:
        if name.rsplit(".", 1)[-1] == "__main__":
            continue
        module = importlib.import_module(name)
        missing += [f"{name}.{public}" for public in getattr(module, "__all__", []) if not hasattr(module, public)]
    assert missing == []
