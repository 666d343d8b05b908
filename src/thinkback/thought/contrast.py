"""Claims put together from words that the evidence says of different things, or of the opposite."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from thinkback.thought.case import CLAUSE, TAKEN_UP, Case
from thinkback.thought.facts import Facts
from thinkback.thought.synonyms import light, opposed, same_word, saying
from thinkback.thought.words import Word

__all__ = ["contrasted", "scattered"]

_CONTRAST = re.compile(r";(?=\s|$)|\b(?:but|while|whereas|although|though|however|instead|unlike)\b", re.IGNORECASE)
_JOINT = re.compile(
    r"[.;:,!?](?=\s|$)|\b(?:and|or|but|while|whereas|although|though|because|when|after|before|unless|until|since|so)\b",
    re.IGNORECASE,
)


def contrasted(case: Case) -> str:
    """Refuse where the evidence has a word of the claim and its opposite, and the claim's other words go with that.

    What a pronoun takes up goes with both, and does not count.
    """
    line = _line(case.given)
    claim = _line(case.wanted)
    for i, mark in enumerate(claim):
        own = [p for p, other in enumerate(line) if same_word(other.key, mark.key)]
        rivals = [p for p, other in enumerate(line) if opposed(other.key, mark.key)]
        if not own or not rivals:
            continue
        neighbours = [claim[n].key for n in range(max(0, i - 2), min(len(claim), i + 3)) if n != i]
        nearer = []
        for neighbour in neighbours:
            places = [p for p, other in enumerate(line) if same_word(other.key, neighbour)]
            last = max(*own, *rivals)
            way = case.span[line[places[0]].start : line[last].start] if places else ""
            if places and not (CLAUSE.search(way) and TAKEN_UP.search(way)):
                nearer.append(_gap(places, rivals) < _gap(places, own))
        if nearer and all(nearer):
            return "the claim has the opposite of a word of the evidence"
    return ""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A content word or number and where it stands."""

    start: int
    key: str


def _line(there: Facts) -> list[_Mark]:
    """Return the content stems and the numbers of a text, in order."""
    marks = [_Mark(w.start, w.stem) for w in there.content]
    marks += [_Mark(n.start, f"#{n.value:g}{n.unit}") for n in there.numbers]
    return sorted(marks, key=lambda mark: mark.start)


def _gap(places: Sequence[int], others: Sequence[int]) -> int:
    return min(abs(one - other) for one in places for other in others)


def scattered(case: Case) -> str:
    """Refuse where two words that stand together in the claim always have a contrast between them in the evidence.

    In prose the end of a sentence separates too. What a pronoun may take up stands together with what follows it.
    """
    here = [w for w in case.wanted.content if w.stem not in light() | saying()]
    for one, other in itertools.pairwise(here):
        if _JOINT.search(case.claim[one.end : other.start]):
            continue
        firsts = [w for w in case.given.content if same_word(w.stem, one.stem)]
        seconds = [w for w in case.given.content if same_word(w.stem, other.stem)]
        if firsts and seconds and not any(_together(a, b, case) for a in firsts for b in seconds):
            return "the evidence says the parts of the claim of different things"
    return ""


def _together(one: Word, other: Word, case: Case) -> bool:
    left, right = sorted((one, other), key=lambda w: w.start)
    between = case.span[left.end : right.start]
    border = _CONTRAST if case.turns else CLAUSE
    if not border.search(between):
        return True
    return bool(TAKEN_UP.search(between) or TAKEN_UP.match(case.span[right.end :].lstrip()))
