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
    "contriever": ("named_dense", "make_contriever"),
    "dpr": ("named_dense", "make_dpr"),
    "dragon": ("named_dense", "make_dragon"),
    "qwen3-embed-8b": ("named_dense", "make_qwen3_embed"),
    "nv-embed": ("named_dense", "make_nv_embed"),
    "hybrid": ("hybrid", "make_hybrid"),
    "left": ("full", "make_left"),
    "right": ("full", "make_right"),
    "full": ("full", "make_full"),
    "reader": ("long_readers", "make_reader"),
    "intro+conclusion": ("full", "make_intro_conclusion"),
    "recomp": ("recomp", "make_recomp"),
    "hralm": ("hralm", "make_hralm"),
    "memwalker": ("memwalker", "make_memwalker"),
    "ircot": ("ircot", "make_ircot"),
    "oracle": ("oracle", "make_oracle"),
    "retriever-origin": ("dense", "make_retriever_origin"),
    "response-direct": ("direct", "make_direct"),
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
