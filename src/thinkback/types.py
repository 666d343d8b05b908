"""The data that the parts of thinkback hand to one another: frozen records, no behaviour.

Vocabulary as in the documentation: a *document* is a source, a *chunk* a span of it, a *thought* a validated knowledge
point; *item* means any of the things that retrieval returns. Times are UTC, seconds since 1970 as a float.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "AddReport",
    "AddResult",
    "Answer",
    "Atom",
    "Chunk",
    "Citation",
    "Derivation",
    "Document",
    "Evidence",
    "Filter",
    "FloatMatrix",
    "FloatVector",
    "Hit",
    "Item",
    "ItemKind",
    "Link",
    "LinkKind",
    "LoadedDocument",
    "Outcome",
    "OutcomeStatus",
    "PageMark",
    "Ranking",
    "Record",
    "Root",
    "RootKind",
    "Rows",
    "Scalar",
    "SpanText",
    "Status",
    "StoredAnswer",
    "Testimony",
    "Thought",
    "Trust",
    "Usage",
]

Scalar: TypeAlias = str | int | float | bool
"""What a metadata value may be."""

FloatVector: TypeAlias = npt.NDArray[np.float32]
"""One embedding: shape (d,), float32, L2 norm 1 (or 0 for a text without content)."""

FloatMatrix: TypeAlias = npt.NDArray[np.float32]
"""Embeddings: shape (n, d), float32, rows L2-normalised."""

Rows: TypeAlias = npt.NDArray[np.int64]
"""Index rows of a store, shape (n,). A row number is never reused; it changes when an item is indexed anew."""

ItemKind = Literal["chunk", "thought", "testimony"]
RootKind = Literal["chunk", "testimony"]
Status = Literal["active", "stale", "superseded", "retracted"]
Trust = Literal["untrusted", "normal", "trusted"]
"""In rising order. Files that the user names are ``normal``; URLs, uploads and what agents add are ``untrusted``."""

LinkKind = Literal["conflict", "related", "superseded_by"]
OutcomeStatus = Literal[
    "stored",  # a new thought
    "linked",  # a new derivation of a thought that already stands (twin)
    "conflict",  # stored, and linked to a thought that says otherwise
    "redundant",  # paper presets only: too near to a chunk or thought
    "abstained",  # the answer says that it cannot be answered
    "unsupported",  # no span of the shown items carries it
    "unreadable",  # the model's reply was not of the asked form, twice
    "quarantined",  # rests on untrusted text that tries to steer the model
    "over_budget",
    "error",
    "off",  # remembering was switched off
]


class Record:
    """Base of the public result types: adds ``to_dict``."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, strings and numbers, ready for JSON."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMark(Record):
    """Where a page of a document begins in its text."""

    page: int
    """As printed on the file's own count, from 1."""
    start: int
    """Character offset into the document's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDocument(Record):
    """A file turned into text. Offsets of everything later count characters of ``text``."""

    text: str
    title: str
    uri: str
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    pages: tuple[PageMark, ...] = ()
    """Empty where the format has no pages; else ascending, the first at offset 0."""
    warnings: tuple[str, ...] = ()
    """What was left out or could not be read, in a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanText(Record):
    """A piece that a chunker cut: ``text == document.text[start:end]``, always."""

    start: int
    end: int
    text: str
    tokens: int
    """Under the counter that the chunker was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Record):
    """A source."""

    id: str
    namespace: str
    uri: str
    """Where it came from: a path, a URL, or ``text:`` and a hash for text that was given directly."""
    title: str
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    content_hash: str
    """SHA-256 of the text."""
    version: int = 1
    """Counts up with every change of content."""
    trust: Trust = "normal"
    created_at: float
    updated_at: float
    chunk_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk(Record):
    """A span of a document."""

    id: str
    namespace: str
    document_id: str
    ordinal: int
    """Position in the document, from 0, without gaps."""
    start: int
    end: int
    page: int | None = None
    text: str
    content_hash: str
    trust: Trust = "normal"
    """The document's label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought(Record):
    """A validated knowledge point distilled from a question and its answer."""

    id: str
    namespace: str
    text: str
    level: float
    """Abstraction level: 1 + the mean level of the sources of the derivation with the most support; a chunk has 1."""
    status: Status = "active"
    reason: str = ""
    """Why it is not active; empty for an active one."""
    trust: Trust = "normal"
    """The lowest label among its roots."""
    support: int = 1
    """Number of distinct live root sets, not counting those reached through the thought itself."""
    created_at: float
    last_used_at: float | None = None
    use_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Testimony(Record):
    """What another model (or a person) said, kept as a root in its own right."""

    __test__ = False  # not a pytest class

    id: str
    namespace: str
    source: str
    """Who said it."""
    question: str
    answer: str
    trust: Trust = "untrusted"
    created_at: float


Item: TypeAlias = Chunk | Thought


