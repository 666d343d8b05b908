"""A built folder → the bench's records, a set at a time; and the proof that nothing leaks, over those very records."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from thinkback.bench import requests
from thinkback.bench.academiceval.items import (
    SETS,
    SETTINGS,
    Item,
    MultiItem,
    PaperText,
    RelatedItem,
    SetName,
    SingleItem,
    WritingItem,
)
from thinkback.bench.academiceval.leakage import Leak, find_leaks
from thinkback.bench.academiceval.output import BuildFolder, Read, read_items
from thinkback.bench.academiceval.papers import Listing
from thinkback.bench.academiceval.writing import EXAMPLES_USED
from thinkback.bench.academiceval.writing_files import read_setting
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, Kind, SourceText, Split, Task
from thinkback.errors import InvalidInput

__all__ = ["leaks_of", "names_in", "to_dataset"]

_LICENCE = "each paper's own, as arXiv states it"
_SOURCE = "AcademicEval's form (Feng et al., 2025), built by thinkback"
_KINDS: Mapping[str, Kind] = {
    "title": "title", "abstract": "abstract", "introduction": "introduction", "related": "related_work"
}  # fmt: skip


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the sets and settings that a folder has."""
    return tuple(name for name in (*SETS, *SETTINGS) if (folder / name).is_dir())


def to_dataset(folder: Path, name: str = "abstract_single", *, pooled: bool = False, seed: int = 42) -> Dataset:
    """Return one set of a folder in the bench's form. Broken items become faults, and so do items without a reference.

    Neither references nor conclusions are in any corpus; a conclusion is in the task's metadata, for the baseline that reads
    it. Candidates are whole passages, in an order drawn by the seed.

    Args:
        folder: of a build, or of the AcademicEval repository; it holds one folder a set.
        name: abstract_single, abstract_multi, related_multi, or a setting such as title_10K.
        pooled: for related_multi, all candidates in one corpus, so that tasks share a memory.
        seed: of the order of candidates.

    Raises:
        InvalidInput: no such set, or it is not in the folder.
    """
    if name in SETTINGS:
        return _writing(folder, name)
    if name not in get_args(SetName):
        raise InvalidInput(f"There is no set {name!r}; there are {', '.join((*SETS, *SETTINGS))}.")
    kind: SetName = next(each for each in SETS if each == name)
    found = _read(folder, kind)
    splits = BuildFolder(folder).record("splits").get(kind, {})
    if kind == "related_multi":
        return _related(found, splits, pooled=pooled, seed=seed)
    made = [_made(item, splits) for item in found.items]
    faults = [*found.faults, *(each for each in made if isinstance(each, Fault))]
    pairs = [each for each in made if not isinstance(each, Fault)]
    return _dataset(name, [corpus for corpus, _ in pairs], [task for _, task in pairs], faults)


def leaks_of(dataset: Dataset) -> list[tuple[str, Leak]]:
    """Return task id and leak where a reference stands in what a system may read: corpus, questions, request, metadata.

    The conclusion is looked at by one baseline only, and is nobody's corpus: it is left out.
    """
    found = []
    for task in dataset.tasks:
        corpus = dataset.corpus(task.corpus_id)
        places = [(each.id, f"{each.title}\n{each.text}") for each in corpus.documents]
        places += [("question", each) for each in task.pre_queries]
        places += [("request", task.query)]
        places += [(key, str(value)) for key, value in task.metadata.items() if key != "conclusion"]
        found += [(task.id, leak) for leak in find_leaks(task.references, places)]
    return found


def _read(folder: Path, kind: SetName) -> Read:
    below = folder / kind
    if not below.is_dir() and folder.name == kind:
        below = folder
    if not below.exists():
        raise InvalidInput(
            f"There is no set {kind!r} in {str(folder)!r}.", hint="thinkback bench academiceval build makes it."
        )
    return read_items(below, kind)


def _dataset(name: str, corpora: Sequence[Corpus], tasks: Sequence[Task], faults: Sequence[Fault]) -> Dataset:
    return Dataset(
        name=f"academiceval/{name}", corpora=tuple(corpora), tasks=tuple(tasks), licence=_LICENCE, source=_SOURCE, faults=tuple(faults)
    )  # fmt: skip


def _split(splits: Mapping[str, Any], item_id: str) -> Split:
    return next((each for each in get_args(Split) if each == splits.get(item_id)), "test")


def _document(paper: PaperText) -> SourceText:
    listing = paper.listing
    return SourceText(id=listing.id, title=listing.title, text=paper.main_content, date=listing.published)


