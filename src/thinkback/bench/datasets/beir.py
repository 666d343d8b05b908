"""Retrieval collections in the BEIR layout (Thakur et al., NeurIPS 2021): corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from thinkback.bench.datasets.reading import json_lines, need_file
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Split, Task
from thinkback.errors import InvalidInput

__all__ = ["load_scifact"]


def load_scifact(folder: Path, *, split: Split = "test", whole: bool = False) -> Dataset:
    """Return SciFact (Wadden et al., EMNLP 2020): claims, and the abstracts cited for each.

    Args:
        folder: in BEIR's layout.
        split: test is SciFact's development set, as in BEIR.
        whole: use each abstract as one chunk, whatever its length.

    Raises:
        InvalidInput: a file is missing.
    """
    faults: list[Fault] = []
    documents = _documents(folder, faults, whole=whole)
    lengths = {each.id: len(each.text) for each in documents}
    qrels = _qrels(need_file(folder, f"qrels/{split}.tsv"), faults)
    queries = {str(row.get("_id")): str(row.get("text", "")) for _, row in
               json_lines(need_file(folder, "queries.jsonl"), faults)}  # fmt: skip
    tasks = []
    for query_id, relevant in qrels.items():
        if query_id not in queries:
            faults.append(Fault(where=f"qrels/{split}.tsv", reason=f"no query {query_id!r}"))
            continue
        unknown = [each for each in relevant if each not in lengths]
        faults += [Fault(where=f"qrels/{split}.tsv", reason=f"no document {each!r}") for each in unknown]
        gold = tuple(
            Gold(document_id=document, start=0, end=lengths[document], grade=grade)
            for document, grade in relevant.items()
            if document in lengths
        )
        tasks.append(
            Task(id=f"scifact/{query_id}", corpus_id="scifact", kind="search", query=queries[query_id], gold=gold,
                 split=split, licence="CC BY 4.0; abstracts ODC-By 1.0")
        )  # fmt: skip
    return Dataset(
        name="scifact",
        corpora=(Corpus(id="scifact", documents=tuple(documents)),),
        tasks=tuple(tasks),
        licence="CC BY 4.0; abstracts ODC-By 1.0",
        source="Wadden et al., Fact or Fiction: Verifying Scientific Claims, EMNLP 2020; BEIR's layout",
        faults=tuple(faults),
    )


def _documents(folder: Path, faults: list[Fault], *, whole: bool) -> list[SourceText]:
    found: dict[str, SourceText] = {}
    for where, row in json_lines(need_file(folder, "corpus.jsonl"), faults):
        key, title, text = str(row.get("_id", "")), str(row.get("title", "")), str(row.get("text", ""))
        both = f"{title}\n{text}".strip()
        if not key or not both or key in found:
            reason = "the same id again" if key in found else "without id or text"
            faults.append(Fault(where=where, reason=reason))
            continue
        passages = ((0, len(both)),) if whole else ()
        found[key] = SourceText(id=key, title=title, text=both, passages=passages)
    return list(found.values())


def _qrels(file: Path, faults: list[Fault]) -> Mapping[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    with file.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t"), 2):
            try:
                found.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
            except (KeyError, TypeError, ValueError) as error:
                faults.append(Fault(where=f"{file.name}:{number}", reason=f"not a judgement: {error}"))
    if not found:
        raise InvalidInput(f"{str(file)!r} has no judgements.")
    return found
