"""Trust labels follow their documents down to the thoughts."""

from __future__ import annotations

from dataclasses import replace

from thinkback.engine.standing import closure
from thinkback.ports import HistoryEvent, Writer
from thinkback.thought.admit import lowest
from thinkback.types import Trust

__all__ = ["relabel"]


def relabel(writer: Writer, namespace: str, document_id: str, now: float) -> tuple[str, ...]:
    """Give every thought above a document the lowest label among its roots; return those that changed.

    Only derivations that stand count: what is gone has no label to give. A thought without one keeps its own.
    """
    chunk_ids = [chunk.id for chunk in writer.chunks(namespace, document_id)]
    near = closure(writer, namespace, chunk_ids)
    root_ids = sorted({root.id for ways in near.derivations.values() for way in ways for root in way.roots})
    live = writer.live_roots(namespace, root_ids)
    labels: dict[str, Trust] = {item.id: item.trust for item in writer.items(namespace, root_ids)}
    labels |= {said.id: said.trust for said in writer.testimonies(namespace, root_ids)}
    changed: list[str] = []
    for thought_id, thought in sorted(near.thoughts.items()):
        ways = [way for way in near.derivations.get(thought_id, ()) if all(root.id in live for root in way.roots)]
        trust = lowest([labels[root.id] for way in ways for root in way.roots])
        if ways and trust != thought.trust:
            writer.put_thought(replace(thought, trust=trust), None)
            writer.add_history(
                [HistoryEvent(namespace=namespace, item_id=thought_id, event="trust", at=now, detail={"trust": trust})]
            )
            changed.append(thought_id)
    return tuple(changed)
