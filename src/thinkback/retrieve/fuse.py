"""Reciprocal rank fusion: one order out of several rankings, by ranks alone.

Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
learning methods", SIGIR 2009: score(d) = Σ over rankings of 1 / (k + rank(d)), with k = 60.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput
from thinkback.types import Rows

__all__ = ["Fused", "rrf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """Rows by falling fused score; equal scores in the order of their row numbers."""

    rows: Rows
    """Shape (n,), each row once."""
    scores: npt.NDArray[np.float64]
    """Shape (n,), in (0, 1]: the sum of reciprocal ranks divided by that of an item which leads every ranking."""
    ranks: Mapping[str, npt.NDArray[np.int64]]
    """For each ranking, shape (n,): the rank from 1 of each row, 0 where the ranking did not return it."""

    def why(self, position: int) -> dict[str, int]:
        """Return ranking name to rank for the row at a position, without the rankings that did not return it."""
        return {name: int(ranks[position]) for name, ranks in self.ranks.items() if ranks[position]}


def rrf(rankings: Mapping[str, Rows], *, k: int = 60, weights: Mapping[str, float] | None = None) -> Fused:
    """Fuse rankings, each best first.

    Args:
        rankings: name to rows; a row that a ranking names twice counts where it comes first. An empty ranking is still
            one of those that an item could have led.
        k: the constant of the formula; the larger, the less the first places stand out.
        weights: ranking name to what its reciprocal ranks are multiplied by, above 0; one that is not named has 1.

    Raises:
        InvalidInput: ``k`` is negative, or a weight is not above 0.
    """
    if k < 0:
        raise InvalidInput(f"The constant of reciprocal rank fusion must be at least 0, not {k}.")
    factors = np.array([(weights or {}).get(name, 1.0) for name in rankings])
    if (factors <= 0).any():
        raise InvalidInput("The weight of a ranking must be above 0; leave the ranking out instead.")
    rows = np.unique(np.concatenate([np.empty(0, np.int64), *rankings.values()]))
    ranks = {name: _ranks_of(rows, ranking) for name, ranking in rankings.items()}
    if not rows.size:
        return Fused(rows=rows, scores=np.empty(0, np.float64), ranks=ranks)
    table = np.stack(list(ranks.values()))
    parts = np.where(table > 0, factors[:, None] / (k + np.maximum(table, 1)), 0.0)
    # Added smallest first, so that the same ranks in another order give the very same sum: ties must be exact.
    scores = np.sort(parts, axis=0).sum(axis=0) / (factors.sum() / (k + 1))
    order = np.lexsort((rows, -scores))
    return Fused(
        rows=rows[order],
        scores=np.minimum(scores[order], 1.0),
        ranks={name: values[order] for name, values in ranks.items()},
    )


def _ranks_of(rows: Rows, ranking: Rows) -> npt.NDArray[np.int64]:
    ranks = np.zeros(len(rows), np.int64)
    places = np.searchsorted(rows, ranking)
    # Written from the last to the first, so that the best place of a repeated row stays.
    ranks[places[::-1]] = np.arange(len(ranking), 0, -1)
    return ranks
