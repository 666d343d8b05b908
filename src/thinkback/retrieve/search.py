"""Search: candidates of both kinds, ranked several ways, thoughts gated, fused into one order of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.config import Preset
from thinkback.errors import InvalidInput
from thinkback.ports import Reader
from thinkback.retrieve.candidates import Asked, Candidates, Kind, find_chunks, find_thoughts
from thinkback.retrieve.diversify import diversify
from thinkback.retrieve.door import Door, door
from thinkback.retrieve.fuse import Fused, rrf
from thinkback.retrieve.gate import admit_by_roots, admit_by_similarity
from thinkback.retrieve.overview import by_turns, cover
from thinkback.retrieve.rank import Scores, joined, look_up
from thinkback.types import Chunk, Filter, FloatVector, Hit, Item, Ranking, Record, Rows

__all__ = ["SearchResult", "search"]

_BOTH: frozenset[Kind] = frozenset({"chunk", "thought"})
_NO_ROWS: Rows = np.empty(0, np.int64)
_CHARACTERS = 4
"""Per token, about: where a rank ends need not be known to the word."""
_NEAREST_THOUGHTS = 60
"""Of each ranking of thoughts, those whose roots are looked up."""
_LEAST_ITEM = 20
"""Tokens that hardly an item in its frame is below: no more hits than could be packed are returned unasked."""


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

    Thoughts are gated only where they compete with chunks: a search for thoughts alone returns the best of them.

    Args:
        reader: the snapshot to search.
        namespace: the memory to search.
        question: as asked.
        vector: the question's embedding, shape (d,), norm 1.
        preset: which rankings, how deep, which gate.
        where: what hits are limited to.
        kinds: which kinds of items may be returned.
        limit: most hits; None: as many as could be packed into ``preset.context_tokens``. ``preset.top_k`` limits too.

    Raises:
        InvalidInput: ``limit`` is below 1, or ``kinds`` is empty.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(f"At least one hit must be asked for, not {limit}.")
    if not kinds:
        raise InvalidInput("At least one kind of item must be searched.")
    most = max(1, preset.context_tokens // _LEAST_ITEM) if limit is None else limit
    most = min(most, preset.top_k or most)
    asked = Asked(reader=reader, namespace=namespace, question=question, vector=vector, preset=preset, where=where)
    chunks = find_chunks(asked) if "chunk" in kinds else Candidates()
    way: Door = door(question) if preset.overview_door and kinds == _BOTH else "similarity"
    if way == "overview":
        chosen, thoughts = cover(asked)
        below = 0
        fused = by_turns(_fuse(preset, chunks, Candidates(), _NO_ROWS), chosen, k=preset.rrf_k)
    else:
        thoughts = find_thoughts(asked) if "thought" in kinds else Candidates()
        admitted = _admit(asked, chunks, thoughts) if kinds == _BOTH else np.ones(len(thoughts.rows), np.bool_)
        below = int(np.count_nonzero(~admitted))
        fused = _fuse(preset, chunks, thoughts, thoughts.rows[admitted])
    return SearchResult(
        hits=_hydrate(asked, fused, (chunks, thoughts), most),
        below_gate=below,
        considered=len(chunks.rows) + len(thoughts.rows),
        door=way,
    )


def _fuse(preset: Preset, chunks: Candidates, thoughts: Candidates, admitted: Rows) -> Fused:
    """Fuse the preset's rankings, each over chunks and admitted thoughts together: their scores share its scale."""
    rankings: dict[str, Rows] = {}
    for name in preset.rankings:
        parts = [chunks.rankings[name]] if name in chunks.rankings else []
        if name in thoughts.rankings:
            of_thoughts = thoughts.rankings[name]
            keep = np.isin(of_thoughts.rows, admitted)
            parts.append(Ranking(rows=of_thoughts.rows[keep], scores=of_thoughts.scores[keep]))
        rankings[name] = joined(parts).rows
    return rrf(rankings, k=preset.rrf_k, weights={str(name): weight for name, weight in preset.ranking_weights.items()})


