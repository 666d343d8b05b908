"""Two collections of the early days of retrieval, CACM and Cranfield, with judgements of every query.

Both are read from the bench's conversion (corpus.jsonl, queries.jsonl) or as the University of Glasgow shares them, in
SMART's form: a line ``.I ID`` begins a record, and ``.T``, ``.W`` and other letters its fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from thinkback.bench.datasets.passages import one_passage
from thinkback.bench.datasets.reading import json_lines, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task

__all__ = ["load_cacm", "load_cranfield"]

_FREE = "free for research (Glasgow IR), no explicit licence"
_GRADES = {"1": 4, "2": 3, "3": 2, "4": 1, "5": 0, "-1": 4}
"""Cranfield's codes to grades that grow with relevance: by its readme 1 is a complete answer and 4 of minimum interest.

Copies of the file differ in the last judgement of every query, which is about the paper that the query was made from: -1
in some, 1 in others. It is a complete answer.
"""
_NAMES = {"title", "text", "authors", "text_without_authors"}
_FIELD = re.compile(r"\.([A-Z])\s*$")
_RECORD = re.compile(r"\.I\s+(\S+)\s*$")

Rows = Iterator[tuple[str, dict[str, str]]]
"""Where a record stands, and its fields."""


def load_cranfield(folder: Path, *, whole: bool = False) -> Dataset:
    """Return Cranfield (Cleverdon, 1967): 1,400 abstracts on aerodynamics and 225 questions; grades 4 (best) to 1.

    The text of a document begins with its title. Queries are known by their place, as the judgements number them.

    Args:
        folder: with corpus.jsonl or cran.all.1400, queries.jsonl or cran.qry, and cranqrel.
        whole: use each abstract as one chunk, whatever its length.

    Raises:
        InvalidInput: a file is missing.
    """
    faults: list[Fault] = []
    rows = _rows(need_one(folder, ["corpus.jsonl", "cran.all.1400"]), faults)
    documents = _documents(rows, str, faults, whole=whole)
    asked = enumerate(_rows(need_one(folder, ["queries.jsonl", "cran.qry"]), faults), 1)
    queries = {str(place): _without_mark(row["text"]) for place, (_, row) in asked}
    judged: dict[str, dict[str, int]] = {}
    for where, cells in _cells(need_one(folder, ["cranqrel"])):
        if len(cells) != 3 or cells[2] not in _GRADES:
            faults.append(Fault(where=where, reason="not a judgement"))
            continue
        judged.setdefault(cells[0], {})[cells[1]] = _GRADES[cells[2]]
    source = "Cleverdon, The Cranfield Tests on Index Language Devices, 1967; cranqrel of D. Harman"
    return _dataset("cranfield", documents, queries, judged, source, faults)


def load_cacm(folder: Path, *, authors: bool = True, whole: bool = False) -> Dataset:
    """Return CACM (Fox, 1983): 3,204 titles, half of them with abstracts, and 64 requests, of which 52 are judged.

    Documents are title and abstract. Published figures mostly index authors, dates and citations besides.

    Args:
        folder: with corpus.jsonl or cacm.all, queries.jsonl or query.text, and qrels.cacm.txt or qrels.text.
        authors: add the authors that a request names to its text, as the usual topics do.
        whole: use each document as one chunk, whatever its length.

    Raises:
        InvalidInput: a file is missing.
    """
    faults: list[Fault] = []
    documents = _documents(_rows(need_one(folder, ["corpus.jsonl", "cacm.all"]), faults), _cacm_id, faults, whole=whole)
    queries = {}
    for _, row in _rows(need_one(folder, ["queries.jsonl", "query.text"]), faults):
        plain = row.get("text_without_authors") or row["text"]
        named = row["text"] if "text_without_authors" in row else f"{row['text']} {row['authors']}".strip()
        queries[row["id"].lstrip("0")] = named if authors else plain
    judged: dict[str, dict[str, int]] = {}
    for where, cells in _cells(need_one(folder, ["qrels.cacm.txt", "qrels.text"])):
        trec = len(cells) == 4 and cells[1] == "Q0"
        document = cells[2 if trec else 1] if len(cells) == 4 else ""
        if not document[-1:].isdigit():
            faults.append(Fault(where=where, reason="not a judgement"))
            continue
        grade = int(cells[3] != "0") if trec else 1  # Glasgow's file names only what is relevant
        judged.setdefault(cells[0].lstrip("0"), {})[_cacm_id(document)] = grade
    source = "Fox, Characterization of two new experimental collections, 1983; as shared by Glasgow IR"
    return _dataset("cacm", documents, queries, judged, source, faults)


def _cacm_id(given: str) -> str:
    """Return CACM-0046 for 46, CACM-46 and CACM-0046: the judgements that Anserini ships leave the zeros out."""
    number = given.rpartition("-")[2]
    return f"CACM-{int(number):04d}" if number.isdigit() else given


def _dataset(
    name: str,
    documents: Mapping[str, SourceText],
    queries: Mapping[str, str],
    judged: Mapping[str, Mapping[str, int]],
    source: str,
    faults: list[Fault],
) -> Dataset:
    tasks = []
    for key, query in queries.items():
        grades = judged.get(key, {})
        faults += [
            Fault(where=f"query {key}", reason=f"no document {each!r}") for each in grades if each not in documents
        ]
        gold = tuple(
            Gold(document_id=each, start=0, end=len(documents[each].text), grade=grade)
            for each, grade in grades.items()
            if each in documents
        )
        if not query or not gold:
            faults.append(Fault(where=f"query {key}", reason="no document is judged" if query else "no text"))
            continue
        tasks.append(
            Task(id=f"{name}/{key}", corpus_id=name, kind="search", query=query, gold=gold, licence=_FREE)
        )  # fmt: skip
    faults += [
        Fault(where=f"judgements of {key}", reason="there is no such query") for key in judged if key not in queries
    ]
    return Dataset(
        name=name, corpora=(Corpus(id=name, documents=tuple(documents.values())),), tasks=tuple(tasks), licence=_FREE,
        source=source, faults=tuple(faults),
    )  # fmt: skip


def _documents(rows: Rows, name: Callable[[str], str], faults: list[Fault], *, whole: bool) -> dict[str, SourceText]:
    found: dict[str, SourceText] = {}
    for where, row in rows:
        key, title, text = name(row["id"]), " ".join(row["title"].split()), _without_mark(row["text"])
        text = text.removeprefix(title).strip()  # Cranfield's abstracts begin with the title
        if not key or not (title or text) or key in found:
            reason = "the same id again" if key in found else "no id, or neither title nor text"
            faults.append(Fault(where=f"{where} {key}".strip(), reason=reason))
            continue
        document = one_passage(key, title, text)
        found[key] = document if whole else SourceText(id=key, title=title, text=document.text)
    return found


def _without_mark(text: str) -> str:
    """Return a text with single spaces, and without the mark of the next record that some copies leave at the last."""
    return re.sub(r"\s*\.I$", "", " ".join(text.split()))


def _rows(file: Path, faults: list[Fault]) -> Rows:
    if file.suffix == ".jsonl":
        for where, row in json_lines(file, faults):
            fields = dict.fromkeys(("title", "text", "authors"), "") | {"id": text_of(row, "_id")}
            yield where, fields | {name: text_of(row, name) for name in row if name in _NAMES}
        return
    yield from _smart(file)


def _smart(file: Path) -> Rows:
    record: dict[str, list[str]] | None = None
    where, into = "", ""
    for number, line in enumerate(file.read_text(encoding="latin-1").splitlines(), 1):
        if begins := _RECORD.match(line):
            if record is not None:
                yield where, _fields(record)
            record, where, into = {"I": [begins[1]]}, f"{file.name}:{number}", ""
        elif record is not None and (field := _FIELD.match(line)):
            into = field[1]
        elif record is not None and into:
            record.setdefault(into, []).append(line)
    if record is not None:
        yield where, _fields(record)


def _fields(record: Mapping[str, Iterable[str]]) -> dict[str, str]:
    names = {"id": "I", "title": "T", "text": "W", "authors": "A"}
    return {name: " ".join(" ".join(record.get(letter, ())).split()) for name, letter in names.items()}


def _cells(file: Path) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(file.read_text(encoding="latin-1").splitlines(), 1):
        if line.strip():
            yield f"{file.name}:{number}", line.split()
