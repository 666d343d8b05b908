"""Intervals and tests for means over tasks.

Tasks of one corpus are not independent, so whole corpora are drawn, with all their tasks. Where all tasks are of one corpus
there is nothing else to draw than tasks; such an interval says nothing about other corpora.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["Comparison", "Estimate", "compare", "estimate"]

_ROUNDS = 10_000
_INTERVAL = (2.5, 97.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Record):
    """A mean with its 95 % bootstrap interval."""

    mean: float | None
    """None where nothing was scored."""
    low: float | None
    high: float | None
    """The interval; None below two groups, where nothing can be said."""
    n: int
    """Values."""
    groups: int
    """What the interval draws: corpora, or tasks where there is one corpus only."""
    unscored: int
    """Outputs without a value: they are neither in the mean nor counted as 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Record):
    """The difference of two systems on the tasks that both have a value for: first minus second."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Two-sided p of the paired permutation test that flips the signs of whole groups; exact up to 16 groups, else
    10,000 seeded draws, with one added to both counts (Phipson and Smyth, 2010)."""
    n: int
    groups: int
    better: int
    worse: int
    """Tasks on which the first is above, below the second."""


def estimate(
    values: Sequence[float | None], groups: Sequence[Hashable], *, seed: int = 42, rounds: int = _ROUNDS
) -> Estimate:
    """Return the mean of the values that are there, with a percentile bootstrap interval over groups.

    Args:
        values: one a task; None: unscored.
        groups: the corpus of each, in the same order; where it is the same for all, each value is drawn alone.
        seed: of the draws.
        rounds: how many draws.

    Raises:
        InvalidInput: the two differ in length.
    """
    there = _paired(values, groups)
    unscored = len(values) - len(there)
    sums, counts = _per_group(there)
    if not there:
        return Estimate(mean=None, low=None, high=None, n=0, groups=0, unscored=unscored)
    low, high = _interval(sums, counts, seed, rounds)
    mean = float(sums.sum() / counts.sum())
    return Estimate(mean=mean, low=low, high=high, n=len(there), groups=len(sums), unscored=unscored)


def compare(
    first: Sequence[float | None],
    second: Sequence[float | None],
    groups: Sequence[Hashable],
    *,
    seed: int = 42,
    rounds: int = _ROUNDS,
) -> Comparison:
    """Return how two systems differ, task by task, where both were scored.

    Raises:
        InvalidInput: the three differ in length.
    """
    if len(first) != len(second):
        raise InvalidInput("Only outputs for the same tasks can be compared.")
    both = [a - b if a is not None and b is not None else None for a, b in zip(first, second, strict=True)]
    there = _paired(both, groups)
    if not there:
        return Comparison(difference=None, low=None, high=None, p=None, n=0, groups=0, better=0, worse=0)
    sums, counts = _per_group(there)
    low, high = _interval(sums, counts, seed, rounds)
    return Comparison(
        difference=float(sums.sum() / counts.sum()),
        low=low,
        high=high,
        p=_sign_flips(sums, seed, rounds) if len(sums) > 1 else None,
        n=len(there),
        groups=len(sums),
        better=sum(value > 0 for value, _ in there),
        worse=sum(value < 0 for value, _ in there),
    )


def _paired(values: Sequence[float | None], groups: Sequence[Hashable]) -> list[tuple[float, Hashable]]:
    if len(values) != len(groups):
        raise InvalidInput("Each value needs its group.")
    there = [(value, group) for value, group in zip(values, groups, strict=True) if value is not None]
    if len({group for _, group in there}) == 1:
        return [(value, place) for place, (value, _) in enumerate(there)]
    return there


def _per_group(there: Sequence[tuple[float, Hashable]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum and the number of values of each group, in the order in which groups first occur."""
    order = {group: number for number, group in enumerate(dict.fromkeys(group for _, group in there))}
    places = np.array([order[group] for _, group in there], np.int64)
    sums = np.bincount(places, weights=[value for value, _ in there], minlength=len(order))
    return sums, np.bincount(places, minlength=len(order))


def _interval(sums: np.ndarray, counts: np.ndarray, seed: int, rounds: int) -> tuple[float | None, float | None]:
    if len(sums) < 2:
        return None, None
    draws = np.random.default_rng(seed).integers(0, len(sums), (rounds, len(sums)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.percentile(means, _INTERVAL)
    return float(low), float(high)


def _sign_flips(sums: np.ndarray, seed: int, rounds: int) -> float:
    """Return the two-sided p of the observed sum among all sums with some groups' signs turned round."""
    observed = abs(sums.sum()) - 1e-12
    if len(sums) <= 16:
        signs = 1 - 2 * ((np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1)
        return float((np.abs(signs @ sums) >= observed).mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (rounds, len(sums)))
    return float((1 + (np.abs(signs @ sums) >= observed).sum()) / (1 + rounds))
