"""What a claim says that a span does not, in the points that change a claim: numbers, names, negation, quantity, parts.

Recall of words tells how much of a claim stands in a span; these checks tell whether the rest would make it another
claim. Each refuses on a visible sign only, and each can refuse a good claim: that is the price of refusing bad ones.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import DETERMINERS, LIGHT, PREPOSITIONS, SAYING
from thinkback.thought.matching import acronyms, counterparts
from thinkback.thought.numbers import Number, same_number
from thinkback.thought.roles import compare_roles
from thinkback.thought.speech import has_turns, spoken
from thinkback.thought.synonyms import derived, opposed, same_word, single_words, synonyms
from thinkback.thought.words import Word, fold, stem, words

__all__ = ["disagreement"]

_STRONG = frozenset({"all", "most", "only", "none", "least", "at most"})
"""Quantity words that a source must have said itself."""
_PAUSE = re.compile(r"[,;:.!?()\u2014\u2013]")
_COMPARES = re.compile(r"\bthan\b|\bcompared\b|\bversus\b|\bvs\b|\bexceed|\boutperform|\bsurpass|\bbeat", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;:!?](?=\s|$)|\b(?:but|while|whereas|although|though|however)\b", re.IGNORECASE)
_CONTRAST = re.compile(r";(?=\s|$)|\b(?:but|while|whereas|although|though|however|instead|unlike)\b", re.IGNORECASE)
_JOINT = re.compile(
    r"[.;:,!?](?=\s|$)|\b(?:and|or|but|while|whereas|although|though|because|when|after|before|unless|until|since|so)\b",
    re.IGNORECASE,
)
_TAKEN_UP = re.compile(r"\b(?:it|its|he|his|him|she|hers?|they|their|them|who|which)\b", re.IGNORECASE)
_DETERMINED = "the"
_EMPTY = LIGHT | SAYING
_BORDER = re.compile(r"[,;:.!?()\u2014\u2013]\s*|\b(?:and|but|while|whereas|although|though|so|or)\b", re.IGNORECASE)
_DOUBT = re.compile(r"\b(?:whether|if|unclear|unknown)\b", re.IGNORECASE)
_CLOSE = 0.1  # parts of the evidence within this share of the claim's words of the best one are looked at too
_TO_COUNTED = re.compile(r"[\s-]*(?:of\s+)?(?:the\s+|these\s+|those\s+)?")


@dataclass(frozen=True, slots=True)
class _Case:
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


def disagreement(claim: str, text: str, start: int, end: int) -> str:
    """Return in a few words what of the claim does not stand in ``text[start:end]``, or the empty string.

    Args:
        claim: the claim.
        text: the whole item: a name may stand anywhere before the end of the span, since later sentences say "she".
        start: of the span.
        end: of the span.
    """
    claim, span = single_words(claim), single_words(spoken(text, start, end))
    wanted, given = facts(claim), facts(span)
    missing = wanted.stems - counterparts(wanted.content, given.words)
    case = _Case(claim, span, text[:end], wanted, given, has_turns(text), missing)
    for check in (
        _numbers,
        _names,
        _negation,
        _opposite,
        _scope,
        _hedge,
        _comparative,
        _contrasted,
        _substituted,
        _scattered,
        _roles,
    ):
        fault = check(case)
        if fault:
            return fault
    return ""


def _numbers(case: _Case) -> str:
    for number in case.wanted.numbers:
        rivals = case.given.numbers
        if number.soft and not any(n.unit == number.unit for n in rivals):
            continue
        same = [n for n in rivals if same_number(number, n)]
        if not same:
            return "a number of the claim does not stand in the evidence"
        counted = _counted(number, case.wanted, case.claim)
        if counted is not None and _counts_otherwise(counted, same, case):
            return "a number of the claim counts something else in the evidence"
    return ""


def _counted(number: Number, there: Facts, text: str) -> Word | None:
    """Return the content word right after a number."""
    after = next((w for w in there.words if w.start >= number.end and w.content), None)
    if after is None or after.kind == "number" or not _TO_COUNTED.fullmatch(text[number.end : after.start]):
        return None
    return after


def _counts_otherwise(counted: Word, same: Sequence[Number], case: _Case) -> bool:
    """Tell whether the counted thing stands in the evidence after other numbers, and after none of the same."""
    heads = {n: _counted(n, case.given, case.span) for n in case.given.numbers}
    here = [n for n, head in heads.items() if head is not None and same_word(head.stem, counted.stem)]
    return bool(here) and not any(n in same for n in here)


def _names(case: _Case) -> str:
    context = (*words(case.before), *case.given.words)
    there = {fold(w.text) for w in context} | {w.stem for w in context} | acronyms(case.given.words)
    stems = {w.start: w.stem for w in case.wanted.words}
    for name in case.wanted.names:
        stem = stems[name.start]
        if name.sure and name.key not in there and stem not in there and not synonyms(stem) & there:
            return "a name of the claim does not stand in the evidence"
    return ""


def _negation(case: _Case) -> str:
    wanted, given = case.wanted, case.given
    if _denied(wanted, given):
        return "the claim denies what the evidence says"
    if _says_denied(case):
        return "the claim says what the evidence denies"
    if wanted.negations and not given.negations:
        return "the claim denies something and the evidence does not"
    return ""


def _denied(here: Facts, there: Facts) -> bool:
    """Tell whether a word denied here stands there without a negation."""
    shared = {derived(one) for one in here.negated} & {derived(one) for one in there.stems}
    return bool(shared - {derived(one) for one in there.negated | there.perhaps_negated})


def _says_denied(case: _Case) -> bool:
    """Tell whether the claim says what the evidence denies, in the clause of it that has most of the claim."""
    clauses = [facts(clause) for clause in _CLAUSE.split(case.span) if clause.strip()]
    for one in {derived(stem_) for stem_ in case.given.negated}:
        having = [c for c in clauses if one in {derived(w) for w in c.stems}]
        shares = [len(counterparts(case.wanted.content, c.content) & case.wanted.stems) for c in having]
        best = [c for c, share in zip(having, shares, strict=True) if share == max(shares)]
        if any(_denied(c, case.wanted) and one in {derived(w) for w in c.negated} for c in best):
            return True
    return False


def _opposite(case: _Case) -> str:
    there = {w.stem for w in case.given.words}
    here = {w.stem for w in case.wanted.words}
    if any(opposed(one, other) for one in here - there for other in there - here):
        return "the claim has the opposite of a word of the evidence"
    return ""


def _scope(case: _Case) -> str:
    if (case.wanted.scope & _STRONG) - case.given.scope:
        return "the claim is wider or narrower than the evidence"
    return ""


def _hedge(case: _Case) -> str:
    if "if" not in case.given.hedges - case.wanted.hedges:
        return ""
    for doubt in _DOUBT.finditer(case.span):
        clause = case.span[doubt.end() :]
        pause = _PAUSE.search(clause)
        doubted = facts(clause[: pause.start()] if pause else clause).content
        plain = case.wanted.stems - {stem(name.key) for name in case.wanted.names}
        if plain and 2 * len(plain & counterparts(case.wanted.content, doubted)) >= len(plain):
            return "the evidence leaves open what the claim states"
    return ""


def _comparative(case: _Case) -> str:
    """Refuse a comparison that the evidence does not make, or makes with another word."""
    if not any(fold(w.text) == "than" for w in case.wanted.words):
        return ""
    if not _COMPARES.search(case.span):
        return "the evidence does not make the comparison of the claim"
    for word, following in itertools.pairwise(case.wanted.words):
        if fold(following.text) == "than" and word.stem in case.missing:
            return "the evidence does not make the comparison of the claim"
    return ""


def _contrasted(case: _Case) -> str:
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
            if places and not (_CLAUSE.search(way) and _TAKEN_UP.search(way)):
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


def _scattered(case: _Case) -> str:
    """Refuse where two words that stand together in the claim always have a contrast between them in the evidence.

    In prose the end of a sentence separates too. What a pronoun may take up stands together with what follows it.
    """
    here = [w for w in case.wanted.content if w.stem not in _EMPTY]
    for one, other in itertools.pairwise(here):
        if _JOINT.search(case.claim[one.end : other.start]):
            continue
        firsts = [w for w in case.given.content if same_word(w.stem, one.stem)]
        seconds = [w for w in case.given.content if same_word(w.stem, other.stem)]
        if firsts and seconds and not any(_together(a, b, case) for a in firsts for b in seconds):
            return "the evidence says the parts of the claim of different things"
    return ""


def _together(one: Word, other: Word, case: _Case) -> bool:
    left, right = sorted((one, other), key=lambda w: w.start)
    between = case.span[left.end : right.start]
    border = _CONTRAST if case.turns else _CLAUSE
    if not border.search(between):
        return True
    return bool(_TAKEN_UP.search(between) or _TAKEN_UP.match(case.span[right.end :].lstrip()))


def _substituted(case: _Case) -> str:
    """Refuse where the place of a missing word is taken, in the evidence, by another ("rescue cat", "rescue dog").

    Where the evidence speaks of several like things ("sales in Asia rose, sales in Europe fell"), each part that has
    about as much of the claim as the best is looked at by itself, so that no claim is pieced together from two.
    """
    for part in _nearest_parts(case):
        missing = case.wanted.stems - counterparts(case.wanted.content, part.facts.words)
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


def _displaced(case: _Case) -> str:
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
            governed = bool(set(place.between) & PREPOSITIONS) and other.name == place.name
            doing = toward > 0 and own.start > anchor.end
            if not (governed or doing) or not _takes_place(other, place):
                continue
            if _PAUSE.search(case.span[min(own.end, anchor.end) : max(own.start, anchor.start)]):
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


def _named(case: _Case, part: _Part) -> frozenset[str]:
    """Return the stems of names of the claim that stand in the item but for the other parts of the evidence."""
    elsewhere = {fold(w.text) for w in case.given.words} - {fold(w.text) for w in part.facts.words}
    before = {fold(w.text) for w in words(case.before)} - elsewhere
    return frozenset(stem(name.key) for name in case.wanted.names if name.key in before)


def _nearest_parts(case: _Case) -> list[_Part]:
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


def _parts(case: _Case) -> list[_Part]:
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
    sequence = there.words if toward < 0 else there.words[::-1]
    found: list[_Place] = []
    anchor: Word | None = None
    between: list[str] = []
    for word in sequence:
        folded = fold(word.text)
        if not word.content:
            if folded not in DETERMINERS:
                between.append(folded)
            elif not between:
                between.append(_DETERMINED)
            continue
        if folded.endswith("ly"):
            continue
        weak = anchor is None or anchor.stem in _EMPTY or _plain(anchor) in named
        if anchor is not None and word.stem not in _EMPTY and (between or not weak):
            gap = text[min(word.end, anchor.end) : max(word.start, anchor.start)]
            if not _PAUSE.search(gap):
                found.append(_Place(word.stem, anchor.stem, _bare(between), _plain(word) in named))
        anchor, between = word, []
    return found


def _roles(case: _Case) -> str:
    if compare_roles(case.wanted, case.given, case.claim, case.span) == "swapped":
        return "the claim turns round who does what"
    return ""