def _admit(asked: Asked, chunks: Candidates, thoughts: Candidates) -> npt.NDArray[np.bool_]:
    """Return which of the thoughts' rows may take part.

    Roots are looked up for the nearest thoughts of each plain ranking only: one that is far by either could not come far
    up, and is held back unless it is above the gate.
    """
    preset = asked.preset
    admitted = admit_by_similarity(thoughts.cosines, preset.gate)
    if preset.root_tokens is None or admitted.all():
        return admitted
    near = np.concatenate([_NO_ROWS, *(ranking.rows[:_NEAREST_THOUGHTS] for ranking in thoughts.rankings.values())])
    places = np.flatnonzero(~admitted & np.isin(thoughts.rows, near))
    ids = [item.id for item in asked.items(thoughts.rows[places])]
    derivations = asked.reader.derivations(asked.namespace, ids)
    root_ids = list(
        {r.id: None for ways in derivations.values() for way in ways for r in way.roots if r.kind == "chunk"}
    )
    root_rows = asked.reader.rows(asked.namespace, root_ids)
    raw = _fuse(preset, chunks, Candidates(), _NO_ROWS).rows
    ranks = dict(zip(root_ids, look_up(root_rows, raw, np.arange(1.0, len(raw) + 1)).astype(int).tolist(), strict=True))
    reach = _reach(asked, raw, preset.root_tokens)
    for place, thought_id in zip(places, ids, strict=True):
        ways = [[ranks[root.id] for root in way.roots if root.id in ranks] for way in derivations.get(thought_id, ())]
        admitted[place] = admit_by_roots(ways, root_rank=reach, missing=preset.depth)
    return admitted


def _reach(asked: Asked, raw: Rows, tokens: int) -> int:
    """Return how many of the best chunks, one at least, hold so many tokens: chunks may be of any size, ranks are not."""
    lengths = np.cumsum([len(item.text) for item in asked.items(raw[: tokens // _LEAST_ITEM])])
    return max(1, int(np.searchsorted(lengths, tokens * _CHARACTERS, side="right")))


def _hydrate(asked: Asked, fused: Fused, candidates: Sequence[Candidates], most: int) -> tuple[Hit, ...]:
    """Return the first hits with their items, near-copies dropped where the preset says so."""
    preset = asked.preset
    rows = fused.rows[: most if preset.diversify is None else preset.candidates]
    items = asked.items(rows)
    places: Sequence[int] = range(len(rows))
    if preset.diversify is not None:
        vectors = asked.reader.vectors(asked.namespace, [item.id for item in items])
        places = diversify(vectors, limit=preset.diversify, top_k=most)
    known: Rows = np.concatenate([part.rows for part in candidates])
    scores: Scores = np.concatenate([part.cosines for part in candidates])
    cosines = look_up(rows, known, scores)
    titles = _titles(asked, [items[place] for place in places])
    return tuple(
        Hit(
            item=items[place],
            kind="chunk" if isinstance(items[place], Chunk) else "thought",
            row=int(rows[place]),
            score=float(fused.scores[place]),
            cosine=float(cosines[place]),
            why=fused.why(place),
            title=titles.get(items[place].id, ""),
        )
        for place in places
    )


def _titles(asked: Asked, items: Sequence[Item]) -> Mapping[str, str]:
    """Return the title of each chunk's document, by the chunk's id."""
    documents_of = {item.id: item.document_id for item in items if isinstance(item, Chunk)}
    if not documents_of:
        return {}
    wanted = Filter(document_ids=tuple(dict.fromkeys(documents_of.values())))
    titles = {document.id: document.title for document in asked.reader.documents(asked.namespace, wanted)}
    return {chunk_id: titles.get(document_id, "") for chunk_id, document_id in documents_of.items()}
