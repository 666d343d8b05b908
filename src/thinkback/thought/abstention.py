"""The patterns that tell an abstention and a hypothetical question, read once from ``data/abstention.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Phrases", "phrases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Compiled patterns, without regard to case."""

    abstains: tuple[re.Pattern[str], ...]
    """Found in a sentence that says that something cannot be answered."""
    short: re.Pattern[str]
    """Matches a whole short answer that abstains."""
    closer: re.Pattern[str]
    """Found at the start of a sentence that adds nothing."""
    turn: re.Pattern[str]
    """Found where a sentence turns to something else; groups ``rest`` and ``cjk`` hold that."""
    hypothetical: tuple[re.Pattern[str], ...]
    """Found in a question that asks what would be."""


@cache
def phrases() -> Phrases:
    """Return the patterns."""
    entry = resources.files("thinkback.thought") / "data" / "abstention.toml"
    table = tomllib.loads(entry.read_text(encoding="utf-8"))
    parts: dict[str, str] = table["parts"]

    def compiled(pattern: str) -> re.Pattern[str]:
        for _ in range(2):  # parts may hold parts
            for name, part in parts.items():
                pattern = pattern.replace(f"{{{name}}}", part)
        return re.compile(pattern, re.IGNORECASE | re.DOTALL)

    return Phrases(
        abstains=tuple(compiled(pattern) for language in table["languages"].values() for pattern in language),
        short=compiled(table["answers"]["short"]),
        closer=compiled(table["answers"]["closer"]),
        turn=compiled(table["answers"]["turn"]),
        hypothetical=tuple(compiled(pattern) for pattern in table["questions"]["hypothetical"]),
    )
