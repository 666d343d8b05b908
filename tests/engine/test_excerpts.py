"""Excerpts: the sentences of a chunk that speak to the question, cut exactly, never above the limit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.engine.excerpting import excerpts, whole_items
from thinkback.ports import ModelTraits
from thinkback.retrieve.excerpt import best_window, score_sentences

SMALL = ModelTraits(context_window=4096, evidence_first=True, local=True)
FILLER = "The weather on the hills was fair and the sheep were grazing on the grass. " * 3
LONG = f"{FILLER}The old mill was built by Agnes Moore in 1807 near the river. {FILLER}"


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 60)), min_size=1, max_size=20),
    st.integers(1, 100),
)
def test_a_window_fits_or_is_one_sentence(pairs, limit):
    scores, tokens = [score for score, _ in pairs], [count for _, count in pairs]
    window = best_window(scores, tokens, limit=limit)
    assert 0 <= window.first <= window.last < len(scores)
    assert sum(tokens[window.first : window.last + 1]) <= limit or window.first == window.last
    fitting = [place for place, count in enumerate(tokens) if count <= limit]
    if fitting and max(scores) > 0 and all(score >= 0 for score in scores):
        assert window.score >= max(scores)


def test_no_sentence_no_window():
    with pytest.raises(ValueError, match="without sentences"):
        best_window([], [], limit=5)


def test_rare_shared_words_count_more_than_common_ones():
    texts = ["The mill was grinding.", "The bridge was opened.", "The bridge was painted.", "The bridge was old."]
    scores = score_sentences("Was the mill older than the bridge?", texts, [0.0] * 4)
    assert scores[0] == max(scores)


def test_the_excerpt_stands_in_its_chunk_and_holds_the_answer(make_engine):
    engine = make_engine(chunk_size=250)
    engine.add(LONG)
    question = "Who built the old mill?"
    vector = engine._parts.embed_query(question)
    hits = engine.search(question, kind="chunks")
    cut = excerpts(engine._parts, question, vector, hits, limit=20)
    for hit in cut.hits:
        assert cut.text(hit) in hit.item.text
        assert engine._parts.embedder.count(cut.text(hit)) <= 20
    assert any("Agnes Moore" in cut.text(hit) for hit in cut.hits)
    assert sorted(hit.row for hit in cut.hits) == sorted(hit.row for hit in hits)


def test_without_hits_nothing_is_cut(engine):
    cut = excerpts(engine._parts, "What?", engine._parts.embed_query("What?"), [], limit=20)
    assert cut == whole_items([])


def test_a_small_model_is_shown_excerpts_and_cites_the_exact_place(make_engine, script):
    engine = make_engine(traits=SMALL, chunk_size=250, excerpt_tokens_small=20)
    [added] = engine.add(LONG, title="Mills")
    quote = "The old mill was built by Agnes Moore in 1807 near the river."
    script.answer = json.dumps({"evidence": [{"item": 1, "quote": quote}], "found": True, "answer": "Agnes Moore."})
    answer = engine.ask("Who built the old mill?", remember=False)
    shown = script.seen[0].messages[1].content
    assert "Agnes Moore" in shown
    assert shown.count("sheep") < LONG.count("sheep")
    [citation] = answer.citations
    assert citation.quote == quote == engine.text(added.document_id)[citation.start : citation.end]


def test_a_strong_model_is_shown_whole_chunks(make_engine, script):
    engine = make_engine(chunk_size=250, excerpt_tokens_small=20)
    engine.add(LONG, title="Mills")
    engine.ask("Who built the old mill?", remember=False)
    assert script.seen[0].messages[1].content.count("sheep") == LONG.count("sheep")
