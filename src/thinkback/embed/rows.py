"""What every embedder does around its model: set texts without content aside, check what comes back, normalise."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from thinkback.errors import BadReply
from thinkback.types import FloatMatrix

__all__ = ["embed_content", "has_content", "unit_rows", "without_surrogates"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def has_content(text: str) -> bool:
    """Return whether any character is more than a space, a control or a zero-width mark."""
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)


def without_surrogates(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD: no tokenizer or HTTP body can carry one."""
    return _SURROGATE.sub("\ufffd", text)


def unit_rows(vectors: npt.ArrayLike, *, count: int, dimension: int, model: str) -> FloatMatrix:
    """Return the vectors as float32 rows of norm 1, in the given order.

    Args:
        vectors: what the model returned; must become shape (count, dimension).
        count: number of texts that were sent.
        dimension: components that a vector must have.
        model: name for the message.

    Raises:
        BadReply: another number of vectors, another dimension, a component that is not a finite number, or a vector
            of zeros.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise BadReply(f"The embedder {model!r} returned vectors of unequal length, or no numbers.") from error
    if rows.size == 0:
        rows = rows.reshape(len(rows), dimension if len(rows) == 0 else 0)
    if rows.ndim != 2 or len(rows) != count:
        raise BadReply(f"The embedder {model!r} returned {len(rows)} vectors for {count} texts.")
    if rows.shape[1] != dimension:
        raise BadReply(f"The embedder {model!r} returned vectors of dimension {rows.shape[1]}, not {dimension}.")
    if not np.isfinite(rows).all():
        raise BadReply(f"The embedder {model!r} returned a vector with a component that is not a number.")
    # float64: the squares of a vector of large components overflow in float32
    norms = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if count and not norms.min() > 0:
        raise BadReply(f"The embedder {model!r} returned a vector of zeros.")
    return np.ascontiguousarray(rows / norms, dtype=np.float32)


def embed_content(
    texts: Sequence[str], *, dimension: int | Callable[[], int], embed: Callable[[list[str]], FloatMatrix]
) -> FloatMatrix:
    """Return one row per text, in order: zeros for a text without content, ``embed``'s vector for the others.

    Models give texts of spaces a vector all the same, near to nothing or to everything, and servers refuse them; a row
    of zeros has cosine 0 to all. ``embed`` is not called when nothing is left.

    Args:
        texts: any strings; lone surrogates are replaced.
        dimension: components of a vector; a function is called only if no text has content.
        embed: takes texts that have content and returns unit rows.
    """
    kept = [place for place, text in enumerate(texts) if has_content(text)]
    if not kept:
        return np.zeros((len(texts), dimension() if callable(dimension) else dimension), dtype=np.float32)
    found = embed([without_surrogates(texts[place]) for place in kept])
    rows = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    rows[kept] = found
    return rows
