"""Kills a child process at random points of add, ask, update and delete, some hundred times, and looks at what is left.

Run by test_crash.py as a program of its own: it forks, and so must have no threads. Prints a JSON report.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from thinkback.config import Budget, load_preset
from thinkback.embed.hashing import HashingEmbedder
from thinkback.engine.face import Engine
from thinkback.engine.parts import Parts
from thinkback.ids import random_ids
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.store.sqlite import SqliteStore


def fact(number: int, version: int) -> str:
    return f"Bridge number {number} was opened in {1000 + version} by the mayor of the town."


def script(request):
    number, version = request.messages[1].content.split("Bridge number ")[1].split(" was opened in ")
    text = fact(int(number), int(version.split()[0]) - 1000)
    if request.purpose == "answer":
        return f"{text} [1]"
    return json.dumps({"valid": True, "atoms": [{"text": text, "items": [1], "overview": False}]})


def open_engine(path: Path) -> Engine:
    embedder = HashingEmbedder(dimension=64)
    return Engine(
        Parts(
            store=SqliteStore.open(path, embedder_id=embedder.id, dimension=embedder.dimension),
            embedder=embedder,
            llm=ScriptedGenerator(script),
            judge=None,
            preset=load_preset("default", gate=-1.0),
            budget=Budget(),
            clock=time.time,
            fresh_id=random_ids(),
        )
    )


def work(path: Path, seed: int, acks: int) -> None:
    """Add, ask, update and delete without end; say what is done only once it is."""
    engine = open_engine(path)
    numbers = random.Random(seed)
    ready = False
    while True:
        number = numbers.randrange(1000)
        version = numbers.randrange(900)
        name = f"doc{number}"
        if not ready:
            os.write(acks, b"ready\n")
            ready = True
        os.write(acks, f"begins {name}\n".encode())  # from here on its state may be ahead of what was said
        engine.add(fact(number, version), doc_id=name)
        os.write(acks, f"has {name} {version}\n".encode())
        engine.ask(f"When was it opened, in version {version}?", documents=name)
        os.write(acks, f"thought {name} {version}\n".encode())
        engine.update(name, fact(number, version + 50))
        os.write(acks, f"has {name} {version + 50}\n".encode())
        if numbers.random() < 0.5:
            engine.delete(name)
            os.write(acks, f"gone {name}\n".encode())


def check(path: Path, acks: list[str], known: dict[str, int | None]) -> list[str]:
    """Return the faults: something half, something acknowledged that is not there."""
    engine = open_engine(path)
    faults = list(engine._parts.store.check())
    last = None
    for line in acks:
        word, *rest = line.split()
        if word == "has":
            known[rest[0]] = int(rest[1])
        elif word == "gone":
            known[rest[0]] = None
        last = rest[0] if rest else last
    texts = {document.id: engine.text(document.id) for document in engine.documents()}
    for name, version in known.items():
        if name == last:  # the next step of this one may have been done and not yet said
            continue
        number = int(name.removeprefix("doc"))
        if version is None and name in texts:
            faults.append(f"{name} was deleted and is back")
        if version is not None and texts.get(name) != fact(number, version):
            faults.append(f"{name} was acknowledged at version {version} and is not there")
    last_text = texts.get(last or "")
    known_last = None if last_text is None else int(last_text.split(" in ")[1].split()[0]) - 1000
    if last is not None:
        known[last] = known_last
    for thought in engine.get_all():
        ways = engine.why(thought.id).children
        if not ways or any(piece.kind == "gone" for way in ways for piece in way.children):
            faults.append(f"the active thought {thought.id} stands on nothing")
    engine.close()
    return faults


def run(path: Path, rounds: int, seed: int) -> dict[str, object]:
    numbers = random.Random(seed)
    known: dict[str, int | None] = {}
    faults: list[str] = []
    acknowledged = 0
    for number in range(rounds):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                work(path, seed * 1000 + number, writing)
            finally:
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            first = pipe.readline()
            time.sleep(numbers.random() * 0.25)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            lines = [line.decode().strip() for line in pipe.read().splitlines(keepends=True) if line.endswith(b"\n")]
        if first != b"ready\n":
            faults.append(f"round {number}: the child died by itself")
            break
        acknowledged += sum(not line.startswith("begins") for line in lines)
        faults += [f"round {number}: {fault}" for fault in check(path, lines, known)]
        if len(faults) > 5:
            break
    return {"rounds": rounds, "acknowledged": acknowledged, "faults": faults}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
