"""What data sets are made of: one record format for writing, questions and retrieval.

A *task* asks for something about a *corpus*; tasks of the same corpus share one memory. Gold evidence is given in
characters of a document's text, so that it does not depend on how the text is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from thinkback.errors import InvalidInput
from thinkback.types import Record, Scalar

__all__ = ["Corpus", "Dataset", "Fault", "Gold", "Kind", "Note", "SourceText", "Split", "Task"]

Kind = Literal[
    "abstract",  # write a paper's abstract
    "abstract_multi",  # write one abstract over several papers
    "related_work",
    "title",
    "introduction",
    "summary",  # of a document or of several
    "question",
    "search",  # rank passages; nothing is written
]
"""What is asked for; it chooses the prompt that all systems write with, and the metrics that apply."""

Split = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText(Record):
    """A document of a corpus."""

    id: str
    text: str
    title: str = ""
    date: str = ""
    """ISO 8601, as far as it is known; orders documents in time."""
    passages: tuple[tuple[int, int], ...] = ()
    """Spans of ``text`` that are used as chunks as they are (turns of a dialogue, passages of a wiki); ascending, not
    overlapping. Empty: the bench cuts the text."""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Record):
    """A note that came with a data set: what some model distilled from spans of its documents."""

    text: str
    kind: str
    """As the data set calls it: observation, summary, event."""
    sources: tuple[Gold, ...]
    question: str = ""
    """Which it answers, where it is born from one."""
    answer: str = ""
    """To that question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold(Record):
    """A span that is needed for a task: ``document.text[start:end]``."""

    document_id: str
    start: int
    end: int
    grade: int = 1
    """Relevance as the data set grades it; 0 is judged and not relevant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus(Record):
    """Documents that tasks are asked about."""

    id: str
    documents: tuple[SourceText, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Record):
    """One thing that is asked."""

    id: str
    corpus_id: str
    kind: Kind
    query: str
    """The request, complete and self-contained: what retrieval and the model are given."""
    references: tuple[str, ...] = ()
    """Texts that an answer is compared with, any of which is right; empty for pure retrieval."""
    gold: tuple[Gold, ...] = ()
    pre_queries: tuple[str, ...] = ()
    """Questions asked before, from which memories are made; never derived from the references."""
    split: Split = "test"
    licence: str = ""
    category: str = ""
    """As the data set has it; results are also given by category."""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    """What prompts need beside the query (``title``, ``abstract``), and what else the data set says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Record):
    """A record that could not be used: it is named and counted, never dropped in silence."""

    where: str
    """File and line, or the record's id."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset(Record):
    """Tasks and the corpora they are about.

    Raises:
        InvalidInput: two corpora or tasks of one id, a task about no corpus, or gold outside its document.
    """

    name: str
    corpora: tuple[Corpus, ...]
    tasks: tuple[Task, ...]
    licence: str
    source: str
    """Where it is from: a citation or an address."""
    faults: tuple[Fault, ...] = ()

    def __post_init__(self) -> None:
        lengths: dict[str, dict[str, int]] = {}
        for corpus in self.corpora:
            if corpus.id in lengths:
                raise InvalidInput(f"{self.name}: there are two corpora {corpus.id!r}.")
            lengths[corpus.id] = {each.id: len(each.text) for each in corpus.documents}
            if len(lengths[corpus.id]) != len(corpus.documents):
                raise InvalidInput(f"{self.name}: two documents of corpus {corpus.id!r} have the same id.")
        seen: set[str] = set()
        for task in self.tasks:
            self._check(task, lengths)
            if task.id in seen:
                raise InvalidInput(f"{self.name}: there are two tasks {task.id!r}.")
            seen.add(task.id)

    def _check(self, task: Task, lengths: Mapping[str, Mapping[str, int]]) -> None:
        if task.corpus_id not in lengths:
            raise InvalidInput(f"{self.name}: task {task.id!r} is about the unknown corpus {task.corpus_id!r}.")
        if task.kind not in get_args(Kind):
            raise InvalidInput(f"{self.name}: task {task.id!r} is of the unknown kind {task.kind!r}.")
        for gold in task.gold:
            length = lengths[task.corpus_id].get(gold.document_id)
            if length is None or not 0 <= gold.start < gold.end <= length:
                raise InvalidInput(f"{self.name}: task {task.id!r} has gold outside its corpus: {gold.document_id!r}.")

    def corpus(self, corpus_id: str) -> Corpus:
        """Return the corpus of that id.

        Raises:
            KeyError: there is none.
        """
        return next((each for each in self.corpora if each.id == corpus_id), None) or _unknown(corpus_id)


def _unknown(corpus_id: str) -> Corpus:
    raise KeyError(corpus_id)
