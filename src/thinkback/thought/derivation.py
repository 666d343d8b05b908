"""Verbs, and the nouns and adjectives made of them with another stem: acquire and acquisition, deep and depth.

What only takes an ending is known to ``synonyms.derived``; here are the Latin patterns, and the English pairs that follow
none.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from thinkback.thought.synonyms import derived, opposed, synonyms
from thinkback.thought.words import stem

__all__ = ["kindred", "resembles"]

_SHARED_LETTERS, _SHARED_PART = 4, 0.6

_LATIN = tuple(
    (re.compile(rf"^([a-z]{{1,}}){noun}$"), rf"\g<1>{verb}")
    for noun, verb in (
        ("uction", "uc"),  # production
        ("quisition", "quir"),
        ("struction", "stroy"),
        ("scription", "scrib"),
        ("mission", "mit"),
        ("olution", "olv"),
        ("ception", "ceiv"),
        ("ication", "ish"),  # publication
        ("olition", "olish"),
        ("ition", "it"),  # prohibition
        ("orption", "orb"),
        ("ification", "ify"),
        ("plication", "ply"),
        ("pulsion", "pel"),
        ("umption", "um"),
        ("tention", "tain"),
        ("(?<=[aeiou])sion", "d"),  # invasion, decision, conclusion
        ("(?<=[aeiou]n)sion", "d"),  # expansion, extension
        ("pons", "pond"),  # response
        ("fens", "fend"),
        ("iag", "y"),  # marriage
        ("(?<=[a-z]{3})ag", ""),  # coverage
        ("(?<=[a-z]{3})ur", ""),  # closure
        ("(?<=[a-z]{3})[ae]nc", ""),  # performance
        ("(?<=[a-z]{3})[ae]ncy", ""),
    )
)
_PAIRS = """
sell:sale choose:choice grow:growth die:death,dead prove:proof bear:birth lose:loss give:gift see:sight speak:speech
fly:flight believe:belief relieve:relief live:life,alive think:thought advise:advice sing:song weigh:weight,heavy
succeed:success exceed:excess win:winner run:runner swim:swimmer sit:seat lend:loan cite:citation
deep:depth high:height,tall long:length wide:width broad:breadth strong:strength warm:warmth hot:heat young:youth
poor:poverty true:truth free:freedom old:age large:size far:distance cost:price
"""


@cache
def _families() -> dict[str, str]:
    """Return the stems of the irregular pairs, each with the stem of the first of its family."""
    found = {}
    for entry in _PAIRS.split():
        head, _, others = entry.partition(":")
        found.update({stem(word): stem(head) for word in (head, *others.split(","))})
    return found


@lru_cache(maxsize=20_000)
def _roots(one: str) -> frozenset[str]:
    """Return what a stem may come from, itself included."""
    roots = {one, derived(one), _families().get(one, one)}
    roots.update(pattern.sub(verb, one) for pattern, verb in _LATIN if pattern.match(one))
    return frozenset(roots | {derived(root) for root in roots})


def resembles(one: str, other: str) -> bool:
    """Tell whether two words have a run of four letters in common that is 60 % of the shorter one.

    For languages that are not stemmed here: gründete and Gründung, fundada and fundación.
    """
    least = max(_SHARED_LETTERS, round(_SHARED_PART * min(len(one), len(other))))
    return any(one[i : i + least] in other for i in range(len(one) - least + 1))


@lru_cache(maxsize=50_000)
def kindred(one: str, other: str) -> bool:
    """Tell whether two stems are of one family, or one is a synonym of the other's verb ("acquisition", "bought")."""
    if opposed(one, other):
        return False
    ours, theirs = _roots(one), _roots(other)
    return (
        bool(ours & theirs) or any(synonyms(root) & theirs for root in ours) or any(synonyms(r) & ours for r in theirs)
    )
