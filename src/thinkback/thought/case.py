"""A claim beside the span of a text that is to carry it, read once for all checks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thinkback.thought.derivation import kindred, resembles
from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import counterparts
from thinkback.thought.phrasing import in_english
from thinkback.thought.speech import has_turns, spoken
from thinkback.thought.synonyms import single_words
from thinkback.thought.words import Word, words

__all__ = ["CLAUSE", "PAUSE", "TAKEN_UP", "Case", "lacking", "read_case", "title_names"]

PAUSE = re.compile(r"[,;:.!?()\u2014\u2013]")
CLAUSE = re.compile(
    r"(?<!\b[DMS][rt])(?<!\bMrs)(?<!\bProf)[.;:!?](?=\s|$)|\b(?:but|while|whereas|although|though|however)\b",
    re.IGNORECASE,
)
"""Where another statement begins."""
TAKEN_UP = re.compile(r"\b(?:it|its|he|his|him|she|hers?|they|their|them|who|which)\b", re.IGNORECASE)
"""A word that takes up what was named before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A claim beside the span that is to carry it."""

    claim: str
    span: str
    before: str
    """The item as far as the end of the span, as it is written."""
    start: int
    """Of the span in it."""
    wanted: Facts
    given: Facts
    turns: bool
    """The item is a dialogue: people go on about one thing over many short sentences."""
    missing: frozenset[str]
    """Content stems of the claim without a counterpart in the span."""
    question: str = ""
    """What the claim answers; empty where it is not known."""
    title: tuple[Word, ...] = ()
    """The names in the title of the item's document."""


def read_case(claim: str, text: str, start: int, end: int, *, question: str = "", title: str = "") -> Case:
    """Return a claim and ``text[start:end]``, phrases put as single words and turns in the third person."""
    claim, span = single_words(claim), single_words(spoken(text, start, end))
    wanted, given = facts(claim), facts(span)
    return Case(
        claim=claim,
        span=span,
        before=text[:end],
        start=start,
        wanted=wanted,
        given=given,
        turns=has_turns(text),
        missing=lacking(wanted, given) - {word.stem for word in words(text[start:end])},
        question=single_words(question),
        title=title_names(title, text),
    )


def lacking(wanted: Facts, given: Facts) -> frozenset[str]:
    """Return the content stems of a statement without a counterpart in another, in any form."""
    missing = wanted.stems - counterparts(wanted.content, given.words)
    same = kindred if in_english(wanted) else resembles
    there = [word.stem for word in given.content if word.kind == "word"]
    kept = {word.stem for word in wanted.content if word.kind != "word"}
    return frozenset(one for one in missing if one in kept or not any(same(one, other) for other in there))


def title_names(title: str, text: str) -> tuple[Word, ...]:
    """Return the words of a title that are names: with a capital letter, and never without one in the text.

    In a title of capitalised words any word looks like a name. Numbers are none.
    """
    if not title:
        return ()
    common = {word.stem for word in words(text) if word.text == word.text.lower()}
    named = {name.start for name in facts(title).names}
    return tuple(word for word in words(title) if word.start in named and word.stem not in common)
