from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from thinkback.bench.chunks import ChunkedCorpus, cut
from thinkback.bench.ports import Cost, Metric, Output, Scored, Shown
from thinkback.bench.records import Corpus, Gold, SourceText, Task

TEXTS = ("Maples drink most water.", "White roofs reflect light.", "Buses run at night.", "The river floods in May.")


def corpus(texts: Sequence[str] = TEXTS) -> ChunkedCorpus:
    """Return a corpus of which each text is a document of one chunk: d0#0, d1#0, ..."""
    documents = tuple(
        SourceText(id=f"d{number}", text=text, passages=((0, len(text)),)) for number, text in enumerate(texts)
    )
    return cut(Corpus(id="c", documents=documents), len)


def whole(number: int, grade: int = 1, texts: Sequence[str] = TEXTS) -> Gold:
    """Return the whole document of a number as gold."""
    return Gold(document_id=f"d{number}", start=0, end=len(texts[number]), grade=grade)


def scored(
    text: str = "",
    *,
    references: Sequence[str] = (),
    gold: Sequence[Gold] = (),
    shown: Sequence[Shown] = (),
    chunked: ChunkedCorpus | None = None,
    kind: Any = "question",
    query: str = "What?",
    category: str = "",
    metadata: Mapping[str, Any] | None = None,
    ranking: Sequence[tuple[str, float]] = (),
    details: Mapping[str, Any] | None = None,
    cost: Cost | None = None,
    task_id: str = "t",
) -> Scored:
    """Return an output to be scored."""
    return Scored(
        task=Task(id=task_id, corpus_id="c", kind=kind, query=query, references=tuple(references), gold=tuple(gold),
                  category=category, metadata=metadata or {}),
        output=Output(text=text, shown=tuple(shown), ranking=tuple(ranking), details=details or {}),
        chunked=chunked or corpus(),
        cost=cost or Cost(),
    )  # fmt: skip


def chunk(number: int) -> Shown:
    """Return a chunk of the corpus as an item."""
    return Shown(kind="chunk", id=f"d{number}#0", text=TEXTS[number], roots=(f"d{number}#0",))


def thought(text: str, *roots: int, id: str = "tht_1", **more: Any) -> Shown:  # noqa: A002
    """Return a thought on chunks of the corpus."""
    return Shown(kind="thought", id=id, text=text, roots=tuple(f"d{number}#0" for number in roots), level=2.0, **more)


class Tools:
    """What tests of metrics are made of, without importing from each other."""

    corpus = staticmethod(corpus)
    whole = staticmethod(whole)
    scored = staticmethod(scored)
    chunk = staticmethod(chunk)
    thought = staticmethod(thought)

    @staticmethod
    def values(metric: Metric, one: Scored) -> dict[str, float | None]:
        """Return the values of a metric."""
        return {name: found.value for name, found in metric.score(one).items()}


@pytest.fixture(scope="session")
def tools() -> type[Tools]:
    return Tools


@pytest.fixture
def reasons() -> Callable[[Metric, Scored], set[str]]:
    """Return why a metric's values are missing; no value must be there."""

    def of(metric: Metric, one: Scored) -> set[str]:
        found = metric.score(one)
        assert all(each.value is None for each in found.values())
        return {each.reason for each in found.values()}

    return of
