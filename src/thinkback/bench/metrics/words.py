"""Content words of texts and how rare they are in a corpus: what coverage and answer words look at."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.store.words import stems

__all__ = ["Rarities", "content_stems", "rarity", "word_recall"]

_COMMON = frozenset(
    stems(
        "a an the and or but of to in on at for from by with as is are was were be been being it its this that these those he"
        " she they we you i his her their our your my him them us me do does did have has had not no so if then than there"
    )
)


@lru_cache(maxsize=20_000)  # of texts of 250 tokens some 150 MB
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without the commonest English ones."""
    return frozenset(map(sys.intern, stems(text))) - _COMMON


def rarity(chunked: ChunkedCorpus) -> dict[str, float]:
    """Return stem to ln(1 + (N - n + .5) / (n + .5)) over the chunks: BM25's inverse document frequency, kept positive."""
    counts = Counter(stem for piece in chunked.pieces for stem in content_stems(piece.text))
    total = len(chunked.pieces)
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in counts.items()}


class Rarities:
    """Keeps ``rarity`` of each corpus that it was asked about."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ChunkedCorpus, Mapping[str, float]]] = {}

    def of(self, chunked: ChunkedCorpus) -> Mapping[str, float]:
        """Return stem to weight."""
        key = id(chunked)  # its own hash would read the whole corpus; kept beside, no other object gets its id
        if key not in self._known:
            self._known[key] = (chunked, rarity(chunked))
        return self._known[key][1]


def word_recall(source: str, text: str, weights: Mapping[str, float]) -> float:
    """Return the share of a source's content words, by weight, that stand in a text; 0 for a source without any."""
    own = content_stems(source)
    total = math.fsum(weights.get(stem, 0.0) for stem in own)  # exact, for the order of a set is not always the same
    return math.fsum(weights.get(stem, 0.0) for stem in own & content_stems(text)) / total if total else 0.0
