"""The greedy removal of near-copies at retrieval, as the authors' released script does it.

Source: Thought-Retriever (arXiv 2604.12231), released code: of the 40 nearest items, walk from the nearest on and keep an
item only if its cosine to every kept one is at most 0.85, until K are kept. Measured on LoCoMo to gain nothing (it removes
true neighbours), so only the preset ``paper-code`` uses it.
"""

from __future__ import annotations

from thinkback.errors import InvalidInput
from thinkback.types import FloatMatrix

__all__ = ["diversify"]


def diversify(vectors: FloatMatrix, *, limit: float, top_k: int | None = None) -> tuple[int, ...]:
    """Return the positions of the kept items, in the given order.

    Args:
        vectors: shape (n, d), unit rows, best item first.
        limit: an item whose cosine to a kept one exceeds this is dropped; one that equals it stays.
        top_k: how many to keep at most; None: no bound.

    Raises:
        InvalidInput: ``top_k`` is below 1.
    """
    if top_k is not None and top_k < 1:
        raise InvalidInput(f"At least one item must be kept, not {top_k}.")
    most = len(vectors) if top_k is None else top_k
    kept: list[int] = []
    for position, vector in enumerate(vectors):
        if len(kept) >= most:
            break
        if not kept or float((vectors[kept] @ vector).max()) <= limit:
            kept.append(position)
    return tuple(kept)
