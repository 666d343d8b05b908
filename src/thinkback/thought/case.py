"""A claim beside the span of a text that is to carry it, read once for all checks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import counterparts
from thinkback.thought.speech import has_turns, spoken
from thinkback.thought.synonyms import single_words

__all__ = ["CLAUSE", "PAUSE", "TAKEN_UP", "Case", "read_case"]

PAUSE = re.compile(r"[,;:.!?()\u2014\u2013]")
CLAUSE = re.compile(r"[.;:!?](?=\s|$)|\b(?:but|while|whereas|although|though|however)\b", re.IGNORECASE)
"""Where another statement begins."""
TAKEN_UP = re.compile(r"\b(?:it|its|he|his|him|she|hers?|they|their|them|who|which)\b", re.IGNORECASE)
"""A word that takes up what was named before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A claim beside the span that is to carry it."""

    claim: str
    span: str
    before: str
    """The item as far as the end of the span."""
    wanted: Facts
    given: Facts
    turns: bool
    """The item is a dialogue: people go on about one thing over many short sentences."""
    missing: frozenset[str]
    """Content stems of the claim without a counterpart in the span."""


def read_case(claim: str, text: str, start: int, end: int) -> Case:
    """Return a claim and ``text[start:end]``, phrases put as single words and turns in the third person."""
    claim, span = single_words(claim), single_words(spoken(text, start, end))
    wanted, given = facts(claim), facts(span)
    return Case(
        claim=claim,
        span=span,
        before=text[:end],
        wanted=wanted,
        given=given,
        turns=has_turns(text),
        missing=wanted.stems - counterparts(wanted.content, given.words),
    )
