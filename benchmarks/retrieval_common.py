"""What the retrieval benchmarks share: vectors kept between runs, a store with the data in it, intervals, run records."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from record import record

from thinkback.config import Preset, load_preset
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.ids import content_hash, counting_ids
from thinkback.ports import Reader, Store
from thinkback.retrieve import pack, search
from thinkback.store.sqlite import SqliteStore
from thinkback.types import Chunk, Derivation, Document, Evidence, FloatMatrix, FloatVector, Hit, Root, Thought

NAMESPACE = "bench"


def data_folder() -> Path:
    """Return the folder of the data sets, or end with a sentence that says what to set."""
    folder = os.environ.get("THINKBACK_DATA")
    if not folder:
        sys.exit("Set THINKBACK_DATA to the folder of the data sets.")
    return Path(folder)


class Vectors:
    """MiniLM vectors of texts, kept in a file beside the other temporary files, so that a second run embeds nothing."""

    def __init__(self, name: str) -> None:
        self.embedder = MiniLmEmbedder()
        self._file = Path(tempfile.gettempdir()) / f"thinkback-bench-{name}-{content_hash(self.embedder.id)[:12]}.npz"
        self._known: dict[str, Any] = {}
        if self._file.exists():
            with np.load(self._file, allow_pickle=False) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def of(self, texts: Sequence[str]) -> FloatMatrix:
        """Return shape (len(texts), 384)."""
        keys = [content_hash(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            fresh = self.embedder.embed(list(missing.values()), kind="document")
            self._known.update(zip(missing, fresh, strict=True))
            np.savez(self._file, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
        return np.stack([self._known[key] for key in keys]) if keys else np.empty((0, 384), np.float32)


class Index:
    """A store with one namespace, filled and then only read."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        self.store: Store = SqliteStore.open(
            folder / "bench.db", embedder_id=MiniLmEmbedder.id, dimension=MiniLmEmbedder.dimension
        )
        self._stack.callback(self.store.close)
        self._ids = counting_ids()

    def add_document(self, pieces: Sequence[tuple[str, int, int]], vectors: FloatMatrix, title: str = "") -> list[str]:
        """Write a document that consists of (text, start, end) pieces; return the ids of its chunks."""
        document_id, text = self._ids("doc"), "\n".join(piece for piece, _, _ in pieces)
        document = Document(
            id=document_id, namespace=NAMESPACE, uri=f"bench:{document_id}", title=title, content_hash=content_hash(text),
            created_at=0.0, updated_at=0.0, chunk_count=len(pieces),
        )  # fmt: skip
        chunks = [
            Chunk(
                id=self._ids("chk"), namespace=NAMESPACE, document_id=document_id, ordinal=ordinal, start=start, end=end,
                text=piece, content_hash=content_hash(piece),
            )
            for ordinal, (piece, start, end) in enumerate(pieces)
        ]  # fmt: skip
        with self.store.write() as writer:
            writer.put_document(document, text, chunks, vectors)
        return [chunk.id for chunk in chunks]

    def add_thoughts(self, texts: Sequence[str], roots: Sequence[Sequence[str]], vectors: FloatMatrix) -> list[str]:
        """Write thoughts, each with one derivation from the chunks it is rooted in; return their ids."""
        ids = []
        with self.store.write() as writer:
            for text, root_ids, vector in zip(texts, roots, vectors, strict=True):
                thought = Thought(id=self._ids("tht"), namespace=NAMESPACE, text=text, level=2.0, created_at=0.0)
                derivation = Derivation(
                    id=self._ids("drv"), thought_id=thought.id, question="", answer=text, confidence=1.0, model="data set",
                    prompt_hash="", created_at=0.0, level=2.0,
                    evidence=tuple(
                        Evidence(item_kind="chunk", item_id=chunk.id, start=0, end=1, quote=chunk.text[:1], score=1.0)
                        for chunk in writer.items(NAMESPACE, root_ids)
                    ),
                    roots=tuple(Root(kind="chunk", id=root) for root in sorted(set(root_ids))),
                )  # fmt: skip
                writer.put_thought(thought, vector, [derivation])
                ids.append(thought.id)
        return ids

    @cached_property
    def reader(self) -> Reader:
        """A snapshot for all questions, in which a search that was made is not made again for the next preset."""
        snapshot = self._stack.enter_context(self.store.read())
        return _Remembering(snapshot)  # type: ignore[return-value]  # every other method is the snapshot's own

    def close(self) -> None:
        """Remove the store."""
        self._stack.close()


class _Remembering:
    """A Reader that keeps what its searches returned: presets that differ in later steps ask the same of the store."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._kept: dict[Hashable, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def search_dense(self, namespace: str, vector: Any, k: int, *, kind: Any, where: Any = None) -> Any:
        return self._once(("dense", vector.tobytes(), k, kind),
                          lambda: self._reader.search_dense(namespace, vector, k, kind=kind, where=where))  # fmt: skip

    def search_words(self, namespace: str, text: str, k: int, *, kind: Any, where: Any = None) -> Any:
        return self._once(("words", text, k, kind),
                          lambda: self._reader.search_words(namespace, text, k, kind=kind, where=where))  # fmt: skip

    def _once(self, key: Hashable, call: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = call()
        return self._kept[key]


def retrieve(
    index: Index,
    question: str,
    vector: FloatVector,
    preset: Preset,
    budgets: Sequence[int],
    cost: Mapping[str, int],
    roots: Mapping[str, frozenset[str]] | None = None,
) -> list[tuple[Hit, ...]]:
    """Return what the shipped search and packing put into each budget."""
    hits = search(index.reader, NAMESPACE, question=question, vector=vector, preset=preset).hits
    return [pack(hits, budget=budget, cost=lambda _, hit: cost[hit.item.id], roots=roots).hits for budget in budgets]


def interval(values: np.ndarray, groups: Sequence[Hashable], *, seed: int = 7, rounds: int = 2_000) -> list[float]:
    """Return mean and 95 % bootstrap interval over groups: whole groups are drawn, with all their questions."""
    names = sorted(set(groups), key=str)
    sums = np.array([values[[g == name for g in groups]].sum() for name in names])
    counts = np.array([sum(g == name for g in groups) for name in names])
    draws = np.random.default_rng(seed).integers(0, len(names), (rounds, len(names)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return [round(float(x), 4) for x in (values.mean(), low, high)]


def variant(base: str = "default", **changes: Any) -> Preset:
    """Return a preset with changes; the benchmarks do not take the overview's door."""
    return load_preset(base, **{"overview_door": False, **changes})


def sha256(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def write_record(name: str, config: Mapping[str, Any], results: Mapping[str, Any], *, started: float) -> Path:
    """Write the run record of a retrieval benchmark, with the embedder and the seconds it took."""
    return record(
        name, {**config, "embedder": MiniLmEmbedder.id, "wall_s": round(time.time() - started, 1), "seed": 7}, results
    )
