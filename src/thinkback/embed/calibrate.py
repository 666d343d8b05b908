"""Carry the measured thresholds from the built-in embedder over to another one.

Cosines of two embedders are not on one scale: what is 0.6 for MiniLM can be 0.75 for e5, whose unrelated texts lie at
0.7. What carries over is the rank: a threshold that lets the n nearest of some pairs through for one embedder should
let the n nearest of the same pairs through for the other (quantile matching, also known as equipercentile equating;
Kolen and Brennan, "Test Equating", 2014, chapter 2). The pairs are all questions with all claims, and all claims with
each other, of forty topics in ``calibration.toml``; nearly all of them are unrelated and only the top ranks matter.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput
from thinkback.ports import Embedder
from thinkback.types import Record

__all__ = ["Thresholds", "pair_cosines", "rank_of", "threshold_at", "thresholds"]

Cosines = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds(Record):
    """Two cosines of one embedder."""

    gate: float
    """Least cosine of a question to a thought that may be shown for it whatever its roots (docs/adr/0004)."""
    related: float
    """Cosine of two claims from which on they are compared; what they say decides, for no cosine tells a changed number."""


def rank_of(cosine: float, cosines: Cosines) -> float:
    """Return how many of the cosines lie above ``cosine``, with a fraction for its place between two of them.

    Args:
        cosine: a threshold that lies between the smallest and the largest of ``cosines``.
        cosines: at least two, in any order.
    """
    rising = np.sort(cosines)
    return float(len(rising) - 1 - np.interp(cosine, rising, np.arange(len(rising))))


def threshold_at(rank: float, cosines: Cosines) -> float:
    """Return the cosine of this rank, the inverse of ``rank_of``."""
    rising = np.sort(cosines)
    return float(np.interp(len(rising) - 1 - rank, np.arange(len(rising)), rising))


def thresholds(embedder: Embedder, *, gate: float | None, related: float) -> Thresholds:
    """Return the thresholds that let through as much for ``embedder`` as the given ones do for the built-in one.

    Embeds 160 short sentences: two seconds of CPU for a small local model, a few requests to a server. An embedder
    that does not rank a claim nearer to its paraphrase than to others will be given thresholds all the same; they then
    mean little.

    Args:
        embedder: the one to find thresholds for; the built-in embedder gets the given ones back.
        gate: on the scale of the built-in embedder, as in the presets; None, which is no gate, becomes -1.
        related: likewise. -1, which lets everything through, stays -1 for either.

    Raises:
        InvalidInput: a threshold lies outside what was measured (some 0.27 to 0.88 and 0.95), or the embedder gives
            all texts the same vector, so that no threshold can part them.
        ModelError: as the embedder does.
    """
    gate = -1.0 if gate is None else gate
    data = _data()
    questions, claims = pair_cosines(embedder, data["topics"])
    found = []
    for name, given, cosines in (("questions", gate, questions), ("claims", related, claims)):
        reference = np.array(data["reference"][name])
        if given == -1:
            found.append(-1.0)
            continue
        if not reference.min() <= given <= reference.max():
            raise InvalidInput(
                f"A threshold of {given!r} cannot be carried over; "
                f"it must lie between {reference.min():.2f} and {reference.max():.2f}."
            )
        if np.ptp(cosines) < 1e-6:
            raise InvalidInput(f"The embedder {embedder.id!r} gives all texts one vector: no threshold can part them.")
        found.append(round(threshold_at(rank_of(given, reference), cosines), 4))
    return Thresholds(gate=found[0], related=found[1])


def pair_cosines(embedder: Embedder, topics: list[dict[str, str]]) -> tuple[Cosines, Cosines]:
    """Return the cosines of all questions with all claims, and of all claims with each other, each once."""
    claims = [topic[role] for topic in topics for role in ("thought", "paraphrase", "neighbour")]
    asked = embedder.embed([topic["question"] for topic in topics], kind="query").astype(np.float64)
    said = embedder.embed(claims, kind="document").astype(np.float64)
    above_diagonal = np.triu_indices(len(claims), k=1)
    return (asked @ said.T).ravel(), (said @ said.T)[above_diagonal]


@cache
def _data() -> dict[str, Any]:
    entry = resources.files("thinkback.embed") / "calibration.toml"
    return tomllib.loads(entry.read_text(encoding="utf-8"))
