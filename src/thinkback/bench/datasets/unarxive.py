"""Abstract-single from full texts of arXiv papers in unarXive's form (Saier et al., JCDL 2023): one paper, one abstract."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from thinkback.bench.datasets.reading import json_lines, need_file
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Task
from thinkback.bench.requests import PRE_QUERIES, abstract

__all__ = ["load_abstract_single", "without_conclusion"]

_NOT_PAPERS = {"2212.11791": "a letter to reviewers, not the paper"}
_CONCLUSION = re.compile(r"\b(?:conclusions?|concluding remarks)\b", re.IGNORECASE)
_LONGEST_HEADING = 80  # characters
_SHINGLE = 12  # words


def load_abstract_single(folder: Path, *, discipline: str | None = "Computer Science", pre_queries: int = 5) -> Dataset:
    """Return a task a paper: its abstract, to be written from the body without the conclusion.

    The conclusion is kept in the task's metadata, for the baseline that reads it; it is in no corpus. A paper whose body
    repeats twelve words in a row of its abstract loses the sentences that do.

    Args:
        folder: with papers.jsonl.
        discipline: as the data names it; None: all.
        pre_queries: how many general questions are asked before.

    Raises:
        InvalidInput: the file is missing.
    """
    faults: list[Fault] = []
    corpora, tasks = [], []
    seen: set[str] = set()
    for where, row in json_lines(need_file(folder, "papers.jsonl"), faults):
        key = str(row.get("id", ""))
        if discipline is not None and row.get("discipline") != discipline:
            continue
        title, reference = str(row.get("title", "")).strip(), " ".join(str(row.get("abstract", "")).split())
        body, conclusion = without_conclusion(str(row.get("main_content", "")))
        body = without_sentences_of(body, reference)
        reason = _NOT_PAPERS.get(key) or _lacks(key in seen, key, title, reference, body)
        if reason:
            faults.append(Fault(where=f"{where} {key}".strip(), reason=reason))
            continue
        seen.add(key)
        corpora.append(Corpus(id=key, documents=(SourceText(id=key, title=title, text=body),)))
        tasks.append(
            Task(
                id=f"abstract-single/{key}", corpus_id=key, kind="abstract", query=abstract(title),
                references=(reference,), pre_queries=PRE_QUERIES[:pre_queries], licence=str(row.get("license", "")),
                category=str(row.get("discipline", "")), metadata={"title": title, "conclusion": conclusion},
            )
        )  # fmt: skip
    return Dataset(
        name="abstract-single",
        corpora=tuple(corpora),
        tasks=tuple(tasks),
        licence="each paper's own (CC BY and the like), in its task",
        source="unarXive 2022 (Saier et al., JCDL 2023), data sample; AcademicEval's Abstract-single form",
        faults=tuple(faults),
    )


def without_conclusion(body: str) -> tuple[str, str]:
    """Return the body without its concluding section, and that section without its heading (empty if there is none).

    The section goes from the last heading that names a conclusion to the next heading, or the end.
    """
    lines = body.split("\n")
    headings = [number for number, line in enumerate(lines) if _is_heading(line)]
    first = next((number for number in reversed(headings) if _CONCLUSION.search(lines[number])), None)
    if first is None:
        return body, ""
    after = next((number for number in headings if number > first), len(lines))
    return "\n".join([*lines[:first], *lines[after:]]), "\n".join(lines[first + 1 : after]).strip()


def _is_heading(line: str) -> bool:
    words = line.strip()
    return 0 < len(words) <= _LONGEST_HEADING and words[-1] not in ".,;:?!" and words[0].isupper()


def without_sentences_of(body: str, reference: str) -> str:
    """Return the body without the lines' sentences that have twelve words in a row of the reference."""
    taken = shingles(reference)
    if not taken & shingles(body):
        return body
    kept = []
    for line in body.split("\n"):
        sentences = re.split(r"(?<=[.!?])\s+", line)
        kept.append(" ".join(each for each in sentences if not taken & shingles(each)))
    return "\n".join(kept)


def shingles(text: str, size: int = _SHINGLE) -> set[tuple[str, ...]]:
    """Return the runs of ``size`` words of a text, lower case, without punctuation."""
    words: Sequence[str] = re.findall(r"\w+", text.lower())
    return {tuple(words[place : place + size]) for place in range(len(words) - size + 1)}


def _lacks(again: bool, key: str, title: str, reference: str, body: str) -> str:
    if again:
        return "the same id again"
    for name, value in (("id", key), ("title", title), ("abstract", reference), ("main_content", body.strip())):
        if not value:
            return f"no {name}"
    return ""
