"""Summaries and questions over one long text, as L-Eval (An et al., ACL 2024) collected them from other data sets.

Some of its documents stand there twice, once for each of its ways of scoring: the second is a fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.reading import json_lines, need_file, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Kind, SourceText, Task

__all__ = [
    "load_bigpatent",
    "load_govreport",
    "load_multi_news",
    "load_quality",
    "load_scientific_qa",
    "load_summscreen",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    name: str
    file: str
    kind: Kind
    licence: str
    source: str


def load_govreport(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return GovReport (Huang et al., NAACL 2021): reports of American authorities, each with its summary.

    Args:
        folder: with gov_report_summ.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    source = "Huang et al., Efficient Attentions for Long Document Summarization, NAACL 2021; from L-Eval"
    return _load(folder, limit, _Set(
        name="govreport", file="gov_report_summ.jsonl", kind="summary", licence="works of the US government",
        source=source))  # fmt: skip


def load_multi_news(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return Multi-News (Fabbri et al., ACL 2019): news articles on one event, run together into one text.

    Args:
        folder: with news_summ.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="multi-news", file="news_summ.jsonl", kind="summary", licence="for research that is not commercial",
        source="Fabbri et al., Multi-News, ACL 2019; from L-Eval"))  # fmt: skip


def load_bigpatent(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return BigPatent (Sharma et al., ACL 2019): patents, each with its abstract.

    Args:
        folder: with patent_summ.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="bigpatent", file="patent_summ.jsonl", kind="summary", licence="CC BY 4.0",
        source="Sharma et al., BIGPATENT, ACL 2019; from L-Eval"))  # fmt: skip


def load_summscreen(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return SummScreen (Chen et al., ACL 2022): transcripts of television series, each with a recap.

    Args:
        folder: with tv_show_summ.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="summscreen", file="tv_show_summ.jsonl", kind="summary", licence="not stated",
        source="Chen et al., SummScreen, ACL 2022; from L-Eval"))  # fmt: skip


def load_scientific_qa(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return questions of Qasper (Dasigi et al., NAACL 2021) on papers on language processing.

    Args:
        folder: with scientific_qa.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="scientific-qa", file="scientific_qa.jsonl", kind="question", licence="CC BY 4.0",
        source="Dasigi et al., Qasper, NAACL 2021; from L-Eval"))  # fmt: skip


def load_quality(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return QuALITY (Pang et al., NAACL 2022): questions with four answers to choose from; the reference is the right one.

    Args:
        folder: with quality.jsonl.
        limit: most documents; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="quality", file="quality.jsonl", kind="question", licence="CC BY 4.0",
        source="Pang et al., QuALITY, NAACL 2022; from L-Eval"))  # fmt: skip


def _load(folder: Path, limit: int | None, of: _Set) -> Dataset:
    faults: list[Fault] = []
    corpora: dict[str, Corpus] = {}
    asked: dict[tuple[str, str], dict[str, None]] = {}
    for where, row in json_lines(need_file(folder, of.file), faults):
        text = text_of(row, "input")
        pairs = _pairs(where, row, faults)
        if not text or not pairs:
            faults.append(Fault(where=where, reason="no pair of instruction and output" if text else "no input"))
            continue
        if text not in corpora:
            if limit is not None and len(corpora) >= limit:
                continue
            name = f"{of.name}-{len(corpora) + 1}"
            corpora[text] = Corpus(id=name, documents=(SourceText(id=name, text=text),))
        for instruction, output in pairs:
            known = asked.setdefault((text, instruction), {})
            if output in known:
                faults.append(
                    Fault(where=where, reason=f"the same document, instruction and output again: {corpora[text].id}")
                )
            known[output] = None
    tasks: list[Task] = []
    for (text, instruction), outputs in asked.items():
        corpus_id = corpora[text].id
        number = 1 + sum(task.corpus_id == corpus_id for task in tasks)
        tasks.append(
            Task(id=f"{corpus_id}/{number}", corpus_id=corpus_id, kind=of.kind, query=instruction,
                 references=tuple(outputs), licence=of.licence)
        )  # fmt: skip
    return Dataset(
        name=of.name, corpora=tuple(corpora.values()), tasks=tuple(tasks), licence=of.licence, source=of.source,
        faults=tuple(faults),
    )  # fmt: skip


def _pairs(where: str, row: dict[str, Any], faults: list[Fault]) -> list[tuple[str, str]]:
    instructions, outputs = row.get("instructions"), row.get("outputs")
    if not isinstance(instructions, list) or not isinstance(outputs, list) or len(instructions) != len(outputs):
        return []
    found = []
    for number, (instruction, output) in enumerate(zip(instructions, outputs, strict=True), 1):
        if isinstance(instruction, str) and isinstance(output, str) and instruction.strip() and output.strip():
            found.append((instruction.strip(), output.strip()))
        else:
            faults.append(Fault(where=f"{where} instruction {number}", reason="no instruction or no output"))
    return found
