from __future__ import annotations

import math
from typing import Any

import pytest

from thinkback.bench.metrics.coverage import Coverage
from thinkback.bench.metrics.coverage_checked import CheckedCoverage
from thinkback.bench.metrics.words import Rarities, content_stems, rarity, word_recall
from thinkback.bench.records import Gold


def test_precision_and_recall_by_hand(tools: Any) -> None:
    """The paper's equation 1: two gold chunks, one of them among three that are shown."""
    one = tools.scored(shown=[tools.chunk(0), tools.chunk(2), tools.chunk(3)], gold=[tools.whole(0), tools.whole(1)])
    found = tools.values(Coverage(), one)
    for reading in ("structural", "supported"):
        assert found[f"coverage_{reading}_precision"] == pytest.approx(1 / 3)
        assert found[f"coverage_{reading}_recall"] == pytest.approx(1 / 2)
        assert found[f"coverage_{reading}_f1"] == pytest.approx(2 / 5)


def test_a_root_whose_content_is_not_in_the_thought_is_claimed_and_not_carried(tools: Any) -> None:
    """Chunk 0 has four content words, each in one of four chunks; the thought has two of them and none of chunk 1."""
    item = tools.thought("Maples need water.", 0, 1)
    found = tools.values(Coverage(), tools.scored(shown=[item], gold=[tools.whole(0), tools.whole(1)]))
    assert found["coverage_structural_recall"] == found["coverage_structural_precision"] == 1.0
    assert found["coverage_supported_recall"] == 0.5
    assert found["coverage_supported_precision"] == 1.0


def test_a_fifth_of_the_words_by_rarity_is_the_border(tools: Any) -> None:
    """Five words of equal rarity: one of them is exactly .20."""
    texts = ["oak elm ash fir yew", "bus tram"]
    chunked = tools.corpus(texts)
    weights = rarity(chunked)
    assert weights["oak"] == pytest.approx(math.log(1 + (2 - 1 + 0.5) / (1 + 0.5)))
    assert word_recall(texts[0], "an oak", weights) == pytest.approx(0.2)
    assert word_recall("the of", "the of", weights) == 0.0
    gold = [tools.whole(0, texts=texts)]
    for text, value in (("An oak.", 1.0), ("A tram.", 0.0)):
        one = tools.scored(shown=[tools.thought(text, 0)], gold=gold, chunked=chunked)
        assert tools.values(Coverage(), one)["coverage_supported_recall"] == value


def test_rare_words_weigh_more(tools: Any) -> None:
    chunked = tools.corpus(["city oak", "city elm", "city ash"])
    weights = rarity(chunked)
    assert word_recall("city oak", "the city", weights) < 0.2 < word_recall("city oak", "an oak", weights)


def test_unknown_roots_are_claims_too(tools: Any) -> None:
    one = tools.scored(shown=[tools.thought("Maples drink water.", 0, 9)], gold=[tools.whole(0)])
    found = tools.values(Coverage(), one)
    assert found["coverage_structural_precision"] == 0.5
    assert found["coverage_supported_precision"] == 1.0


def test_nothing_shown_covers_nothing(tools: Any) -> None:
    assert set(tools.values(Coverage(), tools.scored(gold=[tools.whole(0)])).values()) == {0.0}


def test_without_gold_there_is_nothing_to_cover(tools: Any, reasons: Any) -> None:
    for metric in (Coverage(), CheckedCoverage()):
        assert reasons(metric, tools.scored(shown=[tools.chunk(0)])) == {"the task has no gold evidence"}
        judged_bad = tools.scored(shown=[tools.chunk(0)], gold=[tools.whole(0, grade=0)])
        assert reasons(metric, judged_bad) == {"no chunk holds the gold evidence"}


def test_one_reading_is_never_given_without_the_other(tools: Any) -> None:
    found = set(Coverage().score(tools.scored(gold=[tools.whole(0)])))
    assert {name.replace("structural", "supported") for name in found} <= found
    assert len(found) == 6


def test_the_products_check_asks_for_names_and_numbers(tools: Any) -> None:
    """By words alone the second thought would carry its root: three of four words are there."""
    texts = ["Refinitiv was founded in 2018 by Ann Lee.", "Buses run at night in Rome."]
    chunked = tools.corpus(texts)
    gold = [tools.whole(0, texts=texts)]
    for text, checked in (("Refinitiv was founded in 2018.", 1.0), ("Refinitiv was founded in 2019.", 0.0)):
        one = tools.scored(shown=[tools.thought(text, 0)], gold=gold, chunked=chunked)
        assert tools.values(Coverage(), one)["coverage_supported_recall"] == 1.0
        assert tools.values(CheckedCoverage(), one)["coverage_checked_recall"] == checked


def test_one_sentence_is_enough_for_the_check_and_raw_text_needs_none(tools: Any) -> None:
    metric = CheckedCoverage()
    both = tools.thought("Buses run at night. The moon is made of cheese.", 2, 3)
    found = tools.values(metric, tools.scored(shown=[both], gold=[tools.whole(2), tools.whole(3)]))
    assert found == {
        "coverage_checked_precision": 1.0, "coverage_checked_recall": 0.5, "coverage_checked_f1": pytest.approx(2 / 3),
    }  # fmt: skip
    found = tools.values(metric, tools.scored(shown=[tools.chunk(3)], gold=[tools.whole(3)]))
    assert found["coverage_checked_f1"] == 1.0


def test_a_part_of_a_chunk_as_gold_is_the_chunk(tools: Any) -> None:
    gold = [Gold(document_id="d0", start=0, end=6)]
    found = tools.values(Coverage(), tools.scored(shown=[tools.chunk(0)], gold=gold))
    assert found["coverage_structural_recall"] == 1.0


def test_rarity_is_kept_of_each_corpus(tools: Any) -> None:
    one, other = tools.corpus(["oak"]), tools.corpus(["elm"])
    kept = Rarities()
    assert set(kept.of(one)) == {"oak"}
    assert set(kept.of(other)) == {"elm"}
    assert kept.of(one) is kept.of(one)


def test_content_stems_are_without_common_words() -> None:
    assert content_stems("The trees were in the cities") == content_stems("tree city")
