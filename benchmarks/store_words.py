"""What leaving out common words does to the ranking: BM25 over SciFact, nDCG@10 (300 claims, 5,183 abstracts).

    THINKBACK_DATA=... python benchmarks/store_words.py

A question may read so many entries of the index with its rare words; the rows that they choose are then scored with all of
its words. In the shipped store that is 4,000 entries: all of SciFact's rare words, and 4 % of the rows at 100,000. So the
rows that count for large stores are those with a small share. ``rare words alone`` leaves the second step out.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from record import record
from store_inputs import cpu_ms

from thinkback.ports import Reader
from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.store.sqlite.words import WordTable
from thinkback.types import Chunk, Document, Rows

_BUDGETS = (10**9, 4_000, 2_000, 1_000, 500, 207, 100)
_NAMESPACE = "n"


def _read(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def _judgements(folder: Path) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels/test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            found[question].add(document)
    return found


def ndcg(ranked: list[str], relevant: set[str]) -> float:
    """Return nDCG@10 with binary grades (Järvelin and Kekäläinen, TOIS 20(4), 2002)."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked[:10]) if name in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(10, len(relevant))))


def make(path: Path, abstracts: list[dict[str, Any]]) -> None:
    """Write SciFact to a store, a chunk an abstract."""
    store = SqliteStore.open(path, embedder_id="bench", dimension=2)
    with store.write() as writer:
        for row in abstracts:
            name, text = row["_id"], f"{row['title']}. {row['text']}"
            chunk = Chunk(
                id=name,
                namespace=_NAMESPACE,
                document_id=name,
                ordinal=0,
                start=0,
                end=len(text),
                text=text,
                content_hash="",
            )
            document = Document(
                id=name, namespace=_NAMESPACE, uri=name, title="", content_hash="", created_at=0.0, updated_at=0.0
            )
            writer.put_document(document, text, [chunk], np.array([[1, 0]], np.float32))
    store.close()


def measure(path: Path, questions: dict[str, str], judged: dict[str, set[str]], budget: int) -> dict[str, Any]:
    """Return ranking quality and time for one budget."""
    store = SqliteStore.open(
        path, embedder_id="bench", dimension=2, tuning=Tuning(postings=budget, least_shortlist=200)
    )

    def names(reader: Reader, rows: Rows) -> list[str]:
        return [item.id for item in reader.items_at(_NAMESPACE, rows)]

    scores, alone, found = [], [], []
    with store.read() as reader:
        for key, relevant in judged.items():
            ranked = names(reader, reader.search_words(_NAMESPACE, questions[key], 100, kind="chunk").rows)
            scores.append(ndcg(ranked, relevant))
            found.append(len(relevant & set(ranked)) / len(relevant))
            space = reader._space(_NAMESPACE)  # noqa: SLF001 - the first step alone has no public face
            table = WordTable(reader._sql, reader._shared, space, {})  # noqa: SLF001
            asked = table.ask(questions[key], budget=budget, enough=200)
            rare = [] if asked is None else [row for row, _ in table.ranked(asked.rare, "chunk", 10)]
            alone.append(ndcg(names(reader, np.array(rare, np.int64)), relevant))
        texts = [questions[key] for key in judged]
        times = cpu_ms(lambda i: reader.search_words(_NAMESPACE, texts[i], 100, kind="chunk"), len(texts))
    store.close()
    return {
        "entries": budget if budget < 10**9 else "all",
        "share_of_rows": round(budget / 5_183, 3) if budget < 10**9 else 1.0,
        "ndcg_at_10": round(float(np.mean(scores)), 4),
        "recall_at_100": round(float(np.mean(found)), 4),
        "ndcg_at_10_rare_words_alone": round(float(np.mean(alone)), 4),
        **times,
    }


def main() -> None:
    """Measure and write the record."""
    if not os.environ.get("THINKBACK_DATA"):
        sys.exit("Set THINKBACK_DATA to the folder of the data sets.")
    folder = Path(os.environ["THINKBACK_DATA"]) / "scifact_beir"
    questions = {row["_id"]: row["text"] for row in _read(folder, "queries.jsonl")}
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "scifact.sqlite"
        make(path, _read(folder, "corpus.jsonl"))
        results = [measure(path, questions, _judgements(folder), budget) for budget in _BUDGETS]
    for row in results:
        print(row)
    print(record("store-words", {"data": "SciFact (BEIR), test", "budgets": list(_BUDGETS)}, {"budgets": results}))


if __name__ == "__main__":
    main()
