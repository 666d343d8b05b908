"""What `ask` costs besides the language model and the embedder, over a store of 100,000 chunks and 2,000 thoughts.

    python benchmarks/ask_overhead.py [--chunks 100000]

The model answers at once and the query vectors are ready; everything else is the shipped code: four rankings, fusion, gate,
packing, rendering, citing, keeping the answer in one committed transaction. CPU time of this process, and wall time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from record import record

from thinkback.config import Budget, load_preset
from thinkback.engine.face import Engine
from thinkback.engine.parts import Parts
from thinkback.ids import content_hash, random_ids
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import InputKind
from thinkback.store.sqlite import SqliteStore
from thinkback.types import Chunk, Derivation, Document, Evidence, FloatMatrix, Root, Thought

DIMENSION = 384
CLUSTERS = 500
PER_DOCUMENT = 50
WORDS = 60
QUESTIONS = 200


class Ready:
    """An embedder whose vectors are ready: it only looks them up."""

    id = "ready"
    dimension = DIMENSION
    max_tokens = 256

    def __init__(self, vectors: dict[str, np.ndarray]) -> None:
        self._vectors = vectors

    def embed(self, texts: list[str], *, kind: InputKind) -> FloatMatrix:  # noqa: ARG002 - the port's
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)

    def count(self, text: str) -> int:
        return len(text.split())

    def close(self) -> None:
        """Nothing to free."""


def clustered(rng: np.random.Generator, rows: int) -> FloatMatrix:
    """Return unit vectors around random centres, about as spread as sentence embeddings of one field."""
    centres = rng.standard_normal((CLUSTERS, DIMENSION)).astype(np.float32)
    picked = centres[rng.integers(0, CLUSTERS, rows)] + 0.9 * rng.standard_normal((rows, DIMENSION)).astype(np.float32)
    return picked / np.linalg.norm(picked, axis=1, keepdims=True)


def sentences(rng: np.random.Generator, rows: int, words: int) -> list[str]:
    """Return texts whose words follow Zipf's law over 50,000 words."""
    ranks = np.minimum(rng.zipf(1.15, (rows, words)), 50_000)
    return [" ".join(f"w{rank}" for rank in row) + "." for row in ranks.tolist()]


def fill(store: SqliteStore, rng: np.random.Generator, rows: int, thoughts: int) -> None:
    """Write documents of fifty chunks, and thoughts on some of them."""
    fresh = random_ids()
    vectors, texts = clustered(rng, rows), sentences(rng, rows, WORDS)
    roots: list[tuple[str, str]] = []
    for start in range(0, rows, PER_DOCUMENT):
        part = texts[start : start + PER_DOCUMENT]
        document_id, offset, chunks = fresh("doc"), 0, []
        for ordinal, text in enumerate(part):
            chunks.append(
                Chunk(
                    id=fresh("chk"),
                    namespace="default",
                    document_id=document_id,
                    ordinal=ordinal,
                    start=offset,
                    end=offset + len(text),
                    text=text,
                    content_hash=content_hash(text),
                )
            )
            offset += len(text) + 1
        whole = "\n".join(part)
        document = Document(
            id=document_id,
            namespace="default",
            uri=f"text:{start}",
            title=f"Document {start}",
            content_hash=content_hash(whole),
            created_at=float(start),
            updated_at=float(start),
            chunk_count=len(chunks),
        )
        with store.write() as writer:
            writer.put_document(document, whole, chunks, vectors[start : start + PER_DOCUMENT])
        roots.append((chunks[0].id, chunks[0].text))
    notes, note_texts = clustered(rng, thoughts), sentences(rng, thoughts, 20)
    with store.write() as writer:
        for number, (vector, text) in enumerate(zip(notes, note_texts, strict=True)):
            chunk_id, quote = roots[number % len(roots)]
            thought = Thought(id=fresh("tht"), namespace="default", text=text, level=2.0, created_at=float(number))
            way = Derivation(
                id=fresh("drv"),
                thought_id=thought.id,
                question="q",
                answer="a",
                confidence=1.0,
                model="m",
                prompt_hash="p",
                created_at=float(number),
                level=2.0,
                roots=(Root(kind="chunk", id=chunk_id),),
                evidence=(
                    Evidence(item_kind="chunk", item_id=chunk_id, start=0, end=len(quote), quote=quote, score=1.0),
                ),
            )
            writer.put_thought(thought, vector, [way])


def measure(rows: int, seed: int, folder: Path) -> dict[str, float]:
    """Return milliseconds per question."""
    rng = np.random.default_rng(seed)
    store = SqliteStore.open(folder / "bench.sqlite", embedder_id="ready", dimension=DIMENSION)
    fill(store, rng, rows, rows // 50)
    questions = [text.replace(".", "?") for text in sentences(rng, QUESTIONS, 10)]
    vectors = dict(zip(questions, clustered(rng, QUESTIONS), strict=True))
    llm = ScriptedGenerator(lambda _: "An answer of some length, with a marker or two behind it [1] [2].")
    engine = Engine(
        Parts(
            store=store,
            embedder=Ready(vectors),
            llm=llm,
            judge=None,
            preset=load_preset("default"),
            budget=Budget(),
            clock=time.time,
            fresh_id=random_ids(),
        )
    )
    cpu, wall, search_cpu = [], [], []
    for number, question in enumerate(questions):
        before, began = time.process_time(), time.perf_counter()
        engine.search(question)
        search_cpu.append(time.process_time() - before)
        before, began = time.process_time(), time.perf_counter()
        answer = engine.ask(question, remember=False)
        if number >= 10:  # the first ones load what stays loaded
            cpu.append(time.process_time() - before)
            wall.append(time.perf_counter() - began)
        if not answer.hits:
            raise SystemExit("a question found nothing: the benchmark measures nothing")
    engine.close()
    return {
        "ask_cpu_ms_median": 1e3 * statistics.median(cpu),
        "ask_cpu_ms_p95": 1e3 * float(np.quantile(cpu, 0.95)),
        "ask_wall_ms_median": 1e3 * statistics.median(wall),
        "search_cpu_ms_median": 1e3 * statistics.median(search_cpu[10:]),
    }


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(arguments.chunks, arguments.seed, Path(folder))
    path = record("ask-overhead", vars(arguments), results)
    print({name: round(value, 2) for name, value in results.items()}, path)


if __name__ == "__main__":
    main()
