"""The words of a row, packed, so that BM25 of a few hundred rows can be computed without their texts.

A bag is a checksum (CRC-32) of each different stem, then how often each stands there: six bytes a word. Two stems of one
row and one question share a checksum by chance once in some millions.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["K1", "LEAST_IDF", "B", "bm25", "idf", "pack"]

K1 = 1.2
B = 0.75
"""As in FTS5's ``bm25()``; Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009."""

LEAST_IDF = 1e-6
"""FTS5 gives it to words that stand in more than half of the rows."""

_MOST = 65_535
"""Times that a word counts in one row."""

_BYTES = 6


def pack(stems: Sequence[str]) -> bytes:
    """Return the bag of a row's stems."""
    counts = Counter(stems)
    sums = np.fromiter((zlib.crc32(stem.encode("utf-8")) for stem in counts), np.uint32, len(counts))
    times = np.fromiter(counts.values(), np.int64, len(counts))
    return sums.tobytes() + np.minimum(times, _MOST).astype(np.uint16).tobytes()


def idf(rows: int, containing: int) -> float:
    """Return the weight of a word that stands in so many of all rows."""
    return max(math.log((rows - containing + 0.5) / (containing + 0.5)), LEAST_IDF)


def bm25(bags: Sequence[bytes], weights: Mapping[str, float], mean_length: float) -> npt.NDArray[np.float64]:
    """Return the BM25 of rows, (n,); 0 for a row that has none of the words.

    Args:
        bags: of the rows.
        weights: stem to idf.
        mean_length: words of a row, over all rows.
    """
    counts = np.fromiter((len(bag) // _BYTES for bag in bags), np.int64, len(bags))
    sums = np.frombuffer(b"".join(bag[: len(bag) // _BYTES * 4] for bag in bags), np.uint32)
    times = np.frombuffer(b"".join(bag[len(bag) // _BYTES * 4 :] for bag in bags), np.uint16).astype(np.float64)
    row_of = np.repeat(np.arange(len(bags)), counts)
    lengths = np.bincount(row_of, weights=times, minlength=len(bags))
    scores = np.zeros(len(bags))
    for stem, weight in weights.items():
        at = np.flatnonzero(sums == np.uint32(zlib.crc32(stem.encode("utf-8"))))
        rows, frequency = row_of[at], times[at]
        share = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * lengths[rows] / mean_length))
        np.add.at(scores, rows, weight * share)
    return scores
