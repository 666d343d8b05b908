"""thinkback: answers from more text than a model can read, and remembers what it has understood.

Importing this package imports nothing else; each public name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thinkback.config import Budget, Preset, Settings, load_preset, load_settings
    from thinkback.embed.hashing import HashingEmbedder
    from thinkback.engine.events import AnswerEvent, DoneEvent, OutcomeEvent, TextEvent
    from thinkback.errors import ThinkbackError
    from thinkback.llm.scripted import ScriptedGenerator
    from thinkback.retriever import ThoughtRetriever
    from thinkback.types import (
        AddReport,
        AddResult,
        Answer,
        Chunk,
        Citation,
        Document,
        Filter,
        Hit,
        Outcome,
        Thought,
        Usage,
    )

__version__ = "0.1.0"

_HOMES = {
    "AddReport": "types",
    "AddResult": "types",
    "Answer": "types",
    "AnswerEvent": "engine.events",
    "Budget": "config",
    "Chunk": "types",
    "Citation": "types",
    "Document": "types",
    "DoneEvent": "engine.events",
    "Filter": "types",
    "HashingEmbedder": "embed.hashing",
    "Hit": "types",
    "Outcome": "types",
    "OutcomeEvent": "engine.events",
    "Preset": "config",
    "ScriptedGenerator": "llm.scripted",
    "Settings": "config",
    "TextEvent": "engine.events",
    "ThinkbackError": "errors",
    "Thought": "types",
    "ThoughtRetriever": "retriever",
    "Usage": "types",
    "load_preset": "config",
    "load_settings": "config",
}

__all__ = [
    "AddReport",
    "AddResult",
    "Answer",
    "AnswerEvent",
    "Budget",
    "Chunk",
    "Citation",
    "Document",
    "DoneEvent",
    "Filter",
    "HashingEmbedder",
    "Hit",
    "Outcome",
    "OutcomeEvent",
    "Preset",
    "ScriptedGenerator",
    "Settings",
    "TextEvent",
    "ThinkbackError",
    "Thought",
    "ThoughtRetriever",
    "Usage",
    "__version__",
    "load_preset",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'thinkback' has no attribute {name!r}")
    return getattr(importlib.import_module(f"thinkback.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
