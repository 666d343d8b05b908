"""Who does what to whom: whether two statements that share words give them the same parts to play.

No parser. Every shared word gets the preposition that governs it, or none; words without one count by their order
around the verb, and the agent of a passive ("by the parents") comes first. A swap shows as two words that changed
places, or prepositions.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from thinkback.thought.facts import Facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.synonyms import derived, synonyms, time_nouns
from thinkback.thought.words import fold

__all__ = ["Roles", "compare_roles"]

Roles = Literal["same", "swapped", "unclear"]
_PAUSE = re.compile(r"[,;:()\u2014\u2013]")
_POSSESSIVE = re.compile(r"['\u2019]s$|s['\u2019]$")
_POINTING = frozenset({"than", "as", "to", "from", "into"})
_WHEN = frozenset({"time", "clock", "month", "decade"})
_UNCHANGED = frozenset({"cut", "put", "set", "shut", "hit", "hurt", "let", "read", "split", "spread", "cast", "shed"})
_SPACE = re.compile(r"[\s-]*")
_APPOSITION = re.compile(r"\s*,\s*(?:(?:the|a|an|his|her|their|\w+['\u2019]s?)\s+)*")
_ONLY_AND = re.compile(r"\s*(?:,|and|or|,\s*and|,\s*or|&|/)\s*(?:(?:the|a|an|his|her|its|their)\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """A content word or number, and how it is governed."""

    key: str
    case: str
    """A preposition; ``agent``, ``time``, or empty for a bare word."""
    place: int
    """Position among the parts, agents before the rest."""
    start: int
    end: int
    name: bool
    passive: bool = False
    """The participle of a passive."""
    gerund: bool = False
    """After a preposition or conjunction: "after updating the firmware"."""
    adverb: bool = False
    owner: bool = False
    """With an apostrophe: "Tom's"."""
    agent: bool = False
    """Done "by" it, in a passive."""


def compare_roles(one: Facts, two: Facts, left: str, right: str) -> Roles:
    """Return whether the words that two statements share play the same parts in both.

    ``swapped`` where two of them have exchanged places and all else agrees, or have exchanged prepositions;
    ``unclear`` where the order or a preposition differs in a way that may be rephrasing.

    Args:
        one: facts of ``left``.
        two: facts of ``right``.
        left: a statement.
        right: another.
    """
    parts_left, parts_right = _parts(one, left), _parts(two, right)
    ours, theirs = _aligned(parts_left, parts_right)
    if _clean_swap(ours, theirs, left) or _exchanged(ours, theirs):
        return "swapped"
    if _voice_turned(ours, theirs) or _voice_turned(theirs, ours):
        return "swapped"
    inverted = _inverted(ours, theirs, left, right)
    if any(a.name and b.name for a, b in inverted):
        return "swapped"
    changed = _voice_changed(ours, theirs, parts_right) or _voice_changed(theirs, ours, parts_left)
    return "unclear" if inverted or changed or _half_exchanged(ours, theirs) else "same"


def _parts(facts: Facts, text: str) -> list[_Part]:
    """Return content words and numbers in order, agents of a passive first."""
    parts: list[_Part] = []
    names = {name.start for name in facts.names}
    participles = _participles(facts)
    governed, clause, filled, after_number, opening, end = "", "", 0, False, False, 0
    for word in facts.words:
        if _PAUSE.search(text[end : word.start]):
            governed, clause, filled = "", "", 0
        end = word.end
        number = next((n for n in facts.numbers if n.start <= word.start < n.end), None)
        if number is not None:
            if not parts or parts[-1].start != number.start:
                case = "time" if not governed and number.unit in _WHEN else governed
                key = f"#{number.value:g}{number.unit}"
                parts.append(_Part(key, case, len(parts), number.start, number.end, name=False))
            filled, after_number = filled + 1, True
            continue
        if not word.content:
            opening = word is facts.words[0] or (opening and fold(word.text) not in lexicon().prepositions)
            folded = fold(word.text)
            clause = folded if folded in lexicon().subordinating else clause
            governed, filled = _govern(folded, governed, filled)
            continue
        if word.start in names and (after_number or (opening and filled)):
            governed, filled, opening = "", 0, False  # "In May 2022 Maria ...", "In the end Vera ..."
        after_number = False
        governed = governed or clause
        owner = _POSSESSIVE.search(word.text) is not None
        case = "of" if owner else governed
        if not case and word.stem in time_nouns():
            case = "time"
        passive = word.start in participles
        parts.append(
            _Part(
                key=word.stem,
                case="" if passive else case,
                place=len(parts),
                start=word.start,
                end=word.end,
                name=word.start in names,
                passive=passive,
                gerund=bool(case) and word.text.endswith("ing"),
                adverb=word.text.endswith("ly"),
                owner=owner,
            )
        )
        filled += 1
    return _agents_first(parts, facts)


def _govern(folded: str, governed: str, filled: int) -> tuple[str, int]:
    """Return the preposition in force after a function word, and how many content words it has governed."""
    if folded in lexicon().prepositions:
        return ("than" if governed == "than" and not filled else folded), 0  # "than in summer"
    if folded in lexicon().auxiliaries or (filled and folded in lexicon().determiners):
        return "", 0
    return governed, filled


def _agents_first(parts: list[_Part], facts: Facts) -> list[_Part]:
    if not any(p.passive for p in parts):
        return parts
    agents = [p for p in parts if p.case == "by" and not p.key.startswith("#") and p.key not in time_nouns()]
    if not agents or _is_gerund(agents[0], facts):
        return parts
    ordered = [*agents, *(p for p in parts if p not in agents)]
    return [
        replace(p, case="" if p in agents else p.case, agent=p in agents, place=place)
        for place, p in enumerate(ordered)
    ]


def _is_gerund(part: _Part, facts: Facts) -> bool:
    return any(w.start == part.start and w.text.endswith("ing") for w in facts.words)


def _participles(facts: Facts) -> set[int]:
    """Return the offsets of participles that follow a form of "be" or "get" within three words."""
    found = set()
    for i, word in enumerate(facts.words):
        if fold(word.text) not in lexicon().be:
            continue
        for other in facts.words[i + 1 : i + 4]:
            folded = fold(other.text)
            irregular = folded in lexicon().irregular and not folded.endswith(("er", "est", "s", "ing"))
            if other.content and (folded.endswith("ed") or irregular or folded in _UNCHANGED):
                found.add(other.start)
                break
    return found


def _aligned(left: list[_Part], right: list[_Part]) -> tuple[list[_Part], list[_Part]]:
    """Return the parts that occur once on each side, pairwise, in the order of the left."""
    once_left, once_right = _once(left), _once(right)
    by_root: dict[str, list[_Part]] = {}
    for part in once_right:
        for key in {part.key, derived(part.key), *synonyms(part.key)}:
            by_root.setdefault(key, []).append(part)
    ours: list[_Part] = []
    theirs: list[_Part] = []
    for part in once_left:
        found = by_root.get(part.key) or by_root.get(derived(part.key)) or []
        if len(found) == 1 and found[0] not in theirs:
            ours.append(part)
            theirs.append(found[0])
    return ours, theirs


def _once(parts: Sequence[_Part]) -> list[_Part]:
    """Return the parts whose word stands there once; "Tom's" does not count beside "Tom"."""
    plain = Counter(derived(p.key) for p in parts if not p.owner)
    owners = Counter(derived(p.key) for p in parts if p.owner)
    return [
        p
        for p in parts
        if (plain[derived(p.key)] == 1 and not p.owner)
        or (p.owner and not plain[derived(p.key)] and owners[derived(p.key)] == 1)
    ]


def _clean_swap(ours: Sequence[_Part], theirs: Sequence[_Part], left: str) -> bool:
    """Tell whether exactly two parts have changed places and every place kept its preposition."""
    order = sorted(theirs, key=lambda p: p.place)
    rank = [order.index(p) for p in theirs]
    moved = [i for i, r in enumerate(rank) if i != r]
    if len(moved) != 2 or rank[moved[0]] != moved[1]:
        return False
    if any(ours[i].passive or theirs[i].passive for i in moved):
        return False  # a participle after what it is done to is only the passive of the verb before it
    return all(a.case == b.case for a, b in zip(ours, order, strict=True)) and _apart(moved, ours, left)


def _apart(moved: Sequence[int], ours: Sequence[_Part], left: str) -> bool:
    """Tell whether two parts are more than neighbours in a compound or a list."""
    one, two = ours[moved[0]], ours[moved[1]]
    if one.case == two.case and _beside(one, two, left, _ONLY_AND):
        return False
    if one.case != two.case or (one.name and two.name):
        return True
    return not _beside(one, two, left, _SPACE)


def _exchanged(ours: Sequence[_Part], theirs: Sequence[_Part]) -> bool:
    """Tell whether two parts have exchanged two prepositions, or one that compares or points for none.

    "From Lisbon to Oslo" and "to Lisbon from Oslo"; "A costs more than B" and "B costs more than A".
    """
    return any((a.case and b.case) or {a.case, b.case} & _POINTING for a, b in _case_pairs(ours, theirs))


def _half_exchanged(ours: Sequence[_Part], theirs: Sequence[_Part]) -> bool:
    """Tell whether two parts have exchanged a preposition for none (Clara to Ben, Ben to Clara)."""
    return any((a.case == "") != (b.case == "") for a, b in _case_pairs(ours, theirs))


def _case_pairs(ours: Sequence[_Part], theirs: Sequence[_Part]) -> list[tuple[_Part, _Part]]:
    both = list(zip(ours, theirs, strict=True))
    return [
        (a, b)
        for (a, a2), (b, b2) in itertools.combinations(both, 2)
        if a.case != b.case and a.case == b2.case and b.case == a2.case
    ]


def _inverted(ours: Sequence[_Part], theirs: Sequence[_Part], left: str, right: str) -> list[tuple[_Part, _Part]]:
    """Return pairs of bare parts whose order differs, but for neighbours in a list or compound, and for passives."""
    bare = [
        (a, b)
        for a, b in zip(ours, theirs, strict=True)
        if a.case == b.case
        and (not a.case or a.case in lexicon().subordinating)
        and not (a.passive or b.passive or a.gerund or b.gerund)
    ]
    return [
        (a, b)
        for (a, a2), (b, b2) in itertools.combinations(bare, 2)
        if a.case == b.case
        and (a.place < b.place) != (a2.place < b2.place)
        and not (_beside(a, b, left, _ONLY_AND) and _beside(a2, b2, right, _ONLY_AND))
        and not _apposed(a, b, a2, b2, left, right)
        and not (_beside(a, b, left, _SPACE) and _beside(a2, b2, right, _SPACE) and not (a.name and b.name))
    ]


def _voice_turned(ours: Sequence[_Part], theirs: Sequence[_Part]) -> bool:
    """Tell whether a verb is passive on our side only, and done to A by B on ours, but by A to B on theirs."""
    both = list(zip(ours, theirs, strict=True))
    for verb, active in both:
        if not verb.passive or active.passive:
            continue
        done_to = [b for a, b in both if not a.case and a.start < verb.start and not a.passive and not a.agent]
        agents = [b for a, b in both if a.agent]
        if any(p.start > active.start for p in agents) and any(p.start < active.start for p in done_to):
            return True
    return False


def _voice_changed(ours: Sequence[_Part], theirs: Sequence[_Part], all_theirs: Sequence[_Part]) -> bool:
    """Tell whether a passive without agent stands beside an active that does something to something else."""
    both = list(zip(ours, theirs, strict=True))
    for verb, active in both:
        if not verb.passive or active.passive or any(a.agent for a in ours):
            continue
        objects = [p for p in all_theirs if not p.case and p.start > active.start and not p.adverb and not p.passive]
        done_to = [b for a, b in both if not a.case and a.start < verb.start and a is not verb]
        if objects and any(not p.case and p.start < active.start for p in done_to):
            return True
    return False


def _apposed(a: _Part, b: _Part, a2: _Part, b2: _Part, left: str, right: str) -> bool:
    """Tell whether two parts name the same thing in both ("her brother Tom", "Tom, her brother")."""
    return (_beside(a, b, left, _SPACE) and _beside(a2, b2, right, _APPOSITION)) or (
        _beside(a, b, left, _APPOSITION) and _beside(a2, b2, right, _SPACE)
    )


def _beside(one: _Part, other: _Part, text: str, between: re.Pattern[str]) -> bool:
    """Tell whether two parts stand side by side with only ``between`` in the middle."""
    first, second = sorted((one, other), key=lambda p: p.start)
    return between.fullmatch(text[first.end : second.start]) is not None
