"""Every seam of thinkback on one page: what a token counter, embedder, language model, judge and store must do.

An implementation needs nothing from this package but these protocols, ``types`` and ``errors``; each port has a contract
suite under ``tests/contracts`` that any implementation can be run against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    Filter,
    FloatMatrix,
    FloatVector,
    Item,
    Link,
    Ranking,
    Record,
    Rows,
    Status,
    StoredAnswer,
    Testimony,
    Thought,
    Usage,
)

__all__ = [
    "Claim",
    "Clock",
    "Delta",
    "Embedder",
    "Generator",
    "HistoryEvent",
    "InputKind",
    "Judge",
    "LazyEmbedder",
    "Message",
    "ModelTraits",
    "PaidEmbedder",
    "Progress",
    "PurgeReport",
    "Reader",
    "Reply",
    "Request",
    "Store",
    "StoreInfo",
    "TokenCounter",
    "Writer",
]

InputKind = Literal["query", "document"]
ItemClass = Literal["chunk", "thought"]
Claim = Literal["same", "different", "undecided"]
Relation = Literal["entailed", "contradicted", "neutral"]


class Clock(Protocol):
    """Tells the time; replaced in tests."""

    def __call__(self) -> float:
        """Return seconds since 1970, UTC."""
        ...


class Progress(Protocol):
    """Is told how far a long piece of work has come. Must be quick and must not raise."""

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:
        """Take the stage's name, what is done of what total (None: not known), and what is at hand."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as one particular model does."""

    exact: bool
    """False where the count is an estimate (which then errs to the high side)."""

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``, without special tokens; 0 for the empty text."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    id: str
    """Names model, weights and prefixes; two embedders with the same id give the same vectors."""

    @property
    def dimension(self) -> int:
        """Components of a vector; the first look may ask the model."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads, in ``count``'s terms; longer texts are cut silently, so chunks must not be."""
        ...

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return shape (len(texts), dimension), float32, rows of norm 1; (0, dimension) for no text.

        Raises:
            ModelError: the model gave NaN, too few vectors, or did not answer.
        """
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens, without special tokens, under the embedder's own tokenizer."""
        ...

    def close(self) -> None:
        """Free the model; calling it twice is fine."""
        ...


@runtime_checkable
class PaidEmbedder(Protocol):
    """What an embedder also has if its calls can cost: then they are counted, and held within the budgets."""

    def worst(self, texts: Sequence[str], *, kind: InputKind) -> Usage:
        """Return the most that embedding the texts can cost; an empty Usage where it costs nothing."""
        ...

    def embed_counted(self, texts: Sequence[str], *, kind: InputKind) -> tuple[FloatMatrix, Usage]:
        """Return what ``embed`` does, and what it did cost.

        Raises:
            ModelError: as ``embed``; ``usage`` is what had been spent by then.
        """
        ...


@runtime_checkable
class LazyEmbedder(Protocol):
    """What an embedder also has if looking at its dimension is work: a request, or loading the model."""

    def expect(self, dimension: int) -> None:
        """Take the dimension that a store has recorded for it. It is not asked for then, and other vectors are a ModelError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a language model is asked."""

    messages: tuple[Message, ...]
    max_tokens: int
    purpose: Literal["answer", "rewrite", "distil", "judge", "expert"] = "answer"
    temperature: float = 0.0
    seed: int = 42
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the reply must follow; adapters whose server cannot do so ask in words instead."""
    stop: tuple[str, ...] = ()
    before_more: Callable[[Usage, int], None] | None = field(default=None, compare=False, repr=False)
    """Called before an adapter asks once more with more room (of a model that used up its output on thinking), with what
    was spent so far and the most tokens of the next output. Raises BudgetExceeded to forbid it; None: nobody minds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of a streamed reply."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a language model said. ``text`` is free of thinking blocks; a JSON reply is still text here."""

    text: str
    model: str
    usage: Usage
    finish: Literal["stop", "length", "filter"] = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What the loop must know about a language model."""

    context_window: int
    """Tokens of prompt and reply together."""
    evidence_first: bool = False
    """True for small local models: ask for quotes before the answer, over a smaller context."""
    money_per_million_prompt: float = 0.0
    money_per_million_completion: float = 0.0
    local: bool = False


class Generator(Protocol):
    """A language model."""

    id: str
    """Names the model and, for a file, its checksum's first digits."""
    traits: ModelTraits

    def generate(self, request: Request) -> Reply:
        """Return the whole reply. Retries and back-off have happened inside; failed attempts are in the usage.

        Raises:
            ModelError: no usable reply came.
        """
        ...

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield pieces as they come, then exactly one Reply with the whole text. Closing the iterator stops the model.

        Raises:
            ModelError: also in mid-stream, when the connection is cut.
        """
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``; an estimate errs to the high side."""
        ...

    def close(self) -> None:
        """Free the model; calling it twice is fine."""
        ...


