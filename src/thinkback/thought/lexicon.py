"""The word lists that the judgements on thoughts use, read once from ``data/lexicon.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Lexicon", "lexicon"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Words in lower case, without accents, not stemmed."""

    stop: frozenset[str]
    """Words that carry no content of their own."""
    prepositions: frozenset[str]
    """Words that govern what follows; conjunctions too."""
    subordinating: frozenset[str]
    """Conjunctions whose whole clause, to the next pause, says when or why."""
    determiners: frozenset[str]
    auxiliaries: frozenset[str]
    be: frozenset[str]
    """Forms of "be" and "get", as in a passive."""
    titles: frozenset[str]
    capitalised: frozenset[str]
    """Words with a capital letter that are no names."""
    negations: frozenset[str]
    irregular: Mapping[str, str]
    """Form to lemma."""
    keep: frozenset[str]
    """Words whose ending only looks like one of inflection."""
    failing: frozenset[str]
    """Verbs that deny "to do" something."""
    ceasing: frozenset[str]
    """Verbs that deny "doing" something."""
    lacking: frozenset[str]
    """Words that deny a thing."""
    light: frozenset[str]
    """Words that often only carry another ("gave its approval")."""
    saying: frozenset[str]
    """Verbs that tell how a fact was put."""
    times: frozenset[str]
    """Nouns that say when, where they stand bare."""
    scope: Mapping[str, str]
    """Quantity word to its class."""
    hedges: Mapping[str, str]
    """Word of doubt, plan or duty to its class."""
    same: tuple[tuple[str, ...], ...]
    """Groups of synonyms."""
    opposite: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Pairs of groups that mean the opposite of each other."""
    phrases: Mapping[str, str]
    """Phrase to the one word that it stands for."""


@cache
def lexicon() -> Lexicon:
    """Return the word lists."""
    entry = resources.files("thinkback.thought") / "data" / "lexicon.toml"
    table = tomllib.loads(entry.read_text(encoding="utf-8"))
    function, content, meaning = table["function"], table["content"], table["meaning"]
    sides = [pair.split("/") for pair in meaning["opposite"].split()]
    return Lexicon(
        **{name: frozenset(words.split()) for name, words in function.items()},
        **{name: frozenset(words.split()) for name, words in content.items() if name != "irregular"},
        irregular=_by_form(content["irregular"]),
        scope=_by_word(table["scope"]),
        hedges=_by_word(table["hedges"]),
        same=tuple(tuple(line.split()) for line in meaning["same"].strip().splitlines()),
        opposite=tuple((tuple(left.split(",")), tuple(right.split(","))) for left, right in sides),
        phrases={phrase: word for word, phrases in table["phrases"].items() for phrase in phrases},
    )


def _by_form(entries: str) -> dict[str, str]:
    pairs = (entry.split(":") for entry in entries.split())
    return {form: lemma for lemma, forms in pairs for form in forms.split(",")}


def _by_word(classes: Mapping[str, str]) -> dict[str, str]:
    return {word: name for name, words in classes.items() for word in words.split()}
