from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from thinkback.bench.metrics.rouge import Rouge, SummaryRouge

_WORDS = st.lists(
    st.sampled_from(["the", "cat", "cats", "sat", "sitting", "on", "a", "mat.", "Mats!", "10,000", "naïve", "e-mail"]),
    max_size=25,
)
_TEXTS = _WORDS.map(" ".join)


def test_values_by_hand(tools: Any) -> None:
    """6 and 5 words, in common: cat, sat, mat, the (one of two). Bigrams 5 and 4: "cat sat". Subsequence: the cat sat mat."""
    found = tools.values(Rouge(), tools.scored("the cat sat by a mat", references=["the cats sat near the mat"]))
    assert found["rouge_1"] == pytest.approx(2 * 4 / (6 + 6))
    assert found["rouge_2"] == pytest.approx(2 * 2 / (5 + 5))  # stemmed: "the cat", "cat sat"
    assert found["rouge_l"] == pytest.approx(2 * 4 / (6 + 6))


def test_order_counts_for_the_subsequence_alone(tools: Any) -> None:
    found = tools.values(Rouge(), tools.scored("d c b a", references=["a b c d"]))
    assert found == {"rouge_1": 1.0, "rouge_2": 0.0, "rouge_l": 0.25}


def test_the_best_reference_counts_for_each_value_alone(tools: Any) -> None:
    """The first has all words in another order, the second one pair of them."""
    found = tools.values(Rouge(), tools.scored("red blue green", references=["green blue red", "red blue"]))
    assert found["rouge_1"] == 1.0
    assert found["rouge_2"] == pytest.approx(2 * 1 / (2 + 1))
    assert found["rouge_l"] == pytest.approx(2 * 2 / (3 + 2))


def test_no_reference_is_no_zero_and_no_answer_is(tools: Any, reasons: Any) -> None:
    for metric in (Rouge(), SummaryRouge()):
        assert reasons(metric, tools.scored("some text")) == {"the task has no reference"}
        assert reasons(metric, tools.scored("some text", references=[" "])) == {"the task has no reference"}
        assert set(tools.values(metric, tools.scored("", references=["some text"])).values()) == {0.0}


def test_the_summary_level_joins_sentences(tools: Any) -> None:
    """In Lin's example (section 3.2): of w1 w2 w3 w4 w5, the candidates w1 w2 w6 w7 w8 and w1 w3 w8 w9 w5 have w1 w2 w3 w5."""
    candidate = "w1 w3 w8 w9 w5. w1 w2 w6 w7 w8"
    found = tools.values(SummaryRouge(), tools.scored(candidate, references=["w1 w2 w3 w4 w5."]))
    assert found["rouge_lsum"] == pytest.approx(2 * 4 / (10 + 5))
    one_sequence = tools.values(Rouge(), tools.scored(candidate, references=["w1 w2 w3 w4 w5."]))
    assert one_sequence["rouge_l"] == pytest.approx(2 * 3 / (10 + 5))


@given(said=_TEXTS, references=st.lists(_TEXTS.filter(str.strip), min_size=1, max_size=3))
def test_values_are_those_of_the_package(tools: Any, said: str, references: list[str]) -> None:
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score_multi(references, said)
    ours = tools.values(Rouge(), tools.scored(said, references=references))
    for name, other in (("rouge_1", "rouge1"), ("rouge_2", "rouge2"), ("rouge_l", "rougeL")):
        assert ours[name] == pytest.approx(theirs[other].fmeasure)


@pytest.mark.data
def test_the_published_output_of_hmnet_on_qmsum(tools: Any, data_folder: Path) -> None:
    """Published: R-1 36.5, R-2 11.4, R-L 31.6. The last is the summary level; as one sequence it would be 22.4."""
    folder = data_folder / "qmsum" / "model_output"
    said, wanted = ((folder / f"{name}.txt").read_text("utf-8").splitlines() for name in ("preds", "refs"))
    assert len(said) == len(wanted) == 279
    sums: dict[str, float] = {}
    for text, reference in zip(said, wanted, strict=True):
        one = tools.scored(text, references=[reference])
        for metric in (Rouge(), SummaryRouge()):
            for name, value in tools.values(metric, one).items():
                sums[name] = sums.get(name, 0.0) + 100 * value / len(said)
    assert sums["rouge_1"] == pytest.approx(36.5, abs=0.5)
    assert sums["rouge_2"] == pytest.approx(11.4, abs=0.5)
    assert sums["rouge_lsum"] == pytest.approx(31.6, abs=0.5)
    assert sums["rouge_l"] == pytest.approx(22.4, abs=0.1)
