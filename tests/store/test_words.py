"""Words: how text is cut, what a bag scores, and that leaving out common words changes nothing that matters."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.store.bags import LEAST_IDF, bm25, idf, pack
from thinkback.store.memory import MemoryStore
from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.store.words import asked_terms, stems
from thinkback.types import Filter

Open = Callable[..., SqliteStore]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runs, the RUNNER", ["run", "run", "the", "runner"]),
        ("don't x_y 3.14", ["don", "t", "x", "y", "3", "14"]),
        ("Café NAÏVE Über", ["cafe", "naiv", "uber"]),
        ("混合检索", ["混合", "合检", "检索"]),
        ("国際標準化 AI", ["国際", "際標", "標準", "準化", "ai"]),
        ("스코프랩스", ["스코", "코프", "프랩", "랩스"]),
        ("ﾊﾝｶｸ", ["ハン", "ンカ", "カク"]),
        ("a検b", ["a", "検", "b"]),
        ("ＡＢＣ", ["abc"]),
        ("a\0b", ["a", "b"]),
        ("\ud800x", ["x"]),
        ('"NEAR(" * - ^', ["near"]),
        ("", []),
        ("\u200b \U0001f600 …", []),
    ],
)
def test_text_is_cut_into_stems(text: str, expected: list[str]) -> None:
    assert stems(text) == expected


def test_what_is_no_word_of_any_language_is_cut_short() -> None:
    assert stems("x" * 5000 + " y") == ["x" * 100, "y"]
    assert stems("word " * 40) == ["word"] * 40
    assert len(asked_terms(" ".join(f"w{number}" for number in range(1000)))) == 128
    assert asked_terms("b a b") == ["b", "a"]


@given(st.text())
def test_stems_are_letters_and_digits_whatever_comes(text: str) -> None:
    for stem in stems(text):
        assert stem
        assert not set(stem) & set(" \t\n\"'*():^-+{}\0")


def test_threads_cut_text_side_by_side() -> None:
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(stems("running 混合检索"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["run", "混合", "合检", "检索"]] * 8


def test_bags_score_by_the_formula() -> None:
    rows = [["cat", "sat", "cat"], [], ["dog"] * 5]
    scores = bm25([pack(row) for row in rows], {"cat": 2.0, "dog": 0.5, "none": 9.0}, mean_length=3.0)
    assert scores == pytest.approx([2.0 * 2 * 2.2 / (2 + 1.2), 0.0, 0.5 * 5 * 2.2 / (5 + 1.2 * (0.25 + 0.75 * 5 / 3))])
    assert len(bm25([], {"cat": 1.0}, 1.0)) == 0
    assert idf(100, 1) > idf(100, 40) > LEAST_IDF == idf(100, 50) == idf(100, 99)


def zipf_texts(count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, 401)
    words = np.array([f"w{number}" for number in range(400)])
    return [" ".join(row) for row in words[rng.choice(400, size=(count, 12), p=share / share.sum())]]


@pytest.mark.parametrize(
    "where", [None, Filter(metadata={"part": 1}), Filter(metadata={"part": 9}), Filter(document_ids=("d3",))]
)
def test_rare_words_choose_what_all_words_rank(opened: Open, make, where: Filter | None) -> None:
    """Against the plain oracle: where a word is left out the best rows and their scores stay the same."""
    texts, questions = zipf_texts(600, 1), zipf_texts(25, 2)
    memory = MemoryStore(embedder_id="e", dimension=16)
    tuning = Tuning(postings=40, least_shortlist=60, scored_whole=10)
    store = opened(tuning=tuning)
    for part in range(20):
        for each in (store, memory):
            make.put(each, texts[part * 30 : part * 30 + 30], f"d{part}", metadata={"part": part % 10})
    dropped = 0
    with store.read() as reader, memory.read() as oracle:
        for question in questions:
            mine = reader.search_words("n", question, 5, kind="chunk", where=where)
            theirs = oracle.search_words("n", question, 5, kind="chunk", where=where)
            shared = set(mine.rows.tolist()) & set(theirs.rows.tolist())
            assert len(shared) >= len(theirs.rows) - 1
            expected = dict(zip(theirs.rows.tolist(), theirs.scores.tolist(), strict=True))
            found = dict(zip(mine.rows.tolist(), mine.scores.tolist(), strict=True))
            assert {row: found[row] for row in shared} == pytest.approx(
                {row: expected[row] for row in shared}, rel=1e-4
            )
            everything = oracle.search_words("n", question, 999, kind="chunk")
            dropped += len(everything.rows) > 60
    assert dropped > 20  # most questions had words to leave out


def test_the_frequency_of_words_follows_the_rows(store: SqliteStore, make) -> None:
    make.put(store, ["apple pear", "apple plum"])
    with store.read() as reader:
        before = reader.search_words("n", "pear", 5, kind="chunk").scores
    make.put(store, [f"other{number}" for number in range(30)], "e", seed=3)
    with store.read() as reader:
        after = reader.search_words("n", "pear", 5, kind="chunk").scores
        assert after[0] > before[0]
    with store.write() as writer:
        writer.delete_documents("n", ["e"])
        assert writer.search_words("n", "pear", 5, kind="chunk").scores.tolist() == before.tolist()


def test_a_word_remembered_in_a_large_index_is_counted_anew_in_time(opened: Open, make) -> None:
    store = opened()
    for part in range(6):
        make.put(store, [f"filler{part} common"] * 2_000, f"d{part}", seed=part)
    with store.read() as reader:
        assert len(reader.search_words("n", "needle", 5, kind="chunk").rows) == 0
    make.put(store, ["needle"], "late")
    with store.read() as reader:  # known as absent, and the index has hardly changed: yet what is absent is looked up
        assert len(reader.search_words("n", "needle", 5, kind="chunk").rows) == 1
