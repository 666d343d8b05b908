"""Metrics by name. One file a metric; each is made anew for a scoring pass, since some keep a model.

A name may carry an argument after a colon, as those of systems: ``bertscore:builtin``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thinkback.bench.ports import Metric
from thinkback.bench.records import Kind
from thinkback.errors import InvalidInput
from thinkback.ports import Embedder

__all__ = ["DEFAULTS", "METRICS", "default_metrics", "make_metrics"]

METRICS: dict[str, tuple[str, str]] = {
    "answer_words": ("answer_words", "AnswerWords"),
    "answered": ("answered", "Answered"),
    "bertscore": ("bertscore", "BertScore"),
    "cost": ("cost", "CostOfAnswer"),
    "coverage": ("coverage", "Coverage"),
    "coverage_checked": ("coverage_checked", "CheckedCoverage"),
    "qa": ("qa", "ShortAnswer"),
    "ranking": ("ranking", "Ranking"),
    "readability": ("readability", "Readability"),
    "rouge": ("rouge", "Rouge"),
    "rouge_lsum": ("rouge", "SummaryRouge"),
    "thoughts": ("thoughts", "ThoughtStatistics"),
}
"""Name to module of this package and class; a metric's module is imported only when it is asked for."""

_ARGUMENT = frozenset({"bertscore"})
_EMBEDDER = frozenset({"thoughts"})
_WRITTEN = ("rouge", "rouge_lsum", "coverage", "readability", "thoughts", "cost")
DEFAULTS: Mapping[Kind, Sequence[str]] = {
    "abstract": _WRITTEN,
    "abstract_multi": _WRITTEN,
    "related_work": _WRITTEN,
    "title": ("rouge", "coverage", "thoughts", "cost"),
    "introduction": _WRITTEN,
    "summary": _WRITTEN,
    "question": ("qa", "rouge", "answered", "answer_words", "coverage", "thoughts", "cost"),
    "search": ("ranking", "coverage", "answer_words", "thoughts", "cost"),
}
"""What tasks of a kind are scored by where nobody says by what; all of it needs no model but the run's own embedder."""


def default_metrics(kinds: Iterable[Kind]) -> list[str]:
    """Return the names of the metrics for tasks of some kinds, each once."""
    return list(dict.fromkeys(name for kind in kinds for name in DEFAULTS[kind]))


def make_metrics(names: Sequence[str], *, embedder: Embedder | None = None) -> list[Metric]:
    """Return metrics by name, in that order.

    Args:
        names: as in ``METRICS``, each at most once.
        embedder: for those that compare texts by their vectors; None: the values that need one stay without.

    Raises:
        InvalidInput: there is none of that name, it takes no argument, or it is named twice.
        MissingExtra
    """
    found: list[Metric] = []
    for name in names:
        kind, _, argument = name.partition(":")
        if kind not in METRICS:
            raise InvalidInput(f"There is no metric {kind!r}; there are {', '.join(sorted(METRICS))}.")
        if argument and kind not in _ARGUMENT:
            raise InvalidInput(f"The metric {kind} takes no argument, not {argument!r}.")
        if names.count(name) > 1:
            raise InvalidInput(f"The metric {name} is named twice.")
        module, attribute = METRICS[kind]
        make: Any = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        found.append(make(argument) if kind in _ARGUMENT else make(embedder) if kind in _EMBEDDER else make())
    return found
