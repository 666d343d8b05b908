"""The store that keeps everything in dictionaries: short, exact, gone when the process ends.

It says what a store must do. The embedded store is tested against it, so it is written for the eye and not for speed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from thinkback.errors import InvalidInput, NotFound, StoreBusy, StoreClosed
from thinkback.ports import Clock, HistoryEvent, PurgeReport, Reader, StoreInfo, Writer
from thinkback.store.memory_reader import MemoryReader, State
from thinkback.store.memory_space import Space
from thinkback.store.rules import (
    check_answer,
    check_derivations,
    check_document,
    check_ids,
    check_texts,
    check_vectors,
    half,
    link_key,
)
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    FloatMatrix,
    FloatVector,
    Link,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

__all__ = ["MemoryStore"]


class _MemoryWriter(MemoryReader):
    """The Writer port over a state of its own, which the store publishes at the end."""

    def __init__(self, state: State, dimension: int) -> None:
        fresh = State(
            spaces=dict(state.spaces),
            history=state.history,
            usage=state.usage,
            settings=dict(state.settings),
            next_row=state.next_row,
        )
        super().__init__(fresh, dimension)
        self.state = fresh
        self._own: set[str] = set()

    def _change(self, namespace: str) -> Space:
        """Return a space that may be changed: a copy, from the first change on."""
        if namespace not in self._own:
            check_texts((namespace,))
            self.state.spaces[namespace] = self._space(namespace).copy()
            self._own.add(namespace)
        return self.state.spaces[namespace]

    def _index(self, space: Space, item_id: str, vector: FloatVector) -> None:
        space.index(item_id, self.state.next_row, half(vector).astype(np.float32))
        self.state.next_row += 1

    # --- documents ---------------------------------------------------------------------------------------------------
    def put_document(self, document: Document, text: str, chunks: Sequence[Chunk], vectors: FloatMatrix) -> None:
        check_document(document, text, chunks)
        check_vectors(vectors, (len(chunks), self._dimension))
        space = self._change(document.namespace)
        former = set(space.document_chunks.get(document.id, ()))
        for chunk in chunks:
            held = space.chunks.get(chunk.id)
            if held is not None and (held.document_id != document.id or held.text != chunk.text):
                raise InvalidInput(f"Chunk {chunk.id!r} exists already, with other text or in another document.")
        for gone in former - {chunk.id for chunk in chunks}:
            space.unindex(gone)
            del space.chunks[gone]
        for chunk, vector in zip(chunks, vectors, strict=True):
            space.chunks[chunk.id] = replace(chunk, trust=document.trust)
            if chunk.id not in former:
                self._index(space, chunk.id, vector)
        space.documents[document.id] = replace(document, chunk_count=len(chunks))
        space.texts[document.id] = text
        space.document_chunks[document.id] = tuple(chunk.id for chunk in chunks)
        space.revision += 1

    def rename_document(self, namespace: str, document_id: str, *, uri: str, title: str) -> None:
        check_texts((uri, title))
        held = self._held_document(namespace, document_id)
        space = self._change(namespace)
        space.documents[document_id] = replace(held, uri=uri, title=title)
        space.revision += 1

    def set_document(self, document: Document) -> None:
        check_document(document, "", ())
        held = self._held_document(document.namespace, document.id)
        space = self._change(document.namespace)
        space.documents[document.id] = replace(
            held,
            uri=document.uri,
            title=document.title,
            metadata=document.metadata,
            trust=document.trust,
            updated_at=document.updated_at,
        )
        for chunk_id in space.document_chunks[document.id]:
            space.chunks[chunk_id] = replace(space.chunks[chunk_id], trust=document.trust)
        space.revision += 1

    def _held_document(self, namespace: str, document_id: str) -> Document:
        held = self.document(namespace, document_id)
        if held is None:
            raise NotFound(f"There is no document {document_id!r} in namespace {namespace!r}.")
        return held

    def delete_documents(self, namespace: str, document_ids: Sequence[str]) -> None:
        for document_id in dict.fromkeys(document_ids):
            if self.document(namespace, document_id) is None:
                continue
            space = self._change(namespace)
            for chunk_id in space.document_chunks.pop(document_id):
                space.unindex(chunk_id)
                del space.chunks[chunk_id]
            del space.documents[document_id], space.texts[document_id]
            space.revision += 1

    # --- thoughts ----------------------------------------------------------------------------------------------------
    def put_thought(self, thought: Thought, vector: FloatVector | None, derivations: Sequence[Derivation] = ()) -> None:
        check_texts((thought.text, thought.reason))
        check_derivations(thought, derivations)
        if vector is not None:
            check_vectors(vector, (self._dimension,))
        space = self._change(thought.namespace)
        held = space.thoughts.get(thought.id)
        stays = held is not None and thought.id in space.rows and held.text == thought.text
        if thought.status == "active" and not stays:
            if vector is None:
                raise InvalidInput(f"Thought {thought.id!r} is active and not indexed: its vector is needed.")
            self._index(space, thought.id, vector)
        elif thought.status != "active":
            space.unindex(thought.id)
        space.thoughts[thought.id] = thought
        for derivation in derivations:
            other = space.derivations.get(derivation.id)
            if other is not None and other.thought_id != thought.id:
                raise InvalidInput(f"Derivation {derivation.id!r} belongs to another thought.")
            space.derivations[derivation.id] = derivation
        space.revision += 1

    def delete_thoughts(self, namespace: str, thought_ids: Sequence[str]) -> None:
        gone = {i for i in thought_ids if i in self._space(namespace).thoughts}
        if not gone:
            return
        space = self._change(namespace)
        for thought_id in gone:
            space.unindex(thought_id)
            del space.thoughts[thought_id]
        space.derivations = {i: d for i, d in space.derivations.items() if d.thought_id not in gone}
        space.links = {k: link for k, link in space.links.items() if gone.isdisjoint(k[:2])}
        space.revision += 1

    def delete_derivations(self, namespace: str, derivation_ids: Sequence[str]) -> None:
        gone = {i for i in derivation_ids if i in self._space(namespace).derivations}
        if gone:
            space = self._change(namespace)
            space.derivations = {i: d for i, d in space.derivations.items() if i not in gone}
            space.revision += 1

    def redact_derivations(self, namespace: str, root_ids: Iterable[str]) -> int:
        wanted = set(root_ids)
        held = self._space(namespace).derivations
        blank = [i for i, d in held.items() if not wanted.isdisjoint(d.shown) and (d.question or d.answer)]
        for derivation_id in blank:
            own = self._change(namespace).derivations
            own[derivation_id] = replace(own[derivation_id], question="", answer="")
        return len(blank)

    def touch(self, namespace: str, thought_ids: Sequence[str], at: float) -> None:
        for thought_id in set(thought_ids) & self._space(namespace).thoughts.keys():
            held = self._change(namespace).thoughts
            uses = held[thought_id].use_count + 1
            held[thought_id] = replace(held[thought_id], last_used_at=at, use_count=uses)

    def put_link(self, namespace: str, link: Link) -> None:
        key = link_key(link)
        for end in key[:2]:
            if end not in self._space(namespace).thoughts:
                raise NotFound(f"There is no thought {end!r} in namespace {namespace!r}.")
        left, right, _ = key
        self._change(namespace).links.setdefault(key, replace(link, left=left, right=right))

    # --- testimonies, answers ----------------------------------------------------------------------------------------
    def put_testimony(self, testimony: Testimony) -> None:
        check_ids((testimony.id,))
        check_texts((testimony.source, testimony.question, testimony.answer))
        space = self._change(testimony.namespace)
        space.testimonies[testimony.id] = testimony
        space.revision += 1

    def delete_testimonies(self, namespace: str, ids: Sequence[str]) -> None:
        for testimony_id in set(ids) & self._space(namespace).testimonies.keys():
            space = self._change(namespace)
            del space.testimonies[testimony_id]
            space.revision += 1

    def put_answer(self, namespace: str, answer: StoredAnswer) -> None:
        check_answer(answer)
        self._change(namespace).answers[answer.key] = answer

    def delete_answers_on(self, namespace: str, item_ids: Iterable[str]) -> int:
        wanted = set(item_ids)
        held = self._space(namespace).answers
        gone = [k for k, a in held.items() if wanted & {*a.item_ids, *(root.id for root in a.roots)}]
        for key in gone:
            del self._change(namespace).answers[key]
        return len(gone)

    def delete_namespace(self, namespace: str) -> None:
        if namespace in self.state.spaces:
            revision = self._space(namespace).revision
            self.state.spaces[namespace] = Space(revision=revision + 1)
            self._own.add(namespace)

    # --- numbers -----------------------------------------------------------------------------------------------------
    def add_history(self, events: Iterable[HistoryEvent]) -> None:
        self.state.history = (*self.state.history, *events)

    def add_usage(self, namespace: str, usage: Usage, at: float, purpose: str) -> None:  # noqa: ARG002 - nobody asks yet
        self.state.usage = (*self.state.usage, (namespace, at, usage))

    def add_outcomes(self, namespace: str, statuses: Sequence[str]) -> None:
        outcomes = self._change(namespace).outcomes
        for status in statuses:
            outcomes[status] = outcomes.get(status, 0) + 1

    def put_setting(self, name: str, value: str) -> None:
        check_texts((name, value))
        self.state.settings[name] = value


class MemoryStore:
    """A store in memory. Snapshots are free, since nothing that was published ever changes.

    Args:
        embedder_id: names the embedder whose vectors it will hold.
        dimension: of those vectors.
        clock: tells when it was made.
    """

    def __init__(self, *, embedder_id: str = "none", dimension: int, clock: Clock = time.time) -> None:
        self._info = StoreInfo(
            path=":memory:",
            schema=0,
            embedder_id=embedder_id,
            dimension=dimension,
            created_by="memory",
            created_at=clock(),
        )
        self._state = State()
        self._writing = threading.Lock()
        self._writer_thread: int | None = None
        self._closed = False

    def info(self) -> StoreInfo:
        """Return what the store says of itself."""
        self._check_open()
        return self._info

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a snapshot."""
        self._check_open()
        yield MemoryReader(self._state, self._info.dimension)

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """Open a transaction; leaving it by an error undoes all of it.

        Raises:
            StoreBusy: this thread is writing already.
        """
        self._check_open()
        if self._writer_thread == threading.get_ident():
            raise StoreBusy("This thread has a transaction open already.")
        with self._writing:
            self._check_open()
            self._writer_thread = threading.get_ident()
            try:
                writer = _MemoryWriter(self._state, self._info.dimension)
                yield writer
                self._state = writer.state
            finally:
                self._writer_thread = None

    def purge(self) -> PurgeReport:
        """Do nothing: what was deleted is gone with its last reader."""
        self._check_open()
        return PurgeReport(status="purged")

    def check(self) -> tuple[str, ...]:
        """Return the faults between records and index."""
        self._check_open()
        faults = []
        for name, space in self._state.spaces.items():
            due = {*space.chunks, *(t.id for t in space.thoughts.values() if t.status == "active")}
            if due != space.rows.keys():
                faults.append(
                    f"Namespace {name!r}: {len(due ^ space.rows.keys())} items differ between records and index."
                )
        return tuple(faults)

    def reset_vectors(self, embedder_id: str, dimension: int) -> None:
        """Forget all vectors; nothing is findable until ``put_vectors`` has indexed it anew."""
        with self.write() as writer:
            assert isinstance(writer, _MemoryWriter)  # noqa: S101 - made above
            for name in self._state.spaces:
                space = writer._change(name)  # noqa: SLF001 - the writer is this module's own
                for item_id in tuple(space.rows):
                    space.unindex(item_id)
                space.revision += 1
        self._info = replace(self._info, embedder_id=embedder_id, dimension=dimension)

    def put_vectors(self, namespace: str, ids: Sequence[str], vectors: FloatMatrix) -> None:
        """Index chunks and active thoughts anew; ids of anything else are ignored."""
        check_vectors(vectors, (len(ids), self._info.dimension))
        if len(set(ids)) != len(ids):
            raise InvalidInput("An id is given twice.")
        with self.write() as writer:
            assert isinstance(writer, _MemoryWriter)  # noqa: S101 - made above
            if not ids or namespace not in self._state.spaces:
                return
            space = writer._change(namespace)  # noqa: SLF001 - the writer is this module's own
            for item_id, vector in zip(ids, vectors, strict=True):
                thought = space.thoughts.get(item_id)
                if item_id in space.chunks or (thought is not None and thought.status == "active"):
                    writer._index(space, item_id, vector)  # noqa: SLF001
            space.revision += 1

    def close(self) -> None:
        """Refuse further use."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("The store was closed.")
