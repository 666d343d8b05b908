"""Overviews: which thoughts answer a request about a whole, and how they stand beside chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from thinkback.ids import normalise
from thinkback.retrieve.candidates import Asked, Candidates
from thinkback.retrieve.fuse import Fused
from thinkback.retrieve.gate import Coverable, admit_by_coverage
from thinkback.retrieve.rank import look_up
from thinkback.types import Chunk, Derivation, Filter, Rows

__all__ = ["by_turns", "cover"]

_POOL = 256
"""Thoughts that are chosen from: the nearest to the request, so that the cost does not grow with the memory."""
_MOST = 32
"""Thoughts that are chosen."""
_SECTIONS = 8
"""Parts of equal length that a document is cut into, to see which of them a thought speaks of."""


def cover(asked: Asked) -> tuple[Rows, Candidates]:
    """Return the rows of the thoughts that cover documents and earlier questions best, in order, and those looked at."""
    near = asked.reader.search_dense(asked.namespace, asked.vector, _POOL, kind="thought", where=asked.where)
    pool = Candidates(rows=near.rows, cosines=near.scores.astype(np.float64))
    if not near.rows.size:
        return near.rows, pool
    ids = [item.id for item in asked.items(near.rows)]
    derivations = asked.reader.derivations(asked.namespace, ids)
    root_ids = {root.id for ways in derivations.values() for way in ways for root in way.roots}
    sections = _sections(asked, sorted(root_ids))
    chosen = admit_by_coverage(
        [
            _coverable(derivations.get(thought_id, ()), sections, float(cosine))
            for thought_id, cosine in zip(ids, near.scores, strict=True)
        ],
        most=_MOST,
    )
    return near.rows[list(chosen)], pool


def by_turns(raw: Fused, chosen: Rows, *, k: int) -> Fused:
    """Return the chosen thoughts and the fused chunks by turns, a thought first.

    Scores are those of one ranking under the same constant; a thought's rank is its place among the chosen.
    """
    paired = min(len(raw.rows), len(chosen))
    turns = np.stack([chosen[:paired], raw.rows[:paired]], axis=1).ravel()
    rows: Rows = np.concatenate([turns, chosen[paired:], raw.rows[paired:]])
    ranks = {name: look_up(rows, raw.rows, values).astype(np.int64) for name, values in raw.ranks.items()}
    ranks["coverage"] = look_up(rows, chosen, np.arange(1, len(chosen) + 1)).astype(np.int64)
    return Fused(rows=rows, scores=(k + 1) / (k + np.arange(1.0, len(rows) + 1)), ranks=ranks)


def _coverable(derivations: Sequence[Derivation], sections: Mapping[str, tuple[str, int]], cosine: float) -> Coverable:
    roots = (root.id for way in derivations for root in way.roots)
    return Coverable(
        sections=frozenset(sections[root] for root in roots if root in sections),
        questions=frozenset(normalise(way.question) for way in derivations if way.question),
        cosine=cosine,
    )


def _sections(asked: Asked, root_ids: Sequence[str]) -> Mapping[str, tuple[str, int]]:
    """Return the document and the part of it that each root chunk lies in; testimonies have none."""
    chunks = [item for item in asked.reader.items(asked.namespace, root_ids) if isinstance(item, Chunk)]
    wanted = Filter(document_ids=tuple({chunk.document_id for chunk in chunks}))
    lengths = {
        document.id: max(1, document.chunk_count) for document in asked.reader.documents(asked.namespace, wanted)
    }
    return {
        chunk.id: (chunk.document_id, min(chunk.ordinal * _SECTIONS // lengths[chunk.document_id], _SECTIONS - 1))
        for chunk in chunks
    }
