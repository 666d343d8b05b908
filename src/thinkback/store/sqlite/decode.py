"""Rows of the tables as records, and records as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from thinkback.ids import canonical_json
from thinkback.store.rules import TRUST_ORDER
from thinkback.types import (
    Chunk,
    Citation,
    Derivation,
    Document,
    Evidence,
    Root,
    Scalar,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

__all__ = [
    "ANSWER",
    "CHUNK",
    "DERIVATION",
    "DOCUMENT",
    "TESTIMONY",
    "THOUGHT",
    "answer_of",
    "chunk_of",
    "document_of",
    "evidence_of",
    "json_of",
    "testimony_of",
    "thought_of",
    "usage_of",
]

Row = Sequence[Any]

DOCUMENT = (
    "d.id, d.uri, d.title, d.metadata, d.content_hash, d.version, d.trust, d.created_at, d.updated_at, d.chunk_count"
)
CHUNK = "c.id, d.id, c.ordinal, c.span_start, c.span_end, c.page, c.text, c.content_hash, d.trust"
THOUGHT = "t.id, t.text, t.level, t.status, t.reason, t.trust, t.support, t.created_at, t.last_used_at, t.use_count"
DERIVATION = "d.derivation, d.id, d.question, d.answer, d.confidence, d.model, d.prompt_hash, d.created_at, d.level"
TESTIMONY = "id, source, question, answer, trust, created_at"
ANSWER = "key, evidence_hash, question, text, found, item_ids, roots, citations, model, created_at"


def json_of(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return JSON as it is kept: sorted keys, no spaces."""
    return canonical_json(value)


def document_of(namespace: str, row: Row) -> Document:
    """Make a document from the columns DOCUMENT."""
    metadata: dict[str, Scalar] = json.loads(row[3])
    return Document(
        namespace=namespace,
        id=row[0],
        uri=row[1],
        title=row[2],
        metadata=metadata,
        content_hash=row[4],
        version=row[5],
        trust=TRUST_ORDER[row[6]],
        created_at=row[7],
        updated_at=row[8],
        chunk_count=row[9],
    )


def chunk_of(namespace: str, row: Row) -> Chunk:
    """Make a chunk from the columns CHUNK."""
    return Chunk(
        namespace=namespace,
        id=row[0],
        document_id=row[1],
        ordinal=row[2],
        start=row[3],
        end=row[4],
        page=row[5],
        text=row[6],
        content_hash=row[7],
        trust=TRUST_ORDER[row[8]],
    )


def thought_of(namespace: str, row: Row) -> Thought:
    """Make a thought from the columns THOUGHT."""
    return Thought(
        namespace=namespace,
        id=row[0],
        text=row[1],
        level=row[2],
        status=row[3],
        reason=row[4],
        trust=TRUST_ORDER[row[5]],
        support=row[6],
        created_at=row[7],
        last_used_at=row[8],
        use_count=row[9],
    )


def derivation_of(
    thought_id: str, row: Row, evidence: Sequence[Evidence], roots: Sequence[Root], shown: Sequence[str]
) -> Derivation:
    """Make a derivation from the columns DERIVATION and its parts."""
    return Derivation(
        id=row[1],
        thought_id=thought_id,
        question=row[2],
        answer=row[3],
        confidence=row[4],
        model=row[5],
        prompt_hash=row[6],
        created_at=row[7],
        level=row[8],
        evidence=tuple(evidence),
        roots=tuple(roots),
        shown=tuple(shown),
    )


def evidence_of(row: Row) -> Evidence:
    """Make a span of evidence from item_kind, item_id, span_start, span_end, quote, score."""
    return Evidence(item_kind=row[0], item_id=row[1], start=row[2], end=row[3], quote=row[4], score=row[5])


def testimony_of(namespace: str, row: Row) -> Testimony:
    """Make a testimony from the columns TESTIMONY."""
    return Testimony(
        namespace=namespace,
        id=row[0],
        source=row[1],
        question=row[2],
        answer=row[3],
        trust=TRUST_ORDER[row[4]],
        created_at=row[5],
    )


def answer_of(row: Row) -> StoredAnswer:
    """Make a kept answer from the columns ANSWER."""
    return StoredAnswer(
        key=row[0],
        evidence_hash=row[1],
        question=row[2],
        text=row[3],
        found=bool(row[4]),
        item_ids=tuple(json.loads(row[5])),
        roots=tuple(Root(kind=kind, id=root_id) for kind, root_id in json.loads(row[6])),
        citations=tuple(Citation(**fields) for fields in json.loads(row[7])),
        model=row[8],
        created_at=row[9],
    )


def usage_of(numbers: str) -> Usage:
    """Make a usage from its JSON."""
    return Usage(**json.loads(numbers))
