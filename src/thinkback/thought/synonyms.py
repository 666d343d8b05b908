"""Words of the same and of opposite meaning, by stem.

Small on purpose: a pair stands here only if one can replace the other in a plain statement of fact without changing it.
"""

from __future__ import annotations

from functools import cache

from thinkback.thought.words import stem

__all__ = ["antonyms", "synonyms"]

_SAME = """
buy purchase
begin start
"""

_OPPOSITE = """
increase/decrease rise/fall more/less more/fewer high/low
"""


@cache
def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _SAME.strip().splitlines():
        group = {stem(word) for word in line.split()}
        for one in group:
            table.setdefault(one, set()).update(group - {one})
    return {one: frozenset(others) for one, others in table.items()}


@cache
def _opposite() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _OPPOSITE.split():
        left, right = ({stem(word) for word in side.split(",")} for side in pair.split("/"))
        for one in left:
            table.setdefault(one, set()).update(right)
        for one in right:
            table.setdefault(one, set()).update(left)
    return {one: frozenset(others) for one, others in table.items()}


def synonyms(one: str) -> frozenset[str]:
    """Return the other stems that mean the same as a stem."""
    return _same().get(one, frozenset())


def antonyms(one: str) -> frozenset[str]:
    """Return the stems that mean the opposite of a stem."""
    return _opposite().get(one, frozenset())
