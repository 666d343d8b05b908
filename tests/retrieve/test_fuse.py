"""Reciprocal rank fusion against hand-worked sums, and its invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.retrieve import rrf


def rows(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


rankings = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]),
    st.lists(st.integers(0, 30), unique=True, max_size=12).map(lambda given: np.array(given, np.int64)),
    max_size=4,
)


def test_scores_are_sums_of_reciprocal_ranks_over_the_best_possible_sum():
    fused = rrf({"dense": rows(7, 3), "words": rows(3, 9)}, k=60)
    assert fused.rows.tolist() == [3, 7, 9]
    best = 2 / 61
    assert fused.scores.tolist() == pytest.approx([(1 / 62 + 1 / 61) / best, (1 / 61) / best, (1 / 62) / best])
    assert fused.why(0) == {"dense": 2, "words": 1}
    assert fused.why(1) == {"dense": 1}


def test_an_item_that_leads_every_ranking_scores_one_also_when_it_is_the_only_one():
    # a known fault elsewhere: a single result rescaled to 0
    assert rrf({"a": rows(5), "b": rows(5), "c": rows(5)}).scores.tolist() == [1.0]


def test_equal_ranks_in_another_order_tie_exactly_and_the_lower_row_comes_first():
    fused = rrf({"a": rows(8, 2, 5), "b": rows(2, 5, 8), "c": rows(5, 8, 2)}, k=60)
    assert fused.rows.tolist() == [2, 5, 8]
    assert len(set(fused.scores.tolist())) == 1


def test_an_empty_ranking_counts_as_one_that_could_have_been_led():
    assert rrf({"a": rows(1), "b": rows()}).scores.tolist() == [0.5]


def test_no_rankings_and_empty_rankings_give_nothing():
    for given_rankings in ({}, {"a": rows()}):
        fused = rrf(given_rankings)
        assert fused.rows.size == fused.scores.size == 0


def test_a_repeated_row_counts_at_its_best_place():
    assert rrf({"a": rows(4, 6, 4)}).why(0) == {"a": 1}


def test_a_ranking_counts_by_its_weight():
    fused = rrf({"a": rows(1, 2), "b": rows(2, 1)}, k=10, weights={"b": 1.5})
    assert fused.rows.tolist() == [2, 1]
    assert fused.scores.tolist() == pytest.approx([(1 / 12 + 1.5 / 11) / (2.5 / 11), (1 / 11 + 1.5 / 12) / (2.5 / 11)])
    assert rrf({"a": rows(4), "b": rows(4)}, weights={"a": 0.3, "other": 9}).scores.tolist() == pytest.approx([1.0])


@pytest.mark.parametrize("weight", [0, -1])
def test_a_weight_that_takes_a_ranking_out_is_refused(weight):
    with pytest.raises(InvalidInput):
        rrf({"a": rows(1)}, weights={"a": weight})


def test_a_negative_constant_is_refused():
    with pytest.raises(InvalidInput):
        rrf({"a": rows(1)}, k=-1)


@given(rankings, st.integers(0, 100))
def test_every_row_once_with_falling_scores_in_range(given_rankings, k):
    fused = rrf(given_rankings, k=k)
    assert sorted(fused.rows.tolist()) == sorted(
        {row for ranking in given_rankings.values() for row in ranking.tolist()}
    )
    assert all(0 < score <= 1 for score in fused.scores)
    pairs = list(zip(-fused.scores, fused.rows, strict=True))
    assert pairs == sorted(pairs)
    for name, ranking in given_rankings.items():
        assert [ranking.tolist().index(row) + 1 if row in ranking else 0 for row in fused.rows] == fused.ranks[
            name
        ].tolist()


@given(rankings)
def test_the_order_of_the_rankings_does_not_matter(given_rankings):
    backwards = rrf(dict(reversed(given_rankings.items())))
    forwards = rrf(given_rankings)
    assert forwards.rows.tolist() == backwards.rows.tolist()
    assert forwards.scores.tolist() == backwards.scores.tolist()


@given(rankings, st.integers(31, 40))
def test_adding_an_item_at_the_end_of_a_ranking_leaves_the_order_of_the_others(given_rankings, newcomer):
    before = rrf(given_rankings).rows.tolist()
    longer = {name: np.append(ranking, newcomer) for name, ranking in given_rankings.items()}
    assert [row for row in rrf(longer).rows.tolist() if row != newcomer] == before
