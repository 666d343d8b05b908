"""ROUGE of a text against its references: the paper's "F1" is the F-measure of ROUGE-L, stemmed; we call it ROUGE-L.

ROUGE-L is of the whole text as one sequence. Papers on summaries often print the summary level under the same name: the
union of the longest common subsequences of each sentence of the reference (Lin, 2004, section 3.2), which is much higher.
Measured on QMSum's published HMNet output: 22.4 as one sequence, 31.3 at the summary level; published as ROUGE-L are 31.6.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from thinkback.bench.ports import Score, Scored
from thinkback.errors import MissingExtra

__all__ = ["Rouge", "SummaryRouge"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class Rouge:
    """F-measures of ROUGE-1, -2 and -L (Lin, 2004) by the package rouge-score's tokens, with Porter's stemmer.

    Of several references the one with the highest F-measure counts, for each of the three alone. The values are those of
    the package; counting is our own, since its table of the longest common subsequence takes a second for texts of 3,000
    words.
    """

    name = "rouge"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return rouge_1, rouge_2 and rouge_l, each 0 to 1."""
        names = ("rouge_1", "rouge_2", "rouge_l")
        references = _references(scored)
        if not references:
            return dict.fromkeys(names, Score(value=None, reason="the task has no reference"))
        said = _tokens(scored.output.text)
        found = [
            (_of_ngrams(said, wanted, 1), _of_ngrams(said, wanted, 2), _f(_longest_common(said, wanted), said, wanted))
            for wanted in map(_tokens, references)
        ]
        return {name: Score(value=max(values)) for name, values in zip(names, zip(*found, strict=True), strict=True)}


class SummaryRouge:
    """F-measure of ROUGE-L at the summary level, by the package rouge-score, stemmed, over sentences that we split.

    A sentence ends at a full stop, question or exclamation mark before a space, or at the end of a line.
    """

    name = "rouge_lsum"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return rouge_lsum, 0 to 1."""
        references = _references(scored)
        if not references:
            return {"rouge_lsum": Score(value=None, reason="the task has no reference")}
        found = _scorer().score_multi([_lines(each) for each in references], _lines(scored.output.text))
        return {"rouge_lsum": Score(value=float(found["rougeLsum"].fmeasure))}


def _references(scored: Scored) -> list[str]:
    return [each for each in scored.task.references if each.strip()]


def _lines(text: str) -> str:
    """Return a text with a sentence a line, as the package wants it."""
    return "\n".join(part.strip() for part in _SENTENCE_END.split(text) if part.strip())


class _Cached:
    """The package's tokenizer with what it made kept: its stemmer takes most of the time."""

    def __init__(self, inner: Any) -> None:
        self._word = lru_cache(maxsize=200_000)(inner.tokenize)
        self._not_of_words = re.compile(r"[^a-z0-9]+")

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text: those of its words, since none reaches over a space."""
        return [token for word in self._not_of_words.split(text.lower()) for token in self._word(word)]


@cache
def _tokenizer() -> _Cached:
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError:
        raise MissingExtra("ROUGE", "bench") from None
    return _Cached(DefaultTokenizer(use_stemmer=True))


@cache
def _scorer() -> Any:
    tokenizer = _tokenizer()
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeLsum"], tokenizer=tokenizer)


@lru_cache(maxsize=4_000)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_tokenizer().tokenize(text))


def _of_ngrams(said: Sequence[str], wanted: Sequence[str], n: int) -> float:
    """Return the F-measure of the n-grams in common, as multisets."""
    ours, theirs = (Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (said, wanted))
    common = sum((ours & theirs).values())
    return 2 * common / (ours.total() + theirs.total()) if common else 0.0


def _f(common: int, said: Sequence[str], wanted: Sequence[str]) -> float:
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, a row of the table at a time as bits of one number.

    Of a row, bit j is 0 where the table grows by one at column j (Hyyrö, Bit-parallel LCS-length computation revisited,
    AWOCA 2004).
    """
    where: dict[str, int] = {}
    for place, token in enumerate(one):
        where[token] = where.get(token, 0) | 1 << place
    everything = (1 << len(one)) - 1
    row = everything
    for token in other:
        match = row & where.get(token, 0)
        row = ((row + match) | (row - match)) & everything
    return len(one) - row.bit_count()
