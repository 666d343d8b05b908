"""Dense retrieval over the chunks by any embedder: the dense rows of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.flat import FlatSystem
from thinkback.config import load_settings
from thinkback.ports import Embedder
from thinkback.types import FloatMatrix
from thinkback.wiring import make_embedder

__all__ = ["Dense", "make_dense"]


def make_dense(kit: Kit, argument: str) -> Dense:
    """Return dense retrieval by the run's own embedder, or by the one that the argument names, as in the settings.

    Raises:
        InvalidInput: no such embedder.
        MissingExtra
    """
    if not argument:
        return Dense(kit)
    return Dense(kit, embedder=make_embedder(argument, load_settings()), name=f"dense:{argument}")


class Dense(FlatSystem):
    """Exact search by inner product of unit vectors.

    Args:
        kit: what all systems share.
        embedder: with its own prefixes, pooling and similarity; None: the kit's.
        name: of the row; None: "dense", which in the run's record stands for the run's embedder.
    """

    def __init__(self, kit: Kit, *, embedder: Embedder | None = None, name: str | None = None) -> None:
        self._embedder = embedder if embedder is not None else kit.embedder
        super().__init__(kit, name or "dense")
        self._vectors: FloatMatrix = np.empty((0, 0), np.float32)

    def index(self, pieces: Sequence[Piece]) -> None:
        """Embed the chunks."""
        self._vectors = self._embedder.embed([piece.text for piece in pieces], kind="document")

    def scores(self, text: str) -> np.ndarray:
        """Return cosines, shape (n,)."""
        return np.asarray(self._vectors @ self._embedder.embed([text], kind="query")[0], np.float64)
