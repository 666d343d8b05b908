"""The cache of vectors: asks once, never mixes up, forgets when told, and never makes an answer worse."""

import sqlite3
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.embed.cached import CachedEmbedder
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import BadReply, InvalidInput, StoreError
from thinkback.types import Usage


class Counting(HashingEmbedder):
    """Notes what it is asked; the two kinds have different vectors."""

    def __init__(self, dimension=8, name="counting"):
        super().__init__(dimension)
        self.id = name
        self.asked = []
        self.closed = 0

    def embed(self, texts, *, kind):
        self.asked.append((kind, list(texts)))
        return super().embed([f"{kind} {text}" for text in texts], kind=kind)

    def close(self):
        self.closed += 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors.db"


def test_a_query_is_asked_once_and_documents_pass_through():
    inner = Counting()
    cache = CachedEmbedder(inner)
    first = cache.embed(["a", "b"], kind="query")
    again = cache.embed(["b", "a", "c"], kind="query")
    cache.embed(["a"], kind="document")
    cache.embed(["a"], kind="document")
    assert inner.asked == [("query", ["a", "b"]), ("query", ["c"]), ("document", ["a"]), ("document", ["a"])]
    np.testing.assert_array_equal(again[:2], first[::-1])
    assert (cache.hits, cache.misses) == (2, 5)


def test_a_text_that_occurs_twice_is_asked_for_once():
    inner = Counting()
    rows = CachedEmbedder(inner).embed(["a", "b", "a"], kind="document")
    assert inner.asked == [("document", ["a", "b"])]
    np.testing.assert_array_equal(rows[0], rows[2])


def test_fault_33_kind_and_embedder_are_part_of_the_key(path):
    texts = ["same text"]
    seen = {
        CachedEmbedder(Counting(name=name), path=path).embed(texts, kind=kind).tobytes()
        for name, kind in [("one", "query"), ("one", "document")]
    }
    assert len(seen) == 2
    other = Counting(name="two")
    CachedEmbedder(other, path=path).embed(texts, kind="query")
    assert other.asked == [("query", texts)]


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=6), st.integers(1, 4))
def test_it_never_changes_a_vector(calls, room):
    cache, plain = CachedEmbedder(Counting(), memory=room), Counting()
    for texts in calls:
        rows = cache.embed(texts, kind="query")
        assert rows.tobytes() == plain.embed(texts, kind="query").tobytes()
        assert len(cache._recent.rows) <= room


def test_the_query_least_recently_used_gives_way():
    inner = Counting()
    cache = CachedEmbedder(inner, memory=2)
    for text in ["a", "b", "a", "c", "a", "b"]:
        cache.embed([text], kind="query")
    assert [texts for _, texts in inner.asked] == [["a"], ["b"], ["c"], ["b"]]


def test_a_file_outlives_the_process_and_serves_both_kinds(path):
    first = CachedEmbedder(Counting(), path=path)
    vectors = {kind: first.embed(["a", "b"], kind=kind) for kind in ("query", "document")}
    first.close()
    inner = Counting()
    second = CachedEmbedder(inner, path=path)
    for kind, rows in vectors.items():
        assert second.embed(["a", "b"], kind=kind).tobytes() == rows.tobytes()
    assert inner.asked == []
    second.close()


def test_many_texts_take_many_statements(path):
    texts = [str(number) for number in range(1300)]
    cache = CachedEmbedder(Counting(), path=path)
    rows = cache.embed(texts, kind="document")
    again = CachedEmbedder(Counting(), path=path)
    assert again.embed(texts, kind="document").tobytes() == rows.tobytes()
    assert again.hits == 1300


def test_the_file_keeps_the_newest(path):
    cache = CachedEmbedder(Counting(), path=path, limit=3)
    for text in "abcde":
        cache.embed([text], kind="document")
    inner = Counting()
    CachedEmbedder(inner, path=path).embed(list("abcde"), kind="document")
    assert inner.asked == [("document", ["a", "b"])]


def test_what_is_forgotten_is_gone_from_memory_and_file(path):
    cache = CachedEmbedder(Counting(), path=path)
    vector = cache.embed(["canary"], kind="document")[0]
    cache.embed(["canary", "kept"], kind="query")
    cache.forget(["canary"])
    inner = Counting()
    CachedEmbedder(inner, path=path).embed(["canary", "kept"], kind="query")
    assert inner.asked == [("query", ["canary"])]
    cache.close()
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert vector.tobytes() not in left
    assert b"canary" not in left


