"""The k best of many scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thinkback.store.vectors.codes import Positions

__all__ = ["top"]


def top(scores: npt.NDArray[np.float32], k: int, allowed: npt.NDArray[np.bool_] | None = None) -> Positions:
    """Return the positions of the k largest scores, by falling score; ties: lower position first.

    Args:
        scores: (n,).
        k: fewer come back where there are fewer.
        allowed: (n,) True where a position may be returned; None: everywhere.
    """
    places = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
    if k <= 0 or len(places) == 0:
        return np.zeros(0, np.int64)
    wanted = scores[places]
    if len(places) > k:
        border = np.partition(wanted, len(wanted) - k)[len(wanted) - k]
        above = np.flatnonzero(wanted > border)
        chosen = np.sort(np.concatenate([above, np.flatnonzero(wanted == border)[: k - len(above)]]))
        places, wanted = places[chosen], wanted[chosen]
    return places[np.argsort(-wanted, kind="stable")]
