"""When two notes say that something happens: whether their verbs are in times that can be told of one event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thinkback.thought.tokens import Token, alike

__all__ = ["times_agree"]

_PAST = frozenset({"was", "were", "did", "wasn't", "weren't", "didn't"})
_PRESENT = frozenset({"am", "is", "are", "do", "does", "isn't", "aren't", "don't", "doesn't"})
_PERFECT = frozenset({"has", "have", "hasn't", "haven't"})
_BEFORE_PAST = frozenset({"had", "hadn't"})
_MODAL = frozenset(
    {"will", "would", "shall", "should", "can", "could", "may", "might", "must", "won't", "can't", "cannot"}
)
_DONE = frozenset({"past", "perfect", "before"})


@dataclass(frozen=True, slots=True)
class _Time:
    when: str
    """``past``, ``present``, ``perfect``, ``before`` the past, or ``modal``."""
    going_on: bool


def times_agree(left: Sequence[Token], right: Sequence[Token], pairs: Mapping[int, int]) -> bool:
    """Tell whether no verb has another time on the other side: lives and lived, was tested and was being tested.

    A perfect goes with a past; "has worked" and "has been working" are one. Verbs without a tense, and those with a
    modal, go with anything.

    Args:
        left: tokens of a note.
        right: tokens of another.
        pairs: which token of the left is which of the right.
    """
    for a, b in pairs.items():
        if _once(left, a) != _once(right, b):
            return False
        one, two = _time(left, a), _time(right, b)
        if one is None or two is None or "modal" in (one.when, two.when):
            continue
        if one.when != two.when and not {one.when, two.when} <= _DONE:
            return False
        if one.going_on != two.going_on and not one.when == two.when in ("present", "perfect"):
            return False
    return True


def _once(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a verb stands after "used to"."""
    if at < 2 or tokens[at - 1].tag != "to" or tokens[at - 2].folded != "used":
        return False
    return at < 3 or tokens[at - 3].tag != "auxiliary"


def _time(tokens: Sequence[Token], at: int) -> _Time | None:
    """Return the time of a verb with a tense, or of the copula before a complement."""
    token = tokens[at]
    if token.tag not in ("verb", "participle") and not (token.tag == "adjective" and at):
        return None
    auxiliaries: list[str] = []
    for other in reversed(tokens[:at]):
        if other.tag == "auxiliary":
            auxiliaries.append(other.folded)
        elif other.tag not in ("adverb", "not", "other"):
            break
    if not auxiliaries:
        if token.tag != "verb" or alike(token.folded):
            return None
        return _Time("past" if token.past else "present", going_on=False)
    going_on = "being" in auxiliaries or (token.tag == "verb" and token.folded.endswith("ing"))
    for when, words in (
        ("modal", _MODAL),
        ("past", _PAST),
        ("before", _BEFORE_PAST),
        ("perfect", _PERFECT),
        ("present", _PRESENT),
    ):
        if words & set(auxiliaries):
            return _Time(when, going_on)
    return None
