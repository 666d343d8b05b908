"""Abstract-single and Abstract-multi from full texts of arXiv papers in unarXive's form (Saier et al., JCDL 2023).

A paper's text is its sections, with blank lines between them and the heading as the first line of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.leakage import Secret
from thinkback.bench.datasets.reading import json_lines, need_file, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Task
from thinkback.bench.requests import PRE_QUERIES, abstract, abstract_multi
from thinkback.errors import InvalidInput

__all__ = ["load_abstract_multi", "load_abstract_single", "without_conclusion"]

_NOT_PAPERS = {"2212.11791": "a letter to reviewers, not the paper"}
_CONCLUSION = re.compile(r"\bconclu(?:sions?|ding)\b", re.IGNORECASE)
_SUMMARY = re.compile(
    r"[\W\d]*(?:summary|final remarks|summary and (?:discussions?|outlook|perspectives))\W*", re.IGNORECASE
)
"""How a concluding section is called where no heading names a conclusion."""
_MARKER = re.compile(r" ?\{\{(?:formula|cite|figure|table):[^}]*\}\}")
"""What the data's makers left of formulas and citations in headings."""
_LONGEST_HEADING = 100  # characters
_LICENCE = "each paper's own (CC BY and the like), in its task"
_SOURCE = "unarXive 2022 (Saier et al., JCDL 2023), data sample; in the form of AcademicEval's"
_PAPERS = 5
REFERENCES = "abstract_multi_references.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Paper:
    id: str
    title: str
    abstract: str
    body: str
    conclusion: str
    discipline: str
    licence: str


