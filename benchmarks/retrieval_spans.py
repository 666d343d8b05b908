"""Retrieval of gold spans of long documents, cut by the shipped chunker: what each ranking adds, and what the gate saves.

Shared by ``retrieval_qmsum.py`` and ``retrieval_loogle.py``. The measure is the part of the characters of a question's gold
spans that lie in packed chunks, at equal token budgets (MiniLM's tokens). Intervals are bootstrapped over documents.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from retrieval_common import Index, Vectors, interval, retrieve, sha256, variant, write_record

from thinkback.config import Preset
from thinkback.text.chunk import chunk
from thinkback.types import Chunk, Hit

BUDGETS = (500, 1000, 2000, 4000)
Span = tuple[int, int]

VARIANTS: dict[str, Preset] = {
    "dense": variant(rankings=("dense",)),
    "words": variant(rankings=("words",)),
    "dense + words": variant(rankings=("dense", "words")),
    "dense + words + smoothing": variant(rankings=("dense", "dense_smoothed", "words")),
    "dense + words + windows": variant(rankings=("dense", "words", "words_window")),
    "default": variant(),
    "default, equal weights": variant(ranking_weights={}),
    "default, smoothing .8": variant(smoothing=0.8),
    "default, k = 60": variant(rrf_k=60),
    "dense + words, k = 60": variant(rankings=("dense", "words"), rrf_k=60),
}
GATES: dict[str, tuple[Preset, bool]] = {
    "raw": (variant(), False),
    "no gate": (variant(gate=None), True),
    "cosine .6": (variant(gate=0.6, root_tokens=None), True),
    "default": (variant(), True),
    "roots alone": (variant(gate=1.0), True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the spans of its document that answer it."""

    text: str
    answer: str
    gold: tuple[Span, ...]
    """Disjoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document and what is asked of it."""

    name: str
    text: str
    questions: tuple[Asked, ...]


def recall(hits: Sequence[Hit], document_id: str, gold: Sequence[Span]) -> float:
    """Return the part of the gold characters that packed chunks of the document hold; chunks do not overlap."""
    held = [(h.item.start, h.item.end) for h in hits if isinstance(h.item, Chunk) and h.item.document_id == document_id]
    covered = sum(max(0, min(end, e) - max(start, s)) for start, end in gold for s, e in held)
    return covered / sum(end - start for start, end in gold)


class Corpus:
    """Some documents in one index, chunked as shipped."""

    def __init__(self, sources: Sequence[Source], vectors: Vectors) -> None:
        self.index, self.cost = Index(), {}
        self.chunks: dict[str, tuple[Chunk, ...]] = {}
        for source in sources:
            spans = chunk(source.text, vectors.embedder.count, size=250)
            pieces = [(span.text, span.start, span.end) for span in spans]
            ids = self.index.add_document(pieces, vectors.of([span.text for span in spans]), source.name)
            self.cost.update(zip(ids, (span.tokens for span in spans), strict=True))
            with self.index.store.read() as reader:
                self.chunks[source.name] = tuple(c for c in reader.items("bench", ids) if isinstance(c, Chunk))

    def rooted(self, source: Source, question: Asked) -> list[str]:
        """Return the chunks that hold any of a question's gold."""
        return [
            c.id
            for c in self.chunks[source.name]
            if any(c.start < end and start < c.end for start, end in question.gold)
        ]

    def ask(self, source: Source, questions: Sequence[Asked], preset: Preset, vectors: Vectors) -> np.ndarray:
        """Return shape (questions, budgets): recall."""
        document_id = self.chunks[source.name][0].document_id
        asked = vectors.of([question.text for question in questions])
        found = [
            [
                recall(hits, document_id, question.gold)
                for hits in retrieve(self.index, question.text, vector, preset, BUDGETS, self.cost)
            ]
            for question, vector in zip(questions, asked, strict=True)
        ]
        return np.array(found).reshape(len(questions), len(BUDGETS))