@dataclass(frozen=True, slots=True, kw_only=True)
class Root(Record):
    """A raw item that a thought stands on in the end."""

    kind: RootKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Record):
    """A span of an item that carries an atom: ``quote == item.text[start:end]``."""

    item_kind: ItemKind
    item_id: str
    start: int
    end: int
    quote: str
    score: float
    """How much of the atom the quote carries, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation(Record):
    """One way in which a thought was come by. It is live while all its roots are."""

    id: str
    thought_id: str
    question: str
    answer: str
    confidence: float
    """The model's own word that the answer is one, 0 to 1."""
    model: str
    prompt_hash: str
    created_at: float
    level: float
    evidence: tuple[Evidence, ...]
    roots: tuple[Root, ...]
    """The union of the roots of the evidence items, sorted by kind and id."""
    shown: tuple[str, ...] = ()
    """Ids of all raw items that the answer could draw on (what was shown, followed to its roots), sorted: when one of
    them is deleted, question and answer are blanked, since they may hold its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link(Record):
    """A relation between two thoughts; ``conflict`` and ``related`` have no direction."""

    left: str
    right: str
    kind: LinkKind
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom(Record):
    """A distilled note before admission: one self-contained claim and the shown items that it says it stands on."""

    text: str
    item_numbers: tuple[int, ...]
    """Numbers of the packed items, from 1, as the model gave them; those that do not exist are already gone."""
    confidence: float = 1.0
    overview: bool = False
    """A higher-level thought over the other atoms of the same answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Record):
    """What a search is limited to; an empty filter limits nothing. All conditions must hold.

    A thought passes only if every one of its roots does.
    """

    document_ids: tuple[str, ...] | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    """Key and the value that it must equal, typed: 1 is not "1"."""
    min_trust: Trust | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What a search returned: rows by falling score."""

    rows: Rows
    scores: npt.NDArray[np.float32]
    """Cosine for dense search, BM25 (larger is better, unbounded) for words; same length as ``rows``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Record):
    """A retrieved item."""

    item: Item
    kind: Literal["chunk", "thought"]
    row: int
    score: float
    """The fused score in (0, 1]: reciprocal ranks, divided by the best possible sum."""
    cosine: float
    """Between query and item."""
    why: Mapping[str, int]
    """Ranking name to rank from 1; a ranking that did not return the item is absent."""
    title: str = ""
    """Of the chunk's document; empty for a thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Record):
    """A place in raw text that a sentence of an answer stands on."""

    marker: int
    """The [n] of the answer."""
    document_id: str
    """Empty for a testimony."""
    title: str
    uri: str
    page: int | None
    start: int
    end: int
    """Character offsets into the document's text (into the answer for a testimony)."""
    quote: str
    root_id: str
    """The chunk or testimony."""
    via: str | None = None
    """The thought through which it was reached, if any."""
    carries: bool | None = None
    """Of a passage that a small model quoted: whether the words of the answer were found in it. None: not looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Record):
    """What became of one atom, and why."""

    status: OutcomeStatus
    reason: str
    text: str = ""
    thought_id: str | None = None
    other_id: str | None = None
    """The twin, the conflicting or the too similar item."""
    support: float = 0.0
    """Best evidence score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Record):
    """What a call cost. Add two with ``+``."""

    calls: int = 0
    """Of a language model."""
    failed_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedding_calls: int = 0
    """Requests to an embedder behind an endpoint."""
    embedded_tokens: int = 0
    """Tokens that such an embedder read; they are no part of the prompt tokens."""
    cached_prompt_tokens: int = 0
    """Of the prompt tokens, those that the model had already read (prefix cache)."""
    money: float = 0.0
    """In the currency of the price list; 0 for local models."""
    estimated: bool = False
    """True where a server sent no counts and ours stand in."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Stage name to wall seconds: embed, search, answer, remember."""

    def __add__(self, other: Usage) -> Usage:
        seconds = dict(self.seconds)
        for stage, value in other.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + value
        return Usage(
            calls=self.calls + other.calls,
            failed_calls=self.failed_calls + other.failed_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            embedding_calls=self.embedding_calls + other.embedding_calls,
            embedded_tokens=self.embedded_tokens + other.embedded_tokens,
            cached_prompt_tokens=self.cached_prompt_tokens + other.cached_prompt_tokens,
            money=self.money + other.money,
            estimated=self.estimated or other.estimated,
            seconds=seconds,
        )

    @property
    def tokens(self) -> int:
        """Prompt, completion and what was embedded, together."""
        return self.prompt_tokens + self.completion_tokens + self.embedded_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Record):
    """What ``ask`` returns."""

    question: str
    text: str
    found: bool
    """False for an abstention; then there are no citations."""
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    """The packed items, in the order shown to the model."""
    outcomes: tuple[Outcome, ...]
    """One per atom."""
    cached: bool
    usage: Usage
    namespace: str
    model: str
    dropped_markers: int = 0
    """Markers in the reply that pointed nowhere."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer(Record):
    """A kept answer or abstention."""

    key: str
    """Hash of normalised question, filter, preset and model."""
    evidence_hash: str
    """Hash of the ids and content of the items that were shown."""
    question: str
    text: str
    found: bool
    item_ids: tuple[str, ...]
    """Items shown, in order."""
    roots: tuple[Root, ...]
    """All raw items that the shown items rest on: deleting any of them deletes the answer."""
    citations: tuple[Citation, ...]
    model: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult(Record):
    """What became of one source given to ``add``."""

    status: Literal["added", "updated", "unchanged", "moved", "empty", "failed", "removed"]
    uri: str
    document_id: str | None
    title: str = ""
    chunks: int = 0
    chunks_kept: int = 0
    """Chunks of the former version whose text stands unchanged."""
    stale: tuple[str, ...] = ()
    """Thoughts that went stale by it."""
    reason: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddReport(Record):
    """What ``add`` and ``sync`` return: one result per source, in order."""

    results: tuple[AddResult, ...]
    seconds: float
    usage: Usage = field(default_factory=Usage)
    """What embedding cost, where the embedder is one that is paid."""

    def __iter__(self) -> Iterator[AddResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the documents that are now in the store, in order."""
        return tuple(result.document_id for result in self.results if result.document_id and result.status != "removed")
