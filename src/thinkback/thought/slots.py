"""Claims in which a word has the place that another has in the evidence: "rescue cat" for "rescue dog"."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from thinkback.thought.case import PAUSE, Case, lacking
from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.matching import counterparts
from thinkback.thought.numbers import same_number
from thinkback.thought.synonyms import derived, light, same_word, saying
from thinkback.thought.words import Word, fold, stem, words

__all__ = ["substituted"]

_BORDER = re.compile(r"[,;:.!?()\u2014\u2013]\s*|\b(?:and|but|while|whereas|although|though|so|or)\b", re.IGNORECASE)
_CLOSE = 0.1  # parts of the evidence within this share of the claim's words of the best one are looked at too
_DETERMINED = "the"


def substituted(case: Case) -> str:
    """Refuse where the place of a missing word is taken, in the evidence, by another ("rescue cat", "rescue dog").

    Where the evidence speaks of several like things ("sales in Asia rose, sales in Europe fell"), each part that has
    about as much of the claim as the best is looked at by itself, so that no claim is pieced together from two.
    """
    for part in _nearest_parts(case):
        missing = lacking(case.wanted, part.facts)
        missing -= _named(case, part)
        known = {w.stem for w in case.wanted.words}
        for toward in (-1, 1):
            here = [p for p in _places(case.wanted, case.claim, toward) if p.stem in missing]
            there = [
                p
                for p in _places(part.facts, part.text, toward)
                if p.stem not in known or part.text != case.span  # of several like things, any may be the other
            ]
            if any(
                _takes_place(o, p) and ((o.name == p.name) if o.stem in known else (o.name or not p.name))
                for p, o in itertools.product(here, there)
            ):
                return "the evidence has another word in the place of one of the claim"
    return _displaced(case)


def _displaced(case: Case) -> str:
    """Refuse where a word of the claim stands in the evidence, but beyond a pause, and another has its place.

    Looked at are words after a preposition ("kept by the head") and those before what they do ("the head signed").
    """
    known = {w.stem for w in case.wanted.words}
    times = Counter(w.stem for w in case.given.content)
    at = {w.stem: w for w in case.given.content if times[w.stem] == 1}
    for toward in (-1, 1):
        there = [p for p in _places(case.given, case.span, toward) if p.stem not in known and p.anchor in at]
        here = [p for p in _places(case.wanted, case.claim, toward) if p.stem in at]
        for place, other in itertools.product(here, there):
            own, anchor = at[place.stem], at[other.anchor]
            governed = bool(set(place.between) & lexicon().prepositions) and other.name == place.name
            doing = toward > 0 and own.start > anchor.end
            if not (governed or doing) or not _takes_place(other, place):
                continue
            if PAUSE.search(case.span[min(own.end, anchor.end) : max(own.start, anchor.start)]):
                return "the evidence has another word in the place of one of the claim"
    return ""


def _takes_place(other: _Place, place: _Place) -> bool:
    return (
        other.between == place.between
        and same_word(other.anchor, place.anchor)
        and not same_word(other.stem, place.stem)
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the evidence that speaks of one thing."""

    text: str
    facts: Facts


def _named(case: Case, part: _Part) -> frozenset[str]:
    """Return the stems of names of the claim that stand in the item but for the other parts of the evidence."""
    elsewhere = {fold(w.text) for w in case.given.words} - {fold(w.text) for w in part.facts.words}
    before = {fold(w.text) for w in (*words(case.before), *case.title)} - elsewhere
    return frozenset(stem(name.key) for name in case.wanted.names if name.key in before)


def _nearest_parts(case: Case) -> list[_Part]:
    """Return the parts of the evidence that carry most of the claim; the whole where it has no parts."""
    parts = _parts(case)
    if len(parts) == 1:
        return parts
    shares = [
        len(counterparts(case.wanted.content, part.facts.words) & case.wanted.stems)
        + sum(any(same_number(n, m) for m in part.facts.numbers) for n in case.wanted.numbers)
        for part in parts
    ]
    close = max(shares) - len(case.wanted.stems) * _CLOSE
    return [part for part, share in zip(parts, shares, strict=True) if share >= close]


def _parts(case: Case) -> list[_Part]:
    """Cut the evidence between repetitions of a word of the claim, at a pause or conjunction."""
    named = _sure_names(case.given)
    times = Counter(derived(w.stem) for w in case.given.content if _plain(w) not in named)
    repeated = {one for one in (derived(w.stem) for w in case.wanted.content) if times[one] > 1}
    if not repeated:
        return [_Part(case.span, case.given)]
    parts, start = [], 0
    for border in _BORDER.finditer(case.span):
        left = {derived(w.stem) for w in case.given.content if start <= w.start < border.start()}
        right = {derived(w.stem) for w in case.given.content if w.start >= border.end()}
        if left & right & repeated:
            piece = case.span[start : border.start()]
            parts.append(_Part(piece, facts(piece)))
            start = border.end()
    return [*parts, _Part(case.span[start:], facts(case.span[start:]))]


@dataclass(frozen=True, slots=True)
class _Place:
    """A content word, the content word next to it on one side, and the function words between."""

    stem: str
    anchor: str
    between: tuple[str, ...]
    name: bool


def _sure_names(there: Facts) -> frozenset[str]:
    return frozenset(name.key for name in there.names if name.sure)


def _plain(word: Word) -> str:
    return fold(re.sub(r"['\u2019]s?$", "", word.text))


def _bare(between: list[str]) -> tuple[str, ...]:
    """Return the function words between two words; determiners count only where nothing else stands there."""
    others = tuple(sorted(word for word in between if word != _DETERMINED))
    return others or tuple(between[:1])


def _places(there: Facts, text: str, toward: int) -> list[_Place]:
    """Return content words with their neighbour before (-1) or after (1), where no pause stands between the two."""
    named = _sure_names(there)
    empty = light() | saying()
    sequence = there.words if toward < 0 else there.words[::-1]
    found: list[_Place] = []
    anchor: Word | None = None
    between: list[str] = []
    for word in sequence:
        folded = fold(word.text)
        if not word.content:
            if folded not in lexicon().determiners:
                between.append(folded)
            elif not between:
                between.append(_DETERMINED)
            continue
        if folded.endswith("ly") or word.kind == "cjk":  # overlapping pairs of characters have no places
            continue
        weak = anchor is None or anchor.stem in empty or _plain(anchor) in named
        if anchor is not None and word.stem not in empty and (between or not weak):
            gap = text[min(word.end, anchor.end) : max(word.start, anchor.start)]
            if not PAUSE.search(gap):
                found.append(_Place(word.stem, anchor.stem, _bare(between), _plain(word) in named))
        anchor, between = word, []
    return found
