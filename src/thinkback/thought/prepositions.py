"""Which prepositions tell opposite things, and which have a noun that is never what the sentence is about."""

from __future__ import annotations

__all__ = ["APART", "opposite_prepositions"]

APART = frozenset(
    {"from", "for", "against", "than", "without", "into", "onto", "toward", "towards", "to", "about", "where"}
)
"""Prepositions whose noun is not what the sentence is about: never the subject in other words."""
_GROUPS = tuple(
    (frozenset(here.split()), frozenset(there.split()))
    for here, there in (
        ("to into onto toward towards", "from out off by"),
        ("from", "by"),
        ("with", "without"),
        ("for on about of", "against"),
        ("above over", "under below on"),
        ("before until till", "after since"),
        ("before after", "during"),
        ("in inside within", "outside"),
        ("of to", "than"),
    )
)


def opposite_prepositions(one: str, other: str) -> bool:
    """Tell whether two prepositions, or words that begin a clause, cannot tell of one thing the same."""
    return any((one in a and other in b) or (other in a and one in b) for a, b in _GROUPS)
