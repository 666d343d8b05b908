"""An embedder without a model, for tests and for trying things out: quick, deterministic, and blind to meaning."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from thinkback.embed.rows import embed_content, unit_rows
from thinkback.errors import InvalidInput
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix, FloatVector

__all__ = ["HashingEmbedder"]

# A run of letters and digits is a word; scripts that do not put spaces between words count by character.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_COMMON_LINE = (
    "a an and are as at be but by did do does for from had has have he her his how i in is it its not of on or our she "
    "that the their them there these they this to was we were what when where which who will with you"
)
_COMMON = frozenset(_COMMON_LINE.split())
_WORD_WEIGHT = 1.0
_COMMON_WEIGHT = 0.15
_TRIGRAM_WEIGHT = 0.25
_FINGERPRINT_WEIGHT = 0.02


@lru_cache(maxsize=200_000)
def _hash(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")


class HashingEmbedder:
    """Signed feature hashing of words and character trigrams (Weinberger et al., ICML 2009, equation 1).

    Texts that share words or spellings are near, all others near to 0. Counts are dampened by 1 + ln(count) and common
    English words weigh little. A trace of a hash of the whole text keeps texts apart that have the same features.
    Query and document are treated alike.

    Args:
        dimension: components of a vector.

    Raises:
        InvalidInput: ``dimension`` is below 1.
    """

    def __init__(self, dimension: int = 384) -> None:
        if dimension < 1:
            raise InvalidInput(f"A vector needs at least one component, not {dimension!r}.")
        self.id = f"hashing-1-{dimension}"
        self.dimension = dimension
        self.max_tokens = 8192

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:  # noqa: ARG002 - both kinds are alike
        """Return shape (len(texts), dimension), float32, rows of norm 1 (0 for a text without content), in order."""
        return embed_content(texts, dimension=self.dimension, embed=self._embed)

    def _embed(self, texts: list[str]) -> FloatMatrix:
        rows = np.stack([self._vector(text) for text in texts])
        return unit_rows(rows, count=len(texts), dimension=self.dimension, model=self.id)

    def _vector(self, text: str) -> FloatVector:
        folded = text.casefold()
        words = _WORD.findall(folded)
        padded = f" {' '.join(words)} "
        weights: dict[str, float] = {}
        for word, count in Counter(words).items():
            weight = _COMMON_WEIGHT if word in _COMMON else _WORD_WEIGHT
            weights[f"w{word}"] = weight * (1 + math.log(count))
        trigrams = Counter(padded[place : place + 3] for place in range(len(padded) - 2))
        for trigram, count in trigrams.items():
            weights[f"t{trigram}"] = _TRIGRAM_WEIGHT * (1 + math.log(count))
        hashes = [_hash(feature) for feature in weights]
        slots = np.array([value % self.dimension for value in hashes], dtype=np.int64)
        signs = np.array([1.0 if value >> 63 else -1.0 for value in hashes])
        vector = np.bincount(slots, weights=signs * np.array(list(weights.values())), minlength=self.dimension)
        size = float(np.linalg.norm(vector)) or 1.0
        return (vector / size + self._fingerprint(text)).astype(np.float32)

    def _fingerprint(self, text: str) -> FloatVector:
        raw = np.frombuffer(hashlib.shake_128(text.encode()).digest(self.dimension), dtype=np.uint8)
        noise = raw.astype(np.float32) / 127.5 - 1.0  # no byte maps to 0: the norm cannot vanish
        return noise * (_FINGERPRINT_WEIGHT / float(np.linalg.norm(noise)))

    def count(self, text: str) -> int:
        """Return the number of words and punctuation marks; scripts without spaces count by character."""
        return len(_TOKEN.findall(text))

    def close(self) -> None:
        """Do nothing: there is no model to free."""
