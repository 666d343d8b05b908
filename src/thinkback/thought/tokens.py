"""The words and numbers of an English sentence with what can be told of each alone, for ``tagging``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from thinkback.thought.facts import Facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.matching import particles
from thinkback.thought.numbers import Number
from thinkback.thought.thesaurus import known
from thinkback.thought.words import Word, fold

__all__ = ["Tag", "Token", "alike", "tokens"]

Tag = Literal[
    "noun",
    "adjective",
    "adverb",
    "verb",
    "participle",
    "gerund",
    "infinitive",
    "auxiliary",
    "determiner",
    "pronoun",
    "preposition",
    "to",
    "subordinator",
    "relative",
    "and",
    "not",
    "pause",
    "other",
]

_PAUSE = re.compile(r"[,;:.!?()\u2014\u2013]")
_PLACES = frozenset({"in", "on", "over", "through", "around", "off"})
"""Particles that are as often prepositions."""
_ABOUT = frozenset({"about", "around"})
_BOUND = frozenset({"more", "less", "fewer"})
_YEAR = re.compile(r"#(?:1\d|20)\d\d")
_OWNER = re.compile(r"'s$|s'$")
_NUMBER_VERB = re.compile(r"(?:doubl|tripl|quadrupl|halv)(?:e[sd]|ing)")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number with what it is taken for."""

    word: Word
    tag: Tag
    folded: str
    owner: bool = False
    """With an apostrophe: "Tom's"."""
    name: bool = False
    number: str = ""
    """Value and unit, of a number."""
    past: bool = False
    """Has the form of a past or past participle."""
    passive: bool = False

    @property
    def year(self) -> bool:
        """Whether it may be a year."""
        return _YEAR.fullmatch(self.number) is not None

    @property
    def key(self) -> str:
        """The stem, or the value of a number."""
        return self.number or self.word.stem


def tokens(text: str, facts: Facts) -> list[Token]:
    """Return the words and numbers of a text in order, and a ``pause`` where a comma or the like stands.

    Function words have their tag; content words are ``noun`` for now. What a phrase hides is put plainly: "using" as
    "with", "out of" as "from", "has to" as "must".
    """
    names = {name.start for name in facts.names if name.sure or not known(name.key).verb}
    beside = {particle.start for particle in particles(facts.words).values() if fold(particle.text) not in _PLACES}
    found: list[Token] = []
    end, counted = 0, -1
    for word in facts.words:
        number = _number(word, facts)
        in_date = number is not None and not number.unit and found and found[-1].number  # January 1, 2025
        if found and not in_date and _PAUSE.search(text[end : word.start]):
            found.append(Token(word, "pause", ","))
        end = word.end
        if number is not None:
            if number.start != counted:
                found.append(Token(word, "noun", fold(word.text), number=f"#{number.value:g}{number.unit}"))
            counted = number.start
        elif word.start in beside:
            found.append(Token(word, "adverb", fold(word.text)))
        else:
            _add(found, word, facts, name=word.start in names)
    return found


def _number(word: Word, facts: Facts) -> Number | None:
    """Return the number that a word belongs to; "doubled" and the like are verbs."""
    if _NUMBER_VERB.fullmatch(fold(word.text)):
        return None
    return next((n for n in facts.numbers if n.start <= word.start < n.end), None)


def _add(found: list[Token], word: Word, facts: Facts, *, name: bool) -> None:
    """Append the token of a word, in the light of those before it."""
    folded = fold(word.text).replace("\u2019", "'")
    before = found[-1].folded if found else ""
    tag = _closed().get(folded)
    if folded == "using" and found and found[-1].tag != "auxiliary":
        folded, tag = "with", "preposition"
    elif folded == "to" and before in lexicon().tags["have"]:
        found[-1] = replace(found[-1], folded="must")
        tag = "other"
    elif folded == "of" and before == "out" and not (len(found) > 1 and found[-2].number):
        found.pop()
        folded = "from"  # but "two out of five"
    elif folded == "than" and before in _BOUND and any(word.end < n.start <= word.end + 2 for n in facts.numbers):
        tag = "other"
    elif folded in _ABOUT and any(word.end < n.start <= word.end + 3 for n in facts.numbers):
        tag = "adverb"
    elif tag is None and not word.content and not (word.text.isupper() and len(word.text) == 1):
        tag = "other"  # but "vitamin D"
    owner = word.content and _OWNER.search(folded) is not None
    folded = re.sub(r"'s?$", "", folded) if owner else folded
    found.append(Token(word, tag or "noun", folded, owner=owner, name=name, past=tag is None and _past(folded)))


@cache
def _closed() -> dict[str, Tag]:
    """Return the tag of each function word."""
    lists = lexicon().tags
    tags: dict[str, Tag] = {word: tag for tag in get_args(Tag) for word in lists.get(tag, ())}
    return tags | dict.fromkeys(lists["be"] | lists["have"] | lists["modal"], "auxiliary")


def alike(folded: str) -> bool:
    """Tell whether a verb is written in the past as it is in the present."""
    return folded in lexicon().tags["alike"]


def _past(folded: str) -> bool:
    lemma = lexicon().irregular.get(folded)
    if lemma is not None:
        return known(lemma).verb > 0 and not folded.endswith(("ing", "s", "er", "est"))
    return (folded.endswith("ed") and len(folded) > 4) or alike(folded)