class Judge(Protocol):
    """Decides what cosine cannot: whether two claims are the same, whether a text carries a claim."""

    def same_claim(self, left: str, right: str) -> Claim:
        """Return whether two notes claim the same; ``undecided`` where it cannot tell."""
        ...

    def relation(self, premise: str, claim: str) -> Relation:
        """Return how a claim stands to a premise."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreInfo(Record):
    """What a store file says of itself."""

    path: str
    schema: int
    embedder_id: str
    dimension: int
    created_by: str
    created_at: float
    code_kind: Literal["sign", "int8"] = "sign"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEvent(Record):
    """Something that happened to a document, thought or testimony. Carries no text, so that deletion need not edit it."""

    namespace: str
    item_id: str
    event: str
    """added, updated, deleted, derived, linked, edited, stale, restored, retracted, superseded, refreshed, trust ..."""
    at: float
    detail: Mapping[str, str | int | float] = field(default_factory=dict)
    """Ids and numbers only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReport(Record):
    """Whether deleted text is gone from the bytes of the store."""

    status: Literal["purged", "purge_pending"]
    held_by: tuple[str, ...] = ()
    """Who still reads an old snapshot, as far as the system tells (process ids)."""
    seconds: float = 0.0


class Reader(Protocol):
    """A consistent snapshot of a store. Every method looks at one namespace only, unless it says otherwise.

    Methods that take ids ignore ids that do not exist in that namespace, and return in the order of the ids given.
    """

    # --- records -------------------------------------------------------------------------------------------------
    def namespaces(self) -> tuple[str, ...]:
        """Return the names that hold anything, sorted."""
        ...

    def revision(self, namespace: str) -> int:
        """Return a number that grows whenever anything retrievable in the namespace changes; 0 for an empty one."""
        ...

    def counts(self, namespace: str) -> Mapping[str, int]:
        """Return how many there are of each kind of record.

        Keys: documents, chunks, thoughts_active, thoughts_stale, thoughts_superseded, thoughts_retracted, derivations,
        testimonies, answers.
        """
        ...

    def documents(self, namespace: str, where: Filter | None = None) -> tuple[Document, ...]:
        """Return documents, oldest first (created_at, then id)."""
        ...

    def document(self, namespace: str, document_id: str) -> Document | None: ...

    def document_text(self, namespace: str, document_id: str) -> str | None:
        """Return the whole text that chunk offsets count in."""
        ...

    def document_by_uri(self, namespace: str, uri: str) -> Document | None: ...

    def documents_by_hash(self, namespace: str, content_hash: str) -> tuple[Document, ...]: ...

    def chunks(self, namespace: str, document_id: str) -> tuple[Chunk, ...]:
        """Return the document's chunks by ordinal."""
        ...

    def items(self, namespace: str, ids: Sequence[str]) -> tuple[Item, ...]:
        """Return chunks and thoughts (of any status) by id."""
        ...

    def testimonies(self, namespace: str, ids: Sequence[str]) -> tuple[Testimony, ...]: ...

    def thoughts(self, namespace: str, statuses: Sequence[Status] = ("active",)) -> tuple[Thought, ...]:
        """Return thoughts, oldest first (created_at, then id)."""
        ...

    def thoughts_by_text(self, namespace: str, text: str) -> tuple[Thought, ...]:
        """Return active thoughts whose ``ids.normalise``d text equals that of ``text``."""
        ...

    # --- the graph -----------------------------------------------------------------------------------------------
    def derivations(self, namespace: str, thought_ids: Sequence[str]) -> Mapping[str, tuple[Derivation, ...]]:
        """Return each thought's derivations, oldest first."""
        ...

    def thoughts_on(self, namespace: str, item_ids: Iterable[str]) -> tuple[str, ...]:
        """Return ids of thoughts (any status) with a derivation that has any of the items as evidence or root, sorted."""
        ...

    def live_roots(self, namespace: str, root_ids: Iterable[str]) -> frozenset[str]:
        """Return those of the ids that are chunks or testimonies which exist."""
        ...

    def links(self, namespace: str, thought_ids: Sequence[str] | None = None) -> tuple[Link, ...]:
        """Return links that touch any of the thoughts (None: all), oldest first."""
        ...

    # --- search --------------------------------------------------------------------------------------------------
    def search_dense(
        self, namespace: str, vector: FloatVector, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        """Return up to k rows by falling cosine (ties: lower row first). Only chunks and active thoughts are indexed."""
        ...

    def search_words(
        self, namespace: str, text: str, k: int, *, kind: ItemClass, where: Filter | None = None
    ) -> Ranking:
        """Return up to k rows by falling BM25. Any text is allowed: it is never read as query syntax."""
        ...

    def window_words(self, namespace: str, text: str, windows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return the BM25 of windows, shape (n,), each as if the words of its rows were one text; 0 where none stands there.

        ``windows`` has shape (n, w): index rows, and -1 for none; a row that is not in the namespace has no words. Lengths
        are measured against w rows of mean length, and a word in a share p of the rows counts as one in 1 - (1 - p)^w.
        """
        ...

    def cosines(self, namespace: str, rows: Rows, vector: FloatVector) -> npt.NDArray[np.float32]:
        """Return the exact cosine of each row, shape (len(rows),)."""
        ...

    def neighbours(self, namespace: str, rows: Rows) -> npt.NDArray[np.int64]:
        """Return shape (len(rows), 2): the rows of the chunk before and after in the same document, or -1."""
        ...

    def rows(self, namespace: str, ids: Sequence[str]) -> Rows:
        """Return the current index row of each id, or -1 where it is not indexed."""
        ...

    def items_at(self, namespace: str, rows: Rows) -> tuple[Item, ...]:
        """Return the items of rows, in order; all rows must come from this snapshot."""
        ...

    def vectors(self, namespace: str, ids: Sequence[str]) -> FloatMatrix:
        """Return the stored vectors (n, d) float32 of indexed ids; a row of zeros for an id that is not indexed."""
        ...

    # --- answers, history, usage ---------------------------------------------------------------------------------
    def answer(self, namespace: str, key: str) -> StoredAnswer | None: ...

    def answers(self, namespace: str) -> tuple[StoredAnswer, ...]:
        """Return all kept answers, oldest first."""
        ...

    def history(self, namespace: str, item_id: str | None = None) -> tuple[HistoryEvent, ...]:
        """Return events, oldest first."""
        ...

    def usage(self, namespace: str | None, since: float = 0.0) -> Usage:
        """Return the sum of what was recorded at or after ``since`` (None: of all namespaces)."""
        ...

    def outcomes(self, namespace: str) -> Mapping[str, int]:
        """Return how often each outcome status was recorded."""
        ...

    def setting(self, name: str) -> str | None:
        """Return a store-wide setting, such as a calibrated threshold."""
        ...


class Writer(Reader, Protocol):
    """A Reader that also writes; everything becomes durable together when its context ends without an error."""

    def put_document(self, document: Document, text: str, chunks: Sequence[Chunk], vectors: FloatMatrix) -> None:
        """Write a document as it now is, replacing an earlier version of the same id.

        ``chunks`` is the whole new list by ordinal and ``vectors`` has one row each. A chunk whose id the document
        already had keeps its index row and vector (its row of ``vectors`` is not read); chunks that are no longer in
        the list are removed.
        """
        ...

    def rename_document(self, namespace: str, document_id: str, *, uri: str, title: str) -> None: ...

    def set_document(self, document: Document) -> None:
        """Write metadata, trust, uri and title of a document that exists; chunks stay (their trust follows)."""
        ...

    def delete_documents(self, namespace: str, document_ids: Sequence[str]) -> None:
        """Remove documents with their chunks. The caller deals with the thoughts first."""
        ...

    def put_thought(self, thought: Thought, vector: FloatVector | None, derivations: Sequence[Derivation] = ()) -> None:
        """Write or overwrite a thought and add derivations to it.

        It is indexed iff it is active; then ``vector`` is needed, unless it is indexed already with the same text.
        """
        ...

    def delete_thoughts(self, namespace: str, thought_ids: Sequence[str]) -> None:
        """Remove thoughts with derivations, evidence and links."""
        ...

    def delete_derivations(self, namespace: str, derivation_ids: Sequence[str]) -> None: ...

    def redact_derivations(self, namespace: str, root_ids: Iterable[str]) -> int:
        """Blank question and answer of derivations whose ``shown`` has any of the ids; return how many."""
        ...

    def touch(self, namespace: str, thought_ids: Sequence[str], at: float) -> None:
        """Count one use of each thought."""
        ...

    def put_link(self, namespace: str, link: Link) -> None:
        """Write a link; writing it again changes nothing."""
        ...

    def put_testimony(self, testimony: Testimony) -> None: ...

    def delete_testimonies(self, namespace: str, ids: Sequence[str]) -> None: ...

    def put_answer(self, namespace: str, answer: StoredAnswer) -> None: ...

    def delete_answers_on(self, namespace: str, item_ids: Iterable[str]) -> int:
        """Remove kept answers that showed, or rest on, any of the items; return how many."""
        ...

    def delete_namespace(self, namespace: str) -> None:
        """Remove everything in it but usage totals (numbers without text) and id-only history."""
        ...

    def add_history(self, events: Iterable[HistoryEvent]) -> None: ...

    def add_usage(self, namespace: str, usage: Usage, at: float, purpose: str) -> None: ...

    def add_outcomes(self, namespace: str, statuses: Sequence[str]) -> None: ...

    def put_setting(self, name: str, value: str) -> None: ...


class Store(Protocol):
    """Where everything is kept. Safe to use from many threads; each context belongs to the thread that opened it."""

    def info(self) -> StoreInfo: ...

    def read(self) -> AbstractContextManager[Reader]:
        """Open a snapshot that does not change while it is open."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """Open a short transaction; leaving it by an error undoes all of it. Never call a model inside.

        Raises:
            StoreBusy, StoreFull, StoreReadOnly, StoreClosed
        """
        ...

    def purge(self) -> PurgeReport:
        """Make deleted text vanish from the bytes of the store, its index and its log."""
        ...

    def check(self) -> tuple[str, ...]:
        """Return the faults found between records, indexes and vectors, one sentence each; empty when sound."""
        ...

    def reset_vectors(self, embedder_id: str, dimension: int) -> None:
        """Forget all vectors and take another embedder; the caller then indexes anew with ``put_vectors``."""
        ...

    def put_vectors(self, namespace: str, ids: Sequence[str], vectors: FloatMatrix) -> None:
        """Index items anew, after ``reset_vectors``."""
        ...

    def close(self) -> None:
        """Release the file; later calls raise StoreClosed; calling it twice is fine."""
        ...
