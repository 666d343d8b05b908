"""Numbers about one memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from thinkback.engine.parts import Parts
from thinkback.ports import StoreInfo
from thinkback.types import Record, Usage

__all__ = ["Stats", "statistics"]

_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Record):
    """What a namespace holds, how its thoughts are used, and what it cost."""

    namespace: str
    counts: Mapping[str, int]
    levels: Mapping[str, int]
    """Histogram of active thoughts: level, rounded down to halves, to count."""
    thoughts_used: int
    """Active thoughts that stood behind an answer at least once."""
    uses: int
    """How often thoughts were shown for an answer, or stood behind a kept one that was given again."""
    mean_support: float
    outcomes: Mapping[str, int]
    """Outcome status to how often it was recorded."""
    usage: Usage
    usage_today: Usage
    store: StoreInfo


def statistics(parts: Parts, namespace: str) -> Stats:
    """Return the numbers of one namespace."""
    now = parts.clock()
    with parts.store.read() as reader:
        thoughts = reader.thoughts(namespace)
        return Stats(
            namespace=namespace,
            counts=dict(reader.counts(namespace)),
            levels=dict(sorted(Counter(f"{int(thought.level * 2) / 2:.1f}" for thought in thoughts).items())),
            thoughts_used=sum(thought.use_count > 0 for thought in thoughts),
            uses=sum(thought.use_count for thought in thoughts),
            mean_support=sum(thought.support for thought in thoughts) / len(thoughts) if thoughts else 0.0,
            outcomes=dict(reader.outcomes(namespace)),
            usage=reader.usage(namespace),
            usage_today=reader.usage(namespace, now - now % _DAY),
            store=parts.store.info(),
        )
