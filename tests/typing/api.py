"""The public names, used as a caller would; never run, only type-checked (``make types``)."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from thinkback import (
    AddReport,
    Answer,
    Budget,
    Chunk,
    Filter,
    HashingEmbedder,
    Hit,
    Preset,
    ScriptedGenerator,
    Settings,
    TextEvent,
    ThinkbackError,
    Thought,
    ThoughtRetriever,
    load_preset,
    load_settings,
)
from thinkback.config import preset_names
from thinkback.errors import InvalidInput
from thinkback.ports import Embedder, Generator


def settings_and_presets() -> None:
    assert_type(load_settings(), Settings)
    assert_type(load_settings(file=Path("config.toml"), preset="fast"), Settings)
    assert_type(load_preset("paper"), Preset)
    assert_type(load_preset(load_preset("default"), epsilon=0.9), Preset)
    assert_type(preset_names(), tuple[str, ...])


def errors() -> str:
    try:
        load_preset("none such")
    except InvalidInput as error:
        assert_type(error.hint, str)
        return error.message
    except ThinkbackError as error:
        return str(error)
    return ""


def doubles_fit_the_ports() -> tuple[Embedder, Generator]:
    return HashingEmbedder(), ScriptedGenerator(["An answer [1]."])


def a_session(embedder: Embedder, llm: Generator) -> list[str]:
    with ThoughtRetriever(":memory:", llm=llm, embedder=embedder, preset="fast", budget=Budget(day_tokens=1)) as memory:
        assert_type(memory.add(["papers", Path("more")], trust="trusted", metadata={"year": 2026}), AddReport)
        answer = memory.ask("What?", filters=Filter(metadata={"year": 2026}), remember=False)
        assert_type(answer, Answer)
        with memory.ask("What?", stream=True) as events:
            for event in events:
                if isinstance(event, TextEvent):
                    assert_type(event.text, str)
        for hit in memory.search("words", kind="all", top_k=3):
            assert_type(hit, Hit)
            assert_type(hit.item, Chunk | Thought)
        return [citation.quote for citation in answer.citations]


async def asynchronously(memory: ThoughtRetriever) -> None:
    assert_type(await memory.aask("What?"), Answer)
    async for event in memory.astream("What?"):
        if isinstance(event, TextEvent):
            assert_type(event.text, str)
