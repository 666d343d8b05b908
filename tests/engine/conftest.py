"""An engine over real parts, but for the model: the hashing embedder, a scripted model, and both stores."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from thinkback.config import Budget, Preset, load_preset
from thinkback.embed.hashing import HashingEmbedder
from thinkback.engine.face import Engine
from thinkback.engine.parts import Parts
from thinkback.ids import counting_ids
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import ModelTraits, Request
from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore

BRIDGE = (
    "The harbour bridge is a steel arch. The bridge was opened in 1932 after nine years of work. "
    "It carries eight lanes of traffic and two rail tracks.\n\n"
    "Ships of up to forty metres pass below the deck at high tide."
)
TUNNEL = (
    "The harbour tunnel was finished in 1992. The tunnel carries four lanes below the sea bed. "
    "Its walls were cast in eight concrete units."
)


class Clock:
    """Starts at a fixed time; each look is a second later."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


class Script:
    """A model by purpose: ``script.answer = ...`` etc.; each is a reply, or a function from the request to one."""

    def __init__(self) -> None:
        self.answer: Any = "The bridge was opened in 1932 [1]."
        self.distil: Any = atoms("The harbour bridge was opened in 1932 after nine years of work.")
        self.judge: Any = json.dumps({"same": "undecided"})
        self.rewrite: Any = json.dumps({"question": "When was the harbour bridge opened?"})
        self.expert: Any = "The harbour bridge was opened in 1932."
        self.seen: list[Request] = []

    def __call__(self, request: Request) -> Any:
        self.seen.append(request)
        said = getattr(self, request.purpose)
        if isinstance(said, list):
            return said.pop(0)
        return said(request) if callable(said) and not isinstance(said, Exception) else said

    def count(self, purpose: str) -> int:
        return sum(request.purpose == purpose for request in self.seen)


def atoms(*texts: str, valid: bool = True, items: tuple[int, ...] = (1,), overview: str | None = None) -> str:
    """Return the reply of a model that distils."""
    notes: list[dict[str, Any]] = [{"text": text, "items": list(items), "overview": False} for text in texts]
    if overview is not None:
        notes.append({"text": overview, "items": [], "overview": True})
    return json.dumps({"valid": valid, "atoms": notes})


@pytest.fixture(name="atoms")
def _atoms() -> Callable[..., str]:
    return atoms


@pytest.fixture
def bridge() -> str:
    return BRIDGE


@pytest.fixture
def tunnel() -> str:
    return TUNNEL


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def store_kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


MakeEngine = Callable[..., Engine]


@pytest.fixture
def make_engine(store_kind: str, tmp_path: Path, script: Script, clock: Clock) -> Iterator[MakeEngine]:
    """Return a function that opens an engine; every one gets a store of its own unless ``store=`` is given."""
    opened: list[Engine] = []
    numbers = itertools.count()

    def make(
        preset: str | Preset = "default",
        *,
        budget: Budget | None = None,
        traits: ModelTraits | None = None,
        llm: Any = "script",
        judge: Any = None,
        store: Any = None,
        embedder: Any = None,
        **changes: Any,
    ) -> Engine:
        embedder = embedder or HashingEmbedder(dimension=64)
        if store is None and store_kind == "memory":
            store = MemoryStore(embedder_id=embedder.id, dimension=embedder.dimension, clock=clock)
        elif store is None:
            file = tmp_path / f"store{next(numbers)}.sqlite"
            store = SqliteStore.open(file, embedder_id=embedder.id, dimension=embedder.dimension, clock=clock)
        if preset in ("default", "fast"):
            changes = {"gate": -1.0, **changes}  # the hashing embedder's cosines are no measure of meaning
        engine = Engine(
            Parts(
                store=store,
                embedder=embedder,
                llm=ScriptedGenerator(script, traits=traits) if llm == "script" else llm,
                judge=judge,
                preset=load_preset(preset, **changes),
                budget=budget or Budget(),
                clock=clock,
                fresh_id=counting_ids(),
            )
        )
        opened.append(engine)
        return engine

    yield make
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(make_engine: MakeEngine) -> Engine:
    return make_engine()
