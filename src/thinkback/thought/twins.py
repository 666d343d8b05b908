"""Do two notes claim the same? Decided by what can be seen in the words; what cannot, stays undecided.

Cosine has brought the two together and cannot tell more: with MiniLM a changed number scores higher than a paraphrase.
``same`` is said only when every word that carries content has its counterpart and nothing that changes a claim
differs. ``different`` is said only when the two speak of the same thing and contradict each other in a named point. A
note that says all of another and something besides is neither: both are kept, linked as related.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from thinkback.thought.converse import told_from_two_sides
from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.matching import counterparts, kin, particles
from thinkback.thought.numbers import Number, days, same_number
from thinkback.thought.reading import Reading, read
from thinkback.thought.relations import Relations, compared_the_other_way, relations, unnamed_agents
from thinkback.thought.roles import compare_roles
from thinkback.thought.synonyms import derived, light, opposed, single_words
from thinkback.thought.words import Word, fold, is_english, stem

__all__ = ["GuardResult", "decide", "guard"]

Claim = Literal["same", "different", "undecided"]

_ANY = frozenset({"any", "anyone", "anybody", "anything"})
_SAME_TOPIC = 0.5  # share of content words that two notes must have in common before a difference is a conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """What the words of two notes tell."""

    verdict: Claim
    reason: str
    open: bool = True
    """False where nothing is plainly different, but what can be read speaks against it: no judge is asked then."""


@dataclass(frozen=True)  # without slots: what is read lazily is kept
class _Pair:
    """Two notes, and which content words of each have no counterpart in the other."""

    left: str
    right: str
    one: Facts
    two: Facts
    only_one: frozenset[str]
    only_two: frozenset[str]
    sided: bool
    """A verb of the one tells from the other side what a verb of the other tells: "taught" and "learned from"."""

    @cached_property
    def readings(self) -> tuple[Reading, Reading]:
        """Both notes, read."""
        return read(self.left, self.one), read(self.right, self.two)

    @cached_property
    def relations(self) -> Relations:
        """How the relations between the words of the two stand to each other; ``open`` in other languages than English."""
        if not (is_english(self.left) and is_english(self.right)):
            return "open"
        return relations(*self.readings)

    @property
    def overlap(self) -> float:
        """Share of the content words of the shorter note that have a counterpart, 0 to 1."""
        one, two = len(self.one.stems), len(self.two.stems)
        if not one or not two:
            return 0.0
        return min(1.0, max(one - len(self.only_one), two - len(self.only_two)) / min(one, two))


def guard(left: str, right: str) -> GuardResult:
    """Return whether two notes claim the same; symmetric, and the same for two equal notes.

    ``different`` names the point in which they differ; ``undecided`` asks for a judge, or for both to be kept.
    """
    left, right = sorted((single_words(left), single_words(right)))
    one, two = facts(left), facts(right)
    if not one.words or not two.words:
        return GuardResult(verdict="undecided", reason="a note without words")
    pair = _paired(left, right, one, two)
    if _compared(pair):
        return GuardResult(verdict="same", reason="they compare the same the other way round")
    for check in (_numbers, _names, _negation, _opposite, _roles, _scope, _hedge, _rest, _relations):
        found = check(pair)
        if found is not None:
            if found.verdict == "different" and pair.overlap < _SAME_TOPIC:
                return GuardResult(verdict="undecided", reason="they may speak of different things")
            return found
    return GuardResult(verdict="same", reason="every word has its counterpart")


def decide(guarded: GuardResult, judged: Claim | None = None) -> Claim:
    """Return the last word on two notes: the guard's where it is sure or not open, else the judge's, else ``undecided``.

    Args:
        guarded: what ``guard`` said.
        judged: what an NLI model or language model said; None where none is configured.
    """
    if guarded.verdict != "undecided" or not guarded.open:
        return guarded.verdict
    return judged or "undecided"


def _paired(left: str, right: str, one: Facts, two: Facts) -> _Pair:
    """Return two notes with the words that have no counterpart, by the lists or, among those left over, by WordNet."""
    found = counterparts(one.content, two.content), counterparts(two.content, one.content)
    lone_one, lone_two = ([w for w in f.content if w.stem not in c] for f, c in zip((one, two), found, strict=True))
    particle_one, particle_two = particles(one.words), particles(two.words)

    def alike(a: Word, b: Word) -> bool:
        return kin(a, b, particle_one.get(a.start), particle_two.get(b.start))

    sides = [(a, b) for a in lone_one for b in lone_two if told_from_two_sides(a.stem, b.stem)]
    kindred = [(a, b) for a in lone_one for b in lone_two if alike(a, b)] + sides
    return _Pair(
        left,
        right,
        one,
        two,
        frozenset(w.stem for w in lone_one) - {a.stem for a, _ in kindred},
        frozenset(w.stem for w in lone_two) - {b.stem for _, b in kindred},
        bool(sides),
    )


def _differ(one: bool, two: bool, what: str) -> GuardResult | None:
    """Both sides have something of their own: different. One side only: it says more."""
    if one and two:
        return GuardResult(verdict="different", reason=f"{what} differs")
    if one or two:
        return GuardResult(verdict="undecided", reason=f"one has {what} that the other has not")
    return None


def _compared(pair: _Pair) -> bool:
    """Tell whether the only difference is that each compares from the other's side."""
    if not all(any(fold(w.text) == "than" for w in facts_of.words) for facts_of in (pair.one, pair.two)):
        return False
    if _numbers(pair) or _negation(pair) or _scope(pair) or _hedge(pair):
        return False
    words = [{w.stem for w in f.words} for f in (pair.one, pair.two)]
    turned = [(a, b) for a in words[0] - words[1] for b in words[1] - words[0] if opposed(a, b)]
    if len(turned) != 1 or (pair.only_one | pair.only_two) - set(turned[0]) - light():
        return False
    return compared_the_other_way(*pair.readings)


