"""Whether the words that two notes share stand in the same relations in both: who does what to whom, whose, from where.

Stricter than ``compare_roles``, and only for the last step before two notes are taken for one: what cannot be read the
same way on both sides keeps them apart.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

from thinkback.thought.clauses import Link
from thinkback.thought.converse import changes, told_from_two_sides, turned
from thinkback.thought.lexicon import lexicon
from thinkback.thought.prepositions import APART, opposite_prepositions
from thinkback.thought.reading import Reading, aligned
from thinkback.thought.synonyms import opposed
from thinkback.thought.tense import times_agree
from thinkback.thought.thesaurus import known
from thinkback.thought.tokens import Token
from thinkback.thought.words import stem

__all__ = ["Relations", "compared_the_other_way", "relations", "unnamed_agents"]

Relations = Literal["same", "open", "clash"]

_DOER = re.compile(r"(?:er|or|ist|ant|ent|ian)s?$")
_CORE = frozenset({"agent", "patient", "subject", "recipient", "complement", "part"})
_VERBAL = frozenset({"verb", "participle", "infinitive", "gerund"})
_OWNED = frozenset({"his", "her", "its", "their", "my", "your", "our"})
_ORDERS = (frozenset({"before", "after"}), frozenset({"because", "so"}), frozenset({"while"}))
"""Subordinators that say the same with the clauses exchanged."""


def relations(left: Reading, right: Reading) -> Relations:
    """Return whether the words that two notes share stand in the same relations; symmetric.

    ``clash`` where a word has another part, another owner or an opposite direction, or a verb another time; ``same``
    where every shared noun, name and number is read alike; ``open`` else.
    """
    both = _Both(left, right)
    if not both.orders_agree() or both.turned_round() or not times_agree(left.tokens, right.tokens, both.pairs):
        return "clash"
    verdicts = {both.verdict(a, b) for a, b in both.pairs.items()}
    return "clash" if "clash" in verdicts else "open" if "open" in verdicts else "same"


def unnamed_agents(left: Reading, right: Reading) -> frozenset[str]:
    """Return the stems of agents of one note that anyone may be, whose verb is a passive without agent in the other."""
    both = _Both(left, right)
    found = set()
    for here, there, pairs in ((left, right, both.pairs), (right, left, both.back)):
        for at, of in here.links.items():
            for link in of:
                verb = pairs.get(link.head) if link.head is not None else None
                if link.kind != "agent" or verb is None or not there.tokens[verb].passive:
                    continue
                agents = any(
                    other.kind == "agent" and other.head == verb for fs in there.links.values() for other in fs
                )
                if not agents and here.tokens[at].word.stem in _anyone():
                    found.add(here.tokens[at].word.stem)
    return frozenset(found)


@cache
def _mutual() -> frozenset[str]:
    return frozenset(map(stem, lexicon().mutual))


@cache
def _anyone() -> frozenset[str]:
    return frozenset(map(stem, lexicon().anyone))


def compared_the_other_way(left: Reading, right: Reading) -> bool:
    """Tell whether two notes compare the same two things by opposite words: "A is older than B", "B is younger than A"."""
    ours, theirs = ({t.word.stem for t in reading.tokens} for reading in (left, right))
    opposites = [
        (a, b)
        for a, one in enumerate(left.tokens)
        for b, other in enumerate(right.tokens)
        if one.word.stem not in theirs and other.word.stem not in ours
        if opposed(one.word.stem, other.word.stem)
    ]
    if len(opposites) != 1:
        return False
    turned_right = _compared_from_the_other(right)
    if turned_right is None or not any(t.folded == "than" for t in left.tokens):
        return False
    both = _Both(left, turned_right, dict(opposites))
    return all(both.verdict(a, b) == "same" for a, b in both.pairs.items())


def _compared_from_the_other(reading: Reading) -> Reading | None:
    """Return a comparison with what is compared and what it is compared to exchanged; None if there are not one of each."""
    subjects = {at: of for at, of in reading.links.items() if any(link.kind in ("subject", "agent") for link in of)}
    others = {at: of for at, of in reading.links.items() if any(link.by == "than" for link in of)}
    if len(subjects) != 1 or len(others) != 1:
        return None
    (subject, one), (other, two) = *subjects.items(), *others.items()
    exchanged = {
        other: tuple(replace(link, at=other) for link in one),
        subject: tuple(replace(link, at=subject) for link in two),
    }
    return replace(reading, links={**reading.links, **exchanged})


class _Both:
    """Two readings, and which token of the one is which of the other."""

    def __init__(self, left: Reading, right: Reading, more: Mapping[int, int] | None = None) -> None:
        self.left = left
        self.right = right
        self.pairs = aligned(left, right) | dict(more or {})
        self.back = {b: a for a, b in self.pairs.items()}

    def verdict(self, a: int, b: int) -> Relations:
        """Return whether a token of the left and its counterpart can be read alike."""
        if self.left.tokens[a].tag != "noun" or self.right.tokens[b].tag != "noun":
            return "same"
        ours = [link for link in self.left.links.get(a, ()) if link.kind != "clause"]
        theirs = [link for link in self.right.links.get(b, ()) if link.kind != "clause"]
        found: set[Relations] = set()
        by_verb: dict[tuple[int, int], set[Relations]] = {}
        for x, y in itertools.product(ours, theirs):
            alike = self._alike(x, y)
            found.add(alike)
            if x.head is not None and y.head is not None and self._matched(x, y) and self._verbs(x.head, y.head):
                by_verb.setdefault((x.head, y.head), set()).add(alike)
        if any("clash" in alike and "same" not in alike for alike in by_verb.values()):
            return "clash"  # "Hugo asked Mila to lend" and "Mila asked Hugo to lend": either may lend
        if "same" in found and not self._by_owner(ours, theirs):
            return "same"
        taken = self._taken(a, ours, self.left, self.right, self.pairs)
        taken = taken or self._taken(b, theirs, self.right, self.left, self.back)
        if "same" in found:
            return "clash" if taken else "same"  # "Eva moved into her aunt's flat" and "Eva's aunt moved into her flat"
        return "clash" if "clash" in found or taken else "open"

    @staticmethod
    def _by_owner(ours: Sequence[Link], theirs: Sequence[Link]) -> bool:
        """Tell whether a word belongs to another in one note only."""
        kinds = {link.kind for link in ours}, {link.kind for link in theirs}
        return any(one == {"owner"} and "owner" not in other for one, other in (kinds, kinds[::-1]))

    def _verbs(self, a: int, b: int) -> bool:
        return self.left.tokens[a].tag in ("verb", "participle") and self.right.tokens[b].tag in ("verb", "participle")

    @staticmethod
    def _taken(at: int, links_of: Sequence[Link], here: Reading, there: Reading, pairs: Mapping[int, int]) -> bool:
        """Tell whether the place of a token is another's in the other note, or is to be filled and empty.

        Verbs that tell an event from two sides have different places for the same, and are left out.
        """
        for link in links_of:
            head = pairs.get(link.head) if link.head is not None else None
            if head is None or link.kind not in ("agent", "patient", "subject", "recipient", "of", "owner"):
                continue
            if told_from_two_sides(here.tokens[link.head or 0].word.stem, there.tokens[head].word.stem):
                continue
            fillers = [
                at2 for at2, of in there.links.items() for other in of if (other.kind, other.head) == (link.kind, head)
            ]
            if any(filler in pairs.values() and filler != pairs.get(at) for filler in fillers):
                return True
            if link.kind == "agent" and not fillers and there.tokens[head].passive:
                return True
        return False

    def orders_agree(self) -> bool:
        """Tell whether the clauses of two verbs depend on each other alike: "A before B" is "B after A"."""
        labels = [(self._label(self.left, a), self._label(self.right, b)) for a, b in self.pairs.items()]
        known_labels = [(x, y) for x, y in labels if x is not None and y is not None]
        if any(x and y and opposite_prepositions(x, y) for x, y in known_labels):
            return False
        crossed = [
            frozenset({x2, y1})
            for (x1, y1), (x2, y2) in itertools.permutations(known_labels, 2)
            if not x1 and x2 and y1 and not y2
        ]
        return all(words in _ORDERS for words in crossed)

    def turned_round(self) -> bool:
        """Tell whether a word belongs to another in one note, and that to it in the other."""
        return any(
            _belongs(other, self.right.tokens) and other.head == b
            for a, b in self.pairs.items()
            for link in self.left.links.get(a, ())
            if _belongs(link, self.left.tokens) and link.head in self.pairs
            for other in self.right.links.get(self.pairs[link.head], ())
        )

    @staticmethod
    def _label(reading: Reading, at: int) -> str | None:
        """Return what subordinates a verb, or the verb that a word goes with."""
        own = [link.by for link in reading.links.get(at, ()) if link.kind == "clause"]
        heads = [link.head for link in reading.links.get(at, ()) if link.kind in _CORE and link.head is not None]
        return next(
            (label for label in (*own, *(_clause_of(reading, head) for head in heads)) if label is not None), None
        )

    def _alike(self, x: Link, y: Link) -> Relations:
        x, y = turned(x, y, self.left.tokens, self.right.tokens)
        if self._matched(x, y):
            x, y = (
                _of_doer(x, y, self.left.tokens, self.right.tokens),
                _of_doer(y, x, self.right.tokens, self.left.tokens),
            )
        else:
            x, y = (replace(link, kind=link.was) if link.was else link for link in (x, y))
        kinds = {x.kind, y.kind}
        if "time" in kinds:
            return "open" if kinds & _CORE else "same"
        if kinds <= _CORE:
            return self._cores(x, y)
        if kinds == {"with"}:
            return "clash" if opposite_prepositions(x.by, y.by) else "same" if x.by == y.by else "open"
        if kinds <= {"owner", "of", "modifier"}:
            if self._matched(x, y) or self._one_compound(x, y):
                return "same"
            return "clash" if self._elsewhere(x, y) else "open"
        if "with" in kinds:
            return self._governed(x, y)
        return self._owned(x, y)

    def _matched(self, x: Link, y: Link) -> bool:
        return x.head is not None and y.head is not None and self.pairs.get(x.head) == y.head

    def _elsewhere(self, x: Link, y: Link) -> bool:
        """Tell whether the heads of two links have counterparts, which are not each other."""
        return x.head in self.pairs and y.head in self.back and not self._matched(x, y)

    def _one_compound(self, x: Link, y: Link) -> bool:
        """Tell whether what one word describes itself describes what the other does: "Mill Street bakery"."""
        if x.head is None or y.head is None:
            return False
        here, there = self.back.get(y.head), self.pairs.get(x.head)
        return any(link.head == x.head for link in self.left.links.get(here if here is not None else -1, ())) or any(
            link.head == y.head for link in self.right.links.get(there if there is not None else -1, ())
        )

    def _cores(self, x: Link, y: Link) -> Relations:
        if not self._matched(x, y):
            if self._elsewhere(x, y):
                return "same" if self._taken_up(x, y) else "clash"
            alike = x.kind == y.kind or {x.kind, y.kind} == {"subject", "complement"}
            return "same" if alike and self._both_copulas(x, y) else "open"
        kinds = {x.kind, y.kind}
        if (
            len(kinds) == 1
            or kinds & {"part", "complement"}
            or kinds in ({"agent", "subject"}, {"patient", "recipient"})
        ):
            return "same"
        if x.head is not None and self.left.tokens[x.head].word.stem in _mutual():
            return "same"
        if kinds == {"patient", "subject"} and x.head is not None and changes(self.left.tokens[x.head]):
            return "same"
        return "clash"

    def _taken_up(self, x: Link, y: Link) -> bool:
        """Tell whether a pronoun has the part of either link in the other note: "Eva left because she ..."."""
        return any(
            there.tokens[at].tag == "pronoun" and other.head == pairs.get(link.head or 0) and other.kind in _CORE
            for link, there, pairs in ((x, self.right, self.pairs), (y, self.left, self.back))
            for at, of in there.links.items()
            for other in of
        )

    def _both_copulas(self, x: Link, y: Link) -> bool:
        heads = [
            tokens[link.head]
            for tokens, link in ((self.left.tokens, x), (self.right.tokens, y))
            if link.head is not None
        ]
        return len(heads) == 2 and all(head.tag == "auxiliary" for head in heads)

    def _governed(self, x: Link, y: Link) -> Relations:
        """Compare what a preposition governs with what none does."""
        governed, bare = (x, y) if x.kind == "with" else (y, x)
        if bare.kind in ("modifier", "of"):
            return "same"
        if bare.kind == "owner":
            reading, pairs = (self.right, self.pairs) if bare is x else (self.left, self.back)
            before = _noun_before(reading.tokens, governed.at)
            return "same" if bare.head is not None and pairs.get(bare.head) == before else "clash"
        if (
            bare.head is not None
            and _stranded((self.right if bare is y else self.left).tokens, bare.head) == governed.by
        ):
            return "same"  # "is looked after by"
        if governed.by == "per":
            return "same"  # "two a term"
        if governed.by == "by" and (self.right if governed is y else self.left).tokens[governed.at].number:
            return "same" if bare.kind in ("patient", "complement") else "clash"  # fell by 12 %, dropped 12 %
        if governed.by == "by":
            return "same" if bare.kind in ("agent", "part", "complement") else "clash"
        if governed.by not in APART:
            return (
                "same"
                if bare.kind in ("agent", "subject", "part", "complement") or not self._same_verb(x, y)
                else "clash"
            )
        if governed.by == "to" and bare.kind in ("recipient", "patient", "part"):
            return "same"
        if bare.kind in ("patient", "recipient", "part", "complement") and not self._same_verb(x, y):
            return "open"
        return "clash"

    def _same_verb(self, x: Link, y: Link) -> bool:
        if x.head is None or y.head is None:
            return False
        return self.left.tokens[x.head].word.stem == self.right.tokens[y.head].word.stem

    def _owned(self, x: Link, y: Link) -> Relations:
        """Compare an owner with a word that has a part of its own: "Karl sold Karl's house" and "his house"."""
        owner, core = (x, y) if x.kind in ("owner", "of", "modifier") else (y, x)
        if owner.kind != "owner":
            return "open"
        reading, pairs = (self.right, self.pairs) if owner is x else (self.left, self.back)
        head = pairs.get(owner.head) if owner.head is not None else None
        if head is None:
            return "open"
        if _has_pronoun(reading.tokens, head) and core.kind in ("agent", "subject", "recipient"):
            return "same"
        verb = reading.tokens[core.head].folded if core.head is not None else ""
        return "same" if core.kind == "agent" and verb in ("has", "have", "had") else "clash"


def _belongs(link: Link, tokens: Sequence[Token]) -> bool:
    """Tell whether a link has a direction: not in a compound or date, nor between two that are each other."""
    if link.head is None or link.kind in ("modifier", "complement"):
        return False
    return link.kind != "agent" or tokens[link.head].tag not in ("noun", "adjective")


def _clause_of(reading: Reading, verb: int) -> str | None:
    return next((link.by for link in reading.links.get(verb, ()) if link.kind == "clause"), None)


def _of_doer(link: Link, other: Link, tokens: Sequence[Token], others: Sequence[Token]) -> Link:
    """Return the link of what belongs to a noun as one to the verb that it stands beside.

    "The king's murderer" tells who was murdered; "the recording of the lecture" may tell what was recorded, or who did.
    """
    if link.head is None or other.head is None or link.kind not in ("owner", "of", "modifier"):
        return link
    if tokens[link.head].tag != "noun" or others[other.head].tag not in _VERBAL:
        return link
    doer = known(tokens[link.head].folded).person and _DOER.search(tokens[link.head].folded)
    return replace(link, kind="patient" if doer else "part")


def _stranded(tokens: Sequence[Token], verb: int) -> str:
    """Return the preposition that a passive leaves behind: "after" in "is looked after"."""
    return tokens[verb + 1].folded if tokens[verb].passive and verb + 1 < len(tokens) else ""


def _noun_before(tokens: Sequence[Token], at: int) -> int | None:
    """Return the noun right before the preposition that governs a phrase."""
    for i in range(at - 1, 0, -1):
        if tokens[i].tag in ("preposition", "to"):
            return i - 1 if tokens[i - 1].tag == "noun" else None
        if tokens[i].tag not in ("noun", "adjective", "determiner"):
            return None
    return None


def _has_pronoun(tokens: Sequence[Token], head: int) -> bool:
    for i in range(head - 1, -1, -1):
        if tokens[i].folded in _OWNED:
            return True
        if tokens[i].tag not in ("noun", "adjective"):
            return False
    return False
