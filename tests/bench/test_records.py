from __future__ import annotations

from dataclasses import replace

import pytest

from thinkback.bench.records import Corpus, Dataset, Gold, SourceText, Task
from thinkback.errors import InvalidInput


def test_a_data_set_refuses_what_could_not_be_scored(tiny: Dataset) -> None:
    first = tiny.tasks[0]
    for tasks, words in (
        ((first, first), "two tasks"),
        ((replace(first, corpus_id="moon"),), "unknown corpus"),
        ((replace(first, kind="poem"),), "unknown kind"),  # type: ignore[arg-type]
        ((replace(first, gold=(Gold(document_id="trees", start=0, end=10_000),)),), "outside"),
        ((replace(first, gold=(Gold(document_id="trees", start=5, end=5),)),), "outside"),
        ((replace(first, gold=(Gold(document_id="moon", start=0, end=1),)),), "outside"),
    ):
        with pytest.raises(InvalidInput, match=words):
            replace(tiny, tasks=tasks)
    with pytest.raises(InvalidInput, match="two corpora"):
        replace(tiny, corpora=(*tiny.corpora, *tiny.corpora))
    twice = SourceText(id="a", text="x")
    with pytest.raises(InvalidInput, match="same id"):
        replace(tiny, corpora=(Corpus(id="c", documents=(twice, twice)),), tasks=())


def test_a_corpus_is_found_by_its_id(tiny: Dataset) -> None:
    assert tiny.corpus("city").documents[1].id == "roofs"
    with pytest.raises(KeyError):
        tiny.corpus("moon")


def test_a_task_keeps_its_references_from_the_query(tiny: Dataset) -> None:
    from thinkback.bench.ports import Query

    task: Task = tiny.tasks[0]
    assert "Maples" not in str(Query.of(task).to_dict())