def _numbers(pair: _Pair) -> GuardResult | None:
    one, two = pair.one.numbers, pair.two.numbers
    dates = days(pair.left, one), days(pair.right, two)
    if all(dates) and dates[0] != dates[1]:
        return GuardResult(verdict="different", reason="a date differs")
    return _differ(_unmatched(one, two), _unmatched(two, one), "a number")


def _unmatched(wanted: Iterable[Number], given: Iterable[Number]) -> bool:
    there = tuple(given)
    return any(not any(same_number(n, m) for m in there) and not (n.soft and not there) for n in wanted)


def _names(pair: _Pair) -> GuardResult | None:
    return _differ(_own_name(pair.one, pair.only_one), _own_name(pair.two, pair.only_two), "a name")


def _own_name(facts_of: Facts, lone: frozenset[str]) -> bool:
    stems = {w.start: w.stem for w in facts_of.words}
    return any(name.sure and stems[name.start] in lone for name in facts_of.names)


def _negation(pair: _Pair) -> GuardResult | None:
    one, two = pair.one, pair.two
    if one.negated and {derived(w) for w in one.negated} == {derived(w) for w in two.negated}:
        return None  # "failed to start", "did not start"
    if one.negations % 2 != two.negations % 2:
        return GuardResult(verdict="different", reason="one denies what the other says")
    moved = [
        bool((here.negated & there.stems) - there.negated - there.perhaps_negated)
        for here, there in ((one, two), (two, one))
    ]
    if all(moved) or (any(moved) and not (one.negated and two.negated)):
        return GuardResult(verdict="different", reason="a negation stands elsewhere")
    if any(moved):
        return GuardResult(verdict="undecided", reason="a negation may stand elsewhere")
    return None


def _opposite(pair: _Pair) -> GuardResult | None:
    if any(opposed(a, b) for a in pair.only_one for b in pair.only_two):
        return GuardResult(verdict="different", reason="one has the opposite of a word of the other")
    words = [{w.stem for w in f.words} for f in (pair.one, pair.two)]
    if any(opposed(a, b) for a in words[0] - words[1] for b in words[1] - words[0]):
        return GuardResult(verdict="different", reason="one has the opposite of a word of the other")
    return None


def _roles(pair: _Pair) -> GuardResult | None:
    roles = compare_roles(pair.one, pair.two, pair.left, pair.right)
    if roles == "swapped":
        return GuardResult(verdict="different", reason="two of them have changed parts")
    if roles == "unclear" and pair.relations != "same":
        return GuardResult(verdict="undecided", reason="who does what is not clear from the words")
    return None


def _scope(pair: _Pair) -> GuardResult | None:
    one, two = _quantities(pair.one), _quantities(pair.two)
    return _differ(bool(one - two), bool(two - one), "a quantity word")


def _quantities(facts_of: Facts) -> frozenset[str]:
    """Return the classes of quantity words; "not by anyone" is none."""
    keys = {fold(w.text) for w in facts_of.words}
    if facts_of.negations and keys & _ANY:
        entire = {key for key in keys - _ANY if lexicon().scope.get(key) == "all"}
        return facts_of.scope - (frozenset() if entire else {"all"}) | {"none"}
    return facts_of.scope


def _hedge(pair: _Pair) -> GuardResult | None:
    if pair.one.hedges != pair.two.hedges:
        return GuardResult(verdict="undecided", reason="one is less certain than the other")
    return None


def _rest(pair: _Pair) -> GuardResult | None:
    one, two = (only - _carried(pair) for only in (pair.only_one, pair.only_two))
    if one and two:
        return GuardResult(verdict="undecided", reason="some words have no counterpart")
    if (one or two) - light():
        return GuardResult(verdict="undecided", reason="one says more than the other")
    return None


def _carried(pair: _Pair) -> frozenset[str]:
    """Return the stems of words that say nothing more: told by a class that both have, or an agent that anyone is.

    "Is planned for May" and "will be in May"; "the whole night" and "all night"; "failed to" and "did not"; the system,
    the researchers or thieves, where the other has a passive without them.
    """
    lists = lexicon()
    found = set()
    none = "none" in _quantities(pair.one) & _quantities(pair.two)
    for facts_of in (pair.one, pair.two):
        for w in facts_of.content:
            key = fold(w.text)
            if key in lists.settled and "plan" in pair.one.hedges & pair.two.hedges:
                found.add(w.stem)
            if lists.scope.get(key) in pair.one.scope & pair.two.scope or (none and key in lists.tags["pronoun"]):
                found.add(w.stem)
    if pair.one.negated and pair.two.negated:
        found |= set(map(stem, lists.failing))
    return frozenset(found) | unnamed_agents(*pair.readings)


def _relations(pair: _Pair) -> GuardResult | None:
    found = pair.relations
    if found == "clash" or (found == "open" and pair.sided):
        reason = "who does what to whom, or when, is not the same for certain"
        return GuardResult(verdict="undecided", reason=reason, open=found != "clash")
    return None
