"""Memory follows its sources: what goes stale, what vanishes, what comes back when sources change.

Every function here runs inside the caller's transaction; the rules themselves are pure (``thought.stale``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from thinkback.ids import normalise
from thinkback.ports import HistoryEvent, Reader, Writer
from thinkback.thought.admit import lowest
from thinkback.thought.leaks import borrowed_words
from thinkback.thought.stale import StalePlan, plan
from thinkback.types import Derivation, FloatVector, Thought, Trust

__all__ = [
    "Vanished",
    "blank_sisters",
    "closure",
    "cut_off",
    "forget_answers_of",
    "leaking",
    "live_ways",
    "removed_chunks",
    "restand",
    "vanish",
]


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
    labels: dict[str, Trust] = {item.id: item.trust for item in writer.items(namespace, sorted(roots))}
    labels |= {said.id: said.trust for said in writer.testimonies(namespace, sorted(roots))}
    events: list[HistoryEvent] = []
    for standing in (*change.stale, *change.revived, *change.changed):
        thought = near.thoughts[standing.thought_id]
        if standing in change.revived and thought.id not in vectors:
            continue
        grounds = {root.id for way in near.derivations[thought.id] if way.id in standing.live for root in way.roots}
        after = replace(
            thought,
            status=standing.status,
            support=standing.support,
            level=standing.level,
            reason=standing.reason,
            trust=lowest([labels[root] for root in grounds]) if grounds else thought.trust,
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
    borrowers: Mapping[str, tuple[str, ...]]
    """Thoughts that stay for now, and the words that they have from what goes: see ``leaking``."""


def vanish(writer: Writer, namespace: str, item_ids: Iterable[str], now: float) -> Vanished:
    """Remove every derivation that rests on the items, thoughts left without one, and answers that showed any of it.

    The caller removes the items themselves in the same transaction. Text derived from what is deleted goes with it,
    whatever its status: stale, retracted and superseded thoughts too.
    """
    gone = set(item_ids)
    borrowers = _borrowers(writer, namespace, gone, _texts_of(writer, namespace, gone))
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
    return Vanished(
        thoughts=tuple(sorted(deleted)),
        kept=tuple(sorted(kept)),
        answers=answers,
        redacted=redacted,
        borrowers={thought_id: words for thought_id, words in borrowers.items() if thought_id not in deleted},
    )


def _texts_of(reader: Reader, namespace: str, ids: set[str]) -> list[str]:
    """Return the words of what is about to go."""
    items = [item.text for item in reader.items(namespace, sorted(ids))]
    return items + [said.answer for said in reader.testimonies(namespace, sorted(ids))]


def _borrowers(reader: Reader, namespace: str, gone: set[str], words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return thoughts that have words from the texts that go, and not from their own ground; with these words.

    A thought can have them from an item that was merely shown with its ground, or from a derivation that is lost. The
    whole memory is looked through: deletion is rare, and must be thorough.
    """
    thoughts = reader.thoughts(namespace, ("active", "stale", "superseded", "retracted"))
    ways = reader.derivations(namespace, [thought.id for thought in thoughts])
    found: dict[str, tuple[str, ...]] = {}
    for thought in thoughts:
        own = ways.get(thought.id, ())
        lost = [way for way in own if _rests_on(way, gone)]
        if not lost and not any(gone.intersection(way.shown) for way in own):
            continue
        remaining = [piece.quote for way in own if way not in lost for piece in way.evidence]
        other = [*words, *(piece.quote for way in lost for piece in way.evidence)]
        borrowed = borrowed_words(thought.text, remaining, other)
        if borrowed:
            found[thought.id] = borrowed
    return found


def leaking(reader: Reader, namespace: str, borrowers: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return those borrowers one of whose borrowed words stands in no chunk any more: it would outlive its source there.

    To be asked after the sources are gone, in the same transaction.
    """
    alone = {
        word: not len(reader.search_words(namespace, word, 1, kind="chunk").rows)
        for word in sorted({word for words in borrowers.values() for word in words})
    }
    return tuple(sorted(thought_id for thought_id, words in borrowers.items() if any(alone[word] for word in words)))


def _rests_on(way: Derivation, gone: set[str]) -> bool:
    return any(root.id in gone for root in way.roots) or any(evidence.item_id in gone for evidence in way.evidence)


def live_ways(
    reader: Reader, namespace: str, ways: Mapping[str, Sequence[Derivation]]
) -> dict[str, tuple[Derivation, ...]]:
    """Return the derivations whose roots all exist: the others neither carry a citation nor count."""
    roots = {root.id for group in ways.values() for way in group for root in way.roots}
    live = reader.live_roots(namespace, sorted(roots))
    return {
        thought_id: tuple(way for way in group if all(root.id in live for root in way.roots))
        for thought_id, group in ways.items()
    }


def forget_answers_of(writer: Writer, namespace: str, thought_ids: Sequence[str]) -> None:
    """Remove kept answers to the questions that thoughts were born from: they say the same, and would say it again."""
    ways = writer.derivations(namespace, thought_ids)
    asked = {normalise(way.question) for group in ways.values() for way in group if way.question}
    born = [answer for answer in writer.answers(namespace) if normalise(answer.question) in asked]
    writer.delete_answers_on(namespace, sorted({item_id for answer in born for item_id in answer.item_ids}))


def blank_sisters(writer: Writer, namespace: str, thought_ids: Sequence[str]) -> None:
    """Blank the answer of other thoughts' derivations where it is the one that these thoughts were distilled from."""
    own = [way for group in writer.derivations(namespace, thought_ids).values() for way in group if way.answer]
    said = {(way.question, way.answer) for way in own}
    beside = sorted({item_id for way in own for item_id in way.shown} | {root.id for way in own for root in way.roots})
    sisters = set(writer.thoughts_on(namespace, beside)) - set(thought_ids)
    found = {item.id: item for item in writer.items(namespace, sorted(sisters)) if isinstance(item, Thought)}
    for thought_id, group in writer.derivations(namespace, sorted(found)).items():
        same = [way for way in group if (way.question, way.answer) in said]
        if same:
            writer.delete_derivations(namespace, [way.id for way in same])
            writer.put_thought(found[thought_id], None, [replace(way, answer="") for way in same])


def cut_off(writer: Writer, namespace: str, thought_id: str, now: float) -> None:
    """Remove derivations that stand on a thought's former words, and re-judge what they carried."""
    above = writer.thoughts_on(namespace, [thought_id])
    for group in writer.derivations(namespace, above).values():
        writer.delete_derivations(
            namespace, [way.id for way in group if any(piece.item_id == thought_id for piece in way.evidence)]
        )
    restand(writer, namespace, above, now)


def removed_chunks(reader: Reader, namespace: str, document_id: str) -> tuple[str, ...]:
    """Return the ids of chunks that earlier versions of a document had: stale thoughts may still rest on them."""
    ids: dict[str, None] = {}
    for event in reader.history(namespace, document_id):
        for chunk_id in str(event.detail.get("removed", "")).split():
            ids[chunk_id] = None
    return tuple(ids)
