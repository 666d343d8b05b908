"""Taking back: delete, invalidate, restore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thinkback.engine.budget import Meter, on_account
from thinkback.engine.parts import Parts
from thinkback.engine.standing import (
    blank_sisters,
    closure,
    forget_answers_of,
    leaking,
    removed_chunks,
    restand,
    vanish,
)
from thinkback.errors import InvalidInput, NotFound
from thinkback.ports import HistoryEvent, PurgeReport, Reader
from thinkback.types import FloatVector, Record, Thought

__all__ = ["DeleteReport", "delete_items", "delete_namespace", "invalidate", "restore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport(Record):
    """What a deletion took along, and whether it is gone from the bytes of the store."""

    documents: tuple[str, ...]
    thoughts: tuple[str, ...]
    """Deleted with them: they stood on nothing else."""
    thoughts_kept: tuple[str, ...]
    """They lost a derivation and stand on others."""
    testimonies: tuple[str, ...]
    answers: int
    purge: PurgeReport


def delete_items(parts: Parts, namespace: str, ids: Sequence[str]) -> DeleteReport:
    """Delete documents, thoughts and testimonies with all that is derived from them alone.

    Raises:
        NotFound: one of the ids names nothing; nothing is deleted then.
    """
    now = parts.clock()
    with parts.store.write() as writer:
        documents = [item_id for item_id in dict.fromkeys(ids) if writer.document(namespace, item_id)]
        thoughts = [item.id for item in writer.items(namespace, ids) if isinstance(item, Thought)]
        testimonies = [said.id for said in writer.testimonies(namespace, ids)]
        unknown = [item_id for item_id in ids if item_id not in {*documents, *thoughts, *testimonies}]
        if unknown:
            raise NotFound(f"There is no document, thought or testimony {unknown[0]!r} in namespace {namespace!r}.")
        gone = {*thoughts, *testimonies}
        for document_id in documents:
            gone.update(chunk.id for chunk in writer.chunks(namespace, document_id))
            gone.update(removed_chunks(writer, namespace, document_id))
        forget_answers_of(writer, namespace, thoughts)
        blank_sisters(writer, namespace, thoughts)
        vanished = vanish(writer, namespace, gone, now)
        writer.delete_documents(namespace, documents)
        writer.delete_testimonies(namespace, testimonies)
        leaks = leaking(writer, namespace, vanished.borrowers)
        more = vanish(writer, namespace, leaks, now)
        kept = sorted({*vanished.kept, *more.kept} - {*more.thoughts})
        restand(writer, namespace, kept, now)
        writer.add_history(
            HistoryEvent(namespace=namespace, item_id=item_id, event="deleted", at=now)
            for item_id in (*documents, *testimonies)
        )
    return DeleteReport(
        documents=tuple(documents),
        thoughts=tuple(sorted({*vanished.thoughts, *more.thoughts})),
        thoughts_kept=tuple(kept),
        testimonies=tuple(testimonies),
        answers=vanished.answers + more.answers,
        purge=parts.store.purge(),
    )


def delete_namespace(parts: Parts, namespace: str) -> DeleteReport:
    """Delete everything in one namespace; no other is touched (fault 47)."""
    with parts.store.write() as writer:
        documents = tuple(document.id for document in writer.documents(namespace))
        thoughts = tuple(
            thought.id for thought in writer.thoughts(namespace, ("active", "stale", "superseded", "retracted"))
        )
        answers = len(writer.answers(namespace))
        writer.delete_namespace(namespace)
    return DeleteReport(
        documents=documents,
        thoughts=thoughts,
        thoughts_kept=(),
        testimonies=(),
        answers=answers,
        purge=parts.store.purge(),
    )


def _thought(reader: Reader, namespace: str, thought_id: str) -> Thought:
    found = [item for item in reader.items(namespace, [thought_id]) if isinstance(item, Thought)]
    if not found:
        raise NotFound(f"There is no thought {thought_id!r} in namespace {namespace!r}.")
    return found[0]


def invalidate(parts: Parts, namespace: str, thought_id: str, reason: str) -> tuple[str, ...]:
    """Take a thought out of use; return the ids of it and of those that rested on it and went stale.

    Raises:
        NotFound: no such thought.
        InvalidInput: it is out of use already.
    """
    now = parts.clock()
    with parts.store.write() as writer:
        thought = _thought(writer, namespace, thought_id)
        if thought.status in ("retracted", "superseded"):
            raise InvalidInput(f"The thought {thought_id!r} is {thought.status} already.")
        writer.put_thought(replace(thought, status="retracted", reason=reason), None)
        writer.add_history([HistoryEvent(namespace=namespace, item_id=thought_id, event="retracted", at=now)])
        writer.delete_answers_on(namespace, [thought_id])
        forget_answers_of(writer, namespace, [thought_id])
        change = restand(writer, namespace, [thought_id], now)
    return (thought_id, *(standing.thought_id for standing in change.stale))


def restore(parts: Parts, namespace: str, thought_id: str) -> tuple[str, ...]:
    """Bring a retracted, superseded or stale thought back into use; return its id and those that came back with it.

    Raises:
        NotFound: no such thought.
        InvalidInput: it is in use, or nothing that it stands on is left.
    """
    now = parts.clock()
    with parts.store.read() as reader:
        thought = _thought(reader, namespace, thought_id)
        if thought.status == "active":
            raise InvalidInput(f"The thought {thought_id!r} is in use.")
        near = closure(reader, namespace, [thought_id])
    asleep = [one for one in near.thoughts.values() if one.status == "stale" or one.id == thought_id]
    embedder = on_account(parts, Meter(parts, namespace, what="other")).embedder
    matrix = embedder.embed([one.text for one in asleep], kind="document")
    vectors: dict[str, FloatVector] = {one.id: vector for one, vector in zip(asleep, matrix, strict=True)}
    with parts.store.write() as writer:
        thought = _thought(writer, namespace, thought_id)
        writer.put_thought(replace(thought, status="stale", reason="being restored"), None)
        change = restand(writer, namespace, [thought_id], now, vectors=vectors)
        revived = [standing.thought_id for standing in change.revived if standing.thought_id in vectors]
        if thought_id not in revived:
            raise InvalidInput(
                f"The thought {thought_id!r} cannot be restored: its sources were changed or deleted.",
                hint="Use refresh to derive it anew from what is there now.",
            )
    return (thought_id, *(one for one in revived if one != thought_id))
