from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.bench.chunks import cut
from thinkback.bench.records import Corpus, Dataset, Gold, SourceText
from thinkback.errors import InvalidInput


def words(text: str) -> int:
    return len(text.split())


def test_passages_that_a_document_brings_are_its_chunks(tiny: Dataset) -> None:
    chunked = cut(tiny.corpora[0], words)
    assert [piece.id for piece in chunked.pieces] == [
        "trees#0", "trees#1", "trees#2", "roofs#0", "roofs#1", "roofs#2",
    ]  # fmt: skip
    assert chunked.by_id["trees#2"].text == "Maples drink most of all."
    assert chunked.by_id["roofs#0"].title == "roofs"


def test_passages_out_of_order_or_place_are_refused() -> None:
    for passages in (((0, 5), (3, 8)), ((0, 0),), ((0, 99),), ((5, 8), (0, 3))):
        corpus = Corpus(id="c", documents=(SourceText(id="d", text="some text", passages=passages),))
        with pytest.raises(InvalidInput, match="not in order"):
            cut(corpus, words)


def test_other_documents_are_cut_as_the_product_does() -> None:
    text = "One two three four. Five six seven eight. Nine ten."
    chunked = cut(Corpus(id="c", documents=(SourceText(id="d", text=text),)), words, size=5)
    assert [piece.text for piece in chunked.pieces] == ["One two three four.", "Five six seven eight.", "Nine ten."]
    assert all(text[piece.start : piece.end] == piece.text for piece in chunked.pieces)


SIX = "abcdef ghijkl mnopqr"  # three chunks: 0-6, 7-13, 14-20
THREE = cut(Corpus(id="c", documents=(SourceText(id="d", text=SIX, passages=((0, 6), (7, 13), (14, 20))),)), words)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 6, {"d#0"}),
        (1, 3, {"d#0"}),  # lies in one chunk
        (0, 13, {"d#0", "d#1"}),  # holds both chunks whole
        (4, 9, {"d#0", "d#1"}),  # 2 of 5 characters in each: neither holds half, both hold as much
        (5, 20, {"d#1", "d#2"}),
        (6, 7, set()),  # between two chunks
    ],
)
def test_gold_is_what_holds_half_of_the_span_or_lies_half_in_it(start: int, end: int, expected: set[str]) -> None:
    found = set(THREE.gold([Gold(document_id="d", start=start, end=end)]))
    assert found == expected if (start, end) != (4, 9) else found <= expected and len(found) == 1


def test_grades_are_kept_and_nought_is_left_out() -> None:
    spans = [Gold(document_id="d", start=0, end=6, grade=1), Gold(document_id="d", start=0, end=5, grade=3)]
    assert THREE.gold(spans) == {"d#0": 3}
    assert THREE.gold([Gold(document_id="d", start=0, end=6, grade=0)]) == {}
    assert THREE.gold([Gold(document_id="elsewhere", start=0, end=6)]) == {}


@given(st.integers(0, 19), st.integers(1, 20))
def test_every_span_that_touches_a_chunk_has_gold(start: int, length: int) -> None:
    end = min(20, start + length)
    touched = any(min(piece.end, end) > max(piece.start, start) for piece in THREE.pieces)
    assert bool(THREE.gold([Gold(document_id="d", start=start, end=end)])) == touched
