"""Adding documents: load, chunk, embed, write. No model is asked; what is reported as added is on disk."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from thinkback.engine.parts import Parts
from thinkback.engine.sources import Loaded, Source
from thinkback.engine.standing import restand
from thinkback.errors import EncryptedDocument, LoadError, ModelError
from thinkback.ids import content_hash
from thinkback.ports import HistoryEvent, Progress, Reader, Writer
from thinkback.text.chunk import chunk
from thinkback.types import AddReport, AddResult, Chunk, Document, FloatMatrix, PageMark, SpanText

__all__ = ["add_sources", "chunk_rule"]

_FLUSH_CHUNKS = 256
_FLUSH_DOCUMENTS = 64
_EMBED_BATCH = 64  # texts between two reports of progress
_TOKENS_A_WORD = 1.4  # of English prose under a word-piece tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A document that is ready to be written, but for the vectors of its new chunks."""

    loaded: Loaded
    document: Document
    former: Document | None
    chunks: tuple[Chunk, ...]
    kept: frozenset[str]
    removed: tuple[str, ...]


def add_sources(
    parts: Parts,
    namespace: str,
    sources: Iterable[Source],
    *,
    progress: Progress | None = None,
    total: int | None = None,
) -> AddReport:
    """Add sources one after another and return a result for each, in order.

    A source that fails leaves its reason and does not stop the others; sources are written in groups, each in one
    transaction, so that a crash loses at most what was not yet reported.
    """
    started = time.perf_counter()
    results: list[AddResult] = []
    pending: list[tuple[int, _Prepared]] = []

    def flush() -> None:
        for place, result in zip(
            (place for place, _ in pending), _write(parts, namespace, [p for _, p in pending], progress), strict=True
        ):
            results[place] = result
        pending.clear()

    for source in sources:
        try:
            loaded = source.load()
        except LoadError as error:
            status: Literal["empty", "failed"] = "empty" if isinstance(error, EncryptedDocument) else "failed"
            results.append(AddResult(status=status, uri=source.uri, document_id=None, reason=str(error)))
            continue
        prepared = _prepare(parts, namespace, loaded, pending)
        if isinstance(prepared, AddResult):
            results.append(prepared)
        else:
            results.append(AddResult(status="failed", uri=loaded.uri, document_id=None, reason="not written"))
            pending.append((len(results) - 1, prepared))
        if sum(len(p.chunks) for _, p in pending) >= _FLUSH_CHUNKS or len(pending) >= _FLUSH_DOCUMENTS:
            flush()
        if progress:
            progress("documents", len(results), total, loaded.title or loaded.uri)
    flush()
    return AddReport(results=tuple(results), seconds=time.perf_counter() - started)


def chunk_rule(parts: Parts) -> tuple[int, str, str]:
    """Return size, unit and a warning: the preset's rule, or the embedder's limit where that is smaller."""
    preset, limit = parts.preset, parts.embedder.max_tokens
    if preset.chunk_unit == "words":
        if preset.chunk_size * _TOKENS_A_WORD <= limit:
            return preset.chunk_size, "words", ""
        return (
            limit,
            "tokens",
            f"Chunks hold {limit} tokens instead of {preset.chunk_size} words: the embedder reads no more.",
        )
    if preset.chunk_size <= limit:
        return preset.chunk_size, "tokens", ""
    return limit, "tokens", f"Chunks hold {limit} tokens instead of {preset.chunk_size}: the embedder reads no more."


def _spans(parts: Parts, loaded: Loaded) -> tuple[tuple[SpanText, ...], str]:
    size, unit, warning = chunk_rule(parts)
    spans = chunk(
        loaded.text, parts.embedder.count, size=size, unit="words" if unit == "words" else "tokens", pages=loaded.pages
    )
    return spans, warning


