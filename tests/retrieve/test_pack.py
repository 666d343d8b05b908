"""Packing: rank order, never over the budget, nothing lost without being named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.errors import InvalidInput
from thinkback.retrieve import pack
from thinkback.types import Chunk, Hit, Thought


def chunk(name: str, text: str = "text") -> Hit:
    item = Chunk(id=name, namespace="n", document_id="d", ordinal=0, start=0, end=len(text), text=text, content_hash="")
    return Hit(item=item, kind="chunk", row=0, score=1.0, cosine=0.0, why={})


def thought(name: str, text: str = "text") -> Hit:
    item = Thought(id=name, namespace="n", text=text, level=2.0, created_at=0.0)
    return Hit(item=item, kind="thought", row=0, score=1.0, cosine=0.0, why={})


def by_length(_number: int, hit: Hit) -> int:
    return len(hit.item.text)


def names(hits) -> list[str]:
    return [hit.item.id for hit in hits]


def test_what_does_not_fit_is_skipped_and_the_walk_goes_on():
    packed = pack([chunk("a", "x" * 6), chunk("b", "x" * 5), chunk("c", "x" * 4)], budget=10, cost=by_length)
    assert (names(packed.hits), names(packed.left_out), packed.tokens) == (["a", "c"], ["b"], 10)


def test_one_chunk_of_a_million_characters_is_left_out_whole():
    packed = pack([chunk("a", "x" * 1_000_000), chunk("b")], budget=2_000, cost=by_length)
    assert (names(packed.hits), packed.tokens) == (["b"], 4)


def test_the_cost_is_asked_for_the_place_at_which_the_item_is_shown():
    asked = []
    pack(
        [chunk("a"), chunk("b", "x" * 99), chunk("c")],
        budget=10,
        cost=lambda n, hit: asked.append(n) or by_length(n, hit),
    )
    assert asked == [1, 2, 2]


def test_a_thought_whose_only_root_is_packed_is_skipped():
    packed = pack([chunk("a"), thought("t")], budget=99, cost=by_length, roots={"t": frozenset({"a"})})
    assert (names(packed.hits), names(packed.left_out)) == (["a"], ["t"])


def test_a_chunk_may_follow_a_thought_on_it():
    packed = pack([thought("t"), chunk("a")], budget=99, cost=by_length, roots={"t": frozenset({"a"})})
    assert names(packed.hits) == ["t", "a"]


def test_a_thought_with_a_further_root_or_unknown_roots_stays():
    hits = [chunk("a"), thought("t"), thought("u"), thought("v")]
    packed = pack(hits, budget=99, cost=by_length, roots={"t": frozenset({"a", "b"}), "v": frozenset()})
    assert names(packed.hits) == ["a", "t", "u", "v"]


def test_a_root_that_did_not_fit_does_not_keep_its_thought_out():
    packed = pack([chunk("a", "x" * 99), thought("t")], budget=10, cost=by_length, roots={"t": frozenset({"a"})})
    assert names(packed.hits) == ["t"]


def test_top_k_counts_packed_items():
    packed = pack([chunk("a", "x" * 99), chunk("b"), chunk("c"), chunk("d")], budget=50, cost=by_length, top_k=2)
    assert (names(packed.hits), names(packed.left_out)) == (["b", "c"], ["a", "d"])


def test_the_raw_share_is_closed_to_thoughts_and_open_to_chunks():
    hits = [thought("t", "x" * 5), thought("u", "x" * 5), chunk("a", "x" * 5)]
    assert names(pack(hits, budget=10, cost=by_length, raw_share=0.5).hits) == ["t", "a"]
    assert names(pack(hits, budget=10, cost=by_length, raw_share=1.0).hits) == ["a"]


def test_nothing_and_no_room():
    assert pack([], budget=10, cost=by_length).hits == ()
    assert names(pack([chunk("a")], budget=0, cost=by_length).left_out) == ["a"]


@pytest.mark.parametrize("wrong", [{"budget": -1}, {"budget": 1, "raw_share": 1.5}, {"budget": 1, "raw_share": -0.1}])
def test_arguments_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InvalidInput):
        pack([chunk("a")], cost=by_length, **wrong)


def test_a_negative_cost_is_refused_rather_than_let_the_budget_grow():
    with pytest.raises(InvalidInput):
        pack([chunk("a")], budget=1, cost=lambda _n, _hit: -1)


sizes = st.one_of(st.integers(0, 30), st.sampled_from([0, 1, 10**6, 10**18]))


@given(
    st.lists(st.tuples(st.booleans(), sizes), max_size=15),
    st.integers(0, 100),
    st.one_of(st.none(), st.integers(1, 20)),
    st.floats(0, 1),
)
def test_never_over_the_budget_in_rank_order_and_every_hit_is_somewhere(items, budget, top_k, raw_share):
    hits = [thought(str(i)) if is_thought else chunk(str(i)) for i, (is_thought, _) in enumerate(items)]
    size = {str(i): size for i, (_, size) in enumerate(items)}
    roots = {hit.item.id: frozenset({str(i - 1)}) for i, hit in enumerate(hits) if hit.kind == "thought" and i}
    packed = pack(
        hits,
        budget=budget,
        cost=lambda n, hit: size[hit.item.id] + n % 2,
        top_k=top_k,
        raw_share=raw_share,
        roots=roots,
    )
    spent = [size[hit.item.id] + n % 2 for n, hit in enumerate(packed.hits, start=1)]
    assert sum(spent) == packed.tokens <= budget
    for_thoughts = sum(price for price, hit in zip(spent, packed.hits, strict=True) if hit.kind == "thought")
    assert for_thoughts <= budget * (1 - raw_share) + 1e-9
    assert len(packed.hits) <= (top_k or len(hits))
    assert sorted(map(int, names(packed.hits) + names(packed.left_out))) == list(range(len(hits)))
    assert list(map(int, names(packed.hits))) == sorted(map(int, names(packed.hits)))
    assert list(map(int, names(packed.left_out))) == sorted(map(int, names(packed.left_out)))
