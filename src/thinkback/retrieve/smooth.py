"""Neighbour smoothing: a chunk is also as good as what stands before and after it in its document.

The likeness of the question to v_i + w v_(i-1) + w v_(i+1) (docs/adr/0004). The dot product is linear, so it is the same sum
over three cosines and needs no vector; divided by the sum of the weights, it can be compared with the cosine of an item that
has fewer neighbours, or none. Its counterpart for words, BM25 over the window of three chunks, is the store's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput
from thinkback.retrieve.rank import Scores

__all__ = ["smooth_cosines"]


def smooth_cosines(own: Scores, beside: Scores, present: npt.NDArray[np.bool_], *, weight: float) -> Scores:
    """Return the weighted mean of each chunk's cosine (weight 1) and those of the neighbours it has, shape (n,).

    Args:
        own: shape (n,), the cosine of each chunk.
        beside: shape (n, 2), the cosines of the chunk before and after; what stands where there is none is not read.
        present: shape (n, 2), whether there is one.
        weight: of each neighbour, 0 to 1.

    Raises:
        InvalidInput: the weight is outside 0 to 1.
    """
    if not 0.0 <= weight <= 1.0:
        raise InvalidInput(f"The weight of a neighbour must be from 0 to 1, but is {weight}.")
    around: Scores = np.where(present, beside, 0.0).sum(axis=1)
    count: Scores = present.sum(axis=1, dtype=np.float64)
    return (own + weight * around) / (1.0 + weight * count)
