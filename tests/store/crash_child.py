"""Is killed over and over while it writes: see test_crash.py. Run with a folder, rounds and a seed; prints faults.

It opens nothing itself before it forks: a connection must not cross a fork.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.types import Chunk, Document, Thought

TUNING = Tuning(exact_rows=4, full_segment=8, small_segment=3, least_recall=0.0)
State = dict[str, str]


def opened(path: Path) -> SqliteStore:
    return SqliteStore.open(path, embedder_id="e", dimension=16, tuning=TUNING)


def acts(seed: int, state: State):
    """Yield (what to do, state afterwards) for ever, the same for the same seed and state."""
    rng = random.Random(seed)
    for number in range(10**9):
        state = dict(state)
        kind = rng.choice(["put", "put", "delete", "thought", "thought", "stale"])
        name = f"{'d' if kind in ('put', 'delete') else 't'}{rng.randrange(8)}"
        if kind in ("put", "thought"):
            state[name] = f"{seed}x{number}"
        else:
            state.pop(name, None)
        yield (kind, name, f"{seed}x{number}", rng.randint(1, 5)), state


def apply(store: SqliteStore, act) -> None:
    kind, name, text, size = act
    rng = np.random.default_rng(size)
    with store.write() as writer:
        if kind == "put":
            chunks = [
                Chunk(
                    id=f"{name}-{text}-{i}",
                    namespace="n",
                    document_id=name,
                    ordinal=i,
                    start=i,
                    end=i + 1,
                    text=f"{text} part {i}",
                    content_hash="h",
                )
                for i in range(size)
            ]
            document = Document(
                id=name, namespace="n", uri=name, title=text, content_hash=text, created_at=1.0, updated_at=1.0
            )
            writer.put_document(document, text, chunks, rng.standard_normal((size, 16)).astype(np.float32))
        elif kind == "delete":
            writer.delete_documents("n", [name])
        elif kind == "thought":
            thought = Thought(id=name, namespace="n", text=text, level=1.0, created_at=1.0)
            writer.put_thought(thought, rng.standard_normal(16).astype(np.float32))
        else:
            writer.delete_thoughts("n", [name])


def work(path: Path, seed: int, state: State, pipe: int) -> None:
    """Write until killed; say each number once its transaction has been acknowledged."""
    store = opened(path)
    for act, _ in acts(seed, state):
        apply(store, act)
        os.write(pipe, b".")


def held(store: SqliteStore) -> State:
    with store.read() as reader:
        found = {d.id: d.content_hash for d in reader.documents("n")} | {t.id: t.text for t in reader.thoughts("n")}
        for name, text in found.items():
            kind = "chunk" if name.startswith("d") else "thought"
            hits = reader.items_at("n", reader.search_words("n", text, 99, kind=kind).rows)
            assert {getattr(hit, "document_id", hit.id) for hit in hits} == {name}, (name, text)
        return found


def round_of(path: Path, seed: int, state: State, rng: random.Random) -> tuple[State, int]:
    """Let a child work, kill it, and return what the store holds then and how much was acknowledged."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            work(path, seed, state, write)
        finally:
            os._exit(1)
    os.close(write)
    acknowledged = 0
    for _ in range(
        rng.randrange(6)
    ):  # let it come some way, however slow the machine is, and then strike at any moment
        acknowledged += len(os.read(read, 1))
    time.sleep(rng.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while data := os.read(read, 4096):
        acknowledged += len(data)
    os.close(read)
    expected = [state]
    for _, after in acts(seed, state):
        expected.append(after)
        if len(expected) == acknowledged + 2:
            break
    store = opened(path)
    faults, found = store.check(), held(store)
    store.close()
    assert faults == (), faults
    assert found in expected[acknowledged:], (acknowledged, found, expected[acknowledged:])
    return found, acknowledged


def main() -> None:
    folder, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    state: State = {}
    total = 0
    opened(folder / "store.sqlite").close()
    for number in range(rounds):
        state, acknowledged = round_of(folder / "store.sqlite", seed + number, state, rng)
        total += acknowledged
    sys.stdout.write(f"{rounds} {total}\n")


if __name__ == "__main__":
    main()
