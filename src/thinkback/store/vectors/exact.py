"""Whole vectors in memory for the small namespaces that are searched exactly, up to a bound; the least used go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from thinkback.store.vectors.view import View
from thinkback.types import FloatMatrix, Rows

__all__ = ["ExactVectors"]

ReadVectors = Callable[[Rows], FloatMatrix]
"""Takes rising sequence numbers, returns their vectors (n, d) float32; rows that are not there are zeros."""


@dataclass(slots=True)
class _Held:
    family: object
    matrix: FloatMatrix
    used: int


class ExactVectors:
    """A bounded cache of float32 matrices, aligned with the positions of views.

    Args:
        bound: bytes to hold at most; a matrix that is larger alone is used and not kept.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._held: OrderedDict[Hashable, _Held] = OrderedDict()
        self._lock = threading.Lock()

    def matrix(self, key: Hashable, view: View, read: ReadVectors, *, keep: bool) -> FloatMatrix:
        """Return the vectors of a view's positions, (n, d); what stands at dead positions means nothing.

        Args:
            key: names namespace and kind.
            view: the rows.
            read: fetches what is missing.
            keep: whether the view is one that others will ask for: committed and current.
        """
        with self._lock:
            held = self._held.get(key)
            if held is not None and held.family is view.family:
                self._held.move_to_end(key)
                known = min(held.used, view.common)
                if known >= view.count:
                    return held.matrix[: view.count]
            else:
                held, known = None, 0
        missing = read(view.seqs[known:])
        if held is None:
            matrix = missing
        elif keep and known == held.used and view.count <= len(held.matrix):
            with self._lock:  # another thread may have written the same rows meanwhile: they are equal
                held.matrix[known : view.count] = missing
                held.used = max(held.used, view.count)
            return held.matrix[: view.count]
        else:
            matrix = np.concatenate([held.matrix[:known], missing])
        if keep:
            self._keep(key, view, matrix)
        return matrix

    def _keep(self, key: Hashable, view: View, matrix: FloatMatrix) -> None:
        roomy = np.empty((len(matrix) + len(matrix) // 8 + 16, matrix.shape[1]), np.float32)
        if roomy.nbytes > self._bound:
            return
        roomy[: len(matrix)] = matrix
        with self._lock:
            self._held[key] = _Held(family=view.family, matrix=roomy, used=len(matrix))
            self._held.move_to_end(key)
            while sum(each.matrix.nbytes for each in self._held.values()) > self._bound:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._held.clear()

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        with self._lock:
            return sum(each.matrix.nbytes for each in self._held.values())
