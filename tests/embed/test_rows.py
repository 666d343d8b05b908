"""What every embedder does around its model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.embed.rows import embed_content, has_content, unit_rows, without_surrogates
from thinkback.errors import BadReply, ModelError


@pytest.mark.parametrize("text", ["", " \t\r\n", "\u00a0\u3000", "\u200b\u2060\ufeff", "\x00\x1b", "\ud800"])
def test_nothing_to_read_is_no_content(text):
    assert not has_content(text)


@pytest.mark.parametrize("text", [".", " x ", "\u200b京", "\U0001f600", "é"])
def test_a_visible_character_is_content(text):
    assert has_content(text)


@given(st.text(st.characters(exclude_categories=())))
def test_lone_surrogates_are_all_that_changes(text):
    clean = without_surrogates(text)
    assert len(clean) == len(text)
    clean.encode()
    assert all(new == old or "\ud800" <= old <= "\udfff" for new, old in zip(clean, text, strict=True))


@given(st.lists(st.sampled_from(["", " ", "a", "bb", "c\ud800"]), max_size=8))
def test_only_texts_with_content_reach_the_model_and_rows_keep_their_place(texts):
    sent = []

    def embed(kept):
        sent.append(kept)
        return np.array([[len(text), 1] for text in kept], dtype=np.float32)

    rows = embed_content(texts, dimension=2, embed=embed)
    assert rows.shape == (len(texts), 2)
    for row, text in zip(rows, texts, strict=True):
        assert row.tolist() == ([len(text), 1] if text.strip() else [0, 0])
    assert len(sent) == any(text.strip() for text in texts)


def test_rows_become_unit_rows_of_float32():
    rows = unit_rows([[3, 4], [0, -2]], count=2, dimension=2, model="m")
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, -1]], rtol=1e-6)


def test_large_components_do_not_overflow():
    rows = unit_rows([[3e37, 4e37]], count=1, dimension=2, model="m")
    np.testing.assert_allclose(rows, [[0.6, 0.8]], rtol=1e-6)


def test_no_rows_for_no_texts():
    assert unit_rows([], count=0, dimension=5, model="m").shape == (0, 5)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0, 2.0]] * 3, "3 vectors for 2 texts"),
        ([], "0 vectors for 2 texts"),
        ([1.0, 2.0], "2 vectors for 2 texts|dimension"),
        ([[1.0], [2.0]], "dimension 1, not 2"),
        ([[], []], "dimension 0, not 2"),
        ([[1.0, 2.0], [1.0]], "unequal length"),
        ([[1.0, "x"], [1.0, 2.0]], "no numbers"),
        ([[1.0, 2.0], None], "unequal length|no numbers"),
        ([[1.0, float("nan")], [1.0, 2.0]], "not a number"),
        ([[1.0, float("inf")], [1.0, 2.0]], "not a number"),
        ([[1.0, None], [1.0, 2.0]], "not a number|no numbers"),
        ([[0.0, 0.0], [1.0, 2.0]], "vector of zeros"),
        ([[[1.0], [2.0]], [[1.0], [2.0]]], "dimension|vectors"),
    ],
)
def test_what_is_not_one_good_vector_per_text_is_a_bad_reply(vectors, message):
    with pytest.raises(BadReply, match=message) as caught:
        unit_rows(vectors, count=2, dimension=2, model="m")
    assert isinstance(caught.value, ModelError)
