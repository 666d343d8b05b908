from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.chunks import ChunkedCorpus, cut
from thinkback.bench.datasets import load
from thinkback.bench.kit import Kit
from thinkback.bench.metrics.ranking import Ranking
from thinkback.bench.ports import Cost, Output, Scored
from thinkback.bench.records import Corpus, Gold, SourceText, Task
from thinkback.bench.run import Cutting, chunk_corpora
from thinkback.bench.systems.sparse import Bm25
from thinkback.embed.hashing import HashingEmbedder

TWO_EACH = "one two. three four."


def two_chunks_each(documents: int) -> ChunkedCorpus:
    """Return documents of two chunks: d0#0, d0#1, d1#0, ..."""
    texts = tuple(SourceText(id=f"d{number}", text=TWO_EACH, passages=((0, 8), (9, 20))) for number in range(documents))
    return cut(Corpus(id="c", documents=texts), len)


def test_measures_by_hand(tools: Any) -> None:
    """Relevant are d1 with grade 2 and d3 with 1; ranked d0 d1 d2 d3. d4 is relevant and not found."""
    gold = [tools.whole(1, 2), tools.whole(3, 1)]
    ranking = [(f"d{number}#0", 9.0 - number) for number in range(4)]
    found = tools.values(Ranking(), tools.scored(kind="search", gold=gold, ranking=ranking))
    gain = 2 / math.log2(3) + 1 / math.log2(5)
    assert found["ndcg_10"] == pytest.approx(gain / (2 / math.log2(2) + 1 / math.log2(3)))
    assert found["map"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert found["mrr"] == 0.5
    assert found["recall_10"] == found["recall_1000"] == 1.0
    assert {name: found[f"chunk_{name}"] for name in ("ndcg_10", "map", "mrr")} == {
        name: found[name] for name in ("ndcg_10", "map", "mrr")
    }


def test_a_document_ranks_where_its_best_chunk_does(tools: Any) -> None:
    """d0 is at ranks 1 and 2, d1 at 3 and 4; d1 is second of two documents, its gold chunk last of four."""
    gold = [Gold(document_id="d1", start=9, end=20)]
    ranking = [("d0#0", 4.0), ("d0#1", 3.0), ("d1#0", 2.0), ("d1#1", 1.0)]
    found = tools.values(Ranking(), tools.scored(kind="search", gold=gold, ranking=ranking, chunked=two_chunks_each(2)))
    assert (found["mrr"], found["chunk_mrr"]) == (1 / 2, 1 / 4)


def test_a_ranking_is_cut_at_ten(tools: Any) -> None:
    chunked = two_chunks_each(20)
    ranking = [(f"d{number}#0", -float(number)) for number in range(20)]
    gold = [Gold(document_id=f"d{number}", start=0, end=8) for number in (3, 15)]
    found = tools.values(Ranking(), tools.scored(kind="search", gold=gold, ranking=ranking, chunked=chunked))
    assert (found["recall_10"], found["recall_100"]) == (0.5, 1.0)
    assert found["ndcg_10"] == pytest.approx((1 / math.log2(5)) / (1 + 1 / math.log2(3)))


def test_equal_scores_keep_the_systems_order(tools: Any) -> None:
    ranking = [(f"d{number}#0", 1.0) for number in (2, 0, 1)]
    found = tools.values(Ranking(), tools.scored(kind="search", gold=[tools.whole(2)], ranking=ranking))
    assert found["mrr"] == 1.0


def test_nothing_found_is_zero_and_unknown_ids_are_passed_over(tools: Any) -> None:
    for ranking in ([], [("x#0", 1.0)]):
        found = tools.values(Ranking(), tools.scored(kind="search", gold=[tools.whole(0)], ranking=ranking))
        assert set(found.values()) == {0.0}
        assert len(found) == 12


def test_what_was_not_judged_is_not_scored(tools: Any, reasons: Any) -> None:
    search = tools.scored(kind="search", gold=[tools.whole(0, grade=0)], ranking=[("d0#0", 1.0)])
    assert reasons(Ranking(), search) == {"the task has no relevant document"}
    question = tools.scored(gold=[tools.whole(0)])
    assert reasons(Ranking(), question) == {"nothing was ranked: the task is not a search"}


def _means(outputs: Sequence[Scored]) -> Mapping[str, float]:
    metric = Ranking()
    rows = [{name: found.value for name, found in metric.score(each).items()} for each in outputs]
    return {name: sum(row[name] or 0.0 for row in rows) / len(rows) for name in rows[0]}


@pytest.mark.data
@pytest.mark.slow
def test_bm25_on_scifact_is_where_lucene_is(data_folder: Path) -> None:
    """Published for Lucene with k1 = .9 and b = .4: nDCG@10 .679, recall at 1,000 .977 (BEIR's reproductions in Anserini)."""
    dataset = load("scifact", data_folder, whole=True)
    chunked = chunk_corpora(dataset, lambda text: len(text) // 4, Cutting())["scifact"]
    bm25 = Bm25(Kit(embedder=HashingEmbedder()))
    bm25.ingest(chunked, ())
    outputs = [
        Scored(
            task=task, chunked=chunked, cost=Cost(),
            output=Output(text="", shown=(), ranking=tuple((p.id, s) for p, s in bm25.rank(task.query, 1000))),
        )
        for task in dataset.tasks
    ]  # fmt: skip
    found = _means(outputs)
    assert len(outputs) == 300
    assert found["ndcg_10"] == pytest.approx(0.679, abs=0.01)
    assert found["recall_1000"] == pytest.approx(0.977, abs=0.005)
    assert found["chunk_ndcg_10"] == pytest.approx(found["ndcg_10"])


@pytest.mark.data
def test_the_run_that_anserini_ships_for_cacm(data_folder: Path) -> None:
    """Its 30 ranks a query give P@30 .1942, as published; MAP .3123 is of 1,000 ranks, of which 30 reach .274.

    The run is a sample for Anserini's own test, which looks at P@30 as well. Recall at 30 over queries follows from the same
    hits: P@30 is the mean of the number found / 30.
    """
    folder = data_folder / "cacm"
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.cacm.txt").read_text("utf-8").splitlines():
        query, _, document, grade = line.split()
        assert grade == "1"
        relevant.setdefault(query, []).append(document)
    ranked: dict[str, list[tuple[str, float]]] = {}
    for line in (folder / "anserini-bm25-reference-run.txt").read_text("utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        ranked.setdefault(query, []).append((f"{document}#0", float(score)))
    assert {len(each) for each in ranked.values()} == {30}
    ids = {key.removesuffix("#0") for run in ranked.values() for key, _ in run} | {
        each for some in relevant.values() for each in some
    }
    texts = tuple(SourceText(id=each, text="x", passages=((0, 1),)) for each in sorted(ids))
    chunked = cut(Corpus(id="cacm", documents=texts), len)
    outputs = [
        Scored(
            task=Task(id=query, corpus_id="cacm", kind="search", query="?",
                      gold=tuple(Gold(document_id=each, start=0, end=1) for each in documents)),
            output=Output(text="", shown=(), ranking=tuple(ranked[query])), chunked=chunked, cost=Cost(),
        )
        for query, documents in relevant.items()
    ]  # fmt: skip
    assert len(outputs) == 52
    metric = Ranking()
    hits = [(metric.score(each)["recall_100"].value or 0.0) * len(each.task.gold) for each in outputs]
    assert sum(hits) / 30 / len(hits) == pytest.approx(0.1942, abs=0.0001)
    assert _means(outputs)["map"] == pytest.approx(0.2744, abs=0.0001)
