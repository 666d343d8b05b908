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
    borrowed: frozenset[str]
    """Of these, words that carry none only in a text of another language than English: "die", "war", "son"."""
    english: frozenset[str]
    """Words that tell English from other languages."""
    foreign: frozenset[str]
    """Words that tell other languages from English."""
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
    tags: Mapping[str, frozenset[str]]
    """English function words by what they are."""
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
    holding: frozenset[str]
    """Verbs that "have" can stand for."""
    undergoing: frozenset[str]
    """Verbs whose subject undergoes the act that is their object."""
    settled: frozenset[str]
    """Words that tell no more of what is to come than "will" does."""
    anyone: frozenset[str]
    """Agents that a passive leaves out without loss: the system, the researchers, thieves."""
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
    converse: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """Verbs, and those that tell the same from the other side, each with the preposition of who does it."""
    changing: frozenset[str]
    """Verbs that tell a change, with or without who brings it about."""
    mutual: frozenset[str]
    """Verbs that tell what two do to each other."""
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
        tags={name: frozenset(words.split()) for name, words in table["tags"].items()},
        irregular=_by_form(content["irregular"]),
        scope=_by_word(table["scope"]),
        hedges=_by_word(table["hedges"]),
        same=tuple(tuple(line.split()) for line in meaning["same"].strip().splitlines()),
        opposite=tuple((tuple(left.split(",")), tuple(right.split(","))) for left, right in sides),
        converse=tuple(_sides(line) for line in meaning["converse"].strip().splitlines()),
        changing=frozenset(meaning["changing"].split()),
        mutual=frozenset(meaning["mutual"].split()),
        phrases={
            **_inflected(table["verbs"], content["irregular"]),
            **{phrase: word for word, phrases in table["phrases"].items() for phrase in phrases},
        },
    )


def _inflected(verbs: Mapping[str, list[str]], irregular: str) -> dict[str, str]:
    """Return every form of every phrase of a verb with the like form of the one verb that it stands for."""
    forms = {lemma: written.split(",") for lemma, written in (entry.split(":") for entry in irregular.split())}
    found: dict[str, str] = {}
    for single, phrases in verbs.items():
        verb, *tail = single.split(" ")
        for phrase in phrases:
            first, _, rest = phrase.partition(" ")
            pairs = zip(_forms(first, forms), _forms(verb, forms), strict=True)
            found |= {f"{written} {rest}": " ".join((put, *tail)) for written, put in pairs}
    return found


def _forms(verb: str, irregular: Mapping[str, list[str]]) -> tuple[str, str, str, str, str]:
    """Return a verb as it is, with -s, with -ing, in the past, and as a past participle."""
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
    short = verb in _DOUBLING
    past = [f for f in irregular.get(verb, []) if not f.endswith(("ing", "s"))]
    regular = f"{verb[:-1]}ied" if verb.endswith("ry") else f"{stem}{verb[-1] if short else ''}ed"
    if verb in _UNCHANGED:
        past = [verb]
    singular = (
        f"{verb[:-1]}ies" if verb.endswith("ry") else f"{verb}es" if verb.endswith(("sh", "ss", "o")) else f"{verb}s"
    )
    progressive = f"{stem}{verb[-1] if short else ''}ing"
    return verb, singular, progressive, (past or [regular])[0], (past or [regular])[-1]


_DOUBLING = frozenset({"get", "put", "set", "cut", "run", "shut", "stop", "split", "quit", "submit"})
_UNCHANGED = frozenset({"put", "set", "cut", "shut", "split", "quit"})


def _by_form(entries: str) -> dict[str, str]:
    pairs = (entry.split(":") for entry in entries.split())
    return {form: lemma for lemma, forms in pairs for form in forms.split(",")}


def _sides(line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    left, right = line.split("/")
    return tuple(left.split()), tuple(right.split())


def _by_word(classes: Mapping[str, str]) -> dict[str, str]:
    return {word: name for name, words in classes.items() for word in words.split()}
