"""Words of the same and of opposite meaning, by stem, and short phrases that stand for one word.

Few on purpose: words count as synonyms only if one can replace the other in a plain statement of fact.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from thinkback.thought.lexicon import lexicon
from thinkback.thought.words import stem

__all__ = [
    "antonyms",
    "derived",
    "light",
    "opposed",
    "same_word",
    "saying",
    "single_words",
    "synonyms",
    "time_nouns",
]

_DERIVED = (
    "isation", "ization", "ation", "ition", "ement", "ment", "ance", "ence", "ness", "ity", "ion", "ive", "al", "er",
    "or", "ist", "ian", "ful", "ant", "ent", "ic", "y", "at", "iv",
)  # fmt: skip
_LEAST_ROOT = 4
_PARTICLES = ("up", "out", "off", "on", "over", "down", "away", "back", "in")
_DETERMINER = "the|a|an|his|her|its|their|my|your|our|this|that|these|those|all|both"
_GOES_ON = "to|at|when|after|before|in|on|for|and|but|because|by|from|with|during|until|if|last|next|yesterday|today"
_A_PERIOD = re.compile(
    r"(?P<what>\b(?:once|twice|times|\d[\d.,]*\s+\S+(?:\s+\S+){0,2}|(?:euro|dollar|pound|hour|minute|day|kilo|gram|litre|mile)s))"
    r"\s+an?\s+(?P<period>day|week|month|year|night)\b(?!\s+(?:ago|later|earlier|before|after|old|long|in)\b)",
    re.IGNORECASE,
)  # "50 euros a month" is monthly; "it took 50 people a month" is read so too
_EACH = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly", "night": "nightly"}
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis")


@cache
def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in lexicon().same:
        group = {stem(word) for word in line}
        for one in group:
            table.setdefault(one, set()).update(group - {one})
    return {one: frozenset(others) for one, others in table.items()}


@cache
def _opposite() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for sides in lexicon().opposite:
        left, right = ({stem(word) for word in side} for side in sides)
        for one in left:
            table.setdefault(one, set()).update(right)
        for one in right:
            table.setdefault(one, set()).update(left)
    return {one: frozenset(others) for one, others in table.items()}


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(lexicon().phrases, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


@cache
def _apart() -> re.Pattern[str]:
    """Return the pattern of a verb, what it is done to, and its particle: "handed the keys over"."""
    pairs = [phrase.split(" ") for phrase in lexicon().phrases if phrase.count(" ") == 1]
    verbs = {verb for verb, particle in pairs if particle in _PARTICLES}
    return re.compile(
        rf"\b(?P<verb>{'|'.join(sorted(verbs))})\s+(?P<what>(?:{_DETERMINER})(?:\s+[\w-]+){{1,2}}?|[A-Z]\w+)"
        rf"\s+(?P<particle>{'|'.join(_PARTICLES)})\b(?=\s*(?:[.,;:!?]|$|\b(?:{_GOES_ON})\b))"
    )


def _joined(match: re.Match[str]) -> str:
    single = lexicon().phrases.get(f"{match['verb']} {match['particle']}".casefold())
    return f"{single} {match['what']}" if single else match.group()


@cache
def light() -> frozenset[str]:
    """Return the stems of words that often only carry another ("gave its approval")."""
    return frozenset(map(stem, lexicon().light))


@cache
def saying() -> frozenset[str]:
    """Return the stems of verbs that tell how a fact was put, not what it is."""
    return frozenset(map(stem, lexicon().saying))


@cache
def time_nouns() -> frozenset[str]:
    """Return the stems of nouns that say when, where they stand bare."""
    return frozenset(map(stem, lexicon().times))


def single_words(text: str) -> str:
    """Return the text with phrases put as one word ("gave up" as "quit"); offsets are those of the new text."""
    phrases = lexicon().phrases
    text = _A_PERIOD.sub(lambda match: f"{match['what']} {_EACH[match['period'].casefold()]}", text)
    text = _apart().sub(_joined, text)
    return _phrases().sub(lambda match: phrases.get(match.group().casefold(), match.group()), text)


def synonyms(one: str) -> frozenset[str]:
    """Return the other stems that mean the same as a stem."""
    return _same().get(one, frozenset())


def antonyms(one: str) -> frozenset[str]:
    """Return the stems that mean the opposite of a stem."""
    return _opposite().get(one, frozenset())


@cache
def derived(one: str) -> str:
    """Return what is left of a stem without its derivational ending: "approval" and "approve" share a root.

    Roots have four letters at least; shorter words and those that are not plain letters stay as they are.
    """
    if not (one.isascii() and one.isalpha()):
        return one
    for ending in _DERIVED:
        if one.endswith(ending) and len(one) - len(ending) >= _LEAST_ROOT:
            root = one[: -len(ending)]
            return root[:-1] if len(root) > _LEAST_ROOT and root[-1] == root[-2] else root
    return one


@lru_cache(maxsize=50_000)
def same_word(one: str, other: str) -> bool:
    """Tell whether two stems are one word in two forms, or synonyms."""
    if one == other or other in synonyms(one):
        return True
    if opposed(one, other):
        return False
    root, other_root = derived(one), derived(other)
    return root == other_root or other_root in synonyms(root) or other in synonyms(root) or other_root in synonyms(one)


@lru_cache(maxsize=50_000)
def opposed(one: str, other: str) -> bool:
    """Tell whether two stems mean the opposite: listed, or one is the other with un-, in-, dis- or non- before it."""
    if other in antonyms(one):
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return any(longer == prefix + shorter for prefix in _NEGATIVE_PREFIXES) and len(shorter) >= _LEAST_ROOT
