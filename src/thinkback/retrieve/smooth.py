"""Neighbour smoothing: a chunk is also as good as what stands before and after it in its document.

Dense: the cosine to v_i + w v_(i-1) + w v_(i+1). The dot product with the question is linear, so it is the same sum over
the three cosines and needs no vector. Words: BM25 over the window of three chunks, as the sum of their BM25 scores.
Source: findings A2, where both rankings together put .09 more of the evidence into 500 tokens than RRF of dense and BM25.
"""

from __future__ import annotations

from thinkback.errors import InvalidInput
from thinkback.retrieve.rank import Scores

__all__ = ["smooth"]


def smooth(own: Scores, around: Scores, *, weight: float) -> Scores:
    """Return ``own + weight * (before + after)``, shape (n,).

    Args:
        own: shape (n,), the score of each chunk.
        around: shape (n, 2), the scores of the chunk before and after; 0 where there is none.
        weight: of each neighbour, 0 to 1.

    Raises:
        InvalidInput: the weight is outside 0 to 1.
    """
    if not 0.0 <= weight <= 1.0:
        raise InvalidInput(f"The weight of a neighbour must be from 0 to 1, but is {weight}.")
    both: Scores = around.sum(axis=1)
    return own + weight * both
