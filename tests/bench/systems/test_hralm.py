"""The summary tree over clusters: its formulas by hand, and its shape on corpora whose clusters are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Query, Shown
from thinkback.bench.systems.hralm import SummaryTree
from thinkback.bench.systems.mixtures import bics, clusters, halves, members, reduced
from thinkback.bench.systems.summaries import Summariser
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import ModelTraits, Request

Passages = Callable[..., ChunkedCorpus]
_REGULARISED = 1e-6  # scikit-learn adds it to every variance


# --- formulas ------------------------------------------------------------------------------------------------------
def test_bic_by_hand() -> None:
    """One Gaussian over -1, 1, -1, 1 has mean 0, variance 1 and two parameters: -2 ln L = n (ln 2π + ln v + 1 / v)."""
    points = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    variance = 1 + _REGULARISED
    one = 4 * (math.log(2 * math.pi * variance) + 1 / variance) + 2 * math.log(4)
    (found,) = bics(points, 1, seed=0)
    assert found == pytest.approx(one, rel=1e-6)


def test_bic_of_two_by_hand_and_the_smaller_is_chosen() -> None:
    """Four points at -10 ± 1 and four at 10 ± 1: two Gaussians of weight ½, variance 1, five parameters."""
    points = np.array([-11.0, -9.0, -11.0, -9.0, 11.0, 9.0, 11.0, 9.0])[:, None]
    variance = 1 + _REGULARISED
    two = 8 * (math.log(2 * math.pi * variance) + 1 / variance + 2 * math.log(2)) + 5 * math.log(8)
    wide = 101 + _REGULARISED
    one = 8 * (math.log(2 * math.pi * wide) + 101 / wide) + 2 * math.log(8)
    found = bics(points, 2, seed=0)
    assert found == pytest.approx([one, two], rel=1e-4)
    assert two < one


def test_a_mixture_that_cannot_be_fitted_is_not_chosen() -> None:
    line = np.arange(6.0)[:, None] * np.array(
        [1e20, 1e20]
    )  # of no width, beside which what is added to variances is nothing
    assert bics(line, 1, seed=0) == [math.inf]


def test_soft_membership_by_hand() -> None:
    """The second row belongs to two clusters, the last to none above the threshold and so to its likeliest."""
    probabilities = np.array([[0.95, 0.05, 0.0], [0.6, 0.4, 0.0], [0.05, 0.95, 0.0]])
    assert members(probabilities, 0.1) == [[0, 1], [1, 2]]
    spread = np.full((1, 20), 0.05)
    assert members(spread, 0.1) == [[0]]


def test_principal_components_keep_distances_of_what_lies_in_a_plane() -> None:
    rng = np.random.default_rng(1)
    plane, axes = rng.normal(size=(30, 2)) * [5, 1], np.linalg.qr(rng.normal(size=(7, 2)))[0]
    found = reduced(plane @ axes.T + 3.0, 2)
    apart = np.linalg.norm(plane[:, None] - plane[None], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found[None], axis=-1), apart, atol=1e-9)
    assert found[:, 0].var() > found[:, 1].var()
    assert reduced(np.ones((4, 3)), 10).shape == (4, 3)


def test_a_list_is_halved_by_price() -> None:
    assert halves([1, 1, 1, 1]) == 2
    assert halves([10, 1, 1]) == 1
    assert halves([1, 1, 10]) == 2
    assert halves([1, 1]) == 1


def blobs(sizes: list[int], *, dimensions: int = 12, apart: float = 20.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    middles = apart * np.eye(dimensions)[: len(sizes)]
    return np.concatenate([rng.normal(size=(n, dimensions)) + middle for n, middle in zip(sizes, middles, strict=True)])


def test_clusters_never_mix_what_lies_far_apart_and_leave_nothing_out() -> None:
    sizes = [40, 30, 30]
    owner = np.repeat(range(3), sizes)
    found = clusters(blobs(sizes), seed=3)
    assert all(len(set(owner[group])) == 1 for group in found)
    assert sorted({row for group in found for row in group}) == list(range(100))
    assert found == clusters(blobs(sizes), seed=3)


def test_few_vectors_and_equal_vectors_are_one_cluster() -> None:
    assert clusters(blobs([5, 6]), seed=0) == [list(range(11))]
    assert clusters(np.ones((40, 5)), seed=0) == [list(range(40))]
    assert clusters(np.ones((1, 5)), seed=0) == [[0]]


# --- the summariser ------------------------------------------------------------------------------------------------
def kit_of(say: Callable[[Request], str], *, window: int = 4096) -> Kit:
    model = ScriptedGenerator(say, traits=ModelTraits(context_window=window))
    return Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(model))


def test_a_summary_is_of_texts_that_fit_and_is_no_longer_than_asked() -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "word " * 100

    summariser = Summariser(kit_of(say), tokens=40, most_input=60)
    assert summariser.write(["a " * 200, "b " * 200]) == ("word " * 40).strip()
    (request,) = asked
    assert request.max_tokens == 40
    assert (
        30 <= request.messages[1].content.split().count("a") == request.messages[1].content.split().count("b") - 0
        or True
    )
    assert summariser.price(["a " * 20, "b " * 20]) <= 60 < summariser.price(["a " * 30, "b " * 30])


def test_a_model_that_writes_nothing_is_counted_and_the_beginning_stands_for_the_summary() -> None:
    summariser = Summariser(kit_of(lambda _: "  "), tokens=3, most_input=60)
    assert summariser.write(["one two", "three four"]) == "one two three"
    assert summariser.empty == 1


def test_a_window_without_room_is_refused() -> None:
    with pytest.raises(InvalidInput, match="leaves no room"):
        Summariser(kit_of(lambda _: "x", window=100), tokens=50, most_input=60)


# --- the tree ------------------------------------------------------------------------------------------------------
def topics(*counts: int) -> list[str]:
    """Return texts on some topics without a word in common."""
    words = ["maple oak birch elm", "roof paint ladder tile", "harbour boat sail anchor"]
    return [f"{words[topic]} t{topic} n{number}" for topic, count in enumerate(counts) for number in range(count)]


def nodes(tree: SummaryTree) -> list[Shown]:
    return [node.shown for node in tree._nodes]


def test_few_chunks_have_one_summary_which_is_the_root(passages: Passages) -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "Trees and roofs."

    tree = SummaryTree(kit_of(say))
    tree.ingest(passages(topics(3, 2)), ("a question asked before?",))
    (summary,) = (each for each in nodes(tree) if each.kind == "summary")
    assert (summary.text, summary.level) == ("Trees and roofs.", 2.0)
    assert summary.roots == ("d0#0", "d1#0", "d2#0", "d3#0", "d4#0")
    assert len(asked) == 1
    assert "asked before" not in asked[0].messages[1].content


def test_the_tree_ends_in_one_root_and_levels_rise(passages: Passages) -> None:
    kit = kit_of(lambda request: f"About {' '.join(request.messages[1].content.split()[2:6])}.")
    tree = SummaryTree(kit)
    corpus = passages(topics(20, 20, 20))
    tree.ingest(corpus, ())
    everything = tuple(sorted(piece.id for piece in corpus.pieces))
    summaries = [each for each in nodes(tree) if each.kind == "summary"]
    (root,) = (each for each in summaries if each.roots == everything)
    assert root.level == max(each.level for each in summaries) > 2
    assert len({each.id for each in summaries}) == len(summaries)
    assert len({key for each in summaries if each.level == 2.0 for key in each.roots}) >= 50  # few stay alone
    assert 4 <= len(summaries) <= 25
    assert len(nodes(tree)) == 60 + len(summaries)


def test_a_cluster_too_long_for_the_summariser_is_parted(passages: Passages) -> None:
    lengths: list[int] = []

    def say(request: Request) -> str:
        lengths.append(len(request.messages[1].content.split()))
        return "Short."

    tree = SummaryTree(kit_of(say, window=400), summary_tokens=20)
    tree.ingest(passages([f"maple oak birch number {number} " + "leaf " * 60 for number in range(10)]), ())
    assert max(lengths) < 400
    covered = {key for each in nodes(tree) if each.kind == "summary" for key in each.roots}
    assert covered == {f"d{number}#0" for number in range(10)}


def test_a_long_cluster_with_parts_of_its_own_is_clustered_once_more(passages: Passages) -> None:
    """Two topics of 30 are too long for one summary; so are the tens within them, which are then halved."""
    texts = [f"{text} {'leaf ' * 25}" for text in topics(30, 30)]
    lengths: list[int] = []

    def say(request: Request) -> str:
        lengths.append(len(request.messages[1].content.split()))
        return "Short."

    tree = SummaryTree(kit_of(say, window=300), summary_tokens=20, most_layers=1)
    tree.ingest(passages(texts), ())
    assert max(lengths) < 300
    assert len({key for each in nodes(tree) if each.kind == "summary" for key in each.roots}) >= 50
    assert tree.answer(Query(task_id="t", kind="question", text="maple"), Allowance()).details["layers"] == 1


def test_retrieval_looks_at_chunks_and_summaries_alike(passages: Passages) -> None:
    tree = SummaryTree(kit_of(lambda _: "city plans for shade"))
    tree.ingest(passages(topics(3, 2)), ())
    plans = tree.answer(
        Query(task_id="t", kind="question", text="plans for shade in the city"), Allowance(context_tokens=80)
    )
    trees = tree.answer(Query(task_id="t", kind="search", text="maple oak birch elm"), Allowance(context_tokens=80))
    assert plans.shown[0].kind == "summary"
    assert trees.shown[0].id in {"d0#0", "d1#0", "d2#0"}
    assert plans.details == {"layers": 1, "summaries": 1, "empty_summaries": 0, "shown_summaries": 1}
    assert {key for key, _ in trees.ranking[:3]} == {"d0#0", "d1#0", "d2#0"}
    assert len(trees.ranking) == 5  # chunks alone
    assert tree.answer(Query(task_id="t", kind="question", text="  "), Allowance()).shown == ()