def compare_rankings(corpora: Sequence[Sequence[Source]], vectors: Vectors) -> dict[str, Any]:
    """Return recall of each variant over all questions, one index for each group of documents."""
    scores: dict[str, list[np.ndarray]] = {name: [] for name in VARIANTS}
    groups: list[str] = []
    for sources in corpora:
        corpus = Corpus(sources, vectors)
        for source in sources:
            for name, preset in VARIANTS.items():
                scores[name].append(corpus.ask(source, source.questions, preset, vectors))
            groups += [source.name] * len(source.questions)
        corpus.index.close()
    return _summary({name: np.concatenate(parts) for name, parts in scores.items()}, groups, "dense + words")


def compare_gates(corpora: Sequence[Sequence[Source]], vectors: Vectors) -> dict[str, Any]:
    """The same for gates: half of each document's questions are thoughts, with their gold answers; the others are asked."""
    scores: dict[str, list[np.ndarray]] = {name: [] for name in GATES}
    groups: list[str] = []
    for split in range(2):
        for sources in corpora:
            corpus, bare, asked_of = Corpus(sources, vectors), Corpus(sources, vectors), {}
            for source in sources:
                shuffled = random.Random(f"{split}-{source.name}").sample(source.questions, len(source.questions))
                half = len(shuffled) // 2
                texts = [f"{question.text} {question.answer}" for question in shuffled[:half]]
                roots = [corpus.rooted(source, question) for question in shuffled[:half]]
                ids = corpus.index.add_thoughts(texts, roots, vectors.of(texts))
                corpus.cost.update(zip(ids, map(vectors.embedder.count, texts), strict=True))
                asked_of[source.name] = shuffled[half:]
            for source in sources:
                for name, (preset, thoughts) in GATES.items():
                    used = corpus if thoughts else bare
                    scores[name].append(used.ask(source, asked_of[source.name], preset, vectors))
                groups += [source.name] * len(asked_of[source.name])
            corpus.index.close()
            bare.index.close()
    return _summary({name: np.concatenate(parts) for name, parts in scores.items()}, groups, "raw")


def _summary(scores: Mapping[str, np.ndarray], groups: Sequence[str], base: str) -> dict[str, Any]:
    return {
        "n": len(groups),
        "documents": len(set(groups)),
        "means": {name: values.mean(axis=0).round(4).tolist() for name, values in scores.items()},
        f"minus {base}": {
            name: {str(b): interval((values - scores[base])[:, i], groups) for i, b in enumerate(BUDGETS)}
            for name, values in scores.items()
            if name != base
        },
    }


def show(title: str, summary: Mapping[str, Any]) -> None:
    """Print a table: mean recall at each budget, and the difference to the base with its interval."""
    print(f"\n{title}: {summary['n']} questions of {summary['documents']} documents; tokens {BUDGETS}")
    (base,) = (key for key in summary if key.startswith("minus"))
    for name, means in summary["means"].items():
        deltas = summary[base].get(name, {})
        cells = (f"@{b} {v[0]:+.3f} [{v[1]:+.3f}, {v[2]:+.3f}]" for b, v in deltas.items())
        print(f"  {name:28s} {' '.join(f'{x:.3f}' for x in means)}", *cells, sep="  ")


def main(name: str, sources: Sequence[Source], files: Sequence[Path], skipped: Mapping[str, int]) -> None:
    """Run both comparisons, with one index for each document and with all documents in one, and write the record."""
    started = time.time()
    vectors = Vectors(name)
    alone, together = [[source] for source in sources], [list(sources)]
    results = {}
    for title, run, corpora in (
        ("rankings, one index a document", compare_rankings, alone),
        ("rankings, one index for all", compare_rankings, together),
        ("gates, one index a document", compare_gates, alone),
        ("gates, one index for all", compare_gates, together),
    ):
        results[title] = run(corpora, vectors)
        show(f"{name}: {title}", results[title])
    config = {
        "budgets": BUDGETS, "chunk_size": 250, "data_sha256": sha256(files), "skipped": dict(skipped),
        "presets": {key: preset.model_dump(mode="json") for key, preset in VARIANTS.items()}
        | {f"gate: {key}": preset.model_dump(mode="json") for key, (preset, _) in GATES.items()},
    }  # fmt: skip
    print(write_record(f"retrieval-{name}", config, results, started=started))
