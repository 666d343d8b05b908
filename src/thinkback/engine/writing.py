"""Writing thoughts: decide with all the time it takes, then check again and write in one short transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from thinkback.engine.parts import Parts
from thinkback.engine.standing import cut_off, live_ways, restand
from thinkback.ports import HistoryEvent, Judge, Reader, Writer
from thinkback.thought.admit import Comparison, Grounded, Neighbour, compare, lowest
from thinkback.thought.stale import standing, would_cycle
from thinkback.types import Derivation, FloatVector, Link, Outcome, Testimony, Thought

__all__ = ["Candidate", "Question", "ancestors", "write_candidates"]

_NEAREST = 12  # thoughts compared with an atom; the twin is the nearest or next to it in pure dense search


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the thoughts of one writing have in common."""

    namespace: str
    question: str
    answer: str
    shown: tuple[str, ...]
    """Raw items that the answer could draw on."""
    model: str
    prompt_hash: str
    testimony: Testimony | None = None
    """To be written with the thoughts that stand on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A grounded atom that asks to be admitted."""

    grounded: Grounded
    confidence: float = 1.0


@dataclass(slots=True, kw_only=True)
class _Decided:
    candidate: Candidate
    vector: FloatVector
    seen: frozenset[str]
    """Thoughts that it was compared with, before the transaction."""
    comparison: Comparison
    too_near: str | None = None
    """Id of the item that makes it redundant by the paper's rule."""


@dataclass(slots=True)
class _Batch:
    """What this transaction has written so far: searches inside it need not see it."""

    thoughts: list[Thought] = field(default_factory=list)
    vectors: list[FloatVector] = field(default_factory=list)

    def near(self, vector: FloatVector, least: float) -> list[Neighbour]:
        found = [
            Neighbour(thought=thought, cosine=float(np.dot(vector, other)))
            for thought, other in zip(self.thoughts, self.vectors, strict=True)
        ]
        return [neighbour for neighbour in found if neighbour.cosine >= least]


def write_candidates(
    parts: Parts, question: Question, candidates: Sequence[Candidate], judge: Judge | None
) -> list[Outcome]:
    """Admit the candidates and return an outcome for each, in order."""
    if not candidates:
        return []
    parts.tune()
    vectors = parts.embedder.embed([candidate.grounded.text for candidate in candidates], kind="document")
    with parts.store.read() as reader:
        revision = reader.revision(question.namespace)
        near = [_near(parts, reader, question.namespace, vector) for vector in vectors]
        too_near = [_too_near(parts, reader, question.namespace, vector) for vector in vectors]
    decided = [
        _Decided(
            candidate=candidate,
            vector=vector,
            seen=frozenset(neighbour.thought.id for neighbour in neighbours),
            comparison=_compare(parts, candidate.grounded.text, neighbours, judge),
            too_near=redundant,
        )
        for candidate, vector, neighbours, redundant in zip(candidates, vectors, near, too_near, strict=True)
    ]
    with parts.store.write() as writer:
        moved = writer.revision(question.namespace) != revision
        if question.testimony is not None:
            writer.put_testimony(question.testimony)
        batch = _Batch()
        outcomes = [_write(parts, writer, question, one, batch, recheck=moved) for one in decided]
        if question.testimony is not None:
            _keep_testimony(writer, question.testimony)
    return outcomes


def _keep_testimony(writer: Writer, said: Testimony) -> None:
    """Leave a testimony in the store only if a thought stands on it."""
    if writer.thoughts_on(said.namespace, [said.id]):
        writer.add_history([_event(said.namespace, said.id, "added", said.created_at)])
    else:
        writer.delete_testimonies(said.namespace, [said.id])


def _near(parts: Parts, reader: Reader, namespace: str, vector: FloatVector) -> list[Neighbour]:
    """Return the nearest thoughts, by pure dense search: fused rank can push a true twin out of the list (fault 6)."""
    if parts.preset.admission != "twins":
        return []
    ranking = reader.search_dense(namespace, vector, _NEAREST, kind="thought")
    items = reader.items_at(namespace, ranking.rows)
    pairs = zip(items, ranking.scores.tolist(), strict=True)
    return [Neighbour(thought=item, cosine=cosine) for item, cosine in pairs if isinstance(item, Thought)]


