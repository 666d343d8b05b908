from __future__ import annotations

from collections.abc import Callable

import pytest

from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.records import Corpus, Dataset, Gold, SourceText, Task
from thinkback.embed.hashing import HashingEmbedder
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Request

TEXTS = {
    "trees": "Street trees cool the city by two degrees. They need water in dry summers. Maples drink most of all.",
    "roofs": "White roofs reflect light. They cool the top floor. The street stays as warm as it was.",
}


@pytest.fixture
def tiny() -> Dataset:
    """Two documents cut into sentences, three questions with gold."""
    documents = []
    for key, text in TEXTS.items():
        ends = [place + 1 for place, letter in enumerate(text) if letter == "."]
        starts = [0, *(end + 1 for end in ends[:-1])]
        documents.append(SourceText(id=key, text=text, title=key, passages=tuple(zip(starts, ends, strict=True))))

    def span(document: str, words: str) -> Gold:
        start = TEXTS[document].index(words)
        return Gold(document_id=document, start=start, end=start + len(words))

    tasks = (
        Task(id="t1", corpus_id="city", kind="question", query="Which trees drink most?", references=("Maples",),
             gold=(span("trees", "Maples drink most of all."),), pre_queries=("What cools the city?",), category="tree"),
        Task(id="t2", corpus_id="city", kind="question", query="What do white roofs reflect?", references=("light",),
             gold=(span("roofs", "White roofs reflect light."),), category="roof"),
        Task(id="t3", corpus_id="city", kind="question", query="What happened on Mars?"),
    )  # fmt: skip
    return Dataset(
        name="tiny", corpora=(Corpus(id="city", documents=tuple(documents)),), tasks=tasks, licence="CC0", source="here"
    )


@pytest.fixture
def kit_without_model() -> Kit:
    return Kit(embedder=HashingEmbedder())


@pytest.fixture
def kit_saying() -> Callable[[Callable[[Request], str]], Kit]:
    """Return a kit whose model answers by a function of the request."""

    def make(say: Callable[[Request], str]) -> Kit:
        return Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(ScriptedGenerator(say)))

    return make
