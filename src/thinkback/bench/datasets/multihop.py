"""Questions over several passages: HotpotQA, MuSiQue and 2WikiMultiHopQA, with the passages of all questions in one corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.reading import json_lines, need_file
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task

__all__ = ["load_2wiki", "load_hotpotqa", "load_musique"]


def load_hotpotqa(folder: Path) -> Dataset:
    """Return HotpotQA (Yang et al., EMNLP 2018): ten passages a question, two of them gold.

    Args:
        folder: with hotpot.json, one record a line.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, "hotpotqa", "hotpot.json", "CC BY-SA 4.0", "Yang et al., HotpotQA, EMNLP 2018")


def load_2wiki(folder: Path) -> Dataset:
    """Return 2WikiMultiHopQA (Ho et al., COLING 2020). Questions without passages are faults.

    Args:
        folder: with wikihop.json, one record a line.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(
        folder, "2wiki", "wikihop.json", "Apache-2.0; text CC BY-SA", "Ho et al., 2WikiMultiHopQA, COLING 2020"
    )


def load_musique(folder: Path) -> Dataset:
    """Return MuSiQue-Ans (Trivedi et al., TACL 2022): twenty passages a question, two to four of them gold.

    Args:
        folder: with musique.json, one record a line.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, "musique", "musique.json", "CC BY 4.0; text CC BY-SA", "Trivedi et al., MuSiQue, TACL 2022")


@dataclass(slots=True)
class _Pool:
    """The passages of all questions, each once."""

    documents: dict[tuple[str, str], SourceText] = field(default_factory=dict)

    def put(self, title: str, text: str) -> Gold:
        """Return the whole passage as a span, added if it is new. Its title is part of the text: it names the subject."""
        key = (title, text)
        if key not in self.documents:
            whole = f"{title}\n{text}"
            self.documents[key] = SourceText(
                id=f"p{len(self.documents)}", title=title, text=whole, passages=((0, len(whole)),)
            )
        found = self.documents[key]
        return Gold(document_id=found.id, start=0, end=len(found.text))


def _load(folder: Path, name: str, file: str, licence: str, source: str) -> Dataset:
    faults: list[Fault] = []
    pool = _Pool()
    tasks: list[Task] = []
    seen: set[str] = set()
    for where, row in json_lines(need_file(folder, file), faults):
        key = str(row.get("_id", row.get("id", "")))
        question, answer = str(row.get("question", "")).strip(), str(row.get("answer", "")).strip()
        try:
            passages = list(_passages(row))
        except (KeyError, TypeError, ValueError) as error:
            faults.append(Fault(where=f"{where} {key}", reason=f"passages cannot be read: {error}"))
            continue
        gold = tuple(dict.fromkeys(pool.put(title, text) for title, text, needed in passages if needed))
        reason = (
            ("the same id again" if key in seen else "") or ("" if question else "no question")
            or ("" if answer else "no answer") or ("" if passages else "no passages") or ("" if gold else "no gold passage")
        )  # fmt: skip
        if reason:
            faults.append(Fault(where=f"{where} {key}", reason=reason))
            continue
        seen.add(key)
        for title, text, _ in passages:
            pool.put(title, text)
        references = tuple(dict.fromkeys([answer, *map(str, row.get("answer_aliases") or ())]))
        tasks.append(
            Task(id=f"{name}/{key}", corpus_id=name, kind="question", query=question, references=references, gold=gold,
                 licence=licence, category=str(row.get("type", "")) or _hops(key))
        )  # fmt: skip
    corpus = Corpus(id=name, documents=tuple(pool.documents.values()))
    return Dataset(
        name=name, corpora=(corpus,), tasks=tuple(tasks), licence=licence, source=source, faults=tuple(faults)
    )


def _passages(row: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield title, text and whether it is gold, in either of the two published forms."""
    if "paragraphs" in row:  # MuSiQue
        needed = {step["paragraph_support_idx"] for step in row["question_decomposition"]}
        for each in row["paragraphs"]:
            yield str(each["title"]), str(each["paragraph_text"]), each["idx"] in needed
        return
    titles = {title for title, _ in row.get("supporting_facts", ())}
    for title, sentences in row.get("context") or ():
        yield str(title), " ".join(str(each).strip() for each in sentences), title in titles


def _hops(key: str) -> str:
    return key.partition("__")[0] if "hop" in key else ""
