"""BM25 and TF-IDF over the chunks, the best into the allowance: the sparse rows of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.flat import FlatSystem, no_argument
from thinkback.errors import MissingExtra

__all__ = ["Bm25", "TfIdf", "make_bm25", "make_tf_idf"]


def make_bm25(kit: Kit, argument: str) -> Bm25:
    """Return BM25; it takes no argument."""
    no_argument("bm25", argument)
    return Bm25(kit)


def make_tf_idf(kit: Kit, argument: str) -> TfIdf:
    """Return TF-IDF; it takes no argument."""
    no_argument("tf-idf", argument)
    return TfIdf(kit)


class Bm25(FlatSystem):
    """BM25 in Lucene's variant (Robertson and Zaragoza, 2009; k1 = 0.9, b = 0.4) by bm25s; English stop words, Porter stems.

    Args:
        kit: what all systems share.
        k1: how soon a word's repetitions stop counting.
        b: how much long chunks are held back.
    """

    def __init__(self, kit: Kit, *, k1: float = 0.9, b: float = 0.4) -> None:
        super().__init__(kit, "bm25")
        self._settings = {"k1": k1, "b": b}
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
        self._index = bm25s.BM25(method="lucene", **self._settings)
        texts = [piece.text for piece in pieces]
        self._index.index(self._tokens(texts), show_progress=False)

    def scores(self, text: str) -> np.ndarray:
        """Return a score a chunk, shape (n,), in the order of ``index``."""
        tokens = self._tokens([text])
        return np.asarray(self._index.get_scores([word for word in tokens.vocab if word]), np.float64)

    def _tokens(self, texts: Sequence[str]) -> Any:
        import bm25s

        return bm25s.tokenize(list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False)


class TfIdf(FlatSystem):
    """Cosine of TF-IDF vectors (Salton and Buckley, 1988) by scikit-learn's TfidfVectorizer, English stop words.

    Args:
        kit: what all systems share.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, "tf-idf")
        self._vectorizer: Any = None
        self._matrix: Any = None

    def index(self, pieces: Sequence[Piece]) -> None:
        """Fit the vocabulary and its rarity on the chunks."""
        try:
            from sklearn.feature_extraction.text import TfidfVectorizer
        except ImportError:
            raise MissingExtra("TF-IDF", "bench") from None
        self._vectorizer = TfidfVectorizer(stop_words="english", sublinear_tf=False, dtype=np.float64)
        self._matrix = self._vectorizer.fit_transform([piece.text for piece in pieces])

    def scores(self, text: str) -> np.ndarray:
        """Return cosines, shape (n,)."""
        return np.asarray((self._matrix @ self._vectorizer.transform([text]).T).todense()).ravel()
