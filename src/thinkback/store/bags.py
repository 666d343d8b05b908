"""The words of a row, packed, so that BM25 of a few hundred rows can be computed without their texts.

A bag is the checksum (CRC-32) of each stem of the row, as often as it stands there: four bytes a word. That two different
stems, one of a question and one of a row, share a checksum happens once in some millions of rows.
"""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["K1", "LEAST_IDF", "B", "bm25", "bm25_over", "idf", "pack"]

K1 = 1.2
B = 0.75
"""As in FTS5's ``bm25()``; Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009."""

LEAST_IDF = 1e-6
"""FTS5 gives it to words that stand in more than half of the rows."""


def pack(stems: Iterable[str]) -> bytes:
    """Return the bag of a row's stems."""
    return array("I", map(zlib.crc32, map(str.encode, stems))).tobytes()


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
    return bm25_over(bags, np.arange(len(bags))[:, None], weights, mean_length)


def bm25_over(
    bags: Sequence[bytes], windows: npt.NDArray[np.int64], weights: Mapping[str, float], mean_length: float
) -> npt.NDArray[np.float64]:
    """Return the BM25 of windows of rows, (n,), each as if the words of its rows were one text.

    Args:
        bags: of the rows.
        windows: shape (n, w), places among the bags; -1 for none.
        weights: stem to idf.
        mean_length: words of a window, over all of them.
    """
    count = len(bags)
    lengths = np.fromiter(map(len, bags), np.int64, count) // 4
    sums = np.frombuffer(b"".join(bags), np.uint32)
    row_of = np.repeat(np.arange(count), lengths)
    damping = K1 * (1 - B + B * np.append(lengths, 0)[windows].sum(axis=1) / mean_length)
    scores = np.zeros(len(windows))
    for stem, weight in weights.items():
        times_in_row = np.bincount(row_of[sums == zlib.crc32(stem.encode())], minlength=count + 1)  # the last: no row
        times = times_in_row[windows].sum(axis=1)
        scores += weight * times * (K1 + 1) / (times + damping)
    return scores
