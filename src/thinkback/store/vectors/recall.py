"""Does a search by codes find what an exact search finds? Asked of a sample of the stored vectors themselves."""

from __future__ import annotations

import numpy as np

from thinkback.store.vectors.codes import CodeKind, encode, nearest
from thinkback.store.vectors.top import top
from thinkback.types import FloatMatrix

__all__ = ["recall_of_codes"]


def recall_of_codes(
    kind: CodeKind, vectors: FloatMatrix, *, keep: int, queries: int = 40, k: int = 10, seed: int = 0
) -> float:
    """Return the mean share of the exact k nearest that are among the ``keep`` nearest by code, 0 to 1.

    Queries lie half-way between a stored vector and another one of a random ten: near something, equal to nothing.

    Args:
        kind: of code to try.
        vectors: (n, d) unit rows.
        keep: candidates, as a search would take.
        queries: how many; fewer where there are fewer vectors.
        k: of the exact search.
        seed: of the sample.
    """
    rng = np.random.default_rng(seed)
    count = len(vectors)
    if count <= max(k, keep):
        return 1.0
    codes = encode(kind, vectors)
    found = 0
    chosen = rng.choice(count, size=min(queries, count), replace=False)
    for position in chosen:
        others = vectors[rng.choice(count, size=10)]
        query = vectors[position] + others[np.argmax(others @ vectors[position])]
        exact = top(vectors @ query, k)
        found += len(np.intersect1d(exact, nearest(kind, codes, query, keep), assume_unique=True))
    return found / (len(chosen) * k)
