from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.thought.quotes import find_quote, is_quotable

TEXT = (
    "We measured the \ufb02ow twice. The \u201cnew\u201d valve kept the pressure at 3.2 bar \u2014 well below the limit \u2014 "
    "for nine co-\noperative   sites.\n\nNo valve failed during the winter."
)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("We measured the flow twice.", "We measured the \ufb02ow twice."),
        ('The "new" valve kept', "The \u201cnew\u201d valve kept"),
        ("pressure at 3.2 bar - well below the limit", "pressure at 3.2 bar \u2014 well below the limit"),
        ("for nine cooperative sites", "for nine co-\noperative   sites"),
        ("NO VALVE FAILED DURING THE WINTER", "No valve failed during the winter"),
        ("\u00abNo valve failed during the winter.\u00bb", "No valve failed during the winter."),
        ("No va1ve failed durlng the winter", "No valve failed during the winter"),
        ("We measured the flow twice. \u2026 for nine cooperative sites", None),
        ("valve kept the pressure [...] below the limit", None),
    ],
)
def test_a_quote_is_found_through_typography_scanning_errors_and_ellipses(quote: str, expected: str | None) -> None:
    match = find_quote(quote, TEXT)
    assert match is not None
    found = TEXT[match.start : match.end]
    if expected is not None:
        assert found == expected
    else:
        first, last = quote.replace("[...]", "\u2026").split("\u2026")
        assert found.split()[0] == first.split()[0]
        assert found.split()[-1] == last.split()[-1]


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "the",
        "of the and in the it is",
        "3.2 bar",
        "the valve",
        "No pipe burst during the whole summer of the year",
        "The valve was made of steel by a company in Bremen",
        "valve kept the pressure ... pumps were replaced in spring",
        "for nine cooperative sites ... We measured the flow twice",
    ],
)
def test_what_is_short_generic_elsewhere_or_out_of_order_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_parts_of_an_elided_quote_must_not_lie_far_apart() -> None:
    far = "The valve kept the pressure low. " + "Nothing else is said here. " * 60 + "Every site was closed in May."
    assert find_quote("The valve kept the pressure low ... Every site was closed", far) is None
    near = "The valve kept the pressure low. Nothing else is said here. Every site was closed in May."
    assert find_quote("The valve kept the pressure low ... Every site was closed", near) is not None


def test_the_threshold_is_the_share_of_letters_that_may_differ() -> None:
    quote = "No valve failed during the bitter winter"
    assert find_quote(quote, TEXT) is None
    match = find_quote(quote, TEXT, threshold=0.8)
    assert match is not None
    assert 0.8 <= match.score < 1


def test_the_first_of_equal_places_is_returned() -> None:
    text = "The pump failed on Monday. Later on the pump failed on Monday."
    match = find_quote("the pump failed on Monday", text.lower())
    assert match is not None
    assert match.start == 0


def test_cjk_quotes_need_no_spaces() -> None:
    text = (
        "\u672c\u6587\u63d0\u51fa\u4e00\u79cd\u65b0\u7684\u68c0\u7d22\u65b9\u6cd5\uff0c"
        "\u5e76\u5728\u4e09\u4e2a\u6570\u636e\u96c6\u4e0a\u8fdb\u884c\u4e86\u8bc4\u4f30\u3002"
    )
    match = find_quote("\u5728\u4e09\u4e2a\u6570\u636e\u96c6\u4e0a\u8fdb\u884c\u4e86\u8bc4\u4f30", text)
    assert match is not None
    assert match.score == 1


PIECES = st.sampled_from(
    [
        "pump ",
        "valve\n",
        "co-\noperative ",
        "\ufb02ow\u00ad ",
        "e\u0301te\u0301 ",
        "\u201cnew\u201d ",
        "3.2\u00a0bar ",
        "... ",
        "\u691c\u7d22 ",
    ]
) | st.text(max_size=8)


@given(pieces=st.lists(PIECES, min_size=6, max_size=40), cut=st.data())
def test_a_quotable_substring_is_always_found_with_score_one(pieces: list[str], cut: st.DataObject) -> None:
    text = "".join(pieces)
    start = cut.draw(st.integers(0, len(text) // 2))
    end = cut.draw(st.integers(start, len(text)))
    bare = text[start:end].strip("\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u300c\u300d\u300e\u300f` \t\r\n")
    match = find_quote(text[start:end], text)
    if is_quotable(bare):
        assert match is not None
        assert match.score == 1
        assert text[match.start : match.end] == bare
    else:
        assert match is None


@given(quote=st.text(max_size=60), text=st.text(max_size=300), threshold=st.floats(0.5, 1))
def test_offsets_and_score_are_always_in_range(quote: str, text: str, threshold: float) -> None:
    match = find_quote(quote, text, threshold=threshold)
    if match is not None:
        assert 0 <= match.start < match.end <= len(text)
        assert threshold - 1e-9 <= match.score <= 1


@given(st.data())
def test_a_few_wrong_letters_do_not_hide_a_quote(data: st.DataObject) -> None:
    words = data.draw(st.permutations(["pump", "valve", "river", "winter", "station", "engineer", "report", "city"]))
    quote = list(" ".join(words))
    text = "Before all that. " + "".join(quote) + ". After all that."
    for place in data.draw(st.lists(st.integers(0, len(quote) - 1), max_size=2, unique=True)):
        quote[place] = "#"
    match = find_quote("".join(quote), text)
    assert match is not None
    assert match.score >= 0.9
    assert abs(match.start - len("Before all that. ")) <= 2
