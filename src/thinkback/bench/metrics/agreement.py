"""How far raters agree: Krippendorff's alpha, and the correlation of two rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput, MissingExtra
from thinkback.types import Record

__all__ = ["Level", "RankAgreement", "krippendorff", "rank_agreement"]

Level = Literal["nominal", "ordinal", "interval"]
"""What differences of two ratings mean: none but being different, how many ratings lie between, or their distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement(Record):
    """How alike two lists of numbers rank the same things: 1 the same, 0 unrelated, -1 the other way round."""

    kendall: float | None
    """Tau-b (Kendall, Biometrika 33(3), 1945); None below two things, or where either list is one number throughout."""
    spearman: float | None
    n: int


def krippendorff(units: Sequence[Sequence[float | None]], level: Level) -> float | None:
    """Return alpha = 1 - observed / expected disagreement (Krippendorff, Content Analysis, 2004, chapter 11).

    Args:
        units: what was rated, each with its ratings in any order; None: that rater did not rate it. Units with fewer than
            two ratings count for nothing.
        level: what a difference means.

    Returns:
        1 for perfect agreement, 0 for what chance gives, below 0 for worse; None where nothing can be compared or all
        ratings are the same.
    """
    rated = [[each for each in unit if each is not None] for unit in units]
    rated = [unit for unit in rated if len(unit) > 1]
    values = sorted({each for unit in rated for each in unit})
    if len(values) < 2:
        return None
    place = {value: number for number, value in enumerate(values)}
    together = np.zeros((len(values), len(values)))
    for unit in rated:
        for (one, other), times in Counter(permutations(unit, 2)).items():
            together[place[one], place[other]] += times / (len(unit) - 1)
    counts = together.sum(axis=1)
    apart = _apart(np.array(values), counts, level)
    observed = (together * apart).sum()
    expected = (np.outer(counts, counts) * apart).sum() / (counts.sum() - 1)
    return float(1 - observed / expected)


def _apart(values: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], level: Level) -> npt.NDArray[np.float64]:
    """Return the squared difference of each two values, shape (values, values)."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values) ** 2, np.float64)
    middle = np.cumsum(counts) - counts / 2  # between two of these lies half of each, and all in between
    return np.asarray((middle[:, None] - middle) ** 2, np.float64)


def rank_agreement(ours: Sequence[float], theirs: Sequence[float]) -> RankAgreement:
    """Return the rank correlations of two ratings of the same things.

    Raises:
        InvalidInput: they differ in length.
        MissingExtra
    """
    if len(ours) != len(theirs):
        raise InvalidInput("Both lists must rate the same things.")
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return RankAgreement(kendall=None, spearman=None, n=len(ours))
    try:
        from scipy import stats
    except ImportError:
        raise MissingExtra("Rank correlation", "bench") from None
    return RankAgreement(
        kendall=float(stats.kendalltau(ours, theirs).statistic),
        spearman=float(stats.spearmanr(ours, theirs).statistic),
        n=len(ours),
    )
