"""Cosines that a search has just computed, for whoever asks about its rows next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinkback.types import FloatVector, Rows

__all__ = ["KnownCosines"]

_MOST = 20_000
"""Rows that are remembered; then it begins anew."""


class KnownCosines:
    """The cosines of rows to one query, the last that was asked about.

    A row keeps its vector for as long as it lives and its number is never used again, so nothing here goes out of date.
    """

    def __init__(self) -> None:
        self._query: FloatVector | None = None
        self._rows = np.zeros(0, np.int64)
        self._scores = np.zeros(0, np.float32)

    def add(self, query: FloatVector, rows: Rows, scores: npt.NDArray[np.float32]) -> None:
        """Remember the cosines of rows; those of another query are forgotten."""
        same = self._query is not None and np.array_equal(self._query, query)
        if same and len(self._rows) < _MOST:
            rows, scores = np.concatenate([self._rows, rows]), np.concatenate([self._scores, scores])
        self._query = query.copy()
        self._rows, first = np.unique(rows, return_index=True)
        self._scores = scores[first]

    def of(self, query: FloatVector, rows: Rows) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """Return the cosines of rows, and a mask of those that are known; the others are 0."""
        if self._query is None or len(self._rows) == 0 or not np.array_equal(self._query, query):
            return np.zeros(len(rows), np.float32), np.zeros(len(rows), np.bool_)
        places = np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)
        known = self._rows[places] == rows
        return np.where(known, self._scores[places], 0).astype(np.float32), known
