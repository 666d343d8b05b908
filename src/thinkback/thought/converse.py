"""Verbs that tell one event from two sides: "she taught him" is "he learned from her"; and those that tell a change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from thinkback.thought.clauses import Link
from thinkback.thought.lexicon import lexicon
from thinkback.thought.tokens import Token
from thinkback.thought.words import stem

__all__ = ["changes", "told_from_two_sides", "turned"]


@cache
def _table() -> dict[str, dict[str, str]]:
    """Return by the stem of a verb the verbs that tell its event from the other side, with the preposition of its agent."""
    table: dict[str, dict[str, str]] = {}
    for line in lexicon().converse:
        plain, sided = line
        for verb in plain:
            for other in sided:
                word, _, preposition = other.partition(":")
                table.setdefault(stem(verb), {})[stem(word)] = preposition
    return table


@cache
def _changing() -> frozenset[str]:
    return frozenset(map(stem, lexicon().changing))


def changes(verb: Token) -> bool:
    """Tell whether a verb tells a change that may come about by itself: "the price fell", "they lowered the price"."""
    return verb.word.stem in _changing()


def told_from_two_sides(a: str, b: str) -> bool:
    """Tell whether the verbs of two stems tell one event from two sides."""
    return b in _table().get(a, {}) or a in _table().get(b, {})


def turned(x: Link, y: Link, left: Sequence[Token], right: Sequence[Token]) -> tuple[Link, Link]:
    """Return two links of converse verbs as if both verbs told it from the same side; others as they are."""
    if x.head is None or y.head is None:
        return x, y
    a, b = left[x.head].word.stem, right[y.head].word.stem
    if b in _table().get(a, {}):
        return x, _turn(y, _table()[a][b])
    if a in _table().get(b, {}):
        return _turn(x, _table()[b][a]), y
    return x, y


def _turn(link: Link, preposition: str) -> Link:
    if link.kind in ("agent", "subject"):
        return replace(link, kind="recipient")
    if link.kind == "with" and link.by == preposition:
        return replace(link, kind="agent", by="")
    if not preposition and link.kind == "patient":
        return replace(link, kind="agent")
    return link
