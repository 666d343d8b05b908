"""Refresh and edit: a thought whose text or sources changed has to earn its evidence again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from thinkback.engine.asking import answer_events
from thinkback.engine.budget import Meter, on_account, tune
from thinkback.engine.checking import quotes_of
from thinkback.engine.parts import Parts, check_text
from thinkback.engine.remembering import Told, remember
from thinkback.engine.retrieving import Asked
from thinkback.engine.shown import gather
from thinkback.engine.standing import cut_off, forget_answers_of
from thinkback.errors import BudgetExceeded, InvalidInput, ModelError, NotFound
from thinkback.ports import HistoryEvent, Writer
from thinkback.retrieve.search import search
from thinkback.thought.admit import Grounded, Neighbour, Refusal, Source, compare, ground
from thinkback.thought.support import idf_of
from thinkback.types import Atom, Derivation, FloatVector, Link, Outcome, Record, Thought, Usage

__all__ = ["RefreshResult", "edit_thought", "refresh"]

_LOOKED_AT = 12  # chunks read for evidence of one thought


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshResult(Record):
    """What became of one stale thought."""

    thought_id: str
    status: Literal["verified", "superseded", "stale"]
    """verified: the same words stand in the present sources; superseded: the question was asked again and gave another
    thought; stale: neither."""
    reason: str
    outcomes: tuple[Outcome, ...] = ()
    usage: Usage = field(default_factory=Usage)


def refresh(parts: Parts, namespace: str, ids: Sequence[str] | None) -> tuple[RefreshResult, ...]:
    """Derive stale thoughts anew: first without a model, from spans that carry their words; else by asking again.

    Args:
        parts: the collaborators; without a language model only the first way is tried.
        namespace: where.
        ids: stale thoughts; None means all of them.

    Raises:
        NotFound: no such thought.
        InvalidInput: one of them is not stale.
    """
    with parts.store.read() as reader:
        if ids is None:
            stale = reader.thoughts(namespace, ("stale",))
        else:
            stale = tuple(item for item in reader.items(namespace, ids) if isinstance(item, Thought))
            if len(stale) < len(ids):
                raise NotFound(f"One of the thoughts to refresh is not in namespace {namespace!r}.")
    for thought in stale:
        if thought.status != "stale":
            raise InvalidInput(f"The thought {thought.id!r} is {thought.status}, not stale.")
    tune(parts, namespace)
    return tuple(_refresh_or_say_why(parts, namespace, thought) for thought in stale)


def _refresh_or_say_why(parts: Parts, namespace: str, thought: Thought) -> RefreshResult:
    """A model that fails at one thought does not lose the report of the others."""
    try:
        return _refresh_one(parts, namespace, thought)
    except (ModelError, BudgetExceeded) as error:
        return RefreshResult(thought_id=thought.id, status="stale", reason=error.message)


def _refresh_one(parts: Parts, namespace: str, thought: Thought) -> RefreshResult:
    meter = Meter(parts, namespace)
    parts = on_account(parts, meter)
    vector = parts.embed_text(thought.text)
    grounded = _ground_in_chunks(parts, namespace, thought.text, vector, trust=thought.trust)
    if isinstance(grounded, Grounded):
        with parts.store.write() as writer:
            if fault := _moved(writer, namespace, thought, grounded):
                return RefreshResult(thought_id=thought.id, status="stale", reason=fault)
            twins = [one for one in writer.thoughts_by_text(namespace, thought.text) if one.id != thought.id]
            if twins:
                _supersede(writer, thought, twins[0].id, parts.clock())
                return RefreshResult(
                    thought_id=thought.id, status="superseded", reason=f"by {twins[0].id}, which says the same"
                )
            former = writer.derivations(namespace, [thought.id]).get(thought.id, ())
            way = _derivation(parts, thought.id, grounded, former)
            back = replace(thought, status="active", reason="", level=grounded.level, trust=grounded.trust, support=1)
            writer.delete_derivations(namespace, [old.id for old in former])
            writer.put_thought(back, vector, [way])
            writer.add_history(
                [HistoryEvent(namespace=namespace, item_id=thought.id, event="refreshed", at=parts.clock())]
            )
        return RefreshResult(
            thought_id=thought.id,
            status="verified",
            reason="its words stand in the present sources",
            usage=meter.usage,
        )
    return _ask_again(parts, namespace, thought, grounded, meter)


def _ask_again(parts: Parts, namespace: str, thought: Thought, refusal: Refusal, meter: Meter) -> RefreshResult:
    with parts.store.read() as reader:
        ways = reader.derivations(namespace, [thought.id]).get(thought.id, ())
    question = next((way.question for way in reversed(ways) if way.question), "")
    if parts.llm is None or not question:
        why = "there is no model to ask again" if question else "its question is gone"
        return RefreshResult(
            thought_id=thought.id, status="stale", reason=f"{refusal.reason}; {why}", usage=meter.usage
        )
    asked = Asked(question=question, namespace=namespace, where=None, preset=parts.preset, remember=True)
    stream = answer_events(parts, asked, meter)
    try:
        while True:
            next(stream)
    except StopIteration as stop:
        delivered = stop.value
    told = Told(
        namespace=namespace,
        question=question,
        answer=delivered.answer.text,
        found=delivered.answer.found,
        cited=tuple(citation.via or citation.root_id for citation in delivered.answer.citations),
        shown=delivered.shown,
        quotes=quotes_of(delivered.answer.citations),
    )
    outcomes = remember(parts, told, meter) if delivered.worth_remembering else ()
    heirs = [outcome.thought_id for outcome in outcomes if outcome.thought_id]
    if not heirs:
        return RefreshResult(
            thought_id=thought.id,
            status="stale",
            reason="asking again gave no thought",
            outcomes=outcomes,
            usage=meter.usage,
        )
    with parts.store.write() as writer:
        there = {item.id for item in writer.items(namespace, heirs)}
        if not there or _moved(writer, namespace, thought, None):
            gone = "it was deleted or changed while it was derived anew"
            return RefreshResult(
                thought_id=thought.id, status="stale", reason=gone, outcomes=outcomes, usage=meter.usage
            )
        heirs = [heir for heir in heirs if heir in there]
        _supersede(writer, thought, heirs[0], parts.clock())
    return RefreshResult(
        thought_id=thought.id, status="superseded", reason=f"by {heirs[0]}", outcomes=outcomes, usage=meter.usage
    )


def _moved(writer: Writer, namespace: str, thought: Thought, grounded: Grounded | None) -> str:
    """Return why a decision on a thought does not hold any more; empty while it does."""
    now = next(iter(writer.items(namespace, [thought.id])), None)
    if not isinstance(now, Thought) or (now.status, now.text) != (thought.status, thought.text):
        return "it was deleted or changed while it was looked at"
    roots = [root.id for root in grounded.roots] if grounded else []
    if len(writer.live_roots(namespace, roots)) < len(set(roots)):
        return "its new sources were deleted or changed while it was looked at"
    return ""


def _supersede(writer: Writer, thought: Thought, heir: str, now: float) -> None:
    namespace = thought.namespace
    writer.put_thought(replace(thought, status="superseded", reason=f"superseded by {heir}"), None)
    writer.put_link(namespace, Link(left=thought.id, right=heir, kind="superseded_by", created_at=now))
    event = HistoryEvent(namespace=namespace, item_id=thought.id, event="superseded", at=now, detail={"by": heir})
    writer.add_history([event])


def _ground_in_chunks(
    parts: Parts, namespace: str, text: str, vector: FloatVector, *, trust: str
) -> Grounded | Refusal:
    """Look for spans of chunks that carry a text."""
    with parts.store.read() as reader:
        found = search(
            reader,
            namespace,
            question=text,
            vector=vector,
            preset=parts.preset,
            kinds=frozenset({"chunk"}),
            limit=_LOOKED_AT,
        )
        sources: tuple[Source, ...] = gather(reader, namespace, found.hits).sources
    if trust != "untrusted":
        sources = tuple(source for source in sources if source.trust != "untrusted")
    idf = idf_of([source.text for source in sources])
    return ground(Atom(text=text, item_numbers=()), sources, threshold=parts.preset.support, idf=idf)


def _derivation(parts: Parts, thought_id: str, grounded: Grounded, former: Sequence[Derivation]) -> Derivation:
    last = former[-1] if former else None
    return Derivation(
        id=parts.fresh_id("drv"),
        thought_id=thought_id,
        question=last.question if last else "",
        answer=last.answer if last else "",
        confidence=last.confidence if last else 1.0,
        model=last.model if last else "",
        prompt_hash=last.prompt_hash if last else "",
        created_at=parts.clock(),
        level=grounded.level,
        evidence=grounded.evidence,
        roots=grounded.roots,
        shown=tuple(sorted({root.id for root in grounded.roots} | {item for way in former for item in way.shown})),
    )


def edit_thought(parts: Parts, namespace: str, thought_id: str, text: str) -> Outcome:
    """Give a thought other words. They are grounded and compared as if they were new (fault 7).

    Raises:
        NotFound: no such thought.
    """
    text = check_text(text, "The new text").strip()
    tune(parts, namespace)
    parts = on_account(parts, Meter(parts, namespace, what="other"))
    vector = parts.embed_text(text)
    with parts.store.read() as reader:
        found = [item for item in reader.items(namespace, [thought_id]) if isinstance(item, Thought)]
        if not found:
            raise NotFound(f"There is no thought {thought_id!r} in namespace {namespace!r}.")
        thought = found[0]
        ranking = reader.search_dense(namespace, vector, _LOOKED_AT, kind="thought")
        near = [
            Neighbour(thought=item, cosine=cosine)
            for item, cosine in zip(reader.items_at(namespace, ranking.rows), ranking.scores.tolist(), strict=True)
            if isinstance(item, Thought) and item.id != thought_id
        ]
    comparison = compare(text, near, related=parts.preset.related, judge=parts.judge)
    if comparison.twin is not None:
        reason = "another thought says this already"
        return Outcome(status="redundant", reason=reason, text=text, thought_id=thought_id, other_id=comparison.twin.id)
    grounded = _ground_in_chunks(parts, namespace, text, vector, trust=thought.trust)
    if isinstance(grounded, Refusal):
        return Outcome(
            status=grounded.status, reason=grounded.reason, text=text, thought_id=thought_id, support=grounded.score
        )
    now = parts.clock()
    with parts.store.write() as writer:
        if fault := _moved(writer, namespace, thought, grounded):
            return Outcome(status="error", reason=fault, text=text, thought_id=thought_id)
        former = writer.derivations(namespace, [thought_id]).get(thought_id, ())
        forget_answers_of(writer, namespace, [thought_id])
        edited = replace(
            thought, text=text, status="active", reason="", level=grounded.level, trust=grounded.trust, support=1
        )
        writer.delete_derivations(namespace, [old.id for old in former])
        writer.put_thought(edited, vector, [_derivation(parts, thought_id, grounded, former)])
        writer.delete_answers_on(namespace, [thought_id])
        cut_off(writer, namespace, thought_id, now)
        there = {item.id for item in writer.items(namespace, [other.id for other in comparison.conflicts])}
        for other in (other for other in comparison.conflicts if other.id in there):
            writer.put_link(namespace, Link(left=thought_id, right=other.id, kind="conflict", created_at=now))
        writer.add_history([HistoryEvent(namespace=namespace, item_id=thought_id, event="edited", at=now)])
    return Outcome(
        status="conflict" if comparison.conflicts else "stored",
        reason=comparison.reason or "its evidence stands in the sources",
        text=text,
        thought_id=thought_id,
        other_id=comparison.conflicts[0].id if comparison.conflicts else None,
        support=grounded.score,
    )
