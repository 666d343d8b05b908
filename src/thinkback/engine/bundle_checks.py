"""What a bundle must keep to before any of it is written: the same invariants that the engine keeps.

A bundle may come from anybody. Nothing in it is believed because it says so: quotes must stand in the texts, thoughts must
stand on items that are there, and labels are worked out again from the sources (``labels``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from thinkback.engine.standing import closure
from thinkback.errors import BundleError
from thinkback.ids import content_hash
from thinkback.ports import HistoryEvent, Reader
from thinkback.thought.admit import lowest
from thinkback.types import (
    Chunk,
    Citation,
    Derivation,
    Evidence,
    ItemKind,
    Root,
    Status,
    StoredAnswer,
    Testimony,
    Thought,
    Trust,
)

__all__ = ["check_graph", "check_texts", "labels"]

_RANK: Mapping[Trust, int] = {"untrusted": 0, "normal": 1, "trusted": 2}
_REWRITES = frozenset({"edited", "refreshed"})
"""Events after which a thought may have other words or other derivations than when a thought above it was derived."""
_STATUSES: tuple[Status, ...] = ("active", "stale", "superseded", "retracted")


def check_texts(records: Mapping[str, Sequence[Any]], texts: Mapping[str, str]) -> None:
    """Refuse documents and chunks that are not what they claim.

    Args:
        records: by kind.
        texts: of the documents, by id.

    Raises:
        BundleError: an id occurs twice, a hash is wrong, or a chunk does not stand at its place in its document.
    """
    for kinds in (("document",), ("chunk", "thought", "testimony"), ("derivation",)):
        twice = [one for one, n in Counter(r.id for kind in kinds for r in records[kind]).items() if n > 1]
        if twice:
            raise BundleError(f"The id {twice[0]!r} occurs twice.")
    for document in records["document"]:
        if content_hash(texts[document.id]) != document.content_hash:
            raise BundleError(f"The text of document {document.id!r} does not have the hash that it claims.")
    ordinals: dict[str, list[int]] = {}
    for chunk in records["chunk"]:
        text = texts.get(chunk.document_id)
        place = 0 <= chunk.start <= chunk.end
        if text is None or not place or text[chunk.start : chunk.end] != chunk.text:
            raise BundleError(f"Chunk {chunk.id!r} does not stand at its place in its document.")
        if content_hash(chunk.text) != chunk.content_hash:
            raise BundleError(f"The text of chunk {chunk.id!r} does not have the hash that it claims.")
        ordinals.setdefault(chunk.document_id, []).append(chunk.ordinal)
    for document in records["document"]:
        if sorted(ordinals.get(document.id, ())) != list(range(document.chunk_count)):
            raise BundleError(f"Document {document.id!r} does not have the chunks that it claims.")


@dataclass(slots=True, kw_only=True)
class _Ground:
    """What derivations may stand on: the items of the bundle, and those of the store, which come first."""

    items: dict[str, Chunk | Thought | Testimony] = field(default_factory=dict)
    ways: dict[str, list[Derivation]] = field(default_factory=dict)
    rewritten: set[str] = field(default_factory=set)

    def kind(self, item_id: str) -> ItemKind | None:
        item = self.items.get(item_id)
        if isinstance(item, Chunk):
            return "chunk"
        if isinstance(item, Testimony):
            return "testimony"
        return "thought" if item is not None else None


def _words(item: Chunk | Thought | Testimony) -> str:
    return item.answer if isinstance(item, Testimony) else item.text


def check_graph(reader: Reader, namespace: str, records: Mapping[str, Sequence[Any]], texts: Mapping[str, str]) -> None:
    """Refuse a bundle whose thoughts, links and kept answers do not stand on what is in it or in the store.

    Derivations of which a source is gone are let through: stale thoughts have only such, and a thought with two derivations
    may have one. But an active thought needs one of which all is there.

    Raises:
        BundleError: an invariant does not hold.
    """
    ground = _ground(reader, namespace, records)
    thoughts = {one.id for one in records["thought"]}
    whole: set[str] = set()
    for way in records["derivation"]:
        if way.thought_id not in thoughts:
            raise BundleError(f"Derivation {way.id!r} belongs to no thought of the bundle.")
        if _check_way(way, ground):
            whole.add(way.thought_id)
    for thought in records["thought"]:
        if thought.status == "active" and thought.id not in whole:
            raise BundleError(f"Thought {thought.id!r} is active, and a source that it stands on is not there.")
    _check_cycles(ground.ways)
    for link in records["link"]:
        for end in (link.left, link.right):
            if ground.kind(end) != "thought":
                raise BundleError(f"A link names {end!r}, which is no thought.")
    for answer in records["answer"]:
        _check_answer(reader, namespace, answer, ground, texts)


def _ground(reader: Reader, namespace: str, records: Mapping[str, Sequence[Any]]) -> _Ground:
    ground = _Ground()
    for kind in ("chunk", "thought", "testimony"):
        ground.items |= {one.id: one for one in records[kind]}
    for way in records["derivation"]:
        ground.ways.setdefault(way.thought_id, []).append(way)
    named = {*ground.items, *(end for link in records["link"] for end in (link.left, link.right))}
    for way in records["derivation"]:
        named |= {piece.item_id for piece in way.evidence} | {root.id for root in way.roots}
    for answer in records["answer"]:
        named |= {cited.root_id for cited in answer.citations}
    held: dict[str, Chunk | Thought | Testimony] = {one.id: one for one in reader.items(namespace, sorted(named))}
    held |= {said.id: said for said in reader.testimonies(namespace, sorted(named))}
    for item_id, item in held.items():
        ours = ground.items.get(item_id)
        if ours is not None and type(ours) is not type(item):
            raise BundleError(f"The id {item_id!r} stands for something else in the store.")
        if isinstance(ours, Chunk) and isinstance(item, Chunk) and ours.document_id != item.document_id:
            raise BundleError(f"The chunk {item_id!r} belongs to another document in the store.")
    ground.items |= held
    held_ways = reader.derivations(namespace, [thought.id for thought in reader.thoughts(namespace, _STATUSES)])
    owners = {way.id: thought_id for thought_id, group in held_ways.items() for way in group}
    for way in records["derivation"]:
        if owners.get(way.id, way.thought_id) != way.thought_id:
            raise BundleError(f"The derivation {way.id!r} belongs to another thought in the store.")
    ground.ways |= {thought_id: list(group) for thought_id, group in held_ways.items()}
    events: Iterable[HistoryEvent] = [*records["event"], *(reader.history(namespace) if held else ())]
    ground.rewritten = {event.item_id for event in events if event.event in _REWRITES}
    return ground


def _check_way(way: Derivation, ground: _Ground) -> bool:
    """Check one derivation; return whether all that it stands on is there."""
    roots = {(root.kind, root.id) for root in way.roots}
    for piece in way.evidence:
        _check_piece(way, piece, ground)
        if piece.item_kind != "thought" and (piece.item_kind, piece.item_id) not in roots:
            raise BundleError(f"The roots of derivation {way.id!r} are not those of its evidence.")
    for kind, root_id in roots:
        if ground.kind(root_id) not in (kind, None):
            raise BundleError(f"A root of derivation {way.id!r} is not of the kind that it says.")
    named = [root_id for _, root_id in roots] + [piece.item_id for piece in way.evidence]
    there = all(item_id in ground.items for item_id in named)
    if there:
        _check_roots(way, ground)
    return there and bool(way.evidence) and bool(way.roots)


def _check_piece(way: Derivation, piece: Evidence, ground: _Ground) -> None:
    item = ground.items.get(piece.item_id)
    if item is None:
        return
    if ground.kind(piece.item_id) != piece.item_kind:
        raise BundleError(f"The evidence of derivation {way.id!r} is not of the kind that it says.")
    stands = 0 <= piece.start <= piece.end and _words(item)[piece.start : piece.end] == piece.quote
    if not stands and not (piece.item_kind == "thought" and piece.item_id in ground.rewritten):
        raise BundleError(f"A quote of derivation {way.id!r} does not stand in its source.")


def _check_roots(way: Derivation, ground: _Ground) -> None:
    """Compare roots with those below the evidence.

    A thought below may have won derivations since, so that not all of its roots need be there; but those of one of its
    derivations must be, and no root may come from elsewhere. If it was rewritten since, its former roots are not known.
    """
    below = {piece.item_id for piece in way.evidence if piece.item_kind == "thought"}
    if below & ground.rewritten:
        return
    roots = set(way.roots)
    possible = {Root(kind=piece.item_kind, id=piece.item_id) for piece in way.evidence if piece.item_kind != "thought"}
    for thought_id in below:
        sets = [set(lower.roots) for lower in ground.ways.get(thought_id, ())]
        possible = possible.union(*sets)
        if not any(one <= roots for one in sets):
            possible = set()
    if not roots <= possible:
        raise BundleError(f"The roots of derivation {way.id!r} are not those of its evidence.")


def _sources(ways: Iterable[Derivation]) -> set[str]:
    return {piece.item_id for way in ways for piece in way.evidence if piece.item_kind == "thought"}


def _check_cycles(ways: Mapping[str, Sequence[Derivation]]) -> None:
    try:
        TopologicalSorter({thought_id: _sources(group) for thought_id, group in ways.items()}).prepare()
    except CycleError as error:
        raise BundleError(f"Thought {error.args[1][0]!r} rests on itself.") from None


def _check_answer(
    reader: Reader, namespace: str, answer: StoredAnswer, ground: _Ground, texts: Mapping[str, str]
) -> None:
    for cited in answer.citations:
        root = ground.items.get(cited.root_id)
        if isinstance(root, Testimony) and not cited.document_id:
            text = root.answer
        else:
            text = texts.get(cited.document_id) or reader.document_text(namespace, cited.document_id) or ""
        if not _cites(cited, text, root):
            raise BundleError(f"A citation of the answer {answer.key!r} does not stand in its source.")


def _cites(cited: Citation, text: str, root: Chunk | Thought | Testimony | None) -> bool:
    if not cited.quote:
        return False
    if 0 <= cited.start <= cited.end and text[cited.start : cited.end] == cited.quote:
        return True
    # a chunk that an edit before it has pushed along keeps its answers, whose offsets are those of the former text
    return isinstance(root, Chunk) and root.document_id == cited.document_id and cited.quote in root.text


def labels(reader: Reader, namespace: str, thought_ids: Sequence[str]) -> dict[str, Trust]:
    """Return the lowest label among the roots of each thought's live derivations; thoughts without one are left out.

    A derivation that stands on a thought has no better label than that thought's best derivation: roots that a bundle
    merely names lend it nothing.
    """
    near = closure(reader, namespace, thought_ids)
    root_ids = sorted({root.id for ways in near.derivations.values() for way in ways for root in way.roots})
    raw: dict[str, Trust] = {one.id: one.trust for one in reader.items(namespace, root_ids) if isinstance(one, Chunk)}
    raw |= {said.id: said.trust for said in reader.testimonies(namespace, root_ids)}
    found: dict[str, Trust] = {}
    best: dict[str, Trust] = {}
    order = TopologicalSorter({thought_id: _sources(ways) for thought_id, ways in near.derivations.items()})
    for thought_id in order.static_order():
        live = [
            lowest(
                [raw[root.id] for root in way.roots]
                + [best.get(below, "untrusted") for below in sorted(_sources([way]))]
            )
            for way in near.derivations.get(thought_id, ())
            if way.roots and all(root.id in raw for root in way.roots)
        ]
        if live:
            found[thought_id] = lowest(live)
            best[thought_id] = max(live, key=_RANK.__getitem__)
    return found
