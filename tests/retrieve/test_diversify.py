"""The greedy rule of the authors' script: walk from the nearest on, keep what is not too near a kept one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.retrieve import diversify


def unit(*degrees: float) -> np.ndarray:
    return np.array([[np.cos(np.radians(d)), np.sin(np.radians(d))] for d in degrees], np.float32)


def test_an_item_too_near_a_kept_one_is_dropped_and_a_dropped_one_drops_nothing():
    # cos 20° = .94, cos 40° = .77: 20 falls to 0, and 40 is measured against 0 only
    assert diversify(unit(0, 20, 40), limit=0.85) == (0, 2)


def test_an_item_at_the_limit_stays():
    vectors = np.array([[1, 0], [0.6, 0.8]], np.float32)
    at_limit = float(vectors[0] @ vectors[1])
    assert diversify(vectors, limit=at_limit) == (0, 1)
    assert diversify(vectors, limit=np.nextafter(at_limit, -1)) == (0,)


def test_it_stops_at_top_k_and_may_end_below():
    assert diversify(unit(0, 90, 180, 270), limit=0.85, top_k=2) == (0, 1)
    assert diversify(unit(0, 1, 2), limit=0.85, top_k=2) == (0,)


def test_of_nothing_nothing_is_kept():
    assert diversify(np.empty((0, 2), np.float32), limit=0.85) == ()


def test_top_k_must_leave_something():
    with pytest.raises(InvalidInput):
        diversify(unit(0), limit=0.85, top_k=0)


@given(st.lists(st.floats(0, 360), max_size=12), st.floats(-1, 1))
def test_kept_ones_are_apart_and_every_dropped_one_is_near_an_earlier_kept_one(degrees, limit):
    vectors = unit(*degrees).reshape(len(degrees), 2)
    kept = diversify(vectors, limit=limit)
    assert list(kept) == sorted(set(kept))
    for position in range(len(degrees)):
        near = any(float(vectors[k] @ vectors[position]) > limit for k in kept if k < position)
        assert (position in kept) == (not near)
