"""Which thoughts still stand after sources went, as a plan that the store then carries out. Pure.

The rules, in order, for one thought:

====================================================================  =========================================
its status is ``retracted`` or ``superseded``                         nothing changes: a person or an update said so
a derivation has a root that is not live                              that derivation is dead
a derivation stands on a thought that does not stand                  that derivation is dead
it has a live derivation                                              it is active
it has none                                                           it is stale
====================================================================  =========================================

A thought *stands* if it is active after the plan. Thoughts are taken sources first, so that what rests on a retracted
thought follows it, and comes back with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from thinkback.types import Derivation, Root, Status, Thought

__all__ = ["StalePlan", "Standing", "plan", "standing", "support_of", "would_cycle"]

_SETTLED: frozenset[Status] = frozenset({"retracted", "superseded"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a thought stands after the plan."""

    thought_id: str
    status: Status
    support: int
    """Distinct live root sets, those reached through the thought itself left out; 0 for a stale thought."""
    level: float
    """Of the derivation with the most support; the former level for a stale thought."""
    live: tuple[str, ...]
    """Ids of the derivations that hold, oldest first."""
    dead: tuple[str, ...]
    """Ids of those that do not, oldest first."""
    reason: str = ""
    """Why it is stale; empty for an active one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePlan:
    """What changes. A thought that is in none of the three stays as it is. All are ordered by thought id."""

    stale: tuple[Standing, ...] = ()
    """Active until now."""
    revived: tuple[Standing, ...] = ()
    """Stale until now."""
    changed: tuple[Standing, ...] = ()
    """Active before and after, with other support or another level."""

    def __bool__(self) -> bool:
        return bool(self.stale or self.revived or self.changed)


def plan(
    thoughts: Mapping[str, Thought], derivations: Mapping[str, Sequence[Derivation]], live: Collection[str]
) -> StalePlan:
    """Return what changes when only the raw items ``live`` are left.

    Args:
        thoughts: by id; any part of a memory, as long as it is closed under "rests on" for the thoughts that changed.
            A source thought that is not among them is taken to stand.
        derivations: of each thought, in any order; a thought without an entry has none.
        live: ids of the roots (chunks and testimonies) that exist.
    """
    stands: dict[str, bool] = {}
    stale: list[Standing] = []
    revived: list[Standing] = []
    changed: list[Standing] = []
    for thought_id in _sources_first(thoughts, derivations):
        thought = thoughts[thought_id]
        if thought.status in _SETTLED:
            stands[thought_id] = False
            continue
        after = _judge(thought, derivations, live, stands)
        stands[thought_id] = after.status == "active"
        if after.status != thought.status:
            (revived if after.status == "active" else stale).append(after)
        elif after.status == "active" and (after.support, after.level) != (thought.support, thought.level):
            changed.append(after)
    return StalePlan(stale=_by_id(stale), revived=_by_id(revived), changed=_by_id(changed))


def standing(
    thought: Thought,
    derivations: Mapping[str, Sequence[Derivation]],
    live: Collection[str],
) -> Standing:
    """Return how one thought stands by its roots alone, all source thoughts taken to stand.

    Args:
        thought: of any status; the answer is active or stale.
        derivations: its own and, to see which lead back to it, those of the thoughts that it rests on.
        live: ids of the roots that exist.
    """
    return _judge(thought, derivations, live, {})


def support_of(thought_id: str, derivations: Mapping[str, Sequence[Derivation]]) -> int:
    """Return the number of distinct root sets of a thought, not counting those reached through the thought itself.

    A derivation reaches through the thought if any item of its evidence is the thought, or rests on it: a memory
    cannot confirm itself.
    """
    return len(_root_sets(thought_id, derivations.get(thought_id, ()), derivations))


def would_cycle(thought_id: str, source_ids: Iterable[str], derivations: Mapping[str, Sequence[Derivation]]) -> bool:
    """Tell whether a derivation of the thought from these items would make the thought rest on itself."""
    return any(_rests_on(source, thought_id, derivations) for source in source_ids)


def _judge(
    thought: Thought,
    derivations: Mapping[str, Sequence[Derivation]],
    live: Collection[str],
    stands: Mapping[str, bool],
) -> Standing:
    own = sorted(derivations.get(thought.id, ()), key=lambda d: (d.created_at, d.id))
    causes = {d.id: _fault(d, live, stands) for d in own}
    good = [d for d in own if not causes[d.id]]
    dead = tuple(d.id for d in own if causes[d.id])
    if not good:
        return Standing(
            thought_id=thought.id,
            status="stale",
            support=0,
            level=thought.level,
            live=(),
            dead=dead,
            reason=causes[dead[-1]] if dead else "it has no derivation",
        )
    sets = _root_sets(thought.id, good, derivations)
    return Standing(
        thought_id=thought.id,
        status="active",
        support=len(sets),
        level=_best(good).level,
        live=tuple(d.id for d in good),
        dead=dead,
    )


def _fault(derivation: Derivation, live: Collection[str], stands: Mapping[str, bool]) -> str:
    """Return why a derivation does not hold, or the empty string."""
    if not derivation.roots:
        return "its derivation names no root"
    if any(root.id not in live for root in derivation.roots):
        return "a source was deleted or changed"
    if any(not stands.get(source, True) for source in _source_thoughts(derivation)):
        return "it rests on a thought that no longer stands"
    return ""


def _best(good: Sequence[Derivation]) -> Derivation:
    """Return the oldest derivation of the root set that occurs most often (of equals, the oldest)."""
    often = Counter(frozenset(d.roots) for d in good)
    return max(reversed(good), key=lambda d: (often[frozenset(d.roots)], -good.index(d)))


def _root_sets(
    thought_id: str, own: Sequence[Derivation], derivations: Mapping[str, Sequence[Derivation]]
) -> set[frozenset[Root]]:
    return {
        frozenset(d.roots)
        for d in own
        if not any(_rests_on(source, thought_id, derivations) for source in _source_thoughts(d))
    }


def _source_thoughts(derivation: Derivation) -> tuple[str, ...]:
    return tuple(e.item_id for e in derivation.evidence if e.item_kind == "thought")


def _rests_on(start: str, target: str, derivations: Mapping[str, Sequence[Derivation]]) -> bool:
    """Tell whether ``start`` is ``target`` or reaches it through evidence."""
    seen = {start}
    todo = [start]
    while todo:
        at = todo.pop()
        if at == target:
            return True
        for derivation in derivations.get(at, ()):
            fresh = [source for source in _source_thoughts(derivation) if source not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _sources_first(thoughts: Mapping[str, Thought], derivations: Mapping[str, Sequence[Derivation]]) -> list[str]:
    """Return the ids so that a thought comes after those that it rests on; without recursion, chains may be long."""
    order: list[str] = []
    done: set[str] = set()
    for first in sorted(thoughts):
        stack = [(first, False)]
        while stack:
            thought_id, opened = stack.pop()
            if opened:
                order.append(thought_id)
                continue
            if thought_id in done or thought_id not in thoughts:
                continue
            done.add(thought_id)
            stack.append((thought_id, True))
            stack.extend((source, False) for d in derivations.get(thought_id, ()) for source in _source_thoughts(d))
    return order


def _by_id(found: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(found, key=lambda s: s.thought_id))
