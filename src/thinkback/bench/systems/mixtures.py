"""Soft clusters of vectors as RAPTOR makes them: reduced vectors, Gaussian mixtures, their number by BIC.

Source: Sarthi et al., "RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval", ICLR 2024, section 3. Two
things are otherwise than there. The vectors are reduced by principal components, not by UMAP: UMAP would bring a compiler
and an approximate nearest-neighbour library for this one row, and its layouts change between versions and machines, where a
run must come out the same again. And no set is too small: one that cannot be split is one cluster.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from thinkback.errors import MissingExtra

__all__ = ["bics", "clusters", "halves", "members", "reduced"]

Matrix = npt.NDArray[np.float64]

DIMENSIONS = 10
"""Of the reduced vectors; a set of at most one more is not split. As in the authors' code."""
MOST_CLUSTERS = 50
"""Numbers of clusters below this one are tried. As in the authors' code."""
THRESHOLD = 0.1
"""A vector belongs to every cluster that it stems from with a greater probability. As in the authors' code."""


def reduced(vectors: Matrix, dimensions: int) -> Matrix:
    """Return principal components, shape (n, min(dimensions, n - 1, d)); each axis' largest part is positive."""
    centred = vectors - vectors.mean(axis=0)
    left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    keep = min(dimensions, len(vectors) - 1, vectors.shape[1])
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    return np.asarray((left * sizes * np.where(signs == 0, 1.0, signs))[:, :keep], np.float64)


def bics(points: Matrix, most: int, seed: int) -> list[float]:
    """Return the Bayesian information criterion of mixtures of 1, 2, ... ``most`` Gaussians; inf where one cannot be fitted.

    BIC = -2 ln L + p ln n (Schwarz, Annals of Statistics 1978), with p = k - 1 weights + k d means + k d (d + 1) / 2
    covariances of k Gaussians in d dimensions. The smallest is best.
    """
    found = []
    for number in range(1, most + 1):
        try:
            found.append(float(_fit(points, number, seed).bic(points)))
        except ValueError:
            found.append(float("inf"))
    return found


def members(probabilities: Matrix, threshold: float = THRESHOLD) -> list[list[int]]:
    """Return per cluster the rows that belong to it, ascending; clusters without any are left out.

    Args:
        probabilities: shape (n, k), rows add up to 1.
        threshold: a row belongs to all clusters above it; one that is above it nowhere belongs to its likeliest.
    """
    belongs = probabilities > threshold
    nowhere = ~belongs.any(axis=1)
    belongs[nowhere, probabilities[nowhere].argmax(axis=1)] = True
    return [found for found in (np.flatnonzero(column).tolist() for column in belongs.T) if found]


def clusters(vectors: Matrix, *, seed: int, dimensions: int = DIMENSIONS) -> list[list[int]]:
    """Return soft clusters, each ascending rows: first of the whole, then within each of its parts.

    Args:
        vectors: shape (n, d).
        seed: of the mixtures' beginnings.
        dimensions: of the reduced vectors.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    found: list[list[int]] = []
    with _one_thread():
        for part in _one_level(vectors, seed, dimensions):
            inner = _one_level(vectors[part], seed, dimensions)
            found += [[part[place] for place in group] for group in inner]
    return [list(group) for group in dict.fromkeys(map(tuple, found))]


def _one_thread() -> AbstractContextManager[object]:
    """Keep hundreds of tiny fits from waiting for threads, and sums in one order."""
    try:
        import sklearn.mixture  # noqa: F401 - only libraries that are loaded by now are held to it
        from threadpoolctl import threadpool_limits  # comes with scikit-learn
    except ImportError:
        raise MissingExtra("A tree of clusters", "bench") from None
    return cast("AbstractContextManager[object]", threadpool_limits(limits=1))


def _one_level(vectors: Matrix, seed: int, dimensions: int) -> list[list[int]]:
    if len(vectors) <= dimensions + 1:
        return [list(range(len(vectors)))]
    points = reduced(vectors, dimensions)
    values = bics(points, min(MOST_CLUSTERS, len(points)) - 1, seed)
    chosen = _fit(points, 1 + int(np.argmin(values)), seed)
    return members(chosen.predict_proba(points))


def _fit(points: Matrix, number: int, seed: int) -> Any:
    """Return a mixture with full covariances, scikit-learn's default.

    Raises:
        ValueError: a covariance cannot be inverted.
    """
    from sklearn.mixture import GaussianMixture

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a mixture that did not settle; its BIC speaks for itself
        return GaussianMixture(n_components=number, random_state=seed).fit(points)


def halves(prices: Sequence[int]) -> int:
    """Return where to cut a list so that both parts have about the same price, none of them empty."""
    total, passed = sum(prices), 0
    for place, price in enumerate(prices[:-1], 1):
        passed += price
        if 2 * passed >= total:
            return place
    return len(prices) - 1