def _made(item: Item, splits: Mapping[str, Any]) -> tuple[Corpus, Task] | Fault:
    if isinstance(item, SingleItem):
        listing = item.paper.listing
        corpus = Corpus(id=item.id, documents=(_document(item.paper),))
        task = Task(
            id=f"abstract_single/{item.id}", corpus_id=item.id, kind="abstract", query=requests.abstract(listing.title),
            references=(listing.abstract,), pre_queries=item.pre_questions, split=_split(splits, item.id), licence=_LICENCE,
            category=listing.category, metadata={"title": listing.title, "conclusion": item.paper.conclusion},
        )  # fmt: skip
        return corpus, task
    assert isinstance(item, MultiItem)  # noqa: S101 - related items take another way
    if not item.references:
        return Fault(where=item.id, reason="no reference: a model has yet to write it")
    titles = [each.listing.title for each in item.papers]
    corpus = Corpus(id=item.id, documents=tuple(_document(each) for each in item.papers))
    task = Task(
        id=f"abstract_multi/{item.id}", corpus_id=item.id, kind="abstract_multi", query=requests.abstract_multi(titles),
        references=item.references, pre_queries=item.pre_questions, split=_split(splits, item.id), licence=_LICENCE,
        category=item.papers[0].listing.category,
        metadata={"title": "; ".join(titles), "conclusion": "\n\n".join(each.conclusion for each in item.papers if each.conclusion)},
    )  # fmt: skip
    return corpus, task


def _related(found: Read, splits: Mapping[str, Any], *, pooled: bool, seed: int) -> Dataset:
    items = [item for item in found.items if isinstance(item, RelatedItem)]
    whole = {each.listing.id: _passage(each.listing) for item in items for each in item.candidates}
    corpora, tasks = [], []
    for item in items:
        own = whole if pooled else {each.listing.id: _passage(each.listing) for each in item.candidates}
        if not pooled:
            corpora.append(Corpus(id=item.id, documents=_mixed(own, f"{seed}/{item.id}")))
        tasks.append(_related_task(item, own, "pool" if pooled else item.id, _split(splits, item.id)))
    if pooled and items:
        corpora.append(Corpus(id="pool", documents=_mixed(whole, f"{seed}/pool")))
    return _dataset("related_multi" + ("/pooled" if pooled else ""), corpora, tasks, found.faults)


def _passage(listing: Listing) -> SourceText:
    text = f"{listing.title}\n{listing.abstract}".strip()
    return SourceText(id=listing.id, title=listing.title, text=text, date=listing.published, passages=((0, len(text)),))


def _mixed(passages: Mapping[str, SourceText], seed: str) -> tuple[SourceText, ...]:
    documents = list(passages.values())
    random.Random(seed).shuffle(documents)
    return tuple(documents)


def _related_task(item: RelatedItem, passages: Mapping[str, SourceText], corpus_id: str, split: Split) -> Task:
    listing = item.paper.listing
    cited = dict.fromkeys(each.listing.id for each in item.candidates if each.gold)
    return Task(
        id=f"related_multi/{item.id}", corpus_id=corpus_id, kind="related_work",
        query=requests.related_work(listing.title, listing.abstract), references=(item.reference,),
        gold=tuple(Gold(document_id=key, start=0, end=len(passages[key].text)) for key in cited),
        pre_queries=item.pre_questions, split=split, licence=_LICENCE, category=listing.category,
        metadata={"title": listing.title, "abstract": listing.abstract},
    )  # fmt: skip


def _writing(folder: Path, name: str) -> Dataset:
    read = read_setting(folder, name)
    corpora, tasks = [], []
    faults = list(read.faults)
    seen: set[str] = set()
    for item, split in read.items:
        if item.id in seen:
            faults.append(Fault(where=item.id, reason="the same id again"))
            continue
        seen.add(item.id)
        corpora.append(Corpus(id=item.id, documents=_given(item)))
        tasks.append(_writing_task(item, name, split))
    return _dataset(name, corpora, tasks, faults)


def _given(item: WritingItem) -> tuple[SourceText, ...]:
    """Return the paper without the section, what it cites, and examples; each document once."""
    title = "" if item.task == "title" else item.listing.title
    documents = [SourceText(id=item.id, title=title, text=item.main_content, date=item.listing.published)]
    if item.task == "title":  # elsewhere the prompt has it
        documents.append(SourceText(id=f"{item.id}/abstract", text=item.listing.abstract, date=item.listing.published))
    documents += [_passage(each) for each in item.cited]
    near = [each for own in (item.graph.papers.values() if item.graph else ()) for each in own]
    documents += [
        SourceText(
            id=f"example/{each.listing.id}",
            title=each.listing.title,
            text=f"{each.listing.abstract}\n\n{each.main_content}",
        )
        for each in (*item.examples[:EXAMPLES_USED], *near)
    ]
    unique = {each.id: each for each in documents if each.text.strip()}
    return tuple(unique.values())


def _writing_task(item: WritingItem, name: str, split: Split) -> Task:
    listing = item.listing
    query = {
        "title": requests.title(),
        "abstract": requests.abstract(listing.title),
        "introduction": requests.introduction(listing.title),
        "related": requests.related_work(listing.title, listing.abstract),
    }[item.task]
    open_ = {"title": listing.title, "abstract": listing.abstract}
    metadata = {key: value for key, value in open_.items() if key != item.task and value}
    return Task(
        id=f"{name}/{item.id}", corpus_id=item.id, kind=_KINDS[item.task], query=query, references=(item.reference,),
        split=split, licence=_LICENCE, category=listing.category, metadata=metadata,
    )  # fmt: skip
