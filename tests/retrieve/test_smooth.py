from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.retrieve import smooth_cosines


def test_hand_worked():
    own, beside = np.array([0.5, 0.4]), np.array([[0.3, 0.1], [0.9, 0.6]])
    present = np.array([[True, True], [False, True]])
    # (.5 + .8 * .4) / 2.6 and (.4 + .8 * .6) / 1.8: the 0.9 stands where there is no neighbour
    assert smooth_cosines(own, beside, present, weight=0.8).tolist() == pytest.approx([0.82 / 2.6, 0.88 / 1.8])


def test_a_chunk_alone_keeps_its_cosine():
    assert smooth_cosines(np.array([0.7]), np.zeros((1, 2)), np.zeros((1, 2), bool), weight=1.0).tolist() == [0.7]


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_equals_the_dot_product_with_the_weighted_mean_of_the_vectors(n, weight, seed):
    rng = np.random.default_rng(seed)
    vectors, question = rng.normal(size=(n, 5)), rng.normal(size=5)
    padded = np.vstack([np.zeros(5), vectors, np.zeros(5)])
    present = np.stack([np.arange(n) > 0, np.arange(n) < n - 1], axis=1)
    sums = padded[1:-1] + weight * (padded[:-2] + padded[2:])
    means = sums / (1 + weight * present.sum(axis=1))[:, None]
    cosines = padded @ question
    found = smooth_cosines(cosines[1:-1], np.stack([cosines[:-2], cosines[2:]], axis=1), present, weight=weight)
    assert np.allclose(found, means @ question)


@given(st.floats(0, 1), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_stays_between_the_smallest_and_the_largest_of_the_three(weight, three):
    before, own, after = three
    found = smooth_cosines(np.array([own]), np.array([[before, after]]), np.ones((1, 2), bool), weight=weight)[0]
    assert min(three) - 1e-9 <= found <= max(three) + 1e-9


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_out_of_range_is_refused(weight):
    with pytest.raises(InvalidInput):
        smooth_cosines(np.zeros(1), np.zeros((1, 2)), np.ones((1, 2), bool), weight=weight)
