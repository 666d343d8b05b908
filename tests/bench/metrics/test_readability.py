from __future__ import annotations

from typing import Any

import pytest

from thinkback.bench.metrics.readability import Readability, automated_readability, flesch_ease, syllables


def test_formulas_by_hand() -> None:
    """Six words of one syllable and 17 letters in one sentence; then two sentences of two words with six syllables."""
    text = "The cat sat on the mat."
    assert flesch_ease(text) == pytest.approx(206.835 - 1.015 * 6 - 84.6)
    assert automated_readability(text) == pytest.approx(4.71 * 17 / 6 + 0.5 * 6 - 21.43)
    text = "Simple tables. Paper boats"
    assert flesch_ease(text) == pytest.approx(206.835 - 1.015 * 4 / 2 - 84.6 * 7 / 4)


@pytest.mark.parametrize(
    ("word", "count"),
    [("the", 1), ("cake", 1), ("table", 2), ("walked", 1), ("wanted", 2), ("boxes", 2), ("makes", 1), ("people", 2),
     ("readability", 5), ("rhythm", 1), ("Hmm", 1), ("2019", 1)],
)  # fmt: skip
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count


def test_a_point_within_a_number_ends_no_sentence() -> None:
    """Words are It, was, 3, 5, in, all: thirteen letters and digits in one sentence."""
    assert automated_readability("It was 3.5 in all") == pytest.approx(4.71 * 12 / 6 + 0.5 * 6 / 1 - 21.43)


def test_no_words_no_value(tools: Any) -> None:
    found = tools.values(Readability(), tools.scored("..."))
    assert found == {"flesch_ease": None, "automated_readability": None, "words": 1.0}
    assert tools.values(Readability(), tools.scored("", kind="search"))["words"] is None
    assert tools.values(Readability(), tools.scored("Two words."))["words"] == 2.0