def _prepare(
    parts: Parts, namespace: str, loaded: Loaded, pending: Sequence[tuple[int, _Prepared]]
) -> _Prepared | AddResult:
    with parts.store.read() as reader:
        former = _former(reader, namespace, loaded)
        hashed = content_hash(loaded.text)
        same_text = [] if loaded.document_id else list(reader.documents_by_hash(namespace, hashed))
        old_chunks = reader.chunks(namespace, former.id) if former else ()
    waiting = [p.document for _, p in pending if p.document.content_hash == hashed and not loaded.document_id]
    if former is not None and former.content_hash == hashed:
        return _unchanged(parts, former, loaded)
    twin = next(iter(same_text), None) or next(iter(waiting), None)
    if twin is not None and former is None:
        if same_text and _moved(twin):
            return _move(parts, twin, loaded)
        reason = f"the same text as {twin.title or twin.uri!r}"
        return AddResult(status="unchanged", uri=loaded.uri, document_id=twin.id, title=twin.title, reason=reason)
    spans, warning = _spans(parts, loaded)
    warnings = (*loaded.warnings, warning) if warning else loaded.warnings
    if not spans:
        reason = loaded.warnings[0] if loaded.warnings else "it holds no text"
        return AddResult(
            status="empty", uri=loaded.uri, document_id=None, title=loaded.title, reason=reason, warnings=warnings
        )
    return _prepared(parts, namespace, replace(loaded, warnings=warnings), former, old_chunks, spans, hashed)


def _former(reader: Reader, namespace: str, loaded: Loaded) -> Document | None:
    if loaded.document_id:
        return reader.document(namespace, loaded.document_id)
    return reader.document_by_uri(namespace, loaded.uri)


def _prepared(
    parts: Parts,
    namespace: str,
    loaded: Loaded,
    former: Document | None,
    old_chunks: Sequence[Chunk],
    spans: Sequence[SpanText],
    hashed: str,
) -> _Prepared:
    now = parts.clock()
    document = Document(
        id=former.id if former else loaded.document_id or parts.fresh_id("doc"),
        namespace=namespace,
        uri=loaded.uri,
        title=loaded.title,
        metadata=dict(loaded.metadata),
        content_hash=hashed,
        version=former.version + 1 if former else 1,
        trust=loaded.trust or (former.trust if former else "normal"),
        created_at=former.created_at if former else now,
        updated_at=now,
        chunk_count=len(spans),
    )
    free: dict[str, list[Chunk]] = {}
    for old in old_chunks:
        free.setdefault(old.content_hash, []).append(old)
    chunks: list[Chunk] = []
    kept: set[str] = set()
    for ordinal, span in enumerate(spans):
        span_hash = content_hash(span.text)
        same = free.get(span_hash)
        chunk_id = same.pop(0).id if same else parts.fresh_id("chk")
        if same is not None and any(old.id == chunk_id for old in old_chunks):
            kept.add(chunk_id)
        chunks.append(
            Chunk(
                id=chunk_id,
                namespace=namespace,
                document_id=document.id,
                ordinal=ordinal,
                start=span.start,
                end=span.end,
                page=_page_at(loaded.pages, span.start),
                text=span.text,
                content_hash=span_hash,
                trust=document.trust,
            )
        )
    return _Prepared(
        loaded=loaded,
        document=document,
        former=former,
        chunks=tuple(chunks),
        kept=frozenset(kept),
        removed=tuple(old.id for old in old_chunks if old.id not in kept),
    )


def _page_at(pages: Sequence[PageMark], offset: int) -> int | None:
    page = None
    for mark in pages:
        if mark.start > offset:
            break
        page = mark.page
    return page


def _unchanged(parts: Parts, former: Document, loaded: Loaded) -> AddResult:
    """Keep the document; metadata, title and trust that were given with it are taken over."""
    wanted = replace(
        former,
        title=loaded.title or former.title,
        metadata={**former.metadata, **loaded.metadata},
        trust=loaded.trust or former.trust,
    )
    if wanted != former:
        with parts.store.write() as writer:
            writer.set_document(replace(wanted, updated_at=parts.clock()))
    return AddResult(
        status="unchanged",
        uri=loaded.uri,
        document_id=former.id,
        title=wanted.title,
        chunks=former.chunk_count,
        chunks_kept=former.chunk_count,
    )


def _moved(document: Document) -> bool:
    """Tell whether a document came from a file that is no longer there."""
    return Path(document.uri).is_absolute() and not Path(document.uri).exists()


