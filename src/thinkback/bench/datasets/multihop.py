"""Questions over several passages: HotpotQA, MuSiQue and 2WikiMultiHopQA, with the passages of all questions in one corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.bench.datasets.passages import one_passage
from thinkback.bench.datasets.reading import json_records, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task

__all__ = ["load_2wiki", "load_hotpotqa", "load_hotpotqa_train", "load_musique", "load_musique_train"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    name: str
    files: tuple[str, ...]
    licence: str
    source: str


def load_hotpotqa(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return HotpotQA (Yang et al., EMNLP 2018), 200 questions of its development set: ten passages each, two of them gold.

    Args:
        folder: with hotpot.json, or the whole development set as it is published (hotpot_dev_distractor_v1.json).
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="hotpotqa", files=("hotpot.json", "hotpot_dev_distractor_v1.json"), licence="CC BY-SA 4.0",
        source="Yang et al., HotpotQA, EMNLP 2018"))  # fmt: skip


def load_hotpotqa_train(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return 100 questions of HotpotQA's training set.

    Args:
        folder: with hotpotqa_train.json.
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="hotpotqa-train", files=("hotpotqa_train.json",), licence="CC BY-SA 4.0",
        source="Yang et al., HotpotQA, EMNLP 2018; the choice of HippoRAG (Gutierrez et al., NeurIPS 2024)"))  # fmt: skip


def load_2wiki(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return 2WikiMultiHopQA (Ho et al., COLING 2020), 200 questions of its development set, 36 of them without passages.

    Args:
        folder: with wikihop.json, or the whole development set as it is published (dev.json).
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="2wiki", files=("wikihop.json", "dev.json"), licence="Apache-2.0; text CC BY-SA",
        source="Ho et al., 2WikiMultiHopQA, COLING 2020"))  # fmt: skip


def load_musique(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return MuSiQue-Ans (Trivedi et al., TACL 2022), 200 questions of its development set: twenty passages, two to four gold.

    Args:
        folder: with musique.json, or the whole development set as it is published (musique_ans_v1.0_dev.jsonl).
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="musique", files=("musique.json", "musique_ans_v1.0_dev.jsonl"), licence="CC BY 4.0; text CC BY-SA",
        source="Trivedi et al., MuSiQue, TACL 2022"))  # fmt: skip


def load_musique_train(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return 100 questions of MuSiQue-Ans's training set.

    Args:
        folder: with musique_train.json.
        limit: most questions, the first; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    return _load(folder, limit, _Set(
        name="musique-train", files=("musique_train.json",), licence="CC BY 4.0; text CC BY-SA",
        source="Trivedi et al., MuSiQue, TACL 2022; the choice of HippoRAG (Gutierrez et al., NeurIPS 2024)"))  # fmt: skip


@dataclass(slots=True)
class _Pool:
    """The passages of all questions, each once."""

    documents: dict[tuple[str, str], SourceText] = field(default_factory=dict)

    def put(self, title: str, text: str) -> Gold:
        """Return the whole passage as a span, added if it is new."""
        key = (title, text)
        if key not in self.documents:
            self.documents[key] = one_passage(f"p{len(self.documents)}", title, text)
        found = self.documents[key]
        return Gold(document_id=found.id, start=0, end=len(found.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passages:
    given: tuple[tuple[str, str, bool], ...] = ()
    """Title, text, and whether it is gold."""
    missing: int = 0
    """Gold passages that are not given."""


def _load(folder: Path, limit: int | None, of: _Set) -> Dataset:
    faults: list[Fault] = []
    pool = _Pool()
    tasks: dict[str, Task] = {}
    for where, row in json_records(need_one(folder, of.files), faults):
        if limit is not None and len(tasks) >= limit:
            break
        key = text_of(row, "_id") or text_of(row, "id")
        place = f"{where} {key}".strip()
        try:
            passages = _passages(row)
        except (KeyError, TypeError, ValueError) as error:
            faults.append(Fault(where=place, reason=f"passages cannot be read: {type(error).__name__} {error}"))
            continue
        reason = "the same id again" if key in tasks else _lacks(key, row, passages)
        if reason:
            faults.append(Fault(where=place, reason=reason))
            continue
        if passages.missing:
            faults.append(Fault(where=place, reason=f"{passages.missing} of the gold passages are not given"))
        spans = [(pool.put(title, text), needed) for title, text, needed in passages.given]
        aliases = row.get("answer_aliases")
        answers = [text_of(row, "answer"), *(str(each) for each in aliases or () if str(each).strip())]
        tasks[key] = Task(
            id=f"{of.name}/{key}", corpus_id=of.name, kind="question", query=text_of(row, "question"),
            references=tuple(dict.fromkeys(answers)), gold=tuple(dict.fromkeys(span for span, needed in spans if needed)),
            licence=of.licence, category=text_of(row, "type") or _hops(key),
        )  # fmt: skip
    corpus = Corpus(id=of.name, documents=tuple(pool.documents.values()))
    return Dataset(
        name=of.name, corpora=(corpus,), tasks=tuple(tasks.values()), licence=of.licence, source=of.source,
        faults=tuple(faults),
    )  # fmt: skip


def _lacks(key: str, row: Mapping[str, Any], passages: _Passages) -> str:
    if not key:
        return "no id"
    for name in ("question", "answer"):
        if not text_of(row, name):
            return f"no {name}"
    if row.get("answerable") is False:
        return "made to have no answer"
    if not passages.given:
        return "no passages"
    return "" if any(needed for _, _, needed in passages.given) else "no gold passage"


def _passages(row: Mapping[str, Any]) -> _Passages:
    """Read the passages in either of the two published forms."""
    if "paragraphs" in row:  # MuSiQue
        needed = {step["paragraph_support_idx"] for step in row["question_decomposition"]} - {None}
        given = [(str(each["title"]), str(each["paragraph_text"]), each["idx"]) for each in row["paragraphs"]]
        return _kept([(title, text, place in needed) for title, text, place in given],
                     len(needed - {place for _, _, place in given}))  # fmt: skip
    titles = {str(title) for title, _ in row.get("supporting_facts") or ()}
    found = list(_wiki(row, titles))
    return _kept(found, len(titles - {title for title, _, _ in found}))


def _wiki(row: Mapping[str, Any], titles: set[str]) -> Iterator[tuple[str, str, bool]]:
    for title, sentences in row.get("context") or ():
        yield str(title), " ".join(str(each).strip() for each in sentences), str(title) in titles


def _kept(given: list[tuple[str, str, bool]], missing: int) -> _Passages:
    """Leave out passages without a text."""
    return _Passages(
        given=tuple(each for each in given if each[1].strip()),
        missing=missing + sum(needed and not text.strip() for _, text, needed in given),
    )


def _hops(key: str) -> str:
    return key.partition("__")[0] if "hop" in key else ""
