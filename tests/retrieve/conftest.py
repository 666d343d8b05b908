"""A small memory to search: documents of given chunks, thoughts on given roots, vectors chosen by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from thinkback.config import Preset, load_preset
from thinkback.ids import content_hash, counting_ids, random_ids
from thinkback.ports import Store
from thinkback.retrieve import SearchResult, search
from thinkback.store.memory import MemoryStore
from thinkback.types import Chunk, Derivation, Document, FloatVector, Root, Thought

NAMESPACE = "n"


def at(*degrees: float) -> FloatVector:
    """A unit vector of three dimensions whose cosine to the question (1, 0, 0) is that of the angle."""
    angle, turn = np.radians(degrees[0]), np.radians(degrees[1] if len(degrees) > 1 else 0.0)
    return np.array([np.cos(angle), np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn)], np.float32)


class Memory:
    def __init__(self, store: Store | None = None, namespace: str = NAMESPACE) -> None:
        self.store = store or MemoryStore(dimension=3)
        self.namespace = namespace
        self.ids = counting_ids() if namespace == NAMESPACE else random_ids()

    def document(
        self, *pieces: tuple[str, FloatVector], title: str = "A title", metadata: dict | None = None
    ) -> list[str]:
        document_id, text = self.ids("doc"), "\n".join(piece for piece, _ in pieces)
        document = Document(
            id=document_id,
            namespace=self.namespace,
            uri=f"file:{document_id}",
            title=title,
            metadata=metadata or {},
            content_hash=content_hash(text),
            created_at=0.0,
            updated_at=0.0,
            chunk_count=len(pieces),
        )
        chunks, start = [], 0
        for ordinal, (piece, _) in enumerate(pieces):
            chunks.append(
                Chunk(
                    id=self.ids("chk"),
                    namespace=self.namespace,
                    document_id=document_id,
                    ordinal=ordinal,
                    start=start,
                    end=start + len(piece),
                    text=piece,
                    content_hash=content_hash(piece),
                )
            )
            start += len(piece) + 1
        with self.store.write() as writer:
            writer.put_document(document, text, chunks, np.stack([vector for _, vector in pieces]))
        return [chunk.id for chunk in chunks]

    def thought(
        self, text: str, vector: FloatVector, *ways: Sequence[str], question: str = "", kind: str = "chunk"
    ) -> str:
        thought = Thought(id=self.ids("tht"), namespace=self.namespace, text=text, level=2.0, created_at=0.0)
        derivations = [
            Derivation(
                id=self.ids("drv"),
                thought_id=thought.id,
                question=question,
                answer=text,
                confidence=1.0,
                model="m",
                prompt_hash="",
                created_at=float(number),
                level=2.0,
                evidence=(),
                roots=tuple(Root(kind=kind, id=root) for root in sorted(roots)),
            )
            for number, roots in enumerate(ways)
        ]
        with self.store.write() as writer:
            writer.put_thought(thought, vector, derivations)
        return thought.id

    def search(self, preset: Preset | str = "default", question: str = "zzz", **options) -> SearchResult:
        with self.store.read() as reader:
            return search(
                reader, self.namespace, question=question, vector=at(0), preset=load_preset(preset), **options
            )

    def ids_found(self, preset: Preset | str = "default", **options) -> list[str]:
        return [hit.item.id for hit in self.search(preset, **options).hits]


@pytest.fixture
def memory() -> Iterator[Memory]:
    found = Memory()
    yield found
    found.store.close()


@pytest.fixture
def angle():
    return at


@pytest.fixture
def make_memory():
    return Memory
