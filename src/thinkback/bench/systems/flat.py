"""Systems that score every chunk and show the best: the shape that sparse, dense and hybrid retrieval share.

A chunk that shares nothing with the query (no word for BM25 and TF-IDF; no vector to compare for dense retrieval) is no
hit: it is neither ranked nor shown, and what is left of the allowance stays empty. Lucene does the same. Filled up with
chunks of score 0, which would come in the order of the corpus, a sparse row would become a mixture with the row that
shows the beginning of the text, and a ranking would gain recall that no search engine has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.errors import InvalidInput
from thinkback.types import Scalar

__all__ = ["DEEPEST", "FlatSystem", "as_shown", "best_first", "no_argument"]

DEEPEST = 1_000
"""Length of the ranking of a ``search`` task, as in the usual recall at 1,000."""


def as_shown(piece: Piece, score: float = 0.0) -> Shown:
    """Return a chunk as an item that is shown."""
    return Shown(kind="chunk", id=piece.id, text=piece.text, roots=(piece.id,), score=score)


def no_argument(name: str, argument: str) -> None:
    """Refuse an argument.

    Raises:
        InvalidInput: there is one.
    """
    if argument:
        raise InvalidInput(f"The system {name} takes no argument, not {argument!r}.")


def best_first(scores: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    """Return the places of the hits by falling score, of equal scores the earlier first; -inf is no hit."""
    order = np.argsort(-scores, kind="stable")[:most]
    return order[np.isfinite(scores[order])]


class FlatSystem(ABC):
    """Scores all chunks for a query, shows the best that fit, lets the model write from them.

    Args:
        kit: what all systems share.
        name: of the row in the table.
    """

    def __init__(self, kit: Kit, name: str) -> None:
        self.name = name
        self._kit = kit
        self._pieces: list[Piece] = []

    @abstractmethod
    def index(self, pieces: Sequence[Piece]) -> None:
        """Make all chunks findable; called with the whole list after each ``ingest``, never with an empty one."""

    @abstractmethod
    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return a score a chunk, shape (n,), in the order of ``index``: higher is better, -inf is no hit."""

    def details(self) -> Mapping[str, Scalar]:
        """Return what is noted with each answer."""
        return {}

    def reset(self) -> None:
        """Forget all chunks."""
        self._pieces = []

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - asks nothing before
        """Index the chunks beside those that are there."""
        self._pieces += chunked.pieces
        if self._pieces:
            self.index(self._pieces)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Rank, fit and write. Of equal scores the earlier chunk comes first."""
        ranked = self.rank(query.text, DEEPEST)
        shown = self._kit.fit((as_shown(piece, score) for piece, score in ranked), allowance)
        ranking = tuple((piece.id, score) for piece, score in ranked) if query.kind == "search" else ()
        text = self._kit.write(query, shown, allowance)
        return Output(text=text, shown=shown, ranking=ranking, details=self.details())

    def rank(self, text: str, most: int) -> list[tuple[Piece, float]]:
        """Return the hits with their scores, best first."""
        if not self._pieces:
            return []
        scores = self.scores(text)
        return [(self._pieces[place], float(scores[place])) for place in best_first(scores, most)]

    def close(self) -> None:
        """Forget all chunks."""
        self._pieces = []
