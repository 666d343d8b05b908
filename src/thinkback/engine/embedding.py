"""Embedding many texts, with word of how far it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thinkback.ports import Embedder, Progress
from thinkback.types import FloatMatrix

__all__ = ["embed_documents"]

_BATCH = 64  # texts between two reports of progress


def embed_documents(embedder: Embedder, texts: Sequence[str], progress: Progress | None) -> FloatMatrix:
    """Return the vectors of texts, reporting progress batch by batch."""
    if progress is None or len(texts) <= _BATCH:
        vectors = embedder.embed(list(texts), kind="document")
        if progress and texts:
            progress("chunks", len(texts), len(texts))
        return vectors
    batches = []
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        batches.append(embedder.embed(list(batch), kind="document"))
        progress("chunks", start + len(batch), len(texts))
    return np.concatenate(batches)
