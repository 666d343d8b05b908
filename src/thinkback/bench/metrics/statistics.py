"""Intervals and tests for means over tasks.

Tasks of one corpus are not independent, so whole corpora are drawn, with all their tasks. Where all tasks are of one corpus
there is nothing else to draw than tasks; such an interval says nothing about other corpora.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["Comparison", "Estimate", "compare", "estimate"]

_ROUNDS = 10_000
_INTERVAL = (2.5, 97.5)
_EXACT = 16
"""Groups up to which all 2^n flips are tried."""
_BLOCK = 2_000_000

T = TypeVar("T", bound=np.generic)


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
    times = _times_drawn(len(sums), seed, rounds)
    low, high = np.percentile(_product(times, sums) / _product(times, counts), _INTERVAL)
    return float(low), float(high)


@lru_cache(maxsize=8)
def _times_drawn(groups: int, seed: int, rounds: int) -> npt.NDArray[np.uint8]:
    """Return how often each draw of a bootstrap has each group, shape (rounds, groups).

    Kept, since one pass of scoring draws for hundreds of values; no group is drawn 256 times.
    """
    random = np.random.default_rng(seed)
    times = np.empty((rounds, groups), np.uint8)
    for block in _blocks(times):
        draws = random.integers(0, groups, block.shape) + np.arange(len(block))[:, None] * groups
        block[:] = np.bincount(draws.ravel(), minlength=block.size).reshape(block.shape)
    return times


@lru_cache(maxsize=8)
def _signs(groups: int, seed: int, rounds: int) -> npt.NDArray[np.int8]:
    """Return signs to flip groups by: all ways up to 16 groups, else draws; shape (ways, groups)."""
    if groups <= _EXACT:
        return (1 - 2 * ((np.arange(2**groups)[:, None] >> np.arange(groups)) & 1)).astype(np.int8)
    return 1 - 2 * np.random.default_rng(seed).integers(0, 2, (rounds, groups), np.int8)


def _sign_flips(sums: np.ndarray, seed: int, rounds: int) -> float:
    """Return the two-sided p of the observed sum among all sums with some groups' signs turned round."""
    observed = abs(sums.sum()) - 1e-12
    flipped = np.abs(_product(_signs(len(sums), seed, rounds), sums)) >= observed
    if len(sums) <= _EXACT:
        return float(flipped.mean())
    return float((1 + flipped.sum()) / (1 + rounds))


def _blocks(table: npt.NDArray[T]) -> list[npt.NDArray[T]]:
    """Return a table in views of some million cells, so that what is made of one stays small."""
    return np.array_split(table, max(1, table.size // _BLOCK))


def _product(table: npt.NDArray[T], column: np.ndarray) -> npt.NDArray[np.float64]:
    """Return table @ column in float64, shape (rows,)."""
    return np.concatenate([block.astype(np.float64) @ column for block in _blocks(table)])
