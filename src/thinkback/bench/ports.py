"""The seams of the bench: what a system under test, and a metric, must do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.records import Kind, Task
from thinkback.types import Record, Scalar

__all__ = [
    "Allowance",
    "Cost",
    "Metric",
    "Output",
    "Query",
    "ReadsItems",
    "Score",
    "Scored",
    "SeesGold",
    "SetMetric",
    "Shown",
    "ShownKind",
    "System",
]

ShownKind = Literal["chunk", "thought", "summary", "excerpt", "testimony", "text"]
"""``excerpt``: a part of chunks, compressed; ``summary``: written by a model at construction; ``text``: unchunked text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Record):
    """What a system is told of a task: everything but references and gold."""

    task_id: str
    kind: Kind
    text: str
    metadata: Mapping[str, Scalar] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task) -> Query:
        """Return the open part of a task."""
        return cls(task_id=task.id, kind=task.kind, text=task.query, metadata=task.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance(Record):
    """What every system may use for one answer, the same for all."""

    context_tokens: int = 2000
    """Tokens of what is shown, under the writing model's tokenizer (the embedder's in a run without a model)."""
    answer_tokens: int = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(Record):
    """What a piece of work took. Kept replies count as they did when they were made. Add two with ``+``."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0
    """Wall time; for kept replies the time that they took when they were made."""
    estimated: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            money=self.money + other.money,
            seconds=self.seconds + other.seconds,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Record):
    """One item that the model was shown."""

    kind: ShownKind
    id: str
    text: str
    """As it stood in the prompt."""
    roots: tuple[str, ...]
    """Ids of the chunks that it claims to stand on, ascending; a chunk's own id for a chunk."""
    level: float = 1.0
    """Abstraction level: 1 for raw text, 1 + the mean of its sources' for what is made of others."""
    score: float = 0.0
    """As the system ranked it; comparable within one answer only."""
    questions: tuple[str, ...] = ()
    """The questions that a thought came from."""
    answers: tuple[str, ...] = ()
    """What was answered to these, as far as that is known, in any order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Record):
    """A system's answer to one query."""

    text: str
    """Empty in a run without a model."""
    shown: tuple[Shown, ...]
    """In the order of the prompt."""
    ranking: tuple[tuple[str, float], ...] = ()
    """For ``search`` tasks: chunk ids with scores, best first, as far as the ranking is looked at."""
    details: Mapping[str, Scalar] = field(default_factory=dict)
    """Numbers of the system's own (steps, tree height, thoughts stored)."""


@runtime_checkable
class System(Protocol):
    """A way to answer from a corpus. What it spends on the model is metered by the model it was given, not by itself."""

    name: str
    """With its settings, as in the table of results."""

    def reset(self) -> None:
        """Forget everything: the next ``ingest`` begins from nothing."""
        ...

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Read a corpus, and do what the system does before it is asked. Later calls add to what is there.

        Raises:
            ModelError
        """
        ...

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Answer within the allowance. A ``search`` query, or a run without a model, returns items and no text.

        Raises:
            ModelError
        """
        ...

    def close(self) -> None:
        """Free what it holds; calling it twice is fine."""
        ...


@runtime_checkable
class SeesGold(Protocol):
    """A system that is shown the whole task before it answers: an oracle, an upper bound."""

    def reveal(self, task: Task) -> None:
        """Take the task, with references and gold, that is asked next."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Record):
    """One value of one metric, or the reason why there is none: unscored is not zero."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Record):
    """What a metric looks at."""

    task: Task
    output: Output
    chunked: ChunkedCorpus
    cost: Cost


class Metric(Protocol):
    """Scores one output at a time. One that also has values of a set of outputs is a ``SetMetric`` beside."""

    name: str
    version: int
    """Counts up when the same output would get another value."""

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return named values, e.g. ``{"rouge_l": Score(value=0.31)}``. The names do not depend on the output.

        A task that the metric does not apply to has values of None with the reason. Must not raise for bad outputs.
        """
        ...


@runtime_checkable
class ReadsItems(Protocol):
    """What a metric has that looks into the texts of shown items: without them its values would be wrong, not missing."""

    reads_items: bool


@runtime_checkable
class SetMetric(Protocol):
    """What a metric also has if there are values that only a set of outputs has."""

    def over_all(self, scored: Sequence[Scored]) -> Mapping[str, Any]:
        """Return named values, ready for JSON, of all outputs of one system; empty where it does not apply."""
        ...
