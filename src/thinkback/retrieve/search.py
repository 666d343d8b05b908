"""Search: candidates of both kinds, ranked several ways, thoughts gated, fused into one order of hits.

The only module here that talks to a store; all decisions are those of the pure functions beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from thinkback.config import Preset
from thinkback.errors import InvalidInput
from thinkback.ids import normalise
from thinkback.ports import Reader
from thinkback.retrieve.diversify import diversify
from thinkback.retrieve.door import Door, door
from thinkback.retrieve.fuse import Fused, rrf
from thinkback.retrieve.gate import Coverable, admit_by_coverage, admit_by_similarity
from thinkback.retrieve.rank import Scores, by_score, look_up, restrict
from thinkback.retrieve.smooth import smooth
from thinkback.types import Chunk, Derivation, Filter, FloatVector, Hit, Item, Ranking, Record, Rows

__all__ = ["SearchResult", "search"]

Kind = Literal["chunk", "thought"]

_BOTH: frozenset[Kind] = frozenset({"chunk", "thought"})
_OVERVIEW_POOL = 256
"""Thoughts that an overview chooses from: the nearest to the request, so that its cost does not grow with the memory."""
_OVERVIEW_MOST = 32
"""Thoughts that an overview chooses."""
_SECTIONS = 8
"""Parts of equal length that a document is cut into to see which of them a thought speaks of."""
_NOTHING = Ranking(rows=np.empty(0, np.int64), scores=np.empty(0, np.float32))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult(Record):
    """What a search found."""

    hits: tuple[Hit, ...]
    """Best first. ``Hit.score`` is the fused score (reciprocal ranks), ``Hit.cosine`` the likeness to the question."""
    below_gate: int
    """Thoughts that a ranking returned and the gate held back."""
    considered: int
    """Different items that any ranking returned, those below the gate included."""
    door: Door = "similarity"
    """How thoughts were chosen."""


@dataclass(slots=True, kw_only=True)
class _Candidates:
    """One kind's rankings by name, and the cosine of every row in them."""

    rankings: dict[str, Ranking] = field(default_factory=dict)
    rows: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    cosines: Scores = field(default_factory=lambda: np.empty(0, np.float64))


