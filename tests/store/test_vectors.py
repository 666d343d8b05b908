"""Codes, views and exact products in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from thinkback.store.vectors.codes import code_from_bytes, code_rows, encode, nearest
from thinkback.store.vectors.exact import ExactVectors
from thinkback.store.vectors.known import KnownCosines
from thinkback.store.vectors.recall import recall_of_codes
from thinkback.store.vectors.top import top
from thinkback.store.vectors.view import RowBlock, View
from thinkback.store.vectors.widen import widened
from thinkback.types import FloatMatrix

scores = arrays.arrays(np.float32, st.integers(0, 60), elements=st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]))


@given(scores, st.integers(-1, 70), st.data())
def test_top_is_a_stable_sort_cut_short(values, k, data) -> None:
    allowed = data.draw(st.none() | arrays.arrays(np.bool_, len(values)))
    order = sorted(range(len(values)), key=lambda place: (-values[place], place))
    expected = [place for place in order if allowed is None or allowed[place]][: max(k, 0)]
    assert top(values, k, allowed).tolist() == expected


def clustered(count: int, dimension: int, seed: int = 0) -> FloatMatrix:
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(count // 40, 1), dimension))
    made = centres[rng.integers(0, len(centres), count)] + 0.9 * rng.standard_normal((count, dimension))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("kind", ["sign", "int8"])
@pytest.mark.parametrize("dimension", [1, 7, 64, 100, 384])
def test_codes_survive_bytes_and_find_the_nearest(kind, dimension: int) -> None:
    vectors = clustered(3000, dimension)
    codes = encode(kind, vectors)
    assert codes.shape == (code_rows(kind, dimension), 3000)
    assert (code_from_bytes(kind, dimension, codes.tobytes()) == codes).all()
    if dimension >= 64:
        found = [
            len(np.intersect1d(top(vectors @ query, 10), nearest(kind, codes, query, 150)))
            for query in vectors[:20] + 0.5 * vectors[20:40]
        ]
        assert sum(found) / 200 >= (0.95 if kind == "int8" or dimension == 384 else 0.7)


@pytest.mark.parametrize("kind", ["sign", "int8"])
def test_nearest_keeps_to_what_is_allowed(kind) -> None:
    vectors = clustered(500, 64)
    codes, query = encode(kind, vectors), vectors[3]
    allowed = np.zeros(500, np.bool_)
    allowed[::7] = True
    assert nearest(kind, codes, query, 100, allowed).tolist() == list(range(0, 500, 7))
    few = nearest(kind, codes, query, 20, allowed)
    assert len(few) >= 20
    assert (few % 7 == 0).all()
    assert (np.diff(few) > 0).all()
    assert nearest(kind, codes, query, 500).tolist() == list(range(500))
    assert len(nearest(kind, codes[:, :0], query, 5)) == 0
    assert len(nearest(kind, codes, query, 5, np.zeros(500, np.bool_))) == 0


def test_equal_codes_do_not_flood_the_shortlist() -> None:
    vectors = np.ones((5000, 64), np.float32) / 8
    found = nearest("sign", encode("sign", vectors), vectors[0], 10)
    assert 10 <= len(found) <= 80


def test_a_vector_of_zeros_has_a_code() -> None:
    zeros = np.zeros((2, 64), np.float32)
    for kind in ("sign", "int8"):
        assert np.isfinite(encode(kind, zeros).astype(np.float64)).all()
        assert len(nearest(kind, encode(kind, zeros), zeros[0], 1)) >= 1


def test_recall_tells_good_signs_from_useless_ones() -> None:
    vectors = clustered(4000, 128)
    assert recall_of_codes("sign", vectors, keep=150) >= 0.95
    positive = np.abs(clustered(4000, 128))
    assert recall_of_codes("sign", positive, keep=150) < 0.5
    assert recall_of_codes("int8", positive, keep=150) >= 0.99
    assert recall_of_codes("sign", vectors[:100], keep=150) == 1.0


def test_float16_is_widened_exactly() -> None:
    every = np.arange(65_536, dtype=np.uint16).view(np.float16)
    assert np.array_equal(widened(every.tobytes(), 256), every.astype(np.float32).reshape(256, 256), equal_nan=True)
    assert widened(b"", 4).shape == (0, 4)


def test_known_cosines_are_those_of_the_last_query() -> None:
    known, first, second = KnownCosines(), np.ones(2, np.float32), np.zeros(2, np.float32)
    asked = np.array([5, 1, 9])
    assert known.of(first, asked)[1].tolist() == [False, False, False]
    known.add(first, np.array([9, 1]), np.array([0.9, 0.1], np.float32))
    known.add(first, np.array([2]), np.array([0.2], np.float32))
    scores, there = known.of(first, asked)
    assert there.tolist() == [False, True, True]
    assert scores.tolist() == pytest.approx([0.0, 0.1, 0.9])
    assert not known.of(second, asked)[1].any()
    known.add(second, np.array([5]), np.array([0.5], np.float32))
    assert known.of(second, asked)[1].tolist() == [True, False, False]
    assert not known.of(first, asked)[1].any()
    known.add(first, np.zeros(0, np.int64), np.zeros(0, np.float32))
    assert not known.of(first, asked)[1].any()


def block(*seqs: int) -> RowBlock:
    rows = np.array(seqs, np.int64)
    return RowBlock(seqs=rows, owners=rows.astype(np.int32), codes=rows.astype(np.uint64)[None, :])


EMPTY = np.empty((1, 0), np.uint64)


def test_a_view_never_changes_when_later_ones_grow_from_it() -> None:
    first = View.of(1, [block(1, 2), block(5)], EMPTY)
    second = first.plus([block(7)], share=True).at(2)
    third = second.without(np.array([0, 3])).plus([block(8, 9)], share=True).at(3)
    private = second.plus([block(50)], share=False)
    assert first.seqs.tolist() == [1, 2, 5]
    assert second.seqs.tolist() == [1, 2, 5, 7]
    assert third.seqs.tolist() == [1, 2, 5, 7, 8, 9]
    assert private.seqs.tolist() == [1, 2, 5, 7, 50]
    assert (first.live, second.live, third.live) == (3, 4, 4)
    assert third.memory is first.memory
    assert private.memory is not first.memory
    assert (private.common, third.common) == (4, 6)
    assert third.positions(np.array([1, 5, 7, 9, 100])).tolist() == [-1, 2, -1, 5, -1]
    assert first.positions(np.array([5, 0])).tolist() == [2, -1]
    assert View.of(1, [], EMPTY).positions(np.array([1])).tolist() == [-1]


def test_a_view_moves_to_larger_memory_when_full() -> None:
    view = View.of(1, [block(1)], EMPTY)
    first = view
    for number in range(2, 100):
        view = view.plus([block(number)], share=True)
    assert view.seqs.tolist() == list(range(1, 100))
    assert view.codes[0].tolist() == list(range(1, 100))
    assert view.memory is not first.memory
    assert view.family is first.family
    branch = first.plus([block(1000)], share=True)  # the place behind it is taken: it must not be overwritten
    assert branch.seqs.tolist() == [1, 1000]
    assert view.seqs.tolist() == list(range(1, 100))


def test_exact_vectors_read_each_row_once_and_stay_within_their_bound() -> None:
    asked: list[int] = []

    def read(seqs):
        asked.extend(seqs.tolist())
        return np.repeat(seqs.astype(np.float32)[:, None], 4, axis=1)

    cache = ExactVectors(2 * 400)
    view = View.of(1, [block(1, 2, 3)], EMPTY)
    for _ in range(2):
        assert cache.matrix("a", view, read, keep=True)[:, 0].tolist() == [1, 2, 3]
    later = view.plus([block(6)], share=True)
    assert cache.matrix("a", later, read, keep=True)[:, 0].tolist() == [1, 2, 3, 6]
    assert cache.matrix("a", view, read, keep=True)[:, 0].tolist() == [1, 2, 3]
    assert asked == [1, 2, 3, 6]
    private = later.plus([block(9)], share=False)
    assert cache.matrix("a", private, read, keep=False)[:, 0].tolist() == [1, 2, 3, 6, 9]
    assert asked == [1, 2, 3, 6, 9]
    other = View.of(1, [block(1)], EMPTY)
    assert cache.matrix("a", other, read, keep=False)[:, 0].tolist() == [1]  # another family: nothing is shared
    assert cache.matrix("a", later, read, keep=True)[:, 0].tolist() == [1, 2, 3, 6]
    assert asked == [1, 2, 3, 6, 9, 1]
    for name in "bcd":
        cache.matrix(name, view, read, keep=True)
    assert 0 < cache.nbytes <= 800
    asked.clear()
    cache.matrix("d", view, read, keep=True)
    assert asked == []
    cache.matrix("a", view, read, keep=True)
    assert asked == [1, 2, 3]  # was the least used
    large = View.of(1, [block(*range(1, 100))], EMPTY)
    assert len(cache.matrix("large", large, read, keep=True)) == 99
    assert cache.nbytes <= 800
    cache.clear()
    assert cache.nbytes == 0
