"""BM25 and TF-IDF over the chunks, the best into the allowance: the sparse rows of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.flat import FlatSystem, no_argument
from thinkback.errors import MissingExtra

__all__ = ["Bm25", "TfIdf", "make_bm25", "make_tf_idf"]

_WORD = r"(?u)\b\w+\b"
"""Words of one letter or digit count, as in Lucene; both libraries leave them out by default."""


def make_bm25(kit: Kit, argument: str) -> Bm25:
    """Return BM25; it takes no argument."""
    no_argument("bm25", argument)
    return Bm25(kit)


def make_tf_idf(kit: Kit, argument: str) -> TfIdf:
    """Return TF-IDF; it takes no argument."""
    no_argument("tf-idf", argument)
    return TfIdf(kit)


def _hits(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the scores with -inf for 0: every word that query and chunk share adds something above 0."""
    return np.where(scores > 0, scores.astype(np.float64), -np.inf)


class Bm25(FlatSystem):
    """BM25 in Lucene's variant (Robertson and Zaragoza, 2009; k1 = 0.9, b = 0.4) by bm25s; English stop words, Porter stems.

    score(d, q) = Σ over the query's words w of ln(1 + (N - n_w + ½) / (n_w + ½)) · f_wd / (f_wd + k1 (1 - b + b |d| / avg)).
    A word that stands twice in the query counts twice, as in Lucene's bag-of-words queries (Kamphuis et al., ECIR 2020).

    Args:
        kit: what all systems share.
        k1: how soon a word's repetitions stop counting.
        b: how much long chunks are held back.
    """

    def __init__(self, kit: Kit, *, k1: float = 0.9, b: float = 0.4) -> None:
        super().__init__(kit, "bm25")
        self._settings = {"k1": k1, "b": b}
        self._count = 0
        self._index: Any = None
        self._stemmer: Any = None

    def index(self, pieces: Sequence[Piece]) -> None:
        """Build the index anew over all chunks."""
        try:
            import bm25s
            import Stemmer
        except ImportError:
            raise MissingExtra("BM25", "bench") from None
        self._stemmer = Stemmer.Stemmer("porter")
        words = self._words([piece.text for piece in pieces])
        self._count, self._index = len(pieces), None
        if any(words):  # bm25s divides by the mean length
            self._index = bm25s.BM25(method="lucene", **self._settings)
            self._index.index(words, show_progress=False)

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return a score a chunk, shape (n,), in the order of ``index``; -inf where no word is shared."""
        (words,) = self._words([text])
        known = self._index.get_tokens_ids(words) if self._index is not None else []
        if not known:
            return np.full(self._count, -np.inf)
        return _hits(self._index.get_scores_from_ids(known))

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        import bm25s

        found: list[list[str]] = bm25s.tokenize(
            list(texts),
            stopwords="en",
            stemmer=self._stemmer,
            token_pattern=_WORD,
            show_progress=False,
            return_ids=False,
        )
        return [[word for word in words if word] for words in found]


class TfIdf(FlatSystem):
    """Cosine of TF-IDF vectors (Salton and Buckley, 1988) by scikit-learn's TfidfVectorizer, English stop words.

    Args:
        kit: what all systems share.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, "tf-idf")
        self._count = 0
        self._vectorizer: Any = None
        self._matrix: Any = None

    def index(self, pieces: Sequence[Piece]) -> None:
        """Fit the vocabulary and its rarity on the chunks."""
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ImportError:
            raise MissingExtra("TF-IDF", "bench") from None
        self._vectorizer = TfidfVectorizer(stop_words="english", token_pattern=_WORD, dtype=np.float64)
        texts = [piece.text for piece in pieces]
        words = self._vectorizer.build_analyzer()
        self._count = len(texts)
        self._matrix = self._vectorizer.fit_transform(texts) if any(words(text) for text in texts) else None

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return cosines, shape (n,); -inf where no word is shared."""
        if self._matrix is None:
            return np.full(self._count, -np.inf)
        return _hits(np.asarray((self._matrix @ self._vectorizer.transform([text]).T).todense()).ravel())
