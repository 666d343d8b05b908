"""What a claim says that a span does not, in the points that change a claim: numbers, names, negation, quantity."""

from __future__ import annotations

from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import acronyms
from thinkback.thought.numbers import same_number
from thinkback.thought.synonyms import antonyms, synonyms
from thinkback.thought.words import fold

__all__ = ["disagreement"]

_STRONG = frozenset({"all", "most", "only", "none", "least", "most_bound"})
"""Quantity words that a source must have said itself."""


def disagreement(wanted: Facts, text: str, start: int, end: int) -> str:
    """Return in a few words what of the claim does not stand in ``text[start:end]``, or the empty string.

    Args:
        wanted: the claim.
        text: the whole item: a name may stand anywhere before the end of the span, since later sentences say "she".
        start: of the span.
        end: of the span.
    """
    span = facts(text[start:end])
    for check in (_numbers, _negation, _opposite, _scope, _hedge):
        fault = check(wanted, span)
        if fault:
            return fault
    return _names(wanted, span, text[:end])


def _numbers(wanted: Facts, span: Facts) -> str:
    for number in wanted.numbers:
        if number.soft and not any(n.unit == number.unit for n in span.numbers):
            continue
        if not any(same_number(number, other) for other in span.numbers):
            return "a number of the claim does not stand in the evidence"
    return ""


def _names(wanted: Facts, span: Facts, before: str) -> str:
    context = facts(before)
    there = {fold(w.text) for w in context.words} | {w.stem for w in context.words} | acronyms(span.words)
    stems = {w.start: w.stem for w in wanted.words}
    for name in wanted.names:
        stem = stems[name.start]
        if name.sure and name.key not in there and stem not in there and not synonyms(stem) & there:
            return "a name of the claim does not stand in the evidence"
    return ""


def _negation(wanted: Facts, span: Facts) -> str:
    shared = wanted.stems & span.stems
    if (wanted.negated & shared) - span.negated:
        return "the claim denies what the evidence says"
    if (span.negated & shared) - wanted.negated:
        return "the claim says what the evidence denies"
    if wanted.negations and not span.negations and not wanted.negated & shared:
        return "the claim denies something and the evidence does not"
    return ""


def _opposite(wanted: Facts, span: Facts) -> str:
    for stem in wanted.stems - span.stems:
        if antonyms(stem) & (span.stems - wanted.stems):
            return "the claim has the opposite of a word of the evidence"
    return ""


def _scope(wanted: Facts, span: Facts) -> str:
    if (wanted.scope & _STRONG) - span.scope:
        return "the claim is wider or narrower than the evidence"
    return ""


def _hedge(wanted: Facts, span: Facts) -> str:
    if "if" in span.hedges - wanted.hedges:
        return "the evidence leaves open what the claim states"
    return ""
