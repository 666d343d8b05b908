"""Which sources a memory really draws on: those that its citations and the evidence of its thoughts end at."""

from __future__ import annotations

from thinkback.ports import Reader
from thinkback.types import Chunk, Document

__all__ = ["cited"]


def cited(reader: Reader, namespace: str) -> tuple[Document, ...]:
    """Return the documents that kept answers cite or active thoughts rest on, by title, then id.

    The roots of a derivation are the raw items that its evidence ends at, at any depth, so nothing need be followed.
    Documents and chunks that are gone are left out: a derivation may outlive its source.
    """
    thoughts = reader.thoughts(namespace)
    ways = reader.derivations(namespace, [thought.id for thought in thoughts])
    roots = {root.id for group in ways.values() for way in group for root in way.roots if root.kind == "chunk"}
    named = {item.document_id for item in reader.items(namespace, sorted(roots)) if isinstance(item, Chunk)}
    named |= {place.document_id for answer in reader.answers(namespace) for place in answer.citations}
    documents = (reader.document(namespace, document_id) for document_id in sorted(named) if document_id)
    return tuple(sorted((one for one in documents if one), key=lambda document: (document.title, document.id)))
