"""Dense retrieval over the chunks by any embedder: the dense rows of the paper's Table 2, and "Retriever-origin" of Table 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.flat import FlatSystem, no_argument
from thinkback.config import load_settings
from thinkback.ports import Embedder
from thinkback.types import FloatMatrix
from thinkback.wiring import make_embedder

__all__ = ["Dense", "make_dense", "make_retriever_origin"]


def make_dense(kit: Kit, argument: str) -> Dense:
    """Return dense retrieval by the run's own embedder, or by the one that the argument names, as in the settings.

    Raises:
        InvalidInput: no such embedder.
        MissingExtra
    """
    if not argument:
        return Dense(kit)
    return Dense(kit, embedder=make_embedder(argument, load_settings()), name=f"dense:{argument}")


def make_retriever_origin(kit: Kit, argument: str) -> Dense:
    """Return what Table 3 compares answers without facts to: dense retrieval over the facts themselves."""
    no_argument("retriever-origin", argument)
    return Dense(kit, name="retriever-origin")


class Dense(FlatSystem):
    """Exact search by inner product of unit vectors.

    Args:
        kit: what all systems share.
        embedder: of its own, with its own prefixes, pooling and similarity, closed with the system; None: the kit's.
        name: of the row; None: "dense" and the embedder's id.
    """

    def __init__(self, kit: Kit, *, embedder: Embedder | None = None, name: str | None = None) -> None:
        self._embedder = embedder if embedder is not None else kit.embedder
        self._own = embedder is not None
        super().__init__(kit, name or f"dense:{self._embedder.id}")
        self._vectors: FloatMatrix = np.empty((0, 0), np.float32)

    def index(self, pieces: Sequence[Piece]) -> None:
        """Embed the chunks."""
        self._vectors = self._embedder.embed([piece.text for piece in pieces], kind="document")

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return cosines, shape (n,); -inf for all where the query has no content."""
        vector = self._embedder.embed([text], kind="query")[0]
        if not vector.any():
            return np.full(len(self._vectors), -np.inf)
        return np.asarray(self._vectors @ vector, np.float64)

    def close(self) -> None:
        """Forget all chunks, and free the embedder if it is the system's own."""
        super().close()
        self._vectors = np.empty((0, 0), np.float32)
        if self._own:
            self._embedder.close()