def _too_near(parts: Parts, reader: Reader, namespace: str, vector: FloatVector) -> str | None:
    """Return the nearest chunk or thought if its cosine reaches epsilon (paper, Algorithm 1, step 4)."""
    if parts.preset.admission != "epsilon":
        return None
    best: tuple[float, str] | None = None
    for kind in ("chunk", "thought"):
        ranking = reader.search_dense(namespace, vector, 1, kind=kind)
        if len(ranking.rows) and float(ranking.scores[0]) >= parts.preset.epsilon:
            item = reader.items_at(namespace, ranking.rows)[0]
            best = max(best or (-2.0, ""), (float(ranking.scores[0]), item.id))
    return best[1] if best else None


def _compare(parts: Parts, text: str, neighbours: Sequence[Neighbour], judge: Judge | None) -> Comparison:
    if parts.preset.admission != "twins":
        return Comparison()
    return compare(text, neighbours, related=parts.preset.related, judge=judge)


def _write(parts: Parts, writer: Writer, question: Question, one: _Decided, batch: _Batch, *, recheck: bool) -> Outcome:
    grounded, preset = one.candidate.grounded, parts.preset
    root_ids = [root.id for root in grounded.roots]
    if len(writer.live_roots(question.namespace, root_ids)) < len(root_ids):  # it may have gone at any moment since
        return Outcome(status="error", reason="a source was deleted while the answer was made", text=grounded.text)
    if preset.admission == "epsilon":
        late = batch.near(one.vector, preset.epsilon)
        one.too_near = one.too_near or (late[0].thought.id if late else None)
        if recheck:
            one.too_near = one.too_near or _too_near(parts, writer, question.namespace, one.vector)
        if one.too_near:
            return Outcome(
                status="redundant",
                reason=f"its cosine to {one.too_near} is at least {preset.epsilon}",
                text=grounded.text,
                other_id=one.too_near,
                support=grounded.score,
            )
    if preset.admission == "twins":
        _compare_late(parts, writer, question.namespace, one, batch, recheck=recheck)
    if one.comparison.twin is not None:
        return _link_twin(parts, writer, question, one, one.comparison.twin)
    return _write_new(parts, writer, question, one, batch)


def _compare_late(parts: Parts, writer: Writer, namespace: str, one: _Decided, batch: _Batch, *, recheck: bool) -> None:
    """Compare with what came after the decision; no model is asked inside the transaction."""
    text = one.candidate.grounded.text
    late = batch.near(one.vector, parts.preset.related)
    if recheck:
        late += [found for found in _near(parts, writer, namespace, one.vector) if found.thought.id not in one.seen]
        equal = writer.thoughts_by_text(namespace, text)
        late += [Neighbour(thought=thought, cosine=1.0) for thought in equal]
    if late:
        more = compare(text, late, related=parts.preset.related, judge=None)
        before = one.comparison
        one.comparison = Comparison(
            twin=before.twin or more.twin,
            conflicts=(*before.conflicts, *more.conflicts),
            related=(*before.related, *more.related),
            reason="; ".join(filter(None, (before.reason, more.reason))),
        )


def _derivation(parts: Parts, question: Question, candidate: Candidate, thought_id: str) -> Derivation:
    grounded = candidate.grounded
    return Derivation(
        id=parts.fresh_id("drv"),
        thought_id=thought_id,
        question=question.question,
        answer=question.answer,
        confidence=candidate.confidence,
        model=question.model,
        prompt_hash=question.prompt_hash,
        created_at=parts.clock(),
        level=grounded.level,
        evidence=grounded.evidence,
        roots=grounded.roots,
        shown=question.shown,
    )


def _write_new(parts: Parts, writer: Writer, question: Question, one: _Decided, batch: _Batch) -> Outcome:
    grounded, now = one.candidate.grounded, parts.clock()
    thought = Thought(
        id=parts.fresh_id("tht"),
        namespace=question.namespace,
        text=grounded.text,
        level=grounded.level,
        trust=grounded.trust,
        created_at=now,
    )
    writer.put_thought(thought, one.vector, [_derivation(parts, question, one.candidate, thought.id)])
    batch.thoughts.append(thought)
    batch.vectors.append(one.vector)
    events = [_event(question.namespace, thought.id, "derived", now, level=thought.level)]
    near = (*one.comparison.conflicts, *one.comparison.related)
    there = {item.id for item in writer.items(question.namespace, [other.id for other in near])}
    for kind, others in (("conflict", one.comparison.conflicts), ("related", one.comparison.related)):
        for other in (other for other in others if other.id in there):  # one may have been deleted meanwhile
            link = Link(left=thought.id, right=other.id, kind=kind, created_at=now)  # type: ignore[arg-type] # a literal
            writer.put_link(question.namespace, link)
            events.append(_event(question.namespace, thought.id, kind, now, other=other.id))
    writer.add_history(events)
    _retire_least_used(parts, writer, question.namespace, now, keep=thought.id)
    conflict = next((other.id for other in one.comparison.conflicts if other.id in there), None)
    return Outcome(
        status="conflict" if conflict else "stored",
        reason=one.comparison.reason if conflict else "its evidence stands in what was shown",
        text=grounded.text,
        thought_id=thought.id,
        other_id=conflict,
        support=grounded.score,
    )


