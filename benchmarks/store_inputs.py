"""What the store benchmarks share: 100,000 rows, synthetic or real, a store with them in it, and how time is taken."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.store.sqlite import SqliteStore
from thinkback.types import Chunk, Document, FloatMatrix

DIMENSION = 384
NAMESPACE = "bench"
PER_DOCUMENT = 50
_CLUSTERS = 2_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Texts with their vectors, and questions with theirs."""

    name: str
    texts: list[str]
    vectors: FloatMatrix
    questions: list[str]
    question_vectors: FloatMatrix
    digest: str
    """Of the texts and questions."""


def synthetic(count: int, seed: int) -> Rows:
    """Return clustered unit vectors and texts of 25 words drawn by Zipf's law; questions lie near a row."""
    rng = np.random.default_rng(seed)
    centres = _unit(rng.standard_normal((_CLUSTERS, DIMENSION)))
    vectors = _unit(centres[rng.integers(0, _CLUSTERS, count)] + rng.standard_normal((count, DIMENSION)) * 0.9 / 19.6)
    near = vectors[rng.integers(0, count, 300)]
    question_vectors = _unit(near + rng.standard_normal(near.shape) * 0.8 / 19.6)
    share = 1 / np.arange(1, 30_001)
    words = np.array([f"w{number}" for number in range(30_000)])
    texts = [" ".join(row) for row in words[rng.choice(30_000, size=(count, 25), p=share / share.sum())]]
    questions = [" ".join(row) for row in words[rng.choice(30_000, size=(300, 10), p=share / share.sum())]]
    return Rows(
        name="synthetic",
        texts=texts,
        vectors=vectors,
        questions=questions,
        question_vectors=question_vectors,
        digest=_digest([*texts, *questions]),
    )


def real(count: int) -> Rows:
    """Return sentences and dialogue turns from the data sets at THINKBACK_DATA under the built-in embedder.

    The vectors are kept in a temporary file: making 100,000 of them takes half an hour.
    """
    folder = os.environ.get("THINKBACK_DATA")
    if not folder:
        sys.exit("Set THINKBACK_DATA to the folder of the data sets.")
    texts, questions = sentences(Path(folder))[:count], real_questions(Path(folder))
    embedder = MiniLmEmbedder(threads=1)
    kept = Path(tempfile.gettempdir()) / f"thinkback-bench-rows-{_digest([embedder.id, *texts, *questions])[:16]}.npy"
    if kept.exists():
        vectors = np.load(kept, allow_pickle=False).astype(np.float32)
    else:
        parts = []
        for start in range(0, len(texts), 1_000):
            parts.append(embedder.embed(texts[start : start + 1_000], kind="document"))
            print(f"embedded {start + len(parts[-1])} of {len(texts)}", file=sys.stderr)
        vectors = np.concatenate([*parts, embedder.embed(questions, kind="query")])
        np.save(kept, vectors.astype(np.float16))
    return Rows(
        name="real",
        texts=texts,
        vectors=_unit(vectors[: len(texts)]),
        questions=questions,
        question_vectors=_unit(vectors[len(texts) :]),
        digest=_digest([*texts, *questions]),
    )


def sentences(folder: Path) -> list[str]:
    """Return LoCoMo's turns, then SciFact's sentences, then those of L-Eval and SQuALITY; each text once."""
    dialogues = json.loads((folder / "locomo/locomo10.json").read_text(encoding="utf-8"))
    turns = [
        f"{turn['speaker']}: {turn['text']}"[:400]
        for dialogue in dialogues
        for part in dialogue["conversation"].values()
        if isinstance(part, list)
        for turn in part
    ]
    abstracts = [f"{row['title']}. {row['text']}" for row in _lines(folder / "scifact_beir/corpus.jsonl")]
    science = _cut(abstracts)
    random.Random(7).shuffle(science)
    long = [row["input"] for path in sorted((folder / "leval").glob("*.jsonl")) for row in _lines(path)]
    long += [row["document"] for row in _lines(folder / "squality/test.jsonl")]
    rest = _cut(long)
    random.Random(7).shuffle(rest)
    return list(dict.fromkeys([*turns, *science, *rest]))


def real_questions(folder: Path) -> list[str]:
    """Return 600 of SciFact's claims and LoCoMo's questions."""
    dialogues = json.loads((folder / "locomo/locomo10.json").read_text(encoding="utf-8"))
    found = [row["text"] for row in _lines(folder / "scifact_beir/queries.jsonl")]
    found += [question["question"] for dialogue in dialogues for question in dialogue["qa"]]
    random.Random(7).shuffle(found)
    return found[:600]


def _cut(texts: Iterable[str]) -> list[str]:
    return [sentence[:400] for text in texts for sentence in _SENTENCE.split(text) if len(sentence) > 25]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _unit(vectors: np.ndarray[Any, Any]) -> FloatMatrix:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def documents(rows: Rows) -> list[tuple[Document, str, list[Chunk], FloatMatrix]]:
    """Return the rows as documents of fifty chunks, ready for ``put_document``; chunk ``cN`` is row N."""
    made = []
    for start in range(0, len(rows.texts), PER_DOCUMENT):
        texts, name, chunks, place = rows.texts[start : start + PER_DOCUMENT], f"doc_{start:026d}", [], 0
        for ordinal, text in enumerate(texts):
            chunks.append(
                Chunk(
                    id=f"c{start + ordinal}",
                    namespace=NAMESPACE,
                    document_id=name,
                    ordinal=ordinal,
                    start=place,
                    end=place + len(text),
                    text=text,
                    content_hash="0" * 64,
                )
            )
            place += len(text) + 1
        document = Document(
            id=name,
            namespace=NAMESPACE,
            uri=f"/{name}",
            title=name,
            metadata={"part": start // PER_DOCUMENT % 10},
            content_hash="0" * 64,
            created_at=float(start),
            updated_at=float(start),
        )
        made.append((document, " ".join(texts), chunks, rows.vectors[start : start + PER_DOCUMENT]))
    return made


def open_store(path: Path) -> SqliteStore:
    """Open the benchmark's store."""
    return SqliteStore.open(path, embedder_id="bench", dimension=DIMENSION)


def fill(path: Path, rows: Rows) -> None:
    """Make a store that holds the rows."""
    store = open_store(path)
    ready = documents(rows)
    for start in range(0, len(ready), 40):
        with store.write() as writer:
            for each in ready[start : start + 40]:
                writer.put_document(*each)
    store.close()


def cpu_ms(work: Callable[[int], object], repeat: int) -> dict[str, float]:
    """Return median and 95th percentile of the CPU milliseconds of ``work(0)``, ``work(1)``, ..., and the wall median."""
    cpu, wall = [], []
    for number in range(repeat):
        started, began = time.process_time(), time.perf_counter()
        work(number)
        cpu.append(1e3 * (time.process_time() - started))
        wall.append(1e3 * (time.perf_counter() - began))
    return {
        "median_cpu_ms": round(statistics.median(cpu), 3),
        "p95_cpu_ms": round(float(np.quantile(cpu, 0.95)), 3),
        "median_wall_ms": round(statistics.median(wall), 3),
    }
