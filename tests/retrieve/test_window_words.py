"""BM25 over windows: by hand, and the embedded store against the simple one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore

FAR = [0.0, 1.0, 0.0]


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    if request.param == "memory":
        found = MemoryStore(embedder_id="e", dimension=3)
    else:
        found = SqliteStore.open(tmp_path / "s.db", embedder_id="e", dimension=3)
    yield found
    found.close()


@pytest.fixture
def filled(store, make_memory):
    memory = make_memory(store)
    far = np.array(FAR, np.float32)
    memory.document(("zebra zebra", far), ("one two three", far), ("zebra lion", far), ("four five", far))
    return memory


def scores(memory, text, windows):
    with memory.store.read() as reader:
        rows = reader.rows("n", [f"chk_{i:06d}" for i in range(2, 6)])
        named = np.array([[rows[place] if place >= 0 else -1 for place in window] for window in windows], np.int64)
        return reader.window_words("n", text, named.reshape(len(windows), 3)).tolist()


def test_the_words_of_a_window_count_together(store, make_memory):
    # Twelve rows of 2, 3, 1 and nine times 2 words. lion stands in one, so in 12 (1 - (11/12)^3) = 2.8, that is 3, of twelve
    # windows; cub in two, so in 12 (1 - (10/12)^3) = 5.1, that is 5. The window of the first three rows has six words.
    memory, far = make_memory(store), np.array(FAR, np.float32)
    memory.document(
        ("cub cub", far), ("one two three", far), ("lion", far), *((f"row {i}", far) for i in range(8)), ("cub x", far)
    )
    damping = 1.2 * (1 - 0.75 + 0.75 * 6 / (3 * 24 / 12))
    lion, cub = math.log(9.5 / 3.5), math.log(7.5 / 5.5)
    (found,) = scores(memory, "lion cub", [(0, 1, 2)])
    assert found == pytest.approx(lion * 2.2 / (1 + damping) + cub * 2 * 2.2 / (2 + damping))


def test_a_window_without_the_words_scores_nothing_and_one_with_more_of_them_scores_more(filled):
    none, one, both = scores(filled, "zebra lion", [(-1, 1, 3), (0, 1, -1), (-1, 2, 3)])
    assert none == 0.0
    assert 0.0 < one < both


@pytest.mark.parametrize("text", ["", "unknown words", "\ud800 \x00"])
def test_a_question_without_known_words_scores_nothing(filled, text):
    assert scores(filled, text, [(0, 1, 2)]) == [0.0]


def test_no_windows_no_scores_and_an_empty_namespace_has_none(store, filled):
    with store.read() as reader:
        assert reader.window_words("n", "zebra", np.empty((0, 3), np.int64)).shape == (0,)
        assert reader.window_words("empty", "zebra", np.array([[1, 2, 3]])).tolist() == [0.0]


def test_rows_of_another_namespace_have_no_words_here(store, filled, make_memory):
    other = make_memory(store, namespace="m")
    other.document(
        ("zebra", np.array(FAR, np.float32)), ("lion", np.array(FAR, np.float32)), ("x", np.array(FAR, np.float32))
    )
    with store.read() as reader:
        rows = reader.rows("n", ["chk_000002"])
        assert reader.window_words("n", "zebra", np.array([[-1, rows[0], -1]]))[0] > 0
        assert reader.window_words("m", "zebra", np.array([[-1, rows[0], -1]])).tolist() == [0.0]


words = st.lists(st.sampled_from(["ant", "bee", "cat", "dog", "elk", "混合检索"]), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(words, min_size=1, max_size=6), question=words, data=st.data())
def test_both_stores_agree(make_memory, texts, question, data, tmp_path_factory):
    windows = data.draw(st.lists(st.tuples(*[st.integers(-1, len(texts) - 1)] * 3), min_size=1, max_size=4))
    windows = [tuple(place if place not in window[:i] else -1 for i, place in enumerate(window)) for window in windows]
    found = []
    for store in (
        MemoryStore(embedder_id="e", dimension=3),
        SqliteStore.open(tmp_path_factory.mktemp("s") / "s.db", embedder_id="e", dimension=3),
    ):
        memory = make_memory(store)
        memory.document(*((text, np.array(FAR, np.float32)) for text in texts))
        with store.read() as reader:
            rows = reader.rows("n", [f"chk_{i + 2:06d}" for i in range(len(texts))])
            named = np.array([[rows[place] if place >= 0 else -1 for place in window] for window in windows], np.int64)
            found.append(reader.window_words("n", question, named))
        store.close()
    assert np.allclose(found[0], found[1], rtol=1e-5, atol=1e-9)
