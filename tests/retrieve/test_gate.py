from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.retrieve import Coverable, admit_by_coverage, admit_by_roots, admit_by_similarity


def thought(sections: str = "", questions: str = "", cosine: float = 0.0) -> Coverable:
    return Coverable(sections=frozenset(sections), questions=frozenset(questions), cosine=cosine)


def test_the_gate_is_open_at_its_value_and_closed_just_below():
    gate = np.float32(0.6)
    cosines = np.array([np.nextafter(gate, np.float32(0)), gate, np.nextafter(gate, np.float32(1))], np.float32)
    assert admit_by_similarity(cosines, 0.6).tolist() == [False, True, True]


def test_without_a_gate_all_take_part():
    assert admit_by_similarity(np.array([-1.0, 0.0]), None).tolist() == [True, True]
    assert admit_by_similarity(np.array([-1.0, 0.0]), -1.0).tolist() == [True, True]
    assert admit_by_similarity(np.empty(0), 0.5).tolist() == []


@pytest.mark.parametrize(
    ("ways", "admitted"),
    [
        ([[60]], True),
        ([[61]], False),
        ([[1, 119]], True),  # the mean is 60
        ([[1, 120]], False),  # a near root does not carry a far one
        ([[1, 0]], False),  # not ranked counts as 200
        ([[200], [3]], True),  # a second way must not make a thought harder to find
        ([[]], False),  # testimony alone
        ([[], [5]], True),
        ([], False),
    ],
)
def test_a_thought_takes_part_where_its_roots_do(ways, admitted):
    assert admit_by_roots(ways, root_rank=60, missing=200) is admitted


def test_coverage_prefers_what_is_new_over_what_is_near():
    thoughts = [thought("a", "p", 0.9), thought("a", "p", 0.8), thought("b", "q", 0.1)]
    assert admit_by_coverage(thoughts, most=10) == (0, 2)


def test_equals_go_by_cosine_then_by_position():
    assert admit_by_coverage([thought("a"), thought("b", cosine=0.5), thought("c")], most=10) == (1, 0, 2)


def test_a_widely_rooted_thought_comes_first_but_does_not_stand_for_all():
    wide, narrow = thought("abcdefg", "p"), thought("h", "q")
    assert admit_by_coverage([narrow, wide], most=10) == (1, 0)


def test_a_thought_without_sections_or_questions_adds_nothing():
    assert admit_by_coverage([thought(cosine=1.0)], most=3) == ()


def test_at_most_so_many_and_never_fewer_than_none():
    assert admit_by_coverage([thought("a"), thought("b")], most=1) == (0,)
    assert admit_by_coverage([thought("a")], most=0) == ()
    with pytest.raises(InvalidInput):
        admit_by_coverage([], most=-1)


coverables = st.lists(
    st.builds(thought, st.text("abcdef", max_size=4), st.text("pqr", max_size=2), st.floats(0, 1)), max_size=12
)


@given(coverables)
def test_without_a_bound_everything_that_can_be_covered_is(thoughts):
    chosen = admit_by_coverage(thoughts, most=len(thoughts))
    assert len(set(chosen)) == len(chosen)
    for attribute in ("sections", "questions"):
        assert {x for t in thoughts for x in getattr(t, attribute)} == {
            x for position in chosen for x in getattr(thoughts[position], attribute)
        }
