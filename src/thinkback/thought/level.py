"""How abstract a thought is (Thought-Retriever, section on abstraction levels)."""

from __future__ import annotations

from collections.abc import Sequence

from thinkback.errors import InvalidInput

__all__ = ["RAW_LEVEL", "level"]

RAW_LEVEL = 1.0
"""Level of a chunk and of a testimony."""


def level(source_levels: Sequence[float]) -> float:
    """Return 1 + the mean level of the sources, as a float that is never truncated.

    A thought over chunks alone has level 2; over one chunk and one such thought 2.5.

    Raises:
        InvalidInput: there is no source, or one has a level below that of raw text.
    """
    if not source_levels:
        raise InvalidInput("A thought without sources has no level.")
    if min(source_levels) < RAW_LEVEL:
        raise InvalidInput("A source has a level below 1.")
    return 1.0 + sum(source_levels) / len(source_levels)
