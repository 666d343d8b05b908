"""Ingest against the bare embedder: what share of the embedder's own speed is left when the engine reads, cuts and writes.

The shipped sample papers are added to a fresh store (files → text → chunks → vectors → records and text index, on disk),
and the very texts that the engine embeds are given to the same embedder at once. Both orders, several rounds, after one
that does not count; reported is the median over rounds of the share in CPU time, and both speeds. CPU time is that of
all threads.

    python benchmarks/embed_ingest.py [--rounds 3] [--threads 2] [--data]

``--data`` adds ten papers of THINKBACK_DATA/academic_unarxive.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from retrieval_common import write_record

from thinkback import Settings, ThoughtRetriever
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.ids import content_hash
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix

PAPERS = 10


class Listening(MiniLmEmbedder):
    """The built-in embedder, which also notes what documents it is given."""

    def __init__(self, threads: int | None) -> None:
        super().__init__(threads)
        self.heard: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return what the embedder returns."""
        if kind == "document":
            self.heard += texts
        return super().embed(texts, kind=kind)


def documents(folder: Path, *, with_data: bool) -> list[Path]:
    """Write the documents into a folder and return their files."""
    files = []
    for entry in (resources.files("thinkback") / "samples").iterdir():
        if entry.name.endswith(".md") and entry.name != "README.md":
            file = folder / entry.name
            file.write_bytes(entry.read_bytes())
            files.append(file)
    if with_data:
        source = Path(os.environ["THINKBACK_DATA"]) / "academic_unarxive" / "papers.jsonl"
        with source.open(encoding="utf-8") as lines:
            for line, _ in zip(lines, range(PAPERS), strict=False):
                paper = json.loads(line)
                file = folder / f"{paper['id']}.txt"
                file.write_text(paper["main_content"], encoding="utf-8")
                files.append(file)
    return sorted(files)


def measured(work: Callable[[], Any]) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def ingest(files: Sequence[Path], embedder: Listening) -> dict[str, float]:
    """Return what it costs to add the files to a store that is opened before and closed after."""
    embedder.heard.clear()
    with (
        tempfile.TemporaryDirectory() as folder,
        ThoughtRetriever(Path(folder) / "memory.sqlite", embedder=embedder, settings=Settings()) as memory,
    ):
        cost = measured(lambda: memory.add(list(files)))
        assert memory.stats(), "nothing was stored"
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--data", action="store_true")
    options = parser.parse_args()
    started = time.time()

    with tempfile.TemporaryDirectory() as folder:
        files = documents(Path(folder), with_data=options.data)
        embedder = Listening(options.threads)
        embedder.embed(["load the model first"], kind="query")
        ingest(files, embedder)
        texts = list(embedder.heard)
        sides: dict[str, Callable[[], dict[str, float]]] = {
            "raw": lambda: measured(lambda: embedder.embed(texts, kind="query")),
            "ingest": lambda: ingest(files, embedder),
        }
        rounds = []
        for number in range(options.rounds):
            order = ("raw", "ingest") if number % 2 else ("ingest", "raw")
            cost = {side: sides[side]() for side in order}
            assert embedder.heard == texts, "the engine embeds other texts each time"
            rounds.append({**cost, "share": cost["raw"]["cpu"] / cost["ingest"]["cpu"]})
            print(f"round {number + 1}: {100 * rounds[-1]['share']:.1f} % of the bare embedder's speed")

    count = len(texts)
    results = {
        "texts": count,
        "tokens_per_text": statistics.mean(embedder.count(text) for text in texts),
        "share_cpu": statistics.median(entry["share"] for entry in rounds),
        "share_wall": statistics.median(entry["raw"]["wall"] / entry["ingest"]["wall"] for entry in rounds),
        **{
            f"{side}_texts_per_{clock}_second": count / statistics.median(entry[side][clock] for entry in rounds)
            for side in ("raw", "ingest")
            for clock in ("cpu", "wall")
        },
        "rounds": rounds,
    }
    config = {
        "embedder": embedder.id,
        "threads": options.threads,
        "files": [file.name for file in files],
        "texts_hash": content_hash(*texts),
    }
    path = write_record("embed-ingest", config, results, started=started)
    print(json.dumps({key: value for key, value in results.items() if key != "rounds"}, indent=2))
    print(f"written to {path}")


if __name__ == "__main__":
    main()
