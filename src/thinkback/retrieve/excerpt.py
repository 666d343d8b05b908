"""Excerpts: under a very small budget, the sentences of a chunk that speak to the question instead of the whole chunk.

A chunk of 250 tokens leaves room for two of them in the 520 tokens that suit a small local model. Measured in
benchmarks/retrieval_excerpts.py: see the record there for how much more of the evidence excerpts bring into that budget.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Window", "best_window", "score_sentences"]

_WORD = re.compile(r"\w+")
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST_STEM = 3
_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to and or is are was were be been by for with from as that this it its which "
        "who whom whose what when where how why do does did has have had not their his her they he she them there these those than then",
    )
)  # in any other language their frequency has to keep them down
_LEXICAL = 0.5
"""Weight of the words that a sentence shares with the question; the rest is the cosine. Words alone know numbers and
names, the cosine knows paraphrase; half and half was best of the three that were tried."""
_WIDTH = 0.15
"""How much the sum of a window's scores counts beside its best sentence: a little company, no padding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Adjacent sentences of one text: ``first`` to ``last``, both included."""

    first: int
    last: int
    score: float


def score_sentences(question: str, texts: Sequence[str], cosines: Sequence[float]) -> list[float]:
    """Return how well each sentence speaks to the question: the mean of its cosine and its share of the question's words.

    Args:
        question: as asked.
        texts: the sentences of all candidates together: a word counts the less, the more of them have it.
        cosines: of each sentence to the question.
    """
    bags = [frozenset(_stems(text)) for text in texts]
    asked = frozenset(_stems(question))
    seen = Counter(word for bag in bags for word in bag & asked)
    idf = {word: math.log(1 + (len(bags) - seen[word] + 0.5) / (seen[word] + 0.5)) for word in asked}
    whole = sum(idf.values()) or 1.0
    return [
        (1 - _LEXICAL) * cosine + _LEXICAL * sum(idf[word] for word in bag & asked) / whole
        for bag, cosine in zip(bags, cosines, strict=True)
    ]


def _stems(text: str) -> list[str]:
    stems = []
    for word in _WORD.findall(text.casefold()):
        if word in _FUNCTION_WORDS:
            continue
        ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _SHORTEST_STEM), "")
        stems.append(word.removesuffix(ending))
    return stems


def best_window(scores: Sequence[float], tokens: Sequence[int], *, limit: int) -> Window:
    """Return the adjacent sentences with the best score that fit the limit; a single sentence may exceed it.

    The score is that of the best sentence, plus a part of the sum; of equals the first and shortest.

    Raises:
        ValueError: there is no sentence.
    """
    best: Window | None = None
    for first in range(len(scores)):
        size, total, top = 0, 0.0, -math.inf
        for last in range(first, len(scores)):
            size += tokens[last]
            if size > limit and last > first:
                break
            total += scores[last]
            top = max(top, scores[last])
            score = top + _WIDTH * total
            if best is None or score > best.score:
                best = Window(first=first, last=last, score=score)
    if best is None:
        raise ValueError("A text without sentences has no excerpt.")
    return best
