from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.thought.level import level


@pytest.mark.parametrize(
    ("sources", "expected"),
    [([1.0], 2.0), ([1.0, 1.0, 1.0], 2.0), ([1.0, 2.0], 2.5), ([2.0, 2.0], 3.0), ([1.0, 2.0, 2.5], 1 + 5.5 / 3)],
)
def test_a_level_is_one_more_than_the_mean_and_never_truncated(sources: list[float], expected: float) -> None:
    assert level(sources) == pytest.approx(expected)


@pytest.mark.parametrize("sources", [[], [0.5], [1.0, 0.0]])
def test_no_sources_or_one_below_raw_text_is_refused(sources: list[float]) -> None:
    with pytest.raises(InvalidInput):
        level(sources)


@given(st.lists(st.floats(1, 50), min_size=1, max_size=30))
def test_a_level_lies_one_above_the_range_of_its_sources(sources: list[float]) -> None:
    assert min(sources) + 1 - 1e-9 <= level(sources) <= max(sources) + 1 + 1e-9
