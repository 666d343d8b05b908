"""float16 to float32, the quick way."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from thinkback.types import FloatMatrix

__all__ = ["widened"]


@cache
def _table() -> npt.NDArray[np.float32]:
    """Every float16 there is, by its bits: 256 kB."""
    return np.arange(65_536, dtype=np.uint16).view(np.float16).astype(np.float32)


def widened(data: bytes, dimension: int) -> FloatMatrix:
    """Return float16 rows, one after another in bytes, as (n, d) float32.

    Looking each number up takes half the time of numpy's own conversion (400 x 384: 0.12 against 0.25 ms).
    """
    bits: npt.NDArray[Any] = np.frombuffer(data, np.uint16)
    return _table().take(bits).reshape(-1, dimension)
