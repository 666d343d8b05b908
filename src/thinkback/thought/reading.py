"""A note, read: its words with their tags and links; and which word of one note is which of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from thinkback.thought.clauses import Kind, Link, links
from thinkback.thought.converse import told_from_two_sides
from thinkback.thought.facts import Facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.matching import kin, particles
from thinkback.thought.tagging import tagged
from thinkback.thought.thesaurus import known
from thinkback.thought.tokens import Token
from thinkback.thought.words import Word, stem

__all__ = ["Reading", "aligned", "read"]

_HAVING = frozenset({"has", "have", "had"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A note, read: its tokens, their links by token, and by the offset of a verb its particle."""

    tokens: tuple[Token, ...]
    links: Mapping[int, tuple[Link, ...]]
    particles: Mapping[int, Word]


def read(text: str, facts: Facts) -> Reading:
    """Return the reading of a note."""
    tokens = tagged(text, facts)
    found: dict[int, list[Link]] = {}
    for link in _nominal(tokens, links(tokens)):
        found.setdefault(link.at, []).append(link)
    return Reading(tuple(tokens), {at: tuple(of) for at, of in found.items()}, particles(facts.words))


def _nominal(tokens: Sequence[Token], found: Sequence[Link]) -> list[Link]:
    """Give what belongs to a noun of an act the part that it has with the verb, beside the one it has with the noun."""
    kinds: dict[int, set[str]] = {}
    for link in found:
        if link.head is not None:
            kind = "owner" if link.kind == "modifier" and known(tokens[link.at].folded).person else link.kind
            kinds.setdefault(link.head, set()).add(kind)
    result = []
    for link in found:
        head = tokens[link.head] if link.head is not None else None
        act = head is not None and (head.tag == "gerund" or (head.tag == "noun" and known(head.folded).event))
        if act and link.kind in ("of", "owner"):
            result.append(replace(link, kind=_part(link, kinds[link.head or 0]), was=link.kind))
        else:
            result.append(link)
    return result


def _part(link: Link, kinds: set[str]) -> Kind:
    if "agent" in kinds:
        return "patient"
    if {"of", "owner"} <= kinds:
        return "patient" if link.kind == "of" else "agent"
    return "part"


def aligned(left: Reading, right: Reading) -> dict[int, int]:
    """Return the content words and numbers that have exactly one counterpart, and are exactly one's."""
    here = [i for i, t in enumerate(left.tokens) if _content(t)]
    there = [i for i, t in enumerate(right.tokens) if _content(t)]
    found = {a: _best([b for b in there if _match(left, a, right, b)], left, a, right) for a in here}
    back: dict[int, list[int]] = {}
    for a, others in found.items():
        for b in others:
            back.setdefault(b, []).append(a)
    back = {b: _best(others, right, b, left) for b, others in back.items()}
    pairs = {a: others[0] for a, others in found.items() if len(others) == 1 and back[others[0]] == [a]}
    for one, other, forward in ((left, right, True), (right, left, False)):
        having = [i for i, t in enumerate(one.tokens) if t.folded in _HAVING and _main(one, i)]
        holding = [
            i
            for i, t in enumerate(other.tokens)
            if t.word.stem in _holding() and i not in (pairs.values() if forward else pairs)
        ]
        if len(having) == len(holding) == 1:
            pairs |= {having[0]: holding[0]} if forward else {holding[0]: having[0]}
    return pairs


def _main(reading: Reading, at: int) -> bool:
    """Tell whether an auxiliary is the verb of its clause."""
    return any(link.kind == "clause" for link in reading.links.get(at, ()))


@cache
def _holding() -> frozenset[str]:
    return frozenset(map(stem, lexicon().holding))


def _best(others: list[int], reading: Reading, at: int, other: Reading) -> list[int]:
    """Return of several counterparts those with the same stem, and of those the ones that are no owners."""
    same = [i for i in others if other.tokens[i].key == reading.tokens[at].key] or others
    return [i for i in same if not other.tokens[i].owner] or same


def _content(token: Token) -> bool:
    return bool(token.number) or (token.word.content and token.tag != "pause")


def _match(left: Reading, a: int, right: Reading, b: int) -> bool:
    one, other = left.tokens[a], right.tokens[b]
    if one.number or other.number:
        return one.number == other.number
    if told_from_two_sides(one.word.stem, other.word.stem):
        return True
    return kin(one.word, other.word, left.particles.get(one.word.start), right.particles.get(other.word.start))
