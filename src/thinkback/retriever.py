"""ThoughtRetriever: the engine with its collaborators found by name."""

from __future__ import annotations

from pathlib import Path

from thinkback.config import Budget, Preset, Settings, load_settings
from thinkback.engine.face import Engine
from thinkback.ports import Embedder, Generator, Judge
from thinkback.wiring import make_parts

__all__ = ["ThoughtRetriever"]


class ThoughtRetriever(Engine):
    """Answers from documents and from its own earlier thoughts, and remembers what it has understood.

    Close it, or use it in a ``with`` block. It may be used from many threads. Methods take ``namespace`` (a closed memory;
    by default the one it was opened with) and, as sugar for it, ``user_id``, ``agent_id`` and ``run_id``.

    Args:
        path: the store's file, or a folder for it; None: the one in the user's data folder; ":memory:" keeps nothing.
        llm: a Generator or a name: "openai:MODEL", "gguf:PATH" or a catalogue name; None: what is configured, else what is
            pulled. Only what asks a model needs one.
        embedder: an Embedder or a name: "minilm", "openai:MODEL" or "st:MODEL"; None: what is configured, else "minilm".
        judge: decides whether two near claims are the same where the built-in guard cannot tell.
        preset: a name or a Preset; None: what is configured, else "default".
        namespace: where methods work that are given none.
        budget: hard limits; None: what is configured.
        settings: all settings; None: read from the environment and the user's configuration file.

    Raises:
        StoreError, InvalidInput, NoModel, MissingExtra
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        llm: Generator | str | None = None,
        embedder: Embedder | str | None = None,
        judge: Judge | None = None,
        preset: str | Preset | None = None,
        namespace: str | None = None,
        budget: Budget | None = None,
        settings: Settings | None = None,
    ) -> None:
        known = settings if settings is not None else load_settings()
        parts = make_parts(
            settings=known, path=path, llm=llm, embedder=embedder, judge=judge, preset=preset, budget=budget
        )
        super().__init__(parts, namespace or known.namespace)
