"""Claims whose names and numbers stand in the evidence while what is said of them does not.

The typical invention of a language model: the words of the question around a name and a number of the source. Shares of
words do not show it, since the one word that is missing is the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thinkback.thought.case import Case
from thinkback.thought.derivation import kindred
from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.numbers import Number, is_year, same_number
from thinkback.thought.predicate import has_past_form, plain_words, predicate
from thinkback.thought.synonyms import same_word, time_nouns
from thinkback.thought.words import Word, fold, stem, words

__all__ = ["asked_only", "elsewhere", "unrelated"]

_KIND = re.compile(r"(?<=\bwhich )\w+", re.IGNORECASE)
"""What kind of thing is asked for: "which organism produces it" is answered without the word."""
_FEW = 2  # a claim with so few plain words says something only if each of them is said
_BORDER = re.compile(
    r"[,;:.!?()\u2014\u2013](?=\s|$)|\b(?:and|but|while|whereas|although|though|which|who)\b", re.IGNORECASE
)
_UNITS = {
    stem(verb): frozenset(units.split())
    for verb, units in {"cost": "usd eur gbp jpy", "last": "time", "weigh": "mass", "measure": "length"}.items()
}
_CONVERSE = {
    stem(one): stem(other)
    for pair in ("teach learn", "buy sell", "give receive", "lend borrow")
    for one, other in (pair.split(), reversed(pair.split()))
}
"""Verbs that tell the same event from the other side."""
_BY_GOING = frozenset(map(stem, ("attend", "visit")))


def unrelated(case: Case) -> str:
    """Refuse where the predicate of the claim does not stand in the evidence in any form.

    Where no predicate is found, but the claim has a name or number and one or two other words, those must stand there.
    """
    needed = predicate(case.wanted, case.claim)
    measures = bool(needed) and _measures(needed[0], case.wanted)
    if needed and not measures:
        lacking = next((word for word in needed if not _stands(word, case)), None)
        return f"the evidence does not say {lacking.text!r}" if lacking else ""
    plain = [word for word in plain_words(case.wanted) if word not in needed]
    if len(plain) > _FEW or any(word.kind == "cjk" for word in plain):
        return ""
    if not case.wanted.names and not case.wanted.numbers:
        return ""
    lacking = next((word for word in plain if not _stands(word, case)), None)
    return f"the evidence does not say {lacking.text!r}" if lacking else ""


def asked_only(case: Case) -> str:
    """Refuse where a word of the claim comes from the question alone.

    What a claim repeats of its question is what the evidence was asked for. Words other than the predicate may stand
    anywhere before the end of the span, or be left out before a noun that stands there ("harbour bridge", "bridge").
    """
    if not case.question:
        return ""
    asked = facts(_KIND.sub("", case.question))
    told = [word for word in plain_words(case.wanted) if word.stem not in time_nouns()]
    if any(word.kind == "cjk" for word in told):
        return _asked_only_cjk(case, asked)
    main = {word.start for word in predicate(case.wanted, case.claim)}
    before = words(case.before)
    for word in told:
        if _measures(word, case.wanted) or not any(same_word(word.stem, other.stem) for other in asked.content):
            continue
        if _stands(word, case) or (word.start not in main and (_among(word, before) or _qualifies(word, case))):
            continue
        return f"{word.text!r} is a word of the question, not of the evidence"
    return ""


def _qualifies(word: Word, case: Case) -> bool:
    """Tell whether a word stands right before another that the evidence has."""
    following = next((other for other in case.wanted.content if other.start >= word.end), None)
    return following is not None and case.claim[word.end : following.start] == " " and _stands(following, case)


def _asked_only_cjk(case: Case, asked: Facts) -> str:
    """Look for a word of two characters: the pair itself and the pairs on both sides of it are missing."""
    there = {word.stem for word in words(case.before)}
    pairs = [word for word in case.wanted.words if word.kind == "cjk"]
    for left, middle, right in zip(pairs, pairs[1:], pairs[2:], strict=False):
        missing = not {left.stem, middle.stem, right.stem} & there
        if missing and right.start - left.start == len(middle.text) and middle.stem in asked.stems:
            return f"{middle.text!r} is a word of the question, not of the evidence"
    return ""


def elsewhere(case: Case) -> str:
    """Refuse where the evidence says the predicate of another number or name, and something else of the claim's.

    "Opened in 1999 and rated in 2018" does not carry "opened in 2018"; "rose by 4% in 2019 and 6% in 2020" carries both.
    """
    main = predicate(case.wanted, case.claim)[:1]
    if not main:
        return ""
    parts = _parts(case.span)
    told = next((part for part in _parts(case.claim) if main[0].stem in part.stems), case.wanted)
    holders = [part for part in parts if any(kindred(main[0].stem, word.stem) for word in part.content)]
    others = [part for part in parts if part not in holders and any(map(_verb, part.words))]
    for number in told.numbers:
        if number.soft or _holds(holders, number):
            continue
        rivals = [own for part in holders for own in part.numbers if _alike(own, number)]
        if rivals and _holds(others, number):
            return f"the evidence says {main[0].text!r} of another number"
    doer = _doer(case.wanted, main[0])
    if not doer:
        return ""
    doers = [
        _doer(case.given, word) for word in case.given.words if kindred(word.stem, main[0].stem) and has_past_form(word)
    ]
    named = {name.key for name in case.wanted.names}
    if doers and all(one and one not in named for one in doers):
        return f"the evidence says {main[0].text!r} of another"
    return ""


def _parts(text: str) -> list[Facts]:
    return [facts(part) for part in _BORDER.split(text) if part.strip()]


def _measures(verb: Word, there: Facts) -> bool:
    """Tell whether a verb says no more than the unit of the number after it ("costs 12 euros", "lasts two weeks")."""
    units = _UNITS.get(verb.stem, frozenset())
    return any(number.unit in units for number in there.numbers if number.start >= verb.end)


def _doer(there: Facts, verb: Word) -> str:
    """Return the name right before a verb; empty where another word stands there."""
    names = {name.end: name for name in there.names}
    for word in reversed([word for word in there.words if word.start < verb.start]):
        if fold(word.text) in lexicon().auxiliaries or fold(word.text).endswith("ly"):
            continue
        return names[word.end].key if word.end in names else ""
    return ""


def _holds(parts: Iterable[Facts], number: Number) -> bool:
    return any(same_number(number, own) for part in parts for own in part.numbers)


def _alike(one: Number, other: Number) -> bool:
    return one.unit == other.unit and is_year(one) == is_year(other)


def _verb(word: Word) -> bool:
    return has_past_form(word) or fold(word.text) in lexicon().auxiliaries


def _stands(word: Word, case: Case) -> bool:
    return word.stem not in case.missing or _among(word, case.given.words)


def _among(word: Word, others: Iterable[Word]) -> bool:
    turned = "go" if word.stem in _BY_GOING else _CONVERSE.get(word.stem, "")
    return any(other.content and (kindred(word.stem, other.stem) or other.stem == turned) for other in others)
