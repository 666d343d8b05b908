"""Systems that score every chunk and show the best: the shape that sparse and dense retrieval share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.errors import InvalidInput

__all__ = ["FlatSystem", "as_shown", "no_argument"]

_DEEPEST = 1_000
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
        """Make all chunks findable; called with the whole list after each ``ingest``."""

    @abstractmethod
    def scores(self, text: str) -> np.ndarray:
        """Return a score a chunk, shape (n,), float64, higher is better, in the order of ``index``."""

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
        ranked = self.rank(query.text, _DEEPEST)
        shown = self._kit.fit((as_shown(piece, score) for piece, score in ranked), allowance)
        ranking = tuple((piece.id, score) for piece, score in ranked) if query.kind == "search" else ()
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, ranking=ranking)

    def rank(self, text: str, most: int) -> list[tuple[Piece, float]]:
        """Return the best chunks with their scores, best first."""
        if not self._pieces:
            return []
        scores = self.scores(text)
        order = np.argsort(-scores, kind="stable")[:most]
        return [(self._pieces[place], float(scores[place])) for place in order]

    def close(self) -> None:
        """Forget all chunks."""
        self._pieces = []
