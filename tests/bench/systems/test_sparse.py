"""BM25 and TF-IDF by hand, and what has nothing to do with the query."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.datasets import load
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Query
from thinkback.bench.run import Cutting, chunk_corpora
from thinkback.bench.systems.flat import FlatSystem
from thinkback.bench.systems.hybrid import make_hybrid
from thinkback.bench.systems.sparse import Bm25, TfIdf
from thinkback.embed.hashing import HashingEmbedder

Passages = Callable[..., ChunkedCorpus]
SEARCH = Allowance(context_tokens=200)


def ranking(system: FlatSystem, text: str) -> list[tuple[str, float]]:
    return list(system.answer(Query(task_id="t", kind="search", text=text), SEARCH).ranking)


def test_bm25_is_lucenes_formula(kit_without_model: Kit, passages: Passages) -> None:
    """Three chunks of 3, 2 and 3 words, mean 8/3; "maple" stands in two of them, twice in the second."""
    bm25 = Bm25(kit_without_model, k1=0.9, b=0.4)
    bm25.ingest(passages(["maple oak birch", "maple maple", "roof paint ladder"]), ())
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = 8 / 3

    def gain(count: int, length: int) -> float:
        return count / (count + 0.9 * (1 - 0.4 + 0.4 * length / mean))

    found = dict(ranking(bm25, "maple"))
    assert found == pytest.approx({"d1#0": idf * gain(2, 2), "d0#0": idf * gain(1, 3)}, rel=1e-5)
    twice = dict(ranking(bm25, "maple, maples!"))  # the same stem twice counts twice, as in Lucene
    assert twice == pytest.approx({key: 2 * value for key, value in found.items()}, rel=1e-5)


def test_tf_idf_is_the_cosine_of_weighted_counts(kit_without_model: Kit, passages: Passages) -> None:
    """Weights are count · (ln((1 + n) / (1 + df)) + 1), as scikit-learn documents them."""
    tf_idf = TfIdf(kit_without_model)
    tf_idf.ingest(passages(["maple oak", "maple maple roof"]), ())
    common, rare = 1.0, math.log(3 / 2) + 1
    expected = {"d1#0": 2 * common / math.hypot(2 * common, rare), "d0#0": common / math.hypot(common, rare)}
    found = ranking(tf_idf, "maple")
    assert dict(found) == pytest.approx(expected)
    assert [key for key, _ in found] == ["d1#0", "d0#0"]


@pytest.mark.parametrize("make", [Bm25, TfIdf])
class TestEither:
    def test_of_equal_scores_the_earlier_chunk_comes_first(
        self, make: type[FlatSystem], kit_without_model: Kit, passages: Passages
    ) -> None:
        system = make(kit_without_model)  # type: ignore[call-arg]
        system.ingest(passages(["maple one", "roof two", "maple six", "maple ten"]), ())
        assert [key for key, _ in ranking(system, "maple")] == ["d0#0", "d2#0", "d3#0"]

    @pytest.mark.parametrize("text", ["zebra", "the of and", "", "?!", "zebra " * 300])
    def test_a_query_that_shares_no_word_finds_nothing(
        self, make: type[FlatSystem], kit_without_model: Kit, passages: Passages, text: str
    ) -> None:
        system = make(kit_without_model)  # type: ignore[call-arg]
        system.ingest(passages(["maple oak", "roof paint"]), ())
        output = system.answer(Query(task_id="t", kind="question", text=text), SEARCH)
        assert output.shown == ()
        assert ranking(system, text) == []

    def test_what_shares_no_word_is_not_shown_however_much_room_there_is(
        self, make: type[FlatSystem], kit_without_model: Kit, passages: Passages
    ) -> None:
        system = make(kit_without_model)  # type: ignore[call-arg]
        system.ingest(passages(["roof paint", "a maple", "the ladder"]), ())
        shown = system.answer(Query(task_id="t", kind="question", text="a maple"), SEARCH).shown
        assert [each.id for each in shown] == ["d1#0"]

    @pytest.mark.parametrize("texts", [["the", "of and"], ["?", "!!"], ["one", "?"]])
    def test_chunks_without_a_word_of_their_own_can_be_read(
        self, make: type[FlatSystem], kit_without_model: Kit, passages: Passages, texts: list[str]
    ) -> None:
        system = make(kit_without_model)  # type: ignore[call-arg]
        system.ingest(passages(texts), ())
        assert ranking(system, "maple the") == []

    def test_words_of_one_letter_and_other_scripts_are_words(
        self, make: type[FlatSystem], kit_without_model: Kit, passages: Passages
    ) -> None:
        system = make(kit_without_model)  # type: ignore[call-arg]
        system.ingest(passages(["vitamin c helps", "vitamin k helps", "клён пьёт воду"]), ())
        assert ranking(system, "vitamin k")[0][0] == "d1#0"
        assert ranking(system, "Клён")[0][0] == "d2#0"


def test_scores_do_not_depend_on_pythons_hash_seed(tmp_path: Path) -> None:
    """bm25s numbers words by iterating over a set; sums must not follow its order."""
    code = (
        "from thinkback.bench.kit import Kit; from thinkback.bench.systems.sparse import Bm25\n"
        "from thinkback.bench.records import *; from thinkback.bench.chunks import cut\n"
        "from thinkback.embed.hashing import HashingEmbedder\n"
        "e = HashingEmbedder(); words = 'oak elm ash fir yew box bay may fig nut'.split()\n"
        "texts = [' '.join(words[i % 7 : i % 7 + 1 + i % 4] + words[i % 3 :]) for i in range(40)]\n"
        "docs = tuple(SourceText(id=str(i), text=t) for i, t in enumerate(texts))\n"
        "s = Bm25(Kit(embedder=e)); s.ingest(cut(Corpus(id='c', documents=docs), e.count), ())\n"
        "print([(p.id, x) for p, x in s.rank(' '.join(words), 99)])"
    )
    out = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert out[0] == out[1] == out[2]
    assert len(out[0]) > 100


def test_fused_scores_by_hand(kit_without_model: Kit, passages: Passages) -> None:
    """BM25 knows the word in two chunks; dense ranks all three. Ranks 1 + 1, 2 + 2, and 3 in one of the two."""
    hybrid = make_hybrid(kit_without_model, "")
    hybrid.ingest(passages(["maple maple maple", "maple roof roof roof", "zebra stripes"]), ())
    first, second, third = hybrid._rankings["dense"].scores("maple")
    assert first > second > third
    found = ranking(hybrid, "maple")
    assert found == [
        ("d0#0", pytest.approx(1.0)),
        ("d1#0", pytest.approx(61 / 62)),
        ("d2#0", pytest.approx(61 / 63 / 2)),
    ]
    assert hybrid.name == f"hybrid:{HashingEmbedder().id}"


@pytest.mark.data
@pytest.mark.slow
def test_bm25_on_scifact_is_where_lucene_is(data_folder: Path) -> None:
    """Published for Lucene with k1 = .9 and b = .4: nDCG@10 .679, recall at 1,000 .977 (BEIR's reproductions in Anserini)."""
    import ir_measures

    dataset = load("scifact", data_folder, whole=True)
    bm25 = Bm25(Kit(embedder=HashingEmbedder()))
    bm25.ingest(chunk_corpora(dataset, lambda text: len(text) // 4, Cutting())["scifact"], ())
    qrels = [
        ir_measures.Qrel(task.id, f"{each.document_id}#0", each.grade) for task in dataset.tasks for each in task.gold
    ]
    run = [
        ir_measures.ScoredDoc(task.id, piece.id, score)
        for task in dataset.tasks
        for piece, score in bm25.rank(task.query, 1000)
    ]
    found = ir_measures.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.R @ 1000], qrels, run)
    assert found[ir_measures.nDCG @ 10] == pytest.approx(0.679, abs=0.01)
    assert found[ir_measures.R @ 1000] == pytest.approx(0.977, abs=0.005)