def load_abstract_single(
    folder: Path, *, discipline: str | None = "Computer Science", pre_queries: int = 5, limit: int | None = None
) -> Dataset:
    """Return a task a paper: its abstract, to be written from the body without the conclusion.

    The conclusion is kept in the task's metadata as ``conclusion``, for the baseline that reads it; it is in no corpus.
    Sentences of the body that have twelve words in a row in common with the abstract are taken out.

    Args:
        folder: with papers.jsonl.
        discipline: as the data names it; None: all.
        pre_queries: how many general questions are asked before.
        limit: most papers; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    faults: list[Fault] = []
    corpora: list[Corpus] = []
    tasks: list[Task] = []
    for paper in _papers(folder, discipline, faults):
        if limit is not None and len(tasks) >= limit:
            break
        corpora.append(Corpus(id=paper.id, documents=(_document(paper, Secret([paper.abstract])),)))
        tasks.append(
            Task(
                id=f"abstract-single/{paper.id}", corpus_id=paper.id, kind="abstract", query=abstract(paper.title),
                references=(paper.abstract,), pre_queries=PRE_QUERIES[:pre_queries], licence=paper.licence,
                category=paper.discipline, metadata={"title": paper.title, "conclusion": paper.conclusion},
            )
        )  # fmt: skip
    return Dataset(
        name="abstract-single",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source=_SOURCE,
        faults=tuple(faults),
    )


def load_abstract_multi(
    folder: Path,
    *,
    discipline: str | None = None,
    pre_queries: int = 5,
    limit: int | None = None,
    references: Path | None = None,
) -> Dataset:
    """Return a task for each five papers of a discipline, in the order of their ids: one abstract over all five.

    Papers of a discipline that are too few for another five are faults. Sentences that an abstract of the five, or a
    reference, has twelve words in a row in common with are taken out of all five. The papers' conclusions are in the
    task's metadata as ``conclusion``, with blank lines between them.

    Args:
        folder: with papers.jsonl.
        discipline: as the data names it; None: each.
        pre_queries: how many general questions are asked before.
        limit: most tasks; None: all.
        references: a file with a record ``{"id": TASK, "references": [TEXT, ...]}`` a line; None:
            abstract_multi_references.jsonl of the folder, if it is there. Without it tasks have no reference.

    Raises:
        InvalidInput: a file is missing.
    """
    faults: list[Fault] = []
    written = _references(folder, references, faults)
    corpora: list[Corpus] = []
    tasks: list[Task] = []
    for task_id, papers in _fives(_papers(folder, discipline, faults), faults):
        if limit is not None and len(tasks) >= limit:
            break
        given = written.pop(task_id, ())
        secret = Secret([*(paper.abstract for paper in papers), *given])
        titles = [paper.title for paper in papers]
        corpora.append(Corpus(id=task_id, documents=tuple(_document(paper, secret) for paper in papers)))
        tasks.append(
            Task(
                id=task_id, corpus_id=task_id, kind="abstract_multi", query=abstract_multi(titles), references=given,
                pre_queries=PRE_QUERIES[:pre_queries], licence="; ".join(sorted({paper.licence for paper in papers})),
                category=papers[0].discipline,
                metadata={"title": "; ".join(titles),
                          "conclusion": "\n\n".join(paper.conclusion for paper in papers if paper.conclusion)},
            )
        )  # fmt: skip
    if limit is None and discipline is None:
        faults += [Fault(where=f"references {each}", reason="there is no such task") for each in written]
    return Dataset(
        name="abstract-multi",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source=_SOURCE,
        faults=tuple(faults),
    )


def without_conclusion(body: str) -> tuple[str, str]:
    """Return the body without its concluding section, and that section without its heading (empty if there is none).

    It is the last section whose heading names a conclusion, or else the last that is called a summary.
    """
    sections = body.split("\n\n")
    headings = [section.partition("\n")[0].strip() for section in sections]
    named = [place for place, heading in enumerate(headings) if _concludes(heading)]
    named = named or [place for place, heading in enumerate(headings) if _SUMMARY.fullmatch(heading)]
    if not named:
        return body, ""
    found = named[-1]
    return "\n\n".join([*sections[:found], *sections[found + 1 :]]), sections[found].partition("\n")[2].strip()


def _concludes(heading: str) -> bool:
    return len(heading) <= _LONGEST_HEADING and _CONCLUSION.search(heading) is not None and heading[-1:] not in ".,;"


def _document(paper: _Paper, secret: Secret) -> SourceText:
    return SourceText(id=paper.id, title=paper.title, text=secret.kept_out_of(paper.body))


def _papers(folder: Path, discipline: str | None, faults: list[Fault]) -> Iterator[_Paper]:
    seen: set[str] = set()
    for where, row in json_lines(need_file(folder, "papers.jsonl"), faults):
        if discipline is not None and row.get("discipline") != discipline:
            continue
        paper = _paper(row)
        reason = _NOT_PAPERS.get(paper.id) or _lacks(paper, again=paper.id in seen)
        if reason:
            faults.append(Fault(where=f"{where} {paper.id}".strip(), reason=reason))
            continue
        seen.add(paper.id)
        yield paper


def _paper(row: dict[str, Any]) -> _Paper:
    body, conclusion = without_conclusion(_MARKER.sub("", text_of(row, "main_content")))
    return _Paper(
        id=text_of(row, "id"), title=text_of(row, "title"), abstract=" ".join(text_of(row, "abstract").split()),
        body=body, conclusion=conclusion, discipline=text_of(row, "discipline"), licence=text_of(row, "license"),
    )  # fmt: skip


def _lacks(paper: _Paper, *, again: bool) -> str:
    if again:
        return "the same id again"
    needed = {"id": paper.id, "title": paper.title, "abstract": paper.abstract, "main_content": paper.body.strip()}
    return next((f"no {name}" for name, value in needed.items() if not value), "")


def _fives(papers: Iterator[_Paper], faults: list[Fault]) -> Iterator[tuple[str, list[_Paper]]]:
    ordered = sorted(papers, key=lambda paper: (paper.discipline, paper.id))
    for discipline, group in groupby(ordered, key=lambda paper: paper.discipline):
        own = list(group)
        whole = len(own) // _PAPERS
        for number in range(whole):
            name = re.sub(r"\W+", "-", discipline.lower()).strip("-") or "papers"
            yield f"abstract-multi/{name}-{number + 1}", own[_PAPERS * number : _PAPERS * (number + 1)]
        faults += [
            Fault(where=f"papers.jsonl {paper.id}", reason=f"fewer than {_PAPERS} papers of {discipline!r} are left")
            for paper in own[_PAPERS * whole :]
        ]


def _references(folder: Path, given: Path | None, faults: list[Fault]) -> dict[str, tuple[str, ...]]:
    file = given or folder / REFERENCES
    if not file.is_file():
        if given is not None:
            raise InvalidInput(f"There is no file of references {str(given)!r}.")
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for where, row in json_lines(file, faults):
        texts = row.get("references")
        kept = tuple(str(each).strip() for each in texts if str(each).strip()) if isinstance(texts, list) else ()
        if kept and text_of(row, "id"):
            found[text_of(row, "id")] = kept
        else:
            faults.append(Fault(where=where, reason="no id or no reference"))
    return found
