"""Do two notes claim the same? Decided by what can be seen in the words; what cannot, stays undecided.

Cosine has brought the two together and cannot tell more: with MiniLM a changed number scores higher than a paraphrase.
``same`` is said only when every word that carries content has its counterpart and nothing that changes a claim differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import matched
from thinkback.thought.numbers import Number, same_number
from thinkback.thought.synonyms import antonyms

__all__ = ["GuardResult", "decide", "guard"]

Claim = Literal["same", "different", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """What the words of two notes tell."""

    verdict: Claim
    reason: str


def guard(left: str, right: str) -> GuardResult:
    """Return whether two notes claim the same; symmetric.

    ``different`` names the point in which they differ; ``undecided`` asks for a judge, or for both to be kept.
    """
    one, two = facts(left), facts(right)
    for check in (_numbers, _names, _negation, _opposite, _scope, _hedge):
        fault = check(one, two)
        if fault:
            return GuardResult(verdict="different", reason=fault)
    only_left = one.stems - matched(one.words, two.words)
    only_right = two.stems - matched(two.words, one.words)
    if only_left or only_right:
        return GuardResult(verdict="undecided", reason="some words have no counterpart")
    return GuardResult(verdict="same", reason="all words agree")


def decide(guarded: GuardResult, judged: Claim | None = None) -> Claim:
    """Return the last word on two notes: the guard's where it is sure, else the judge's, else ``undecided``.

    Args:
        guarded: what ``guard`` said.
        judged: what an NLI model or language model said; None where none is configured.
    """
    if guarded.verdict != "undecided":
        return guarded.verdict
    return judged or "undecided"


def _numbers(one: Facts, two: Facts) -> str:
    if _unmatched(one.numbers, two.numbers) or _unmatched(two.numbers, one.numbers):
        return "a number differs"
    return ""


def _unmatched(wanted: tuple[Number, ...], given: tuple[Number, ...]) -> bool:
    return any(not n.soft and not any(same_number(n, m) for m in given) for n in wanted)


def _names(one: Facts, two: Facts) -> str:
    for here, there in ((one, two), (two, one)):
        known = {w.stem for w in there.words} | {n.key for n in there.names}
        stems = {w.start: w.stem for w in here.words}
        if any(n.sure and n.key not in known and stems[n.start] not in known for n in here.names):
            return "a name differs"
    return ""


def _negation(one: Facts, two: Facts) -> str:
    if one.negations % 2 != two.negations % 2:
        return "one denies what the other says"
    shared = one.stems & two.stems
    if one.negated & shared != two.negated & shared:
        return "a negation stands elsewhere"
    return ""


def _opposite(one: Facts, two: Facts) -> str:
    for stem in one.stems - two.stems:
        if antonyms(stem) & (two.stems - one.stems):
            return "one has the opposite of a word of the other"
    return ""


def _scope(one: Facts, two: Facts) -> str:
    return "a quantity word differs" if one.scope != two.scope else ""


def _hedge(one: Facts, two: Facts) -> str:
    return "one is less certain" if one.hedges != two.hedges else ""
