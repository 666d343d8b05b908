"""How much of the evidence a small model's context holds: whole chunks against excerpts, at equal token budgets.

    THINKBACK_DATA=... python benchmarks/retrieval_excerpts.py

On LooGLE (evidence sentences) and QMSum (gold spans of the first documents), one index a document, the shipped search and
``engine.excerpting``. The measure is the part of the gold characters that is shown; tokens are MiniLM's, and every item costs
twelve more for its frame. Intervals are bootstrapped over documents.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import retrieval_loogle
import retrieval_qmsum
from retrieval_common import Vectors, data_folder, interval, sha256, variant, write_record
from retrieval_spans import Corpus, Source

from thinkback.engine.excerpting import excerpts, whole_items
from thinkback.engine.parts import Parts
from thinkback.retrieve.pack import pack
from thinkback.retrieve.search import search
from thinkback.types import FloatMatrix, Hit

BUDGETS = (300, 520, 1000)
LIMITS = (None, 60, 90, 130)
FRAME = 12
QMSUM_DOCUMENTS = 12


class Kept:
    """The embedder port over vectors that are kept between runs."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.count = vectors.embedder.count

    def embed(self, texts: Sequence[str], *, kind: str) -> FloatMatrix:  # noqa: ARG002 - the port's
        return self._vectors.of(texts)


def shown_recall(hits: Sequence[Hit], texts: dict[str, str], gold: Sequence[tuple[int, int]]) -> float:
    """Return the part of the gold characters that lies in what is shown."""
    covered = 0
    for hit in hits:
        shown = texts.get(hit.item.id, hit.item.text)
        start = hit.item.start + hit.item.text.index(shown)
        covered += sum(max(0, min(end, start + len(shown)) - max(begin, start)) for begin, end in gold)
    return covered / sum(end - begin for begin, end in gold)


def compare(sources: Sequence[Source], vectors: Vectors) -> dict[str, object]:
    """Return mean recall of each limit at each budget, and the difference to whole chunks."""
    preset = variant()
    scores: dict[str, list[list[float]]] = {str(limit): [] for limit in LIMITS}
    groups: list[str] = []
    parts = object.__new__(Parts)
    parts.embedder = Kept(vectors)  # all that cutting needs of the collaborators
    for source in sources:
        corpus = Corpus([source], vectors)
        with corpus.index.store.read() as reader:
            for asked in source.questions:
                vector = vectors.of([asked.text])[0]
                found = search(reader, "bench", question=asked.text, vector=vector, preset=preset)
                for limit in LIMITS:
                    cut = (
                        whole_items(found.hits)
                        if limit is None
                        else excerpts(parts, asked.text, vector, found.hits, limit=limit)
                    )
                    row = []
                    for budget in BUDGETS:
                        packed = pack(
                            cut.hits,
                            budget=budget,
                            cost=lambda _, hit, cut=cut: vectors.embedder.count(cut.text(hit)) + FRAME,
                            top_k=None,
                            raw_share=0.0,
                            roots={},
                        )
                        row.append(shown_recall(packed.hits, dict(cut.texts), asked.gold))
                    scores[str(limit)].append(row)
                groups.append(source.name)
        corpus.index.close()
    table = {name: np.array(rows) for name, rows in scores.items()}
    return {
        "n": len(groups),
        "documents": len(set(groups)),
        "budgets": BUDGETS,
        "means": {name: values.mean(axis=0).round(4).tolist() for name, values in table.items()},
        "minus whole chunks": {
            name: {str(b): interval((values - table["None"])[:, i], groups) for i, b in enumerate(BUDGETS)}
            for name, values in table.items()
            if name != "None"
        },
    }


def main() -> None:
    """Measure both data sets and write the record."""
    started, folder = time.time(), data_folder()
    loogle = [folder / "loogle_sample" / f"{kind}_qa.jsonl" for kind in ("shortdep", "longdep")]
    qmsum = folder / "qmsum" / "test.jsonl"
    results = {}
    for name, sources in (
        ("loogle", retrieval_loogle.load(loogle)[0]),
        ("qmsum", retrieval_qmsum.load(qmsum)[0][:QMSUM_DOCUMENTS]),
    ):
        results[name] = compare(sources, Vectors(f"excerpts-{name}"))
        print(name, results[name])
    config = {"limits": LIMITS, "frame": FRAME, "data_sha256": sha256([*loogle, qmsum])}
    print(write_record("retrieval-excerpts", config, results, started=started))


if __name__ == "__main__":
    main()