def _move(parts: Parts, document: Document, loaded: Loaded) -> AddResult:
    title = document.title if document.title != Path(document.uri).stem else loaded.title
    with parts.store.write() as writer:
        writer.rename_document(document.namespace, document.id, uri=loaded.uri, title=title)
        writer.add_history(
            [HistoryEvent(namespace=document.namespace, item_id=document.id, event="moved", at=parts.clock())]
        )
    return AddResult(
        status="moved",
        uri=loaded.uri,
        document_id=document.id,
        title=title,
        chunks=document.chunk_count,
        chunks_kept=document.chunk_count,
        reason=f"it was {document.uri}",
    )


def _write(
    parts: Parts, namespace: str, prepared: Sequence[_Prepared], progress: Progress | None
) -> Iterator[AddResult]:
    """Embed what is new of a group and write the group in one transaction."""
    if not prepared:
        return
    fresh = [piece.text for one in prepared for piece in one.chunks if piece.id not in one.kept]
    try:
        vectors = _embed(parts, fresh, progress)
    except ModelError as error:
        for one in prepared:
            yield AddResult(
                status="failed", uri=one.loaded.uri, document_id=None, title=one.loaded.title, reason=str(error)
            )
        return
    results: list[AddResult] = []
    used = 0
    with parts.store.write() as writer:
        for one in prepared:
            matrix = np.zeros((len(one.chunks), parts.embedder.dimension), dtype=np.float32)
            for place, piece in enumerate(one.chunks):
                if piece.id not in one.kept:
                    matrix[place] = vectors[used]
                    used += 1
            results.append(_write_one(parts, writer, namespace, one, matrix))
    yield from results


def _write_one(parts: Parts, writer: Writer, namespace: str, one: _Prepared, vectors: FloatMatrix) -> AddResult:
    current = writer.document(namespace, one.document.id)
    if (current.version if current else 0) != (one.former.version if one.former else 0):
        return AddResult(
            status="failed",
            uri=one.loaded.uri,
            document_id=None,
            reason="it was changed by somebody else meanwhile; add it again",
        )
    if one.former is None and not one.loaded.document_id:  # the same text may have come in by another writer
        twin = next(iter(writer.documents_by_hash(namespace, one.document.content_hash)), None)
        if twin is not None:
            return AddResult(
                status="unchanged", uri=one.loaded.uri, document_id=twin.id, title=twin.title, reason="the same text"
            )
    writer.put_document(one.document, one.loaded.text, one.chunks, vectors)
    stale: tuple[str, ...] = ()
    detail: Mapping[str, str | int | float] = {"version": one.document.version, "chunks": len(one.chunks)}
    if one.removed:
        writer.delete_answers_on(namespace, one.removed)
        change = restand(writer, namespace, one.removed, parts.clock())
        stale = tuple(standing.thought_id for standing in change.stale)
        detail = {**detail, "removed": " ".join(one.removed)}
    event = "updated" if one.former else "added"
    writer.add_history(
        [
            HistoryEvent(
                namespace=namespace, item_id=one.document.id, event=event, at=one.document.updated_at, detail=detail
            )
        ]
    )
    return AddResult(
        status="updated" if one.former else "added",
        uri=one.loaded.uri,
        document_id=one.document.id,
        title=one.document.title,
        chunks=len(one.chunks),
        chunks_kept=len(one.kept),
        stale=stale,
        warnings=one.loaded.warnings,
    )


def _embed(parts: Parts, texts: Sequence[str], progress: Progress | None) -> FloatMatrix:
    """Return the vectors of texts, reporting progress batch by batch."""
    if progress is None or len(texts) <= _EMBED_BATCH:
        vectors = parts.embedder.embed(list(texts), kind="document")
        if progress and texts:
            progress("chunks", len(texts), len(texts))
        return vectors
    batches = []
    for start in range(0, len(texts), _EMBED_BATCH):
        batch = texts[start : start + _EMBED_BATCH]
        batches.append(parts.embedder.embed(list(batch), kind="document"))
        progress("chunks", start + len(batch), len(texts))
    return np.concatenate(batches)
