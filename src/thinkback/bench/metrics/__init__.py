"""Metrics by name. One file a metric; each is made anew for a scoring pass, since some keep a model."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from thinkback.bench.ports import Metric
from thinkback.errors import InvalidInput

__all__ = ["METRICS", "make_metrics"]

METRICS: dict[str, tuple[str, str]] = {
    "answer_words": ("answer_words", "AnswerWords"),
    "answered": ("answered", "Answered"),
    "cost": ("cost", "CostOfAnswer"),
    "coverage": ("coverage", "Coverage"),
    "qa": ("qa", "ShortAnswer"),
    "ranking": ("ranking", "Ranking"),
    "rouge": ("rouge", "Rouge"),
}
"""Name to module of this package and class; a metric's module is imported only when it is asked for."""


def make_metrics(names: Sequence[str]) -> list[Metric]:
    """Return metrics by name, in that order.

    Raises:
        InvalidInput: there is none of that name.
    """
    unknown = [name for name in names if name not in METRICS]
    if unknown:
        raise InvalidInput(f"There is no metric {unknown[0]!r}; there are {', '.join(sorted(METRICS))}.")
    found: list[Metric] = []
    for name in names:
        module, attribute = METRICS[name]
        found.append(getattr(importlib.import_module(f"{__name__}.{module}"), attribute)())
    return found
