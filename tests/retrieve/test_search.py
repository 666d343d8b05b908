"""Search, by hand: the paper's rule, the gate, the overview, neighbours, ties and empty stores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thinkback.config import load_preset
from thinkback.errors import InvalidInput
from thinkback.retrieve import search
from thinkback.types import Filter

PLAIN = load_preset("default", rankings=("dense",), gate=0.7, root_tokens=None)


# --- Algorithm 1, line 1: the K = 8 items of chunks and thoughts that are nearest to the question -----------------------


@pytest.mark.parametrize("preset", ["paper", "paper-code", "default", "fast"])
def test_an_empty_store_has_no_hits(memory, preset):
    found = memory.search(preset, question="What is known?")
    assert (found.hits, found.considered, found.below_gate) == ((), 0, 0)


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_an_empty_store_has_no_overview_either(memory, preset):
    assert memory.search(preset, question="Summarise the paper").hits == ()


def test_with_an_empty_memory_the_paper_retrieves_the_nearest_chunks(memory, angle):
    chunks = memory.document(("a", angle(30)), ("b", angle(10)), ("c", angle(20)))
    assert memory.ids_found("paper") == [chunks[1], chunks[2], chunks[0]]


def test_the_paper_retrieves_eight_of_the_mixture_by_cosine_alone(memory, angle):
    chunks = memory.document(*((f"c{i}", angle(10 * i)) for i in range(1, 8)))  # 10, 20 ... 70 degrees
    thoughts = [memory.thought(f"t{i}", angle(10 * i + 5), [chunks[0]]) for i in range(1, 5)]  # 15, 25, 35, 45
    expected = [chunks[0], thoughts[0], chunks[1], thoughts[1], chunks[2], thoughts[2], chunks[3], thoughts[3]]
    found = memory.search("paper")
    assert [hit.item.id for hit in found.hits] == expected
    assert [hit.why for hit in found.hits] == [{"dense": place} for place in range(1, 9)]
    assert [hit.score for hit in found.hits] == pytest.approx([61 / (60 + place) for place in range(1, 9)])
    assert [hit.cosine for hit in found.hits] == pytest.approx(
        [np.cos(np.radians(d)) for d in (10, 15, 20, 25, 30, 35, 40, 45)], abs=1e-3
    )
    assert found.below_gate == 0


def test_the_paper_retrieves_far_thoughts_too_where_there_is_nothing_nearer(memory, angle):
    (chunk,) = memory.document(("a", angle(80)))
    far = memory.thought("t", angle(170), [chunk])
    assert memory.ids_found("paper") == [chunk, far]


def test_items_at_the_same_cosine_come_in_the_order_of_their_rows(memory, angle):
    first = memory.document(*((f"c{i}", angle(40)) for i in range(5)))
    thought = memory.thought("t", angle(40), [first[0]])
    later = memory.document(*((f"d{i}", angle(40, 180)) for i in range(5)))
    found = memory.search("paper")
    assert [hit.item.id for hit in found.hits] == [*first, thought, *later[:2]]
    assert [hit.row for hit in found.hits] == sorted(hit.row for hit in found.hits)


def test_a_whole_document_request_changes_nothing_in_the_paper(memory, angle):
    chunks = memory.document(("a", angle(30)), ("b", angle(10)))
    found = memory.search("paper", question="Summarise the paper")
    assert [hit.item.id for hit in found.hits] == [chunks[1], chunks[0]]
    assert found.door == "similarity"


def test_the_released_script_drops_near_copies_among_forty_and_keeps_eight(memory, angle):
    # All at 60 degrees to the question, at places around the cone: 5 degrees apart, cosine > .85 up to some 37 degrees.
    chunks = memory.document(*((f"c{i}", angle(60, 5 * i)) for i in range(45)))
    kept = memory.ids_found("paper-code")
    with memory.store.read() as reader:
        vectors = reader.vectors("n", kept)
    cosines = vectors @ vectors.T - 2 * np.eye(len(kept))
    assert kept[0] == chunks[0]
    assert cosines.max() <= 0.85
    assert set(kept) <= set(chunks[:40])
    assert kept == chunks[:40:8]


def test_the_released_script_keeps_eight_when_there_are_enough(memory, angle):
    memory.document(*((f"c{i}", angle(90, 40 * i)) for i in range(9)), ("near", angle(1)), ("copy", angle(2)))
    hits = memory.search("paper-code").hits
    assert len(hits) == 8
    assert hits[0].item.text == "near"
    assert "copy" not in {hit.item.text for hit in hits}


# --- the gate -----------------------------------------------------------------------------------------------------------


def test_a_thought_below_the_gate_is_held_back_and_counted(memory, angle):
    chunks = memory.document(("a", angle(50)))
    near, far = memory.thought("near", angle(44), chunks), memory.thought("far", angle(47), chunks)  # cos .719, .682
    found = memory.search(PLAIN)
    assert [hit.item.id for hit in found.hits] == [near, chunks[0]]
    assert (found.below_gate, found.considered) == (1, 3)
    assert far not in {hit.item.id for hit in found.hits}


def test_a_thought_below_the_gate_takes_part_where_its_roots_rank_well(memory, angle):
    chunks = memory.document(*((f"c{i}".ljust(80, "."), angle(50 + i)) for i in range(6)))  # 20 tokens each, about
    on_second = memory.thought("on the second", angle(60), [chunks[1]])
    on_last = memory.thought("on the last", angle(60), [chunks[5]])
    on_both = memory.thought("on first and last", angle(60), [chunks[0], chunks[5]])
    two_ways = memory.thought("once on the last, once on the first", angle(60), [chunks[5]], [chunks[0]])
    found = memory.search(PLAIN.model_copy(update={"root_tokens": 60}))
    kept = {hit.item.id for hit in found.hits}
    assert on_second in kept
    assert on_last not in kept
    assert on_both not in kept  # (1 + 6) / 2 > 3
    assert two_ways in kept
    assert found.below_gate == 2


def test_the_best_chunk_counts_as_near_however_long_it_is(memory, angle):
    chunks = memory.document(("x" * 10_000, angle(50)), ("y" * 10_000, angle(51)))
    on_first = memory.thought("on the first", angle(60), [chunks[0]])
    memory.thought("on the second", angle(60), [chunks[1]])
    found = memory.search(PLAIN.model_copy(update={"root_tokens": 100}))
    assert [hit.item.id for hit in found.hits if hit.kind == "thought"] == [on_first]


def test_a_thought_on_testimony_alone_passes_by_likeness_only(memory, angle):
    memory.document(("a", angle(50)))
    near = memory.thought("near", angle(30), ["tst_1"], kind="testimony")
    memory.thought("far", angle(60), ["tst_1"], kind="testimony")
    found = memory.search(PLAIN.model_copy(update={"root_tokens": 2500}))
    assert [hit.item.id for hit in found.hits if hit.kind == "thought"] == [near]


def test_a_search_for_thoughts_alone_is_not_gated(memory, angle):
    chunks = memory.document(("a", angle(10)))
    far = memory.thought("far", angle(80), chunks)
    found = memory.search(PLAIN, kinds=frozenset({"thought"}))
    assert ([hit.item.id for hit in found.hits], found.below_gate) == ([far], 0)


def test_a_search_for_chunks_alone_returns_no_thoughts(memory, angle):
    chunks = memory.document(("a", angle(10)))
    memory.thought("t", angle(5), chunks)
    found = memory.search("paper", kinds=frozenset({"chunk"}))
    assert ([hit.item.id for hit in found.hits], found.considered) == (chunks, 1)


# --- the four rankings ---------------------------------------------------------------------------------------------------


def test_each_hit_says_which_rankings_returned_it_and_where(memory, angle):
    words, dense = memory.document(("a rare word", angle(80))), memory.document(("other", angle(10)))
    found = memory.search("default", question="rare")
    why = {hit.item.id: hit.why for hit in found.hits}
    assert why[words[0]] == {"dense": 2, "dense_smoothed": 2, "words": 1, "words_window": 1}
    assert why[dense[0]] == {"dense": 1, "dense_smoothed": 1}


def test_a_chunk_between_near_ones_rises_by_smoothing(memory, angle):
    between = memory.document(("left", angle(20)), ("middle", angle(60)), ("right", angle(20)))
    alone = memory.document(("alone", angle(55)))
    plain = memory.ids_found(load_preset("default", rankings=("dense",)))
    smoothed = memory.ids_found(load_preset("default", rankings=("dense_smoothed",)))
    assert plain.index(alone[0]) < plain.index(between[1])
    assert smoothed.index(between[1]) < smoothed.index(alone[0])


def test_neighbours_of_another_document_do_not_smooth(memory, angle):
    first = memory.document(("a", angle(0)))
    second = memory.document(("b", angle(60)))
    hits = memory.search(load_preset("default", rankings=("dense_smoothed",))).hits
    assert [(hit.item.id, round(hit.cosine, 3)) for hit in hits] == [(first[0], 1.0), (second[0], 0.5)]


def test_a_chunk_without_the_word_is_found_beside_one_that_has_it(memory, angle):
    chunks = memory.document(("zebra", angle(90)), ("here", angle(90)), ("there", angle(90)))
    preset = load_preset("default", rankings=("words", "words_window"))
    hits = memory.search(preset, question="zebra").hits
    assert [hit.item.id for hit in hits] == chunks[:2]
    assert [hit.why for hit in hits] == [{"words": 1, "words_window": 1}, {"words_window": 2}]


def test_words_alone_need_no_vectors_but_tell_the_cosine(memory, angle):
    memory.document(("zebra", angle(60)))
    (hit,) = memory.search(load_preset("default", rankings=("words",)), question="zebra").hits
    assert hit.cosine == pytest.approx(0.5, abs=1e-3)


# --- overviews -----------------------------------------------------------------------------------------------------------


def test_an_overview_takes_thoughts_by_coverage_and_by_turns_with_chunks(memory, angle):
    chunks = memory.document(*((f"part {i}", angle(10 + i)) for i in range(8)))
    start = memory.thought("start", angle(20), [chunks[0]], question="How does it begin?")
    memory.thought("start again", angle(30), [chunks[0]], question="how does it  BEGIN?")  # nothing new
    end = memory.thought("end", angle(85), [chunks[7]], question="How does it end?")
    found = memory.search("default", question="Summarise the paper")
    assert found.door == "overview"
    ids = [hit.item.id for hit in found.hits]
    assert ids[:4] == [start, chunks[0], end, chunks[1]]
    assert [hit.kind for hit in found.hits].count("thought") == 2
    assert found.hits[2].cosine == pytest.approx(np.cos(np.radians(85)), abs=1e-3)
    assert [hit.why for hit in found.hits[:3]] == [{"coverage": 1}, {"dense": 1, "dense_smoothed": 1}, {"coverage": 2}]


def test_an_overview_without_thoughts_is_a_search_of_chunks(memory, angle):
    chunks = memory.document(("a", angle(10)), ("b", angle(50)))
    found = memory.search("default", question="Summarise the paper")
    assert [hit.item.id for hit in found.hits] == chunks


def test_an_overview_counts_thoughts_on_testimony_by_their_questions(memory, angle):
    memory.document(("a", angle(10)))
    said = memory.thought("said", angle(70), ["tst_1"], question="Who said so?", kind="testimony")
    found = memory.search("default", question="Summarise the paper")
    assert found.hits[0].item.id == said


# --- limits, titles, filters ----------------------------------------------------------------------------------------------


def test_a_limit_and_top_k_both_bound_the_hits(memory, angle):
    memory.document(*((f"c{i}", angle(i)) for i in range(20)))
    assert len(memory.search("paper").hits) == 8
    assert len(memory.search("paper", limit=3).hits) == 3
    assert len(memory.search("default", limit=5).hits) == 5
    assert len(memory.search(load_preset("default", context_tokens=60)).hits) == 3


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"kinds": frozenset()}])
def test_what_cannot_be_meant_is_refused(memory, wrong):
    with pytest.raises(InvalidInput):
        memory.search("default", **wrong)


def test_chunks_carry_their_documents_title_and_thoughts_none(memory, angle):
    chunks = memory.document(("a", angle(10)), title="On zebras")
    memory.thought("t", angle(5), chunks)
    assert [hit.title for hit in memory.search("paper").hits] == ["", "On zebras"]


def test_a_filter_holds_for_every_hit_neighbours_included(memory, angle):
    mine = memory.document(("zebra", angle(40)), ("beside", angle(60)), metadata={"who": "me"})
    yours = memory.document(("zebra", angle(10)), ("beside", angle(20)), metadata={"who": "you"})
    memory.thought("on yours", angle(5), [yours[0]])
    found = memory.search("default", question="zebra", where=Filter(metadata={"who": "me"}))
    assert {hit.item.id for hit in found.hits} == set(mine)


def test_another_namespace_is_not_seen(memory, angle):
    memory.document(("a", angle(10)))
    with memory.store.read() as reader:
        found = search(reader, "other", question="a", vector=angle(0), preset=load_preset("default"))
    assert found.hits == ()


@given(
    st.lists(st.integers(0, 180), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 180), st.integers(0, 11)), max_size=8),
    st.sampled_from(["paper", "paper-code", "default", "fast"]),
    st.sampled_from(["word1 word2", "Summarise the paper", "nothing"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixtures are a class and a function
def test_hits_are_distinct_ordered_scored_in_range_and_counted(make_memory, angle, degrees, thoughts, preset, question):
    memory = make_memory()
    chunks = memory.document(*((f"word{i}", angle(d)) for i, d in enumerate(degrees)))
    for number, (d, root) in enumerate(thoughts):
        memory.thought(f"thought{number} word1", angle(d), [chunks[root % len(chunks)]], question=f"q{number % 3}")
    found = memory.search(preset, question=question)
    ids = [hit.item.id for hit in found.hits]
    assert len(set(ids)) == len(ids)
    assert all(0 < hit.score <= 1 and hit.why for hit in found.hits)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert len(ids) + found.below_gate <= found.considered
    assert memory.search(preset, question=question) == found
    memory.store.close()
