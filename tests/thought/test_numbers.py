from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.numbers import Number, days, numbers, same_number


def _read(text: str) -> list[tuple[float, str]]:
    return [(round(n.value, 6), n.unit) for n in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200 patients", [(1200, "")]),
        ("1.200.000 Euro", [(1200000, "eur")]),
        ("1.234,5 kg", [(1234500, "mass")]),
        ("3,5 Liter", [(3.5, "volume")]),
        ("1.5 GB or 1,500 MB", [(1.5e9, "data"), (1.5e9, "data")]),
        ("50%, fifty percent, half", [(0.5, "ratio")] * 3),
        ("three quarters and one third and a third of", [(0.75, "ratio"), (0.333333, "ratio"), (0.333333, "ratio")]),
        ("two hundred and fifty thousand people", [(250000, "")]),
        ("a hundred dogs", [(100, "")]),
        ("twenty-five milliseconds", [(0.025, "time")]),
        ("25 ms", [(0.025, "time")]),
        ("two dozen eggs", [(24, "")]),
        ("half an hour", [(1800, "time")]),
        ("GPT-4, BM25 and 3D on an H200", []),
        ("v2.1", []),
        ("$5 million", [(5e6, "usd")]),
        ("5M users, 12k rows, 3 million kilometres", [(5e6, ""), (12000, ""), (3e9, "length")]),
        ("March 5, 2023", [(3, "month"), (5, ""), (2023, "")]),
        ("2023-03-05", [(2023, ""), (3, "month"), (5, "")]),
        ("5th of May", [(5, ""), (5, "month")]),
        ("It may be. May I?", []),
        ("at 3:30 pm, 15:30, 3 pm, 12 am", [(930, "clock"), (930, "clock"), (900, "clock"), (0, "clock")]),
        ("the 1990s", [(1990, "decade")]),
        ("the third run, the second run", [(3, ""), (2, "")]),
        ("a second of silence", []),
        ("doubled, twice, three-fold", [(2, "times"), (2, "times"), (3, "times")]),
        ("10-20 hours", [(10, ""), (72000, "time")]),
        (
            "\u5341\u4e8c\u4e2a\u4eba, 3\u4e07\u4eba, \u4e8c\u3007\u4e8c\u4e09\u5e74, \u4e00\u767e\u4e8c\u5341\u4e07\u5143",
            [(12, ""), (30000, ""), (2023, ""), (1200000, "")],
        ),
        ("20 \u00b0C and 20 celsius", [(20, "temperature")] * 2),
        ("2021-99-99", [(2021, ""), (99, ""), (99, "")]),
        ("5 mm and 5 m", [(0.005, "length"), (5, "length")]),
    ],
)
def test_numbers_are_read_with_their_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert _read(text) == expected


def test_spans_are_exact_and_ordered() -> None:
    text = "Between 1,200 and two hundred kilometres in March 2020."
    found = numbers(text)
    assert [text[n.start : n.end] for n in found] == ["1,200", "two hundred kilometres", "March", "2020"]


def _number(value: float, unit: str = "") -> Number:
    return Number(value=value, unit=unit, start=0, end=1)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (_number(3), _number(3), True),
        (_number(3), _number(4), False),
        (_number(3, "usd"), _number(3), True),
        (_number(3, "usd"), _number(3, "eur"), False),
        (_number(0.5, "ratio"), _number(50), False),
    ],
)
def test_numbers_are_the_same_if_value_and_unit_are(left: Number, right: Number, same: bool) -> None:
    assert same_number(left, right) is same
    assert same_number(right, left) is same


@given(st.text(alphabet="0123456789.,:-%$ \u20ackMGB amp three hundred and half\u4e94\u4e07\u4e2a", max_size=60))
def test_any_text_is_read_and_spans_do_not_overlap(text: str) -> None:
    found = numbers(text)
    for one, other in itertools.pairwise(found):
        assert one.start < one.end <= other.start


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 3 April 1962", {(4.0, 3.0)}),
        ("April 3rd, 1962", {(4.0, 3.0)}),
        ("the 3rd of April", {(4.0, 3.0)}),
        ("in April 1962", set()),
        ("from 3 April to 4 March", {(4.0, 3.0), (3.0, 4.0)}),
    ],
)
def test_days_and_months_belong_together(text: str, expected: set[tuple[float, float]]) -> None:
    assert days(text, numbers(text)) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("half an hour", "30 minutes"),
        ("every half hour", "every 30 minutes"),
        ("half a litre", "500 ml"),
        ("half a dozen", "six"),
        ("90,000 pounds", "\u00a390,000"),
    ],
)
def test_halves_and_pounds(left: str, right: str) -> None:
    (one,), (other,) = numbers(left), numbers(right)
    assert same_number(one, other)
    assert same_number(other, one)


def test_pounds_are_not_any_weight() -> None:
    (pounds,), (kilos,) = numbers("90 pounds"), numbers("90 kg")
    assert not same_number(pounds, kilos)
