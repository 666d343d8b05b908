"""Adding documents: load, chunk, embed, write. No model is asked; what is reported as added is on disk."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from thinkback.engine.budget import Meter, afford, on_account
from thinkback.engine.cutting import cut
from thinkback.engine.embedding import embed_documents
from thinkback.engine.parts import Parts
from thinkback.engine.relabelling import relabel
from thinkback.engine.sources import Loaded, Source, as_said, still_holds
from thinkback.engine.standing import restand
from thinkback.errors import BudgetExceeded, EncryptedDocument, LoadError, ModelError
from thinkback.ids import content_hash
from thinkback.ports import HistoryEvent, Progress, Reader, Writer
from thinkback.types import AddReport, AddResult, Chunk, Document, FloatMatrix, SpanText

__all__ = ["add_sources"]

_FLUSH_CHUNKS = 256
_FLUSH_DOCUMENTS = 64
_CHANGED = "it was changed by somebody else meanwhile; add it again"
_DELETED = "it was deleted meanwhile; add it again"


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
    """Add sources and return a result for each, in the order given.

    A source that fails leaves its reason and does not stop the others; sources are written in groups, each in one
    transaction, so that a crash loses at most what was not yet reported. New places come before known ones: a file that
    was renamed takes its document along before the file that now bears the old name is read.

    Raises:
        BudgetExceeded: embedding the next source could break a limit. What was done before is kept; ``report`` has it.
    """
    started = time.perf_counter()
    listed = list(sources)
    meter = Meter(parts, namespace, what="other")
    run = _Run(on_account(parts, meter), namespace, len(listed), progress, total)
    try:
        _take_all(parts, namespace, run, listed)
    except BudgetExceeded as error:
        done = run.stop(listed, error.message)
        more = f" {done} of {len(listed)} sources were done before, and are kept." if len(listed) > 1 else ""
        refusal = BudgetExceeded(f"{error.message}{more}")
        refusal.report = AddReport(results=tuple(run.results), seconds=time.perf_counter() - started, usage=meter.usage)
        raise refusal from error
    return AddReport(results=tuple(run.results), seconds=time.perf_counter() - started, usage=meter.usage)


def _take_all(parts: Parts, namespace: str, run: _Run, listed: Sequence[Source]) -> None:
    with parts.store.read() as reader:
        known = [reader.document_by_uri(namespace, source.uri) is not None for source in listed]
    for place in sorted(range(len(listed)), key=known.__getitem__):
        run.take(place, listed[place])
    run.flush()
    for place in run.orphans():
        run.take(place, listed[place])
    run.flush()


class _Run:
    """One call of ``add_sources``: results by place, and what waits for being written."""

    def __init__(self, parts: Parts, namespace: str, count: int, progress: Progress | None, total: int | None) -> None:
        self._parts, self._namespace, self._progress, self._total = parts, namespace, progress, total
        self._pending: list[tuple[int, _Prepared]] = []
        self._hashes: dict[int, str] = {}
        self._seen: set[int] = set()
        self._not_written = AddResult(status="failed", uri="", document_id=None, reason="not written")
        self.results = [self._not_written] * count

    def take(self, place: int, source: Source) -> None:
        """Load a source and write it, with others or later."""
        self._seen.add(place)
        try:
            loaded = source.load()
        except LoadError as error:
            status: Literal["empty", "failed"] = "empty" if isinstance(error, EncryptedDocument) else "failed"
            self.results[place] = AddResult(status=status, uri=source.uri, document_id=None, reason=str(error))
            return
        hashed = self._hashes[place] = content_hash(loaded.text)
        if any(_touches(waiting, loaded, hashed) for _, waiting in self._pending):
            self.flush()  # what this source is depends on whether that is written
        prepared = _prepare(self._parts, self._namespace, loaded, hashed)
        if isinstance(prepared, AddResult):
            self.results[place] = prepared
        else:
            self._pending.append((place, prepared))
        if sum(len(p.chunks) for _, p in self._pending) >= _FLUSH_CHUNKS or len(self._pending) >= _FLUSH_DOCUMENTS:
            self.flush()
        if self._progress:
            self._progress("documents", len(self._seen), self._total, loaded.title or loaded.uri)

    def flush(self) -> None:
        """Write what waits.

        Raises:
            BudgetExceeded: there is no room for all of it; the first ones, as many as there was room for, are written.
        """
        group, self._pending = self._pending, []
        try:
            self._write(group)
        except BudgetExceeded:
            if len(group) == 1:
                raise
            for one in group:
                self._write([one])

    def _write(self, group: Sequence[tuple[int, _Prepared]]) -> None:
        prepared = [one for _, one in group]
        afford(self._parts.embedder, _fresh_texts(prepared))
        written = _write(self._parts, self._namespace, prepared, self._progress)
        for (place, _), result in zip(group, written, strict=True):
            self.results[place] = result

    def stop(self, listed: Sequence[Source], reason: str) -> int:
        """Give what was not come to its reason; return how many sources were done."""
        left = [place for place, result in enumerate(self.results) if result is self._not_written]
        for place in left:
            self.results[place] = AddResult(status="failed", uri=listed[place].uri, document_id=None, reason=reason)
        return len(self.results) - len(left)

    def orphans(self) -> tuple[int, ...]:
        """Return the places of copies whose twin has another text by now, so that theirs stands nowhere."""
        with self._parts.store.read() as reader:
            return tuple(
                place
                for place, hashed in self._hashes.items()
                if (result := self.results[place]).status == "unchanged"
                and result.document_id is not None
                and result.reason  # a twin's; an unchanged document has none
                and (
                    (twin := reader.document(self._namespace, result.document_id)) is None
                    or twin.content_hash != hashed
                )
            )


def _touches(waiting: _Prepared, loaded: Loaded, hashed: str) -> bool:
    """Tell whether a document that waits for being written has, or had, the text or the place of a source."""
    held = {waiting.document.content_hash, waiting.former.content_hash if waiting.former else ""}
    return hashed in held or waiting.document.uri == loaded.uri


def _prepare(parts: Parts, namespace: str, loaded: Loaded, hashed: str) -> _Prepared | AddResult:
    with parts.store.read() as reader:
        former = _former(reader, namespace, loaded)
        twins = reader.documents_by_hash(namespace, hashed) if not former and not loaded.given.document_id else ()
        old_chunks = reader.chunks(namespace, former.id) if former else ()
    if former is None and loaded.given.must_exist:
        return _failed(loaded, _DELETED)
    if former is not None and former.content_hash == hashed:
        return _unchanged(parts, former, loaded)
    if twins:
        left = next((twin for twin in twins if not still_holds(twin.uri, hashed, parts.limits)), None)
        return _move(parts, left, loaded) if left else _copy(loaded, twins[0])
    spans, warning = cut(parts, loaded)
    warnings = (*loaded.warnings, warning) if warning else loaded.warnings
    if not spans:
        reason = loaded.warnings[0] if loaded.warnings else "it holds no text"
        return AddResult(
            status="empty", uri=loaded.uri, document_id=None, title=loaded.title, reason=reason, warnings=warnings
        )
    return _prepared(parts, namespace, replace(loaded, warnings=warnings), former, old_chunks, spans, hashed)


def _failed(loaded: Loaded, reason: str) -> AddResult:
    return AddResult(status="failed", uri=loaded.uri, document_id=None, title=loaded.title, reason=reason)


def _copy(loaded: Loaded, twin: Document) -> AddResult:
    reason = f"the same text as {twin.title or twin.uri!r}"
    return AddResult(status="unchanged", uri=loaded.uri, document_id=twin.id, title=twin.title, reason=reason)


def _former(reader: Reader, namespace: str, loaded: Loaded) -> Document | None:
    if loaded.given.document_id:
        return reader.document(namespace, loaded.given.document_id)
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
        id=former.id if former else loaded.given.document_id or parts.fresh_id("doc"),
        namespace=namespace,
        uri=loaded.uri,
        title=loaded.title,
        metadata={**loaded.metadata, **loaded.given.metadata},
        content_hash=hashed,
        version=former.version + 1 if former else 1,
        trust=loaded.given.trust or loaded.trust,
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
                page=loaded.page_at(span.start),
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


def _unchanged(parts: Parts, former: Document, loaded: Loaded) -> AddResult:
    """Keep the document; metadata, title and trust that were given with it are taken over."""
    wanted = as_said(former, loaded)
    if wanted != former:
        with parts.store.write() as writer:
            current = writer.document(former.namespace, former.id)
            if current is None or current.content_hash != former.content_hash:
                return _failed(loaded, _CHANGED if current else _DELETED)
            wanted = as_said(current, loaded)
            _set(parts, writer, current, wanted)
    return AddResult(
        status="unchanged",
        uri=loaded.uri,
        document_id=former.id,
        title=wanted.title,
        chunks=former.chunk_count,
        chunks_kept=former.chunk_count,
    )


def _set(parts: Parts, writer: Writer, current: Document, wanted: Document) -> None:
    """Write what changes of a document besides its text; the thoughts above follow its label."""
    now = parts.clock()
    writer.set_document(replace(wanted, updated_at=now))
    if wanted.trust != current.trust:
        relabel(writer, wanted.namespace, wanted.id, now)


def _move(parts: Parts, former: Document, loaded: Loaded) -> AddResult:
    """Let a document follow its text to another file."""
    with parts.store.write() as writer:
        current = writer.document(former.namespace, former.id)
        if current is None or (current.content_hash, current.uri) != (former.content_hash, former.uri):
            return _failed(loaded, _CHANGED if current else _DELETED)
        moved = replace(as_said(current, loaded), uri=loaded.uri)
        if current.title == Path(current.uri).stem:  # it was named after the file
            moved = replace(moved, title=loaded.title)
        _set(parts, writer, current, moved)
        writer.add_history(
            [HistoryEvent(namespace=current.namespace, item_id=current.id, event="moved", at=parts.clock())]
        )
    return AddResult(
        status="moved",
        uri=loaded.uri,
        document_id=moved.id,
        title=moved.title,
        chunks=moved.chunk_count,
        chunks_kept=moved.chunk_count,
        reason=f"it was {current.uri}",
    )


def _write(
    parts: Parts, namespace: str, prepared: Sequence[_Prepared], progress: Progress | None
) -> Iterator[AddResult]:
    """Embed what is new of a group and write the group in one transaction."""
    if not prepared:
        return
    try:
        vectors = embed_documents(parts.embedder, _fresh_texts(prepared), progress)
    except ModelError as error:
        yield from (_failed(one.loaded, str(error)) for one in prepared)
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


def _fresh_texts(prepared: Sequence[_Prepared]) -> list[str]:
    return [piece.text for one in prepared for piece in one.chunks if piece.id not in one.kept]


def _write_one(parts: Parts, writer: Writer, namespace: str, one: _Prepared, vectors: FloatMatrix) -> AddResult:
    current = writer.document(namespace, one.document.id)
    if not _is_as_before(writer, current, one):
        return _failed(one.loaded, _CHANGED if current else _DELETED)
    if current is None and not one.loaded.given.document_id:  # the same text may have come in by another writer
        twin = next(iter(writer.documents_by_hash(namespace, one.document.content_hash)), None)
        if twin is not None:
            return _copy(one.loaded, twin)
    document, chunks = one.document, one.chunks
    if current is not None:
        said = as_said(current, one.loaded)
        document = replace(document, title=said.title, metadata=said.metadata, trust=said.trust)
        chunks = tuple(replace(piece, trust=said.trust) for piece in chunks)
    writer.put_document(document, one.loaded.text, chunks, vectors)
    stale: tuple[str, ...] = ()
    detail: Mapping[str, str | int | float] = {"version": one.document.version, "chunks": len(one.chunks)}
    if one.removed:
        writer.delete_answers_on(namespace, one.removed)
        change = restand(writer, namespace, one.removed, parts.clock())
        stale = tuple(standing.thought_id for standing in change.stale)
        detail = {**detail, "removed": " ".join(one.removed)}
    if current is not None and document.trust != current.trust:
        relabel(writer, namespace, document.id, parts.clock())
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
        title=document.title,
        chunks=len(one.chunks),
        chunks_kept=len(one.kept),
        stale=stale,
        warnings=one.loaded.warnings,
    )


def _is_as_before(writer: Writer, current: Document | None, one: _Prepared) -> bool:
    """Tell whether a document is still the one that was read, not one deleted and added anew under its id."""
    if current is None or one.former is None:
        return current is one.former
    marks = [(document.version, document.created_at, document.content_hash) for document in (current, one.former)]
    return marks[0] == marks[1] and one.kept <= {piece.id for piece in writer.chunks(current.namespace, current.id)}
