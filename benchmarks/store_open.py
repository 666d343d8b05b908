"""Opening a store of 100,000 rows, what it keeps in memory, a thousand namespaces, and what a purge costs.

    python benchmarks/store_open.py [--rows 100000]

Opening and memory are measured in a fresh process each, so that nothing is warm but the file system's cache.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from record import record
from store_inputs import NAMESPACE, documents, fill, open_store, synthetic

_FRESH = """
import json, sys, time
import numpy as np
from thinkback.store.sqlite import SqliteStore
def resident():
    fields = dict(line.split(":") for line in open("/proc/self/status") if line.startswith("Rss"))
    return {name: int(value.split()[0]) * 1024 for name, value in fields.items()}
SqliteStore.open(sys.argv[2], embedder_id="bench", dimension=384).close()  # imports and first use, on an empty store
query = np.random.default_rng(0).standard_normal(384).astype(np.float32)
before, started = resident(), time.process_time()
store = SqliteStore.open(sys.argv[1], embedder_id="bench", dimension=384)
opened = time.process_time() - started
with store.read() as reader:
    reader.search_dense("bench", query, 10, kind="chunk")
    searched = time.process_time() - started
    for number in range(50):
        reader.search_dense("bench", np.roll(query, number), 10, kind="chunk")
after = resident()
memories = {id(view.memory): view.memory for views in store._shared.views._views.values() for view in views}
kept = sum(memory.seqs.nbytes + memory.owners.nbytes + memory.codes.nbytes for memory in memories.values())
print(json.dumps({"open_cpu_ms": 1e3 * opened, "open_and_first_search_cpu_ms": 1e3 * searched, "kept_bytes": kept,
                  "anonymous_bytes": after["RssAnon"] - before["RssAnon"]}))
"""


def fresh(path: Path, empty: Path) -> dict[str, float]:
    """Open the store in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", _FRESH, str(path), str(empty)], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def opening(path: Path, empty: Path, rows: int) -> dict[str, float]:
    """Return medians over nine fresh processes."""
    found = [fresh(path, empty) for _ in range(9)]
    middle = {name: statistics.median(each[name] for each in found) for name in found[0]}
    return {
        "open_cpu_ms": round(middle["open_cpu_ms"], 2),
        "open_and_first_search_cpu_ms": round(middle["open_and_first_search_cpu_ms"], 2),
        "kept_bytes_per_row": round(middle["kept_bytes"] / rows, 1),
        "anonymous_memory_growth_bytes_per_row": round(middle["anonymous_bytes"] / rows, 1),
    }


def purging(path: Path) -> dict[str, float]:
    """Return what it costs to delete fifty rows of all and to purge afterwards."""
    store = open_store(path)
    results = {"file_bytes": path.stat().st_size}
    started, began = time.process_time(), time.perf_counter()
    with store.write() as writer:
        writer.delete_documents(NAMESPACE, [f"doc_{0:026d}"])
    results |= {"delete_cpu_s": time.process_time() - started, "delete_wall_s": time.perf_counter() - began}
    started, began = time.process_time(), time.perf_counter()
    if store.purge().status != "purged":
        raise SystemExit("the purge did not come to its end")
    results |= {"purge_cpu_s": time.process_time() - started, "purge_wall_s": time.perf_counter() - began}
    store.close()
    return {name: round(value, 3) for name, value in results.items()}


def namespaces(path: Path, count: int) -> dict[str, float]:
    """Return what many small namespaces cost: their tables of words are read with the file's list of tables."""
    store = open_store(path)
    (document, text, chunks, vectors), *_ = documents(synthetic(50, 1))
    started = time.process_time()
    for number in range(count):
        name = f"user{number}"
        with store.write() as writer:
            own = [replace(chunk, namespace=name) for chunk in chunks]
            writer.put_document(replace(document, namespace=name), text, own, vectors)
    made = time.process_time() - started
    store.close()
    times = []
    for _ in range(5):
        started = time.process_time()
        store = open_store(path)
        with store.read() as reader:
            reader.search_words("user7", text[:80], 10, kind="chunk")
        times.append(time.process_time() - started)
        store.close()
    return {
        "namespaces": count,
        "make_one_cpu_ms": round(1e3 * made / count, 2),
        "open_and_search_one_cpu_ms": round(1e3 * statistics.median(times), 2),
    }


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--namespaces", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, empty, many = (Path(folder) / f"{name}.sqlite" for name in ("full", "empty", "many"))
        fill(path, synthetic(arguments.rows, arguments.seed))
        results: dict[str, Any] = {"opening": opening(path, empty, arguments.rows), "purge": purging(path)}
        results["namespaces"] = namespaces(many, arguments.namespaces)
    print(results)
    print(record("store-open", vars(arguments), results))


if __name__ == "__main__":
    main()
