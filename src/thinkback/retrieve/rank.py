"""Rankings as sets of scored rows: putting several into one order, and looking scores up by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thinkback.types import Ranking, Rows

__all__ = ["Scores", "by_score", "look_up", "restrict"]

Scores = npt.NDArray[np.float64]

_DECIMALS = 6
"""Scores that differ by less are ties: the same vector gives cosines that differ in the last bits of float32, according
to where in a matrix it lies, and then the lower row must still come first."""


def by_score(parts: Sequence[Ranking]) -> Rows:
    """Return the rows of all parts, which share a scale, by falling score; ties in the order of their row numbers."""
    rows = np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)])
    scores = np.concatenate([np.empty(0, np.float64), *(part.scores.astype(np.float64) for part in parts)])
    return rows[np.lexsort((rows, -np.round(scores, _DECIMALS)))]


def look_up(wanted: Rows, rows: Rows, scores: npt.NDArray[np.floating]) -> Scores:
    """Return the score of each wanted row, in the shape of ``wanted``; 0 for one that is not among ``rows`` (as -1)."""
    if not rows.size:
        return np.zeros(wanted.shape, np.float64)
    order = np.argsort(rows)
    ordered = rows[order]
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[places] == wanted, scores[order][places], 0.0).astype(np.float64)


def restrict(ranking: Ranking, rows: Rows) -> Ranking:
    """Return the ranking with only those of its rows that are among ``rows``."""
    keep = np.isin(ranking.rows, rows)
    return Ranking(rows=ranking.rows[keep], scores=ranking.scores[keep])
