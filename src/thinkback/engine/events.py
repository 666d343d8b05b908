"""What a streaming answer is made of, in this order: texts, the answer, an outcome per atom, done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from thinkback.types import Answer, Outcome, Record

__all__ = ["AnswerEvent", "DoneEvent", "Event", "OutcomeEvent", "TextEvent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEvent(Record):
    """A piece of the answer. What was shown is never taken back."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvent(Record):
    """The whole answer with its citations, as soon as it stands; ``outcomes`` is still empty."""

    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEvent(Record):
    """What became of one atom."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneEvent(Record):
    """The last event: the answer with all outcomes and the whole usage."""

    answer: Answer


Event: TypeAlias = TextEvent | AnswerEvent | OutcomeEvent | DoneEvent
