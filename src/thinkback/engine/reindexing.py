"""Embedding everything anew, after the embedder was changed."""

from __future__ import annotations

from thinkback.engine.budget import Meter, afford, on_account
from thinkback.engine.parts import Parts
from thinkback.ports import Progress

__all__ = ["reindex"]

_BATCH = 64


def reindex(parts: Parts, *, progress: Progress | None = None) -> int:
    """Write the vectors of all chunks and active thoughts with the present embedder; return how many.

    Not one transaction: a store whose reindexing was broken off says so by ``doctor`` and is finished by another run.

    Raises:
        BudgetExceeded: a namespace cannot pay for its vectors; the old ones are still there then.
        ModelError, StoreError
    """
    store, embedder = parts.store, parts.embedder
    with store.read() as reader:
        work = [
            (namespace, item_id, text)
            for namespace in reader.namespaces()
            for item_id, text in [
                *(
                    (chunk.id, chunk.text)
                    for document in reader.documents(namespace)
                    for chunk in reader.chunks(namespace, document.id)
                ),
                *((thought.id, thought.text) for thought in reader.thoughts(namespace)),
            ]
        ]
    payers = {
        name: on_account(parts, Meter(parts, name, what="other")).embedder
        for name in dict.fromkeys(name for name, _, _ in work)
    }
    for namespace, payer in payers.items():  # all of it, before the vectors that are there go
        afford(payer, [text for name, _, text in work if name == namespace])
    store.reset_vectors(embedder.id, embedder.dimension)
    done = 0
    for namespace, payer in payers.items():
        mine = [(item_id, text) for name, item_id, text in work if name == namespace]
        for start in range(0, len(mine), _BATCH):
            batch = mine[start : start + _BATCH]
            vectors = payer.embed([text for _, text in batch], kind="document")
            store.put_vectors(namespace, [item_id for item_id, _ in batch], vectors)
            done += len(batch)
            if progress:
                progress("reindex", done, len(work))
    return done
