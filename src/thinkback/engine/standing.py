"""Memory follows its sources: what goes stale, what vanishes, what comes back when sources change.

Every function here runs inside the caller's transaction; the rules themselves are pure (``thought.stale``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from thinkback.ports import HistoryEvent, Reader, Writer
from thinkback.thought.stale import StalePlan, plan
from thinkback.types import Derivation, FloatVector, Thought

__all__ = ["Vanished", "closure", "removed_chunks", "restand", "vanish"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The part of a memory that a change can reach, closed upwards, with everything below it."""

    thoughts: Mapping[str, Thought]
    derivations: Mapping[str, tuple[Derivation, ...]]


def closure(reader: Reader, namespace: str, item_ids: Iterable[str]) -> Neighbourhood:
    """Return the thoughts that rest on any of the items, at any depth, the items that are thoughts, and all they rest on."""
    given = set(item_ids)
    named = {item.id for item in reader.items(namespace, sorted(given)) if isinstance(item, Thought)}
    frontier = set(reader.thoughts_on(namespace, sorted(given))) | named
    reached: set[str] = set()
    while frontier:
        reached |= frontier
        frontier = set(reader.thoughts_on(namespace, sorted(frontier))) - reached
    derivations: dict[str, tuple[Derivation, ...]] = {}
    below = reached
    while below:
        found = reader.derivations(namespace, sorted(below))
        derivations.update({thought_id: tuple(found.get(thought_id, ())) for thought_id in below})
        below = {
            evidence.item_id
            for thought_id in below
            for way in derivations[thought_id]
            for evidence in way.evidence
            if evidence.item_kind == "thought"
        } - derivations.keys()
    thoughts = {item.id: item for item in reader.items(namespace, sorted(derivations)) if isinstance(item, Thought)}
    return Neighbourhood(thoughts=thoughts, derivations=derivations)


def restand(
    writer: Writer,
    namespace: str,
    item_ids: Iterable[str],
    now: float,
    *,
    vectors: Mapping[str, FloatVector] | None = None,
) -> StalePlan:
    """Re-judge everything that the items reach and write what changed.

    A stale thought comes back only if its vector is given: no model may run inside a transaction.
    """
    vectors = vectors or {}
    near = closure(writer, namespace, item_ids)
    roots = {root.id for ways in near.derivations.values() for way in ways for root in way.roots}
    change = plan(near.thoughts, near.derivations, writer.live_roots(namespace, sorted(roots)))
    events: list[HistoryEvent] = []
    for standing in (*change.stale, *change.revived, *change.changed):
        thought = near.thoughts[standing.thought_id]
        if standing in change.revived and thought.id not in vectors:
            continue
        after = replace(
            thought, status=standing.status, support=standing.support, level=standing.level, reason=standing.reason
        )
        writer.put_thought(after, vectors.get(thought.id))
        if standing.status != thought.status:
            event = "stale" if standing.status == "stale" else "restored"
            events.append(HistoryEvent(namespace=namespace, item_id=thought.id, event=event, at=now))
    writer.add_history(events)
    return change


@dataclass(frozen=True, slots=True, kw_only=True)
class Vanished:
    """What went with deleted items."""

    thoughts: tuple[str, ...]
    """Deleted: nothing is left that they stand on. Sorted."""
    kept: tuple[str, ...]
    """Thoughts that lost a derivation and still have another. Sorted."""
    answers: int
    redacted: int
    """Derivations whose question and answer were blanked, since the deleted items had been shown for them."""


def vanish(writer: Writer, namespace: str, item_ids: Iterable[str], now: float) -> Vanished:
    """Remove every derivation that rests on the items, thoughts left without one, and answers that showed any of it.

    The caller removes the items themselves in the same transaction. Text derived from what is deleted goes with it,
    whatever its status: stale, retracted and superseded thoughts too.
    """
    gone = set(item_ids)
    deleted: set[str] = {item.id for item in writer.items(namespace, sorted(gone)) if isinstance(item, Thought)}
    kept: set[str] = set()
    frontier = set(gone)
    while frontier:
        touched = writer.thoughts_on(namespace, sorted(frontier))
        ways = writer.derivations(namespace, touched)
        frontier = set()
        for thought_id in touched:
            if thought_id in deleted:
                continue
            lost = [way.id for way in ways[thought_id] if _rests_on(way, gone | deleted)]
            if len(lost) == len(ways[thought_id]):
                frontier.add(thought_id)
                kept.discard(thought_id)
            elif lost:
                writer.delete_derivations(namespace, lost)
                kept.add(thought_id)
        deleted |= frontier
    answers = writer.delete_answers_on(namespace, sorted(gone | deleted))
    redacted = writer.redact_derivations(namespace, sorted(gone))
    writer.delete_thoughts(namespace, sorted(deleted))
    writer.add_history(
        HistoryEvent(namespace=namespace, item_id=thought_id, event="deleted", at=now) for thought_id in sorted(deleted)
    )
    return Vanished(thoughts=tuple(sorted(deleted)), kept=tuple(sorted(kept)), answers=answers, redacted=redacted)


def _rests_on(way: Derivation, gone: set[str]) -> bool:
    return any(root.id in gone for root in way.roots) or any(evidence.item_id in gone for evidence in way.evidence)


def removed_chunks(reader: Reader, namespace: str, document_id: str) -> tuple[str, ...]:
    """Return the ids of chunks that earlier versions of a document had: stale thoughts may still rest on them."""
    ids: dict[str, None] = {}
    for event in reader.history(namespace, document_id):
        for chunk_id in str(event.detail.get("removed", "")).split():
            ids[chunk_id] = None
    return tuple(ids)
