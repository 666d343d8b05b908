"""Rankings as sets of scored rows: putting them in order, joining several, and looking scores up by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thinkback.types import Ranking, Rows

__all__ = ["Scores", "joined", "look_up", "ranked"]

Scores = npt.NDArray[np.float64]

_DECIMALS = 6
"""Scores that differ by less are ties: the same vector gives cosines that differ in the last bits of float32, according
to where in a matrix it lies, and then the lower row must still come first."""


def ranked(rows: Rows, scores: npt.NDArray[np.floating], depth: int | None = None) -> Ranking:
    """Return rows by falling score, ties in the order of their row numbers; the first ``depth`` of them."""
    order = np.lexsort((rows, -np.round(scores.astype(np.float64), _DECIMALS)))[:depth]
    return Ranking(rows=rows[order], scores=scores[order].astype(np.float32))


def joined(parts: Sequence[Ranking]) -> Ranking:
    """Return the rows of all parts, whose scores share a scale, as one ranking."""
    return ranked(
        np.concatenate([np.empty(0, np.int64), *(part.rows for part in parts)]),
        np.concatenate([np.empty(0, np.float32), *(part.scores for part in parts)]),
    )


def look_up(wanted: Rows, rows: Rows, scores: npt.NDArray[np.number]) -> Scores:
    """Return the score of each wanted row, in the shape of ``wanted``; 0 for one that is not among ``rows`` (as -1).

    Args:
        wanted: any shape.
        rows: shape (n,), each once, in any order.
        scores: shape (n,).
    """
    if not rows.size:
        return np.zeros(wanted.shape, np.float64)
    order = np.argsort(rows)
    ordered = rows[order]
    places = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[places] == wanted, scores[order][places], 0.0).astype(np.float64)