def search(
    reader: Reader,
    namespace: str,
    *,
    question: str,
    vector: FloatVector,
    preset: Preset,
    where: Filter | None = None,
    kinds: frozenset[Kind] = _BOTH,
    limit: int | None = None,
) -> SearchResult:
    """Return the hits for a question, best first; none from an empty store.

    Args:
        reader: the snapshot to search.
        namespace: the memory to search.
        question: as asked.
        vector: the question's embedding, shape (d,), norm 1.
        preset: which rankings, how deep, which gate.
        where: what hits are limited to.
        kinds: which kinds of items may be returned.
        limit: most hits; None: ``preset.depth``. ``preset.top_k`` limits them too.

    Raises:
        InvalidInput: ``limit`` is below 1, or ``kinds`` is empty.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(f"At least one hit must be asked for, not {limit}.")
    if not kinds:
        raise InvalidInput("At least one kind of item must be searched.")
    way = door(question) if preset.overview_door and "thought" in kinds else "similarity"
    scope = _Scope(reader=reader, namespace=namespace, question=question, vector=vector, preset=preset, where=where)
    chunks = scope.chunks() if "chunk" in kinds else _Candidates()
    thoughts = scope.thoughts() if "thought" in kinds else _Candidates()
    if way == "overview":
        admitted = scope.cover(thoughts)
        fused = rrf(_covered(chunks, admitted, preset.rankings), k=preset.rrf_k)
        below = 0
    else:
        open_rows = thoughts.rows[admit_by_similarity(thoughts.cosines, preset.gate)]
        below = len(thoughts.rows) - len(open_rows)
        fused = rrf(_mixed(chunks, thoughts, open_rows, preset.rankings), k=preset.rrf_k)
    most = min(preset.depth if limit is None else limit, preset.top_k or len(fused.rows))
    return SearchResult(
        hits=scope.hydrate(fused, (chunks, thoughts), most),
        below_gate=below,
        considered=len(chunks.rows) + len(thoughts.rows),
        door=way,
    )


def _mixed(chunks: _Candidates, thoughts: _Candidates, admitted: Rows, names: Sequence[str]) -> dict[str, Rows]:
    """Return each ranking over chunks and admitted thoughts together; scores of one ranking share a scale."""
    return {
        name: by_score([chunks.rankings.get(name, _NOTHING), restrict(thoughts.rankings.get(name, _NOTHING), admitted)])
        for name in names
    }


def _covered(chunks: _Candidates, chosen: Rows, names: Sequence[str]) -> dict[str, Rows]:
    """Return each ranking with the chosen thoughts and the chunks by turns, a thought first."""
    mixed = {}
    for name in names:
        raw = chunks.rankings.get(name, _NOTHING).rows
        paired = min(len(raw), len(chosen))
        turns = np.stack([chosen[:paired], raw[:paired]], axis=1).ravel()
        mixed[name] = np.concatenate([turns, chosen[paired:], raw[paired:]])
    return mixed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """One question to one namespace of one snapshot."""

    reader: Reader
    namespace: str
    question: str
    vector: FloatVector
    preset: Preset
    where: Filter | None

    def chunks(self) -> _Candidates:
        """Return the rankings of chunks; those over neighbours reach one chunk beyond what the plain ones found."""
        dense, words = self._plain("chunk")
        found = np.union1d(dense.rows, words.rows)
        names = set(self.preset.rankings)
        wide = found
        if found.size and names & {"dense_smoothed", "words_window"}:
            wide = _with_neighbours(found, self.reader.neighbours(self.namespace, found))
            around = self.reader.neighbours(self.namespace, wide)
        else:
            around = np.full((len(wide), 2), -1, np.int64)
        known = _with_neighbours(wide, around) if "dense_smoothed" in names else wide
        cosines = self._cosines(known)
        own = look_up(wide, known, cosines)
        result = _Candidates(rankings={"dense": dense, "words": words}, rows=wide, cosines=own)
        if "dense_smoothed" in names:
            scores = smooth(own, look_up(around, known, cosines), weight=self.preset.smoothing)
            result.rankings["dense_smoothed"] = _top(wide, scores, self.preset.depth)
        if "words_window" in names:
            hits = look_up(wide, words.rows, words.scores)
            scores = smooth(hits, look_up(around, words.rows, words.scores), weight=1.0)
            result.rankings["words_window"] = _top(wide[scores > 0], scores[scores > 0], self.preset.depth)
        return result

    def thoughts(self) -> _Candidates:
        """Return the rankings of thoughts."""
        dense, words = self._plain("thought")
        rows = np.union1d(dense.rows, words.rows)
        own = self._cosines(rows)
        scale = 1.0 + self.preset.smoothing
        return _Candidates(
            rankings={
                "dense": dense,
                "words": words,
                "dense_smoothed": Ranking(rows=rows, scores=(own * scale).astype(np.float32)),
                "words_window": words,
            },
            rows=rows,
            cosines=own,
        )

    def cover(self, thoughts: _Candidates) -> Rows:
        """Return rows of the thoughts that cover documents and earlier questions best, in the order chosen."""
        near = self.reader.search_dense(self.namespace, self.vector, _OVERVIEW_POOL, kind="thought", where=self.where)
        if not near.rows.size:
            return near.rows
        ids = [item.id for item in self.reader.items_at(self.namespace, near.rows)]
        derivations = self.reader.derivations(self.namespace, ids)
        sections = self._sections({root.id for many in derivations.values() for one in many for root in one.roots})
        chosen = admit_by_coverage(
            [
                _coverable(derivations.get(thought_id, ()), sections, float(cosine))
                for thought_id, cosine in zip(ids, near.scores, strict=True)
            ],
            most=_OVERVIEW_MOST,
        )
        rows = near.rows[list(chosen)]
        unknown = ~np.isin(near.rows, thoughts.rows)
        thoughts.rows = np.concatenate([thoughts.rows, near.rows[unknown]])
        thoughts.cosines = np.concatenate([thoughts.cosines, near.scores[unknown].astype(np.float64)])
        return rows

    def hydrate(self, fused: Fused, candidates: tuple[_Candidates, ...], most: int) -> tuple[Hit, ...]:
        """Return the first hits with their items, near-copies dropped where the preset says so."""
        rows = fused.rows if self.preset.diversify is None else fused.rows[: self.preset.candidates]
        if self.preset.diversify is None:
            places: Sequence[int] = range(min(most, len(rows)))
            items = self.reader.items_at(self.namespace, rows[:most])
        else:
            near = self.reader.items_at(self.namespace, rows)
            vectors = self.reader.vectors(self.namespace, [item.id for item in near])
            places = diversify(vectors, limit=self.preset.diversify, top_k=most)
            items = tuple(near[place] for place in places)
        known = np.concatenate([part.rows for part in candidates])
        cosines = look_up(rows, known, np.concatenate([part.cosines for part in candidates]))
        titles = self._titles(items)
        return tuple(
            Hit(
                item=item,
                kind="chunk" if isinstance(item, Chunk) else "thought",
                row=int(rows[place]),
                score=float(fused.scores[place]),
                cosine=float(cosines[place]),
                why=fused.why(place),
                title=titles.get(item.document_id, "") if isinstance(item, Chunk) else "",
            )
            for place, item in zip(places, items, strict=True)
        )

    def _plain(self, kind: Kind) -> tuple[Ranking, Ranking]:
        """Return the dense ranking and that of words, empty where no ranking of the preset needs it."""
        names, depth = set(self.preset.rankings), self.preset.depth
        dense = words = _NOTHING
        if names & {"dense", "dense_smoothed"}:
            dense = self.reader.search_dense(self.namespace, self.vector, depth, kind=kind, where=self.where)
        if names & {"words", "words_window"}:
            words = self.reader.search_words(self.namespace, self.question, depth, kind=kind, where=self.where)
        return dense, words

    def _cosines(self, rows: Rows) -> Scores:
        if not rows.size:
            return np.empty(0, np.float64)
        return self.reader.cosines(self.namespace, rows, self.vector).astype(np.float64)

    def _sections(self, chunk_ids: set[str]) -> Mapping[str, tuple[str, int]]:
        """Return the document and the part of it that each chunk lies in; testimonies are not in the result."""
        chunks = [item for item in self.reader.items(self.namespace, sorted(chunk_ids)) if isinstance(item, Chunk)]
        lengths = {}
        for document_id in {chunk.document_id for chunk in chunks}:
            document = self.reader.document(self.namespace, document_id)
            lengths[document_id] = max(1, document.chunk_count) if document is not None else 1
        return {
            chunk.id: (chunk.document_id, chunk.ordinal * _SECTIONS // lengths[chunk.document_id]) for chunk in chunks
        }

    def _titles(self, items: Sequence[Item]) -> Mapping[str, str]:
        ids = dict.fromkeys(item.document_id for item in items if isinstance(item, Chunk))
        documents = (self.reader.document(self.namespace, document_id) for document_id in ids)
        return {document.id: document.title for document in documents if document is not None}


def _coverable(derivations: Sequence[Derivation], sections: Mapping[str, tuple[str, int]], cosine: float) -> Coverable:
    roots = (root.id for one in derivations for root in one.roots)
    return Coverable(
        sections=frozenset(sections[root] for root in roots if root in sections),
        questions=frozenset(normalise(one.question) for one in derivations if one.question),
        cosine=cosine,
    )


def _with_neighbours(rows: Rows, neighbours: Rows) -> Rows:
    """Return the rows and those beside them, sorted, each once."""
    return np.union1d(rows, neighbours[neighbours >= 0])


def _top(rows: Rows, scores: Scores, depth: int) -> Ranking:
    order = np.lexsort((rows, -scores))[:depth]
    return Ranking(rows=rows[order], scores=scores[order].astype(np.float32))
