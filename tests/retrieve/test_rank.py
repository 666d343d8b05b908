from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thinkback.retrieve.rank import joined, look_up, ranked
from thinkback.types import Ranking


def test_rows_are_ordered_by_falling_score_and_ties_by_row():
    found = ranked(np.array([4, 1, 3, 2]), np.array([0.5, 0.5, 0.9, 0.1]))
    assert found.rows.tolist() == [3, 1, 4, 2]
    assert found.scores.tolist() == np.array([0.9, 0.5, 0.5, 0.1], np.float32).tolist()


def test_depth_cuts_after_ordering():
    assert ranked(np.array([1, 2, 3]), np.array([0.1, 0.2, 0.3]), 2).rows.tolist() == [3, 2]


def test_scores_that_differ_by_rounding_only_are_a_tie():
    one = np.float32(0.83333334)
    assert ranked(np.array([9, 2]), np.array([np.nextafter(one, np.float32(1)), one])).rows.tolist() == [2, 9]


def test_joined_rankings_share_one_order():
    left = Ranking(rows=np.array([1, 5]), scores=np.array([0.9, 0.3], np.float32))
    right = Ranking(rows=np.array([7]), scores=np.array([0.5], np.float32))
    assert joined([left, right]).rows.tolist() == [1, 7, 5]
    assert joined([]).rows.tolist() == []


def test_looking_up_in_nothing_gives_zeros_in_the_shape_asked():
    assert look_up(np.array([[1, -1]]), np.empty(0, np.int64), np.empty(0)).tolist() == [[0.0, 0.0]]


@given(st.dictionaries(st.integers(0, 50), st.floats(-1, 1), max_size=20), st.lists(st.integers(-1, 60), max_size=20))
def test_look_up_is_a_dictionary_with_zero_for_what_is_missing(table, wanted):
    found = look_up(
        np.array(wanted, np.int64), np.array(list(table), np.int64), np.array(list(table.values()), np.float64)
    )
    assert found.tolist() == [table.get(row, 0.0) for row in wanted]