def test_no_text_is_kept(path):
    cache = CachedEmbedder(Counting(), path=path)
    cache.embed(["a very secret sentence"], kind="document")
    cache.close()
    assert b"secret" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_an_entry_of_another_length_is_not_used(path):
    CachedEmbedder(Counting(8), path=path).embed(["a"], kind="document")
    longer = Counting(16)
    assert CachedEmbedder(longer, path=path).embed(["a"], kind="document").shape == (1, 16)
    assert longer.asked


def test_a_failed_call_is_not_remembered(path):
    class Failing(Counting):
        fails = True

        def embed(self, texts, *, kind):
            if self.fails:
                raise BadReply("no")
            return super().embed(texts, kind=kind)

    inner = Failing()
    cache = CachedEmbedder(inner, path=path)
    with pytest.raises(BadReply):
        cache.embed(["a"], kind="query")
    inner.fails = False
    assert cache.embed(["a"], kind="query").any()
    assert (cache.hits, cache.misses) == (0, 1)


def test_a_file_that_cannot_be_written_costs_entries_but_no_answer(path):
    CachedEmbedder(Counting(), path=path).embed(["a"], kind="document")
    cache = CachedEmbedder(Counting(), path=path)
    cache._file._connection.execute("PRAGMA query_only = ON")
    assert cache.embed(["a", "b"], kind="document").shape == (2, 8)
    with pytest.raises(StoreError, match="could not be taken out"):
        cache.forget(["a"])
    cache._file._connection.execute("PRAGMA query_only = OFF")
    cache._file._connection.execute("DROP TABLE vectors")
    assert cache.embed(["a"], kind="document").shape == (1, 8)


@pytest.mark.parametrize("content", [b"this is no database at all, but long enough to have a header" * 20, None])
def test_a_file_that_is_no_cache_is_refused(path, content):
    if content is None:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE vectors (something)")
        other.close()
    else:
        path.write_bytes(content)
    with pytest.raises(InvalidInput, match="cannot be used"):
        CachedEmbedder(Counting(), path=path)


def test_threads_share_a_cache(path):
    cache, plain = CachedEmbedder(Counting(), path=path), Counting()
    wrong = []

    def work(start):
        for number in range(start, start + 30):
            texts = [str(number % 17), str(number % 5)]
            if cache.embed(texts, kind="query").tobytes() != plain.embed(texts, kind="query").tobytes():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_everything_else_is_the_inner_ones(path):
    inner = Counting()
    cache = CachedEmbedder(inner, path=path)
    assert (cache.id, cache.dimension, cache.max_tokens) == (inner.id, inner.dimension, inner.max_tokens)
    assert cache.count("one two") == 2
    cache.close()
    cache.close()
    assert inner.closed == 2


@pytest.mark.parametrize("room", [{"memory": 0}, {"limit": 0}])
def test_a_cache_needs_room(room):
    with pytest.raises(InvalidInput, match="at least one"):
        CachedEmbedder(Counting(), **room)


# --- what it costs -------------------------------------------------------------------------------------------------
class Paid(Counting):
    """Costs a token for each letter, and has to be asked how long its vectors are."""

    def __init__(self):
        super().__init__()
        self.expected = None

    def worst(self, texts, *, kind):
        return Usage(embedded_tokens=sum(map(len, texts)))

    def embed_counted(self, texts, *, kind):
        return self.embed(texts, kind=kind), Usage(embedding_calls=1, embedded_tokens=sum(map(len, texts)))

    def expect(self, dimension):
        self.expected = dimension


def test_what_is_remembered_costs_nothing(path):
    for cache in (CachedEmbedder(Paid()), CachedEmbedder(Paid(), path=path)):
        assert cache.worst(["ab", "cde", "ab"], kind="query").embedded_tokens == 5
        _, usage = cache.embed_counted(["ab"], kind="query")
        assert (usage.embedding_calls, usage.embedded_tokens) == (1, 2)
        assert cache.worst(["ab", "cde"], kind="query").embedded_tokens == 3
        assert cache.worst(["ab"], kind="query") == Usage()
        assert cache.embed_counted(["ab"], kind="query")[1] == Usage()
        cache.close()


def test_an_embedder_that_costs_nothing_costs_nothing_here():
    cache = CachedEmbedder(Counting())
    assert cache.worst(["ab"], kind="document") == Usage()
    vectors, usage = cache.embed_counted(["ab"], kind="document")
    assert (vectors.shape, usage) == ((1, 8), Usage())


def test_a_known_dimension_is_handed_on_to_who_would_have_to_ask():
    inner = Paid()
    CachedEmbedder(inner).expect(8)
    assert inner.expected == 8
    CachedEmbedder(Counting()).expect(8)  # it knows, and need not be told
