"""Writing to a store: rows a second in bulk, and one committed row at a time.

    python benchmarks/store_add.py [--rows 100000] [--kind synthetic|real]

Vectors are ready. Everything else is in the time: records, text index, bags of words, float16 vectors, codes, log, fsync.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from record import record
from store_inputs import DIMENSION, NAMESPACE, Rows, cpu_ms, documents, open_store, real, synthetic

from thinkback.types import Thought


def bulk(path: Path, rows: Rows) -> dict[str, Any]:
    """Return the speed of adding all rows, 2,000 to a transaction."""
    ready = documents(rows)
    store = open_store(path)
    started, began = time.process_time(), time.perf_counter()
    for start in range(0, len(ready), 40):
        with store.write() as writer:
            for each in ready[start : start + 40]:
                writer.put_document(*each)
    cpu, wall = time.process_time() - started, time.perf_counter() - began
    store.close()
    return {
        "rows": len(rows.texts),
        "mean_characters": round(sum(map(len, rows.texts)) / len(rows.texts)),
        "rows_per_cpu_s": round(len(rows.texts) / cpu),
        "rows_per_wall_s": round(len(rows.texts) / wall),
        "file_bytes_per_row": round(path.stat().st_size / len(rows.texts)),
    }


def single(path: Path, rows: Rows) -> dict[str, Any]:
    """Return the cost of one row a transaction, and of seeing it in a second store object."""
    store, other = open_store(path), open_store(path)
    ready = documents(rows)

    def add(number: int) -> None:
        document, _, chunks, vectors = ready[number]
        name = f"single{number}"
        chunk = replace(chunks[0], id=name, document_id=name)
        with store.write() as writer:
            writer.put_document(replace(document, id=name, uri=name), chunk.text, [chunk], vectors[:1])

    def think(number: int) -> None:
        with store.write() as writer:
            thought = Thought(id=f"t{number}", namespace=NAMESPACE, text=rows.texts[number], level=2.0, created_at=1.0)
            writer.put_thought(thought, rows.vectors[number])

    def see(number: int) -> None:
        add(number)
        with other.read() as reader:
            row = reader.search_dense(NAMESPACE, ready[number][3][0], 3, kind="chunk").rows
            if f"single{number}" not in {item.id for item in reader.items_at(NAMESPACE, row)}:
                raise SystemExit("a committed row was not found by another store object")

    def set_(number: int) -> None:
        with store.write() as writer:
            writer.put_setting("number", str(number))

    results = {
        "one_chunk": cpu_ms(add, 400),
        "one_thought": cpu_ms(think, 400),
        "one_setting": cpu_ms(set_, 200),
        "one_chunk_and_a_search_that_finds_it_elsewhere": cpu_ms(lambda i: see(500 + i), 100),
    }
    store.close()
    other.close()
    return results


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--kind", choices=("synthetic", "real"), default="synthetic")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    rows = synthetic(arguments.rows, arguments.seed) if arguments.kind == "synthetic" else real(arguments.rows)
    with tempfile.TemporaryDirectory(dir=".") as folder:  # beside the sources: a temporary folder may not be on a disk
        path = Path(folder) / "store.sqlite"
        results = {"data_sha256": rows.digest, "bulk": bulk(path, rows), "single": single(path, rows)}
    print(results)
    print(record("store-add", {**vars(arguments), "dimension": DIMENSION}, results))


if __name__ == "__main__":
    main()
