"""Searching a store: how much of the exact answer is found, and what each step of a question costs.

    python benchmarks/store_search.py [--rows 100000] [--real-rows 56000] [--kind synthetic|real|both]

Recall is against an exact product over all float32 vectors. Times are CPU times of this process, one thread, after the
first search; the process is alone with the store, and the file system's cache is warm.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from record import record
from store_inputs import NAMESPACE, Rows, cpu_ms, fill, open_store, real, synthetic

from thinkback.ports import Reader
from thinkback.store.vectors.top import top
from thinkback.types import Filter

_DEPTH = 200
"""Rows that the default preset takes from each ranking."""


def recall(reader: Reader, rows: Rows, k: int, where: Filter | None = None) -> float:
    """Return the mean share of the exact k nearest that a search returns."""
    allowed = np.ones(len(rows.vectors), np.bool_)
    if where is not None:
        documents = np.arange(len(rows.vectors)) // 50
        allowed = documents % 10 == where.metadata["part"]
    shares = []
    for query in rows.question_vectors[:200]:
        exact = {f"c{place}" for place in top(rows.vectors @ query, k, allowed).tolist()}
        ranking = reader.search_dense(NAMESPACE, query, k, kind="chunk", where=where)
        shares.append(len(exact & {item.id for item in reader.items_at(NAMESPACE, ranking.rows)}) / len(exact))
    return float(np.mean(shares))


def times(reader: Reader, rows: Rows) -> dict[str, Any]:
    """Return what each step costs."""
    vectors, questions = rows.question_vectors, rows.questions
    some = Filter(metadata={"part": 3})
    hits = reader.search_dense(NAMESPACE, vectors[0], _DEPTH, kind="chunk").rows

    def whole(number: int) -> None:
        """All that one question asks of a store."""
        vector, text = vectors[number % len(vectors)], questions[number % len(questions)]
        found = []
        for kind in ("chunk", "thought"):
            found.append(reader.search_dense(NAMESPACE, vector, _DEPTH, kind=kind).rows)
            found.append(reader.search_words(NAMESPACE, text, _DEPTH, kind=kind).rows)
        together = np.unique(np.concatenate(found))
        reader.cosines(NAMESPACE, together, vector)
        reader.neighbours(NAMESPACE, together)
        reader.items_at(NAMESPACE, together[:40])

    def dense(k: int, where: Filter | None = None) -> dict[str, float]:
        return cpu_ms(lambda i: reader.search_dense(NAMESPACE, vectors[i], k, kind="chunk", where=where), 200)

    def words(where: Filter | None = None) -> dict[str, float]:
        return cpu_ms(lambda i: reader.search_words(NAMESPACE, questions[i], _DEPTH, kind="chunk", where=where), 200)

    words()
    return {
        "dense_10": dense(10),
        "dense_200": dense(_DEPTH),
        "dense_10_filtered": dense(10, some),
        "words_200": words(),
        "words_200_filtered": words(some),
        "cosines_200": cpu_ms(lambda i: reader.cosines(NAMESPACE, hits, vectors[i]), 100),
        "neighbours_200": cpu_ms(lambda _: reader.neighbours(NAMESPACE, hits), 100),
        "items_at_40": cpu_ms(lambda _: reader.items_at(NAMESPACE, hits[:40]), 100),
        "all_for_one_question": cpu_ms(whole, 200),
    }


def measure(rows: Rows, folder: Path) -> dict[str, Any]:
    """Return recall and times over one set of rows."""
    path = folder / f"{rows.name}.sqlite"
    fill(path, rows)
    store = open_store(path)
    with store.read() as reader:
        results = {
            "rows": len(rows.texts),
            "data_sha256": rows.digest,
            "recall_at_10": recall(reader, rows, 10),
            "recall_at_10_filtered_to_a_tenth": recall(reader, rows, 10, Filter(metadata={"part": 3})),
            "recall_at_200": recall(reader, rows, _DEPTH),
            "times": times(reader, rows),
            "code_kind": store.info().code_kind,
        }
    store.close()
    return results


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument(
        "--real-rows", type=int, default=56_000, help="LoCoMo's turns and SciFact's sentences are so many"
    )
    parser.add_argument("--kind", choices=("synthetic", "real", "both"), default="both")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    kinds = ("synthetic", "real") if arguments.kind == "both" else (arguments.kind,)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            rows = synthetic(arguments.rows, arguments.seed) if kind == "synthetic" else real(arguments.real_rows)
            results[kind] = measure(rows, Path(folder))
            print(results[kind])
    print(record("store-search", vars(arguments), results))


if __name__ == "__main__":
    main()
