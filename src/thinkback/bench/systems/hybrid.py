"""BM25 and dense retrieval fused by their ranks: a row that the paper lacks, and the usual first thing to try.

Reciprocal rank fusion (Cormack et al., SIGIR 2009) as in ``thinkback.retrieve.fuse``: score(d) = Σ 1 / (60 + rank(d)) over
the rankings that have d, here scaled to 1 for a chunk that leads both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.dense import Dense, make_dense
from thinkback.bench.systems.flat import DEEPEST, FlatSystem, best_first
from thinkback.bench.systems.sparse import Bm25
from thinkback.retrieve.fuse import rrf

__all__ = ["Hybrid", "make_hybrid"]


def make_hybrid(kit: Kit, argument: str) -> Hybrid:
    """Return the fusion of BM25 with the run's own embedder, or with the one that the argument names.

    Raises:
        InvalidInput: no such embedder.
        MissingExtra
    """
    return Hybrid(kit, make_dense(kit, argument))


class Hybrid(FlatSystem):
    """The best 1,000 of either ranking, fused.

    Args:
        kit: what all systems share.
        dense: the other ranking beside BM25.
    """

    def __init__(self, kit: Kit, dense: Dense) -> None:
        super().__init__(kit, dense.name.replace("dense", "hybrid", 1))
        self._rankings: dict[str, FlatSystem] = {"bm25": Bm25(kit), "dense": dense}
        self._count = 0

    def index(self, pieces: Sequence[Piece]) -> None:
        """Index the chunks for both."""
        self._count = len(pieces)
        for ranking in self._rankings.values():
            ranking.index(pieces)

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return fused scores, shape (n,), in (0, 1]; -inf for a chunk that neither ranking has."""
        fused = rrf({name: best_first(ranking.scores(text), DEEPEST) for name, ranking in self._rankings.items()})
        found = np.full(self._count, -np.inf)
        found[fused.rows] = fused.scores
        return found

    def close(self) -> None:
        """Forget all chunks."""
        super().close()
        for ranking in self._rankings.values():
            ranking.close()
