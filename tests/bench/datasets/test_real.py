"""The real data sets, as far as they are here: counts and some records of each, reviewed as text in ``golden``.

A golden file that is missing is written, and the test fails: read what was written, then run it again.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from thinkback.bench.datasets import DATASETS, load
from thinkback.bench.datasets.catalogue import source_of
from thinkback.bench.datasets.leakage import shingles
from thinkback.bench.datasets.loogle import load_loogle
from thinkback.bench.datasets.scisumm import load_related_multi
from thinkback.bench.datasets.squality import human_ratings
from thinkback.bench.datasets.statistics import statistics
from thinkback.bench.datasets.unarxive import load_abstract_multi, load_abstract_single
from thinkback.bench.ports import Query
from thinkback.bench.record import dataset_hash
from thinkback.bench.records import Dataset, SourceText, Task

pytestmark = pytest.mark.data

GOLDEN = Path(__file__).with_name("golden")
NOT_HERE = {"wcep", "longmemeval"}
"""Sets of which the data folder of the tests has nothing; they are tested on records written for the purpose."""


def short(text: str, most: int = 70) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[:most]}... ({len(text)})"


def described(data: Dataset) -> Iterator[str]:
    yield f"{data.name}: {data.licence}"
    for name, value in statistics(data).to_dict().items():
        yield f"  {name}: {round(value, 2) if isinstance(value, float) else value}"
    yield f"  categories: {dict(sorted(Counter(task.category for task in data.tasks).items()))}"
    yield f"  grades: {dict(sorted(Counter(gold.grade for task in data.tasks for gold in task.gold).items()))}"
    yield f"  notes: {dict(Counter(note.kind for corpus in data.corpora for note in corpus.notes))}"
    yield f"  hash: {dataset_hash(data)}"
    reasons = Counter(re.sub(r"'.*|\".*|:.*|D\d+.*", "...", fault.reason) for fault in data.faults)
    yield f"  faults: {dict(sorted(reasons.items()))}"
    for fault in data.faults[:3]:
        yield f"    {fault.where}: {short(fault.reason)}"
    last = len(data.tasks) - 1
    for place in sorted({0, min(8, last), last}):
        yield from described_task(data, data.tasks[place], place)
    for corpus in {each.id: each for each in (data.corpora[0], data.corpora[-1])}.values():
        yield f"corpus {corpus.id}: {len(corpus.documents)} documents, {len(corpus.notes)} notes"
        for document in {each.id: each for each in (corpus.documents[0], corpus.documents[-1])}.values():
            yield from described_document(document)
        if corpus.notes:
            yield f"  note {corpus.notes[-1].kind}: {short(corpus.notes[-1].text)}, {len(corpus.notes[-1].sources)} sources"


def described_task(data: Dataset, task: Task, place: int) -> Iterator[str]:
    yield f"task {place}: {task.id} in {task.corpus_id}, {task.kind}, {task.category or 'no category'}, {task.split}"
    yield f"  query: {short(task.query, 110)}"
    yield f"  references: {len(task.references)} {[short(each) for each in task.references[:2]]}"
    texts = {each.id: each.text for each in data.corpus(task.corpus_id).documents}
    yield f"  gold: {len(task.gold)}, pre-queries: {len(task.pre_queries)}, licence: {task.licence}"
    for gold in task.gold[:2]:
        text = texts[gold.document_id][gold.start : gold.end]
        yield f"    {gold.document_id} {gold.start}-{gold.end} grade {gold.grade}: {short(text)}"
    yield f"  metadata: { ({name: short(str(value), 40) for name, value in task.metadata.items()}) }"


def described_document(document: SourceText) -> Iterator[str]:
    yield f"  document {document.id}: {short(document.title, 50)!r}, {document.date or 'no date'}, {len(document.text)} long"
    yield f"    {len(document.passages)} passages; {short(document.text, 60)} ... {short(document.text[-50:])}"


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in NOT_HERE])
def test_a_real_data_set_is_read_as_reviewed(data_folder: Path, name: str) -> None:
    if not (data_folder / source_of(name).folder).is_dir():
        pytest.skip(f"the data folder does not hold {source_of(name).folder}")
    found = "\n".join(described(load(name, data_folder))) + "\n"
    golden = GOLDEN / f"{name}.txt"
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found, encoding="utf-8")
        pytest.fail(f"{golden.name} was written; review it")
    assert found == golden.read_text(encoding="utf-8")


def leaked(data: Dataset) -> dict[str, tuple[int, int]]:
    """Return task id to the runs of twelve words of its references in its corpus, and in its query but for its title."""
    found = {}
    for task in data.tasks:
        runs = set().union(*map(shingles, task.references))
        documents = data.corpus(task.corpus_id).documents
        in_corpus = sum(len(runs & shingles(each.text)) for each in documents)
        asked = [task.query, *task.pre_queries, str(task.metadata.get("abstract", ""))]
        in_query = set().union(*map(shingles, asked)) & runs - shingles(str(task.metadata["title"]))
        if in_corpus or in_query:
            found[task.id] = in_corpus, len(in_query)
    return found


def test_no_abstract_reaches_its_corpus_or_query(data_folder: Path) -> None:
    folder = data_folder / "academic_unarxive"
    data = load_abstract_single(folder, discipline=None)
    assert len(data.tasks) == 47
    assert leaked(data) == {}
    raw = [json.loads(line) for line in (folder / "papers.jsonl").read_text(encoding="utf-8").splitlines()]
    leaking = {row["id"] for row in raw if shingles(row["abstract"]) & shingles(row["main_content"])}
    assert len(leaking) == 15, "the bodies as they are do repeat abstracts"
    conclusions = [
        task.id for task in data.tasks if shingles(task.references[0]) & shingles(str(task.metadata["conclusion"]))
    ]
    assert len(conclusions) == 5, "what the baseline with the conclusion may see of abstracts"


def test_no_abstract_of_five_reaches_their_corpus_or_query(data_folder: Path, tmp_path: Path) -> None:
    folder = data_folder / "academic_unarxive"
    raw = {
        row["id"]: row for row in map(json.loads, (folder / "papers.jsonl").read_text(encoding="utf-8").splitlines())
    }
    file = tmp_path / "references.jsonl"
    plain = load_abstract_multi(folder)
    rows = []
    for task in plain.tasks:
        papers = [raw[each.id] for each in plain.corpus(task.corpus_id).documents]
        rows.append({"id": task.id, "references": [" ".join(paper["abstract"] for paper in papers)]})
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    data = load_abstract_multi(folder, references=file)
    assert len(data.tasks) == 8
    assert all(task.references for task in data.tasks)
    assert leaked(data) == {}


@pytest.mark.parametrize("pooled", [1, 10])
def test_no_related_work_reaches_candidates_or_query(data_folder: Path, pooled: int) -> None:
    folder = data_folder / "academic_scisumm"
    data = load_related_multi(folder, least_gold=1, pooled=pooled)
    assert len(data.tasks) == 185
    assert leaked(data) == {}
    raw = [json.loads(line) for line in (folder / "related_multi.jsonl").read_text(encoding="utf-8").splitlines()]
    leaking = [
        row["id"]
        for row in raw
        if any(shingles(row["related_work"]) & shingles(each["abstract"]) for each in row["cited_in_related_work"])
    ]
    assert leaking == ["P09-1027"], "one paper quotes the abstracts that it cites"


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in {*NOT_HERE, "quality"}])
def test_systems_are_never_told_a_reference(data_folder: Path, name: str) -> None:
    """QuALITY is left out: its right answer is one of those that the question offers. One summary repeats its question."""
    data = load(name, data_folder)
    told = {}
    for task in data.tasks:
        open_part = Query.of(task)
        known = [open_part.text, *(str(value) for key, value in open_part.metadata.items() if key != "conclusion")]
        runs = set().union(*map(shingles, task.references)) - shingles(str(task.metadata.get("title", "")))
        if runs & set().union(*map(shingles, known)):
            told[task.id] = task.query
    assert set(told) <= {"squality/55801/3"}


def test_locomo_has_the_counts_of_the_earlier_measurements(data_folder: Path) -> None:
    data = load("locomo", data_folder)
    assert sum(len(each.passages) for corpus in data.corpora for each in corpus.documents) == 5882
    assert len(data.tasks) == 1982


def test_loogles_evidence_is_found_better_in_parts(data_folder: Path) -> None:
    folder = data_folder / "loogle_sample"
    whole, parts = load_loogle(folder, evidence="whole"), load_loogle(folder)
    assert (len(whole.tasks), len(parts.tasks)) == (123, 123)
    assert [sum(not task.gold for task in data.tasks) for data in (whole, parts)] == [17, 5]


def test_people_rated_people_highest(data_folder: Path) -> None:
    ratings, faults = human_ratings(data_folder / "squality")
    assert faults == ()
    assert len(ratings) == 900
    mean = {
        system: sum(each.overall for each in ratings if each.system == system) / 300
        for system in ("human", "bart-dpr", "bart")
    }
    assert {system: round(value, 1) for system, value in mean.items()} == {
        "human": 91.3,
        "bart-dpr": 27.9,
        "bart": 18.1,
    }