def _link_twin(parts: Parts, writer: Writer, question: Question, one: _Decided, twin: Thought) -> Outcome:
    """Add the derivation to the thought that stands, if it says anything new about it."""
    namespace, grounded, now = question.namespace, one.candidate.grounded, parts.clock()
    found = [item for item in writer.items(namespace, [twin.id]) if isinstance(item, Thought)]
    if not found or found[0].status != "active":  # it went while the answer was made
        one.comparison = replace(one.comparison, twin=None)
        return _write_new(parts, writer, question, one, _Batch())
    twin = found[0]
    sources = [evidence.item_id for evidence in grounded.evidence if evidence.item_kind == "thought"]
    ways = live_ways(writer, namespace, ancestors(writer, namespace, [twin.id, *sources]))

    def linked(reason: str, *, added: bool = False) -> Outcome:
        if added:
            writer.add_history([_event(namespace, twin.id, "linked", now)])
        return Outcome(
            status="linked",
            reason=reason,
            text=grounded.text,
            thought_id=twin.id,
            other_id=twin.id,
            support=grounded.score,
        )

    if would_cycle(twin.id, sources, ways):
        return linked("it was drawn from the thought itself, which confirms nothing")
    if any(set(way.roots) == set(grounded.roots) for way in ways.get(twin.id, ())):
        return linked("it is known already, from the same sources")
    if grounded.trust == "untrusted" and twin.trust != "untrusted":
        return linked("an untrusted source says it too, which is not counted")
    way = _derivation(parts, question, one.candidate, twin.id)
    if twin.trust == "untrusted" and grounded.trust != "untrusted":
        writer.delete_derivations(namespace, [old.id for old in ways.get(twin.id, ())])
        promoted = replace(twin, text=grounded.text, trust=grounded.trust, level=grounded.level, support=1)
        writer.put_thought(promoted, one.vector, [way])
        cut_off(writer, namespace, twin.id, now)
        return linked("it now stands on better ground than untrusted text", added=True)
    after = standing(
        twin, {**ways, twin.id: (*ways.get(twin.id, ()), way)}, _all_roots(ways) | {r.id for r in way.roots}
    )
    trust = lowest([twin.trust, grounded.trust])
    writer.put_thought(replace(twin, support=after.support, level=after.level, trust=trust), None, [way])
    return linked("the same claim, from other sources", added=True)


def _all_roots(ways: Mapping[str, Sequence[Derivation]]) -> set[str]:
    return {root.id for group in ways.values() for way in group for root in way.roots}


def ancestors(reader: Reader, namespace: str, ids: Sequence[str]) -> dict[str, tuple[Derivation, ...]]:
    """Return the derivations of thoughts and of all thoughts below them."""
    ways: dict[str, tuple[Derivation, ...]] = {}
    frontier = list(dict.fromkeys(ids))
    while frontier:
        found = reader.derivations(namespace, frontier)
        ways.update({thought_id: tuple(found.get(thought_id, ())) for thought_id in frontier})
        below = {
            evidence.item_id
            for group in found.values()
            for way in group
            for evidence in way.evidence
            if evidence.item_kind == "thought"
        }
        frontier = sorted(below - ways.keys())
    return ways


def _retire_least_used(parts: Parts, writer: Writer, namespace: str, now: float, *, keep: str) -> None:
    """Hold the number of active thoughts at its limit: the least used, then oldest, give way (fault 8)."""
    if writer.counts(namespace)["thoughts_active"] <= parts.preset.max_thoughts:
        return
    others = [thought for thought in writer.thoughts(namespace) if thought.id != keep]
    surplus = len(others) + 1 - parts.preset.max_thoughts
    for thought in sorted(others, key=lambda one: (one.use_count, one.last_used_at or one.created_at))[:surplus]:
        writer.put_thought(
            replace(thought, status="retracted", reason="the memory is full; it was the least used"), None
        )
        writer.add_history([_event(namespace, thought.id, "retracted", now)])
        restand(writer, namespace, [thought.id], now)


def _event(namespace: str, item_id: str, event: str, at: float, **detail: str | float) -> HistoryEvent:
    return HistoryEvent(namespace=namespace, item_id=item_id, event=event, at=at, detail=detail)
