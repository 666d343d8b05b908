"""Records to fill a store with, and a store in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thinkback.ports import Store
from thinkback.store.sqlite import SqliteStore
from thinkback.types import Chunk, Derivation, Document, Evidence, FloatMatrix, Root, Thought

D = 16


class Make:
    """Builds records; everything has a sensible default."""

    dimension = D

    @staticmethod
    def vectors(count: int, seed: int = 0, dimension: int = D) -> FloatMatrix:
        """Return random unit vectors."""
        made = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    @staticmethod
    def document(name: str = "d", namespace: str = "n", **fields: Any) -> Document:
        given = {"uri": f"/{name}", "title": name, "content_hash": "h", "created_at": 1.0, "updated_at": 1.0}
        return Document(id=name, namespace=namespace, **{**given, **fields})

    @staticmethod
    def chunks(texts: Sequence[str], name: str = "d", namespace: str = "n") -> list[Chunk]:
        return [
            Chunk(
                id=f"{name}-{ordinal}",
                namespace=namespace,
                document_id=name,
                ordinal=ordinal,
                start=ordinal,
                end=ordinal + 1,
                text=text,
                content_hash="h",
            )
            for ordinal, text in enumerate(texts)
        ]

    @staticmethod
    def thought(name: str = "t", namespace: str = "n", **fields: Any) -> Thought:
        return Thought(
            id=name, namespace=namespace, **{"text": f"thought {name}", "level": 2.0, "created_at": 1.0, **fields}
        )

    @staticmethod
    def derivation(name: str, of: str, roots: Sequence[str], **fields: Any) -> Derivation:
        given = {
            "question": "q",
            "answer": "a",
            "confidence": 1.0,
            "model": "m",
            "prompt_hash": "p",
            "created_at": 1.0,
            "level": 2.0,
            "evidence": tuple(
                Evidence(item_kind="chunk", item_id=i, start=0, end=1, quote="quote", score=1.0) for i in roots
            ),
            "roots": tuple(Root(kind="chunk", id=i) for i in roots),
            "shown": tuple(roots),
        }
        return Derivation(id=name, thought_id=of, **{**given, **fields})

    def put(
        self, store: Store, texts: Sequence[str], name: str = "d", namespace: str = "n", seed: int = 0, **fields: Any
    ) -> None:
        """Write a document with these chunks."""
        with store.write() as writer:
            chunks = self.chunks(texts, name, namespace)
            vectors = self.vectors(len(texts), seed, store.info().dimension)
            writer.put_document(self.document(name, namespace, **fields), " ".join(texts), chunks, vectors)


@pytest.fixture
def make() -> Make:
    return Make()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def opened(path: Path) -> Iterator[Callable[..., SqliteStore]]:
    """Open the store at ``path``, as often as wanted; all are closed at the end."""
    stores: list[SqliteStore] = []

    def opening(**arguments: Any) -> SqliteStore:
        store = SqliteStore.open(
            **{"path": path, "embedder_id": "e", "dimension": D, "busy_timeout_s": 10.0, **arguments}
        )
        stores.append(store)
        return store

    yield opening
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Callable[..., SqliteStore]) -> SqliteStore:
    return opened()
