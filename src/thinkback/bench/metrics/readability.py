"""How hard a text is to read, by the two formulas that AcademicEval reports. For English."""

from __future__ import annotations

import re
from collections.abc import Mapping

from thinkback.bench.ports import Score, Scored

__all__ = ["Readability", "automated_readability", "flesch_ease", "syllables"]

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_END = re.compile(r"[.!?]+(?=\s|$)")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?:[^aeiouyl]e|[aeiouy]le|[^aeiouytd]ed|[^aeiouysxzhgcl]es|[aeiouy]les)$")


def flesch_ease(text: str) -> float | None:
    """Return 206.835 - 1.015 words/sentences - 84.6 syllables/words (Flesch, J. Applied Psychology 32(3), 1948).

    Syllables are counted by ``syllables``. None for a text without words.
    """
    words: list[str] = _WORD.findall(text)
    if not words:
        return None
    per_word = sum(map(syllables, words)) / len(words)
    return 206.835 - 1.015 * len(words) / _sentences(text) - 84.6 * per_word


def automated_readability(text: str) -> float | None:
    """Return 4.71 letters/words + 0.5 words/sentences - 21.43 (Smith and Senter, AMRL-TR-66-220, 1967).

    Letters and digits count. None for a text without words.
    """
    words: list[str] = _WORD.findall(text)
    if not words:
        return None
    letters = sum(c.isalnum() for word in words for c in word)
    return 4.71 * letters / len(words) + 0.5 * len(words) / _sentences(text) - 21.43


def syllables(word: str) -> int:
    """Return about how many syllables an English word has: its runs of vowels without a silent end, at least 1."""
    plain = word.lower()
    runs = len(_VOWELS.findall(plain))
    return max(1, runs - bool(_SILENT.search(plain)))


def _sentences(text: str) -> int:
    """Return the number of ends of sentences, at least 1; a last one without a full stop counts."""
    ends = len(_END.findall(text))
    return max(1, ends + (not _END.search(text.rstrip()[-3:])))


class Readability:
    """Flesch's reading ease (100 is easy, 0 is hard) and the automated readability index (a school grade), and words."""

    name = "readability"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return flesch_ease, automated_readability and words (of the answer)."""
        text = scored.output.text
        nothing = Score(value=None, reason="the answer has no words")
        ease, grade = flesch_ease(text), automated_readability(text)
        return {
            "flesch_ease": nothing if ease is None else Score(value=ease),
            "automated_readability": nothing if grade is None else Score(value=grade),
            "words": Score(value=float(len(text.split()))) if scored.task.kind != "search" else nothing,
        }
