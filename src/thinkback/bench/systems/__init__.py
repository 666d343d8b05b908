"""Systems under test by name: the rows of the paper's tables and ours. One file a method.

A name may carry an argument after a colon: ``dense:st:facebook/contriever``, ``thoughts:paper``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from thinkback.bench.kit import Kit
from thinkback.bench.ports import System
from thinkback.errors import InvalidInput

__all__ = ["SYSTEMS", "make_systems"]

SYSTEMS: dict[str, tuple[str, str]] = {
    "bm25": ("sparse", "make_bm25"),
    "tf-idf": ("sparse", "make_tf_idf"),
    "dense": ("dense", "make_dense"),
    "hybrid": ("hybrid", "make_hybrid"),
    "thoughts": ("thoughts", "make_thoughts"),
    "ablation": ("ablations", "make_ablation"),
    "testimony": ("testimony", "make_testimony"),
}
"""Name to module of this package and the function that makes it from a kit and the argument."""


def make_systems(names: Sequence[str], kit: Kit) -> list[System]:
    """Return systems by name, in that order.

    Raises:
        InvalidInput: there is none of that name, or its argument means nothing.
        MissingExtra
    """
    found: list[System] = []
    for name in names:
        kind, _, argument = name.partition(":")
        if kind not in SYSTEMS:
            raise InvalidInput(f"There is no system {kind!r}; there are {', '.join(sorted(SYSTEMS))}.")
        module, function = SYSTEMS[kind]
        make: Callable[[Kit, str], System] = getattr(importlib.import_module(f"{__name__}.{module}"), function)
        found.append(make(kit, argument))
    return found
