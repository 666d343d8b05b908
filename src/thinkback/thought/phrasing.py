"""The word lists on how sentences are put together, read once from ``data/phrasing.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from thinkback.thought.facts import Facts
from thinkback.thought.words import fold

__all__ = ["Opening", "Phrasing", "in_english", "phrasing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Words at the opening of a sentence, in lower case, without accents."""

    joining: frozenset[str]
    """Conjunctions and relatives."""
    pronouns: frozenset[str]
    demonstratives: frozenset[str]
    verbs: frozenset[str]
    """What follows a demonstrative that is the subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    """Words in lower case, without accents."""

    english: frozenset[str]
    """Function words of English."""
    others: frozenset[str]
    """Function words of other languages."""
    links: frozenset[str]
    """English words that begin another clause."""
    opening: Opening
    """Of English sentences."""
    opening_abroad: Opening
    """Of sentences in other languages."""
    expletive: re.Pattern[str]
    """Matches the opening of a folded sentence whose pronoun stands for nothing."""
    unspaced: re.Pattern[str]
    """Matches an opening that refers back, in scripts without spaces."""


@cache
def phrasing() -> Phrasing:
    """Return the word lists."""
    entry = resources.files("thinkback.thought") / "data" / "phrasing.toml"
    table = tomllib.loads(entry.read_text(encoding="utf-8"))
    function, opening = table["function"], table["opening"]
    patterns = opening.pop("patterns")
    return Phrasing(
        **{name: frozenset(words.split()) for name, words in function.items()},
        opening=_opening(opening, "english"),
        opening_abroad=_opening(opening, "others"),
        expletive=_any_of(patterns["expletive"]),
        unspaced=_any_of(patterns["unspaced"]),
    )


def _opening(table: Mapping[str, Mapping[str, str]], language: str) -> Opening:
    return Opening(**{name: frozenset(words[language].split()) for name, words in table.items()})


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def in_english(there: Facts) -> bool:
    """Tell whether a text has no fewer function words of English than of other languages, all without accents."""
    folded = {fold(word.text) for word in there.words}
    plain = all(word.text.isascii() for word in there.words if not word.content)
    return plain and len(folded & phrasing().english) >= len(folded & phrasing().others)
