"""Related-multi on papers written for the purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.scisumm import load_related_multi
from thinkback.bench.records import Dataset
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]
Load = Callable[..., Dataset]

COPIED = "Satellite images relate the cover of the canopy to the heat of the whole city in July"


def candidate(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "_id": f"c{number}",
        "year": 2000 + number,
        "title": f"Title {number}",
        "text": f"Abstract of {number}.",
        **changes,
    }


def target(key: str, cited: Sequence[str], elsewhere: Sequence[str] = (), **changes: Any) -> dict[str, Any]:
    return {
        "id": key, "title": f"Paper {key}", "abstract": "We plant trees.", "related_work": f"Others plant. {COPIED}.",
        "cited_in_related_work": [{"id": each} for each in cited],
        "cited_elsewhere": [{"id": each} for each in elsewhere], **changes,
    }  # fmt: skip


@pytest.fixture
def load(lines: Lines) -> Load:
    def make(targets: Sequence[Any], rows: Sequence[Any] | None = None, **options: Any) -> Dataset:
        lines("corpus.jsonl", rows if rows is not None else [candidate(number) for number in range(30)])
        folder = lines("related_multi.jsonl", targets)
        return load_related_multi(folder, **{"least_gold": 1, "candidates": 10, **options})

    return make


def test_a_task_is_a_paper_with_gold_and_drawn_candidates(load: Load) -> None:
    data = load([target("c1", ["c2", "c3", "c2"], ["c4"])])
    (task,), documents = data.tasks, data.corpora[0].documents
    ids = [each.id for each in documents]
    assert len(ids) == 10
    assert {"c2", "c3"} < set(ids)
    assert not {"c1", "c4"} & set(ids)
    assert ids[:2] != ["c2", "c3"], "the order must not say what is gold"
    assert [(gold.document_id, gold.start) for gold in task.gold] == [("c2", 0), ("c3", 0)]
    second = next(each for each in documents if each.id == "c2")
    assert (second.text, second.date, second.passages) == ("Title 2\nAbstract of 2.", "2002", ((0, 22),))
    assert (task.kind, task.metadata) == ("related_work", {"title": "Paper c1", "abstract": "We plant trees."})
    assert task.query == "Write the related work section that introduces this paper: Paper c1. We plant trees."
    assert task.references == (f"Others plant. {COPIED}.",)


def test_the_draw_is_by_seed(load: Load) -> None:
    def drawn(seed: int) -> list[str]:
        return [each.id for each in load([target("c1", ["c2"])], seed=seed).corpora[0].documents]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_papers_share_a_pool(load: Load) -> None:
    targets = [target("c1", ["c2"]), target("c3", ["c1"], ["c5"]), target("c4", ["c6"])]
    data = load(targets, pooled=2, candidates=8)
    assert [task.corpus_id for task in data.tasks] == ["pool 1", "pool 1", "pool 2"]
    first = {each.id for each in data.corpora[0].documents}
    assert len(first) == 16
    assert {"c1", "c2"} < first, "a paper that another of the pool cites is in it"
    assert not {"c3", "c5"} & first
    assert len(data.corpora[1].documents) == 16
    assert len(load(targets, pooled=3, candidates=100).corpora[0].documents) == 30 - 3, "c3, c4 and c5 are left out"


def test_the_section_is_neither_in_candidates_nor_in_the_query(load: Load) -> None:
    rows = [candidate(0), candidate(1, text=f"Heat is bad. {COPIED}. Trees are good.")]
    data = load([target("p", ["c1"], abstract=f"We sow. {COPIED}, we say. It helps.")], rows)
    assert data.corpora[0].documents[0].id in {"c0", "c1"}
    assert {each.text for each in data.corpora[0].documents} == {
        "Title 0\nAbstract of 0.", "Title 1\nHeat is bad.  Trees are good."
    }  # fmt: skip
    assert data.tasks[0].metadata["abstract"] == "We sow.  It helps."


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a@b.edu c@d.edu Abstract We plant trees along four streets of a city.", "We plant trees along four streets of a city."),
        ("j smith ed ac uk ABSTRACT: We plant trees along four streets of a city.", "We plant trees along four streets of a city."),
        ("hovy mitch @isi.edu @bbn.com We plant trees along four streets of a city.", "We plant trees along four streets of a city."),
        ("Trees &amp;quot;drink&quot; water &lt; roofs.", 'Trees "drink" water < roofs.'),
        ("Abstract meaning is what we study.", "Abstract meaning is what we study."),
        ("x" * 250 + " Abstract We plant trees along four streets of a city.",
         "x" * 250 + " Abstract We plant trees along four streets of a city."),
    ],
)  # fmt: skip
def test_noise_before_an_abstract_goes(load: Load, text: str, clean: str) -> None:
    data = load([target("p", ["c1"], abstract=text)], [candidate(1, text=text)])
    assert data.corpora[0].documents[0].text == f"Title 1\n{clean}"
    assert data.tasks[0].metadata["abstract"] == clean


def test_what_is_broken_is_named(load: Load) -> None:
    rows = [candidate(1), candidate(1), candidate(2, title=""), candidate(3, _id=None), candidate(4, text=None)]
    targets = [
        target("a", ["c1", "c9"]), target("a", ["c1"]), target("b", []), target("c", ["c1"], related_work=""),
        target("d", ["c1"], cited_elsewhere="none", cited_in_related_work=[{"id": "c1"}, 7, {"x": 1}]),
        target("e", ["e"]),
    ]  # fmt: skip
    data = load(targets, rows)
    assert [task.id for task in data.tasks] == ["related-multi/a", "related-multi/d"]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("corpus.jsonl:2 c1", "the same id again"),
        ("corpus.jsonl:3 c2", "no id or no title"),
        ("corpus.jsonl:4", "no id or no title"),
        ("corpus.jsonl:5 c4", "no abstract; the title alone is used"),
        ("related_multi.jsonl:1 a", "cites 'c9', which is no candidate"),
        ("related_multi.jsonl:2 a", "the same id again"),
        ("related_multi.jsonl:3 b", "no cited paper is a candidate"),
        ("related_multi.jsonl:4 c", "no related_work"),
        ("related_multi.jsonl:6 e", "cites 'e', which is no candidate"),
        ("related_multi.jsonl:6 e", "no cited paper is a candidate"),
    ]
    assert {each.text for each in data.corpora[0].documents} == {"Title 1\nAbstract of 1.", "Title 4"}


def test_papers_with_few_gold_are_left_out_and_the_first_are_taken(load: Load) -> None:
    targets = [target("a", ["c1"]), target("b", ["c1", "c2"]), target("c", ["c3", "c4"])]
    assert [task.id for task in load(targets, least_gold=2).tasks] == ["related-multi/b", "related-multi/c"]
    assert [task.id for task in load(targets, least_gold=2, limit=1).tasks] == ["related-multi/b"]
    for option in ("least_gold", "candidates", "pooled"):
        with pytest.raises(InvalidInput, match=f"{option} is at least 1"):
            load(targets, **{option: 0})
