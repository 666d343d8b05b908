"""Experiments by name: each one command, with tables and plots of the paper, or of ours."""

from __future__ import annotations

import importlib

from thinkback.bench.experiments.plan import Experiment
from thinkback.errors import InvalidInput

__all__ = ["EXPERIMENTS", "experiment"]

_COMPARED = (
    "main", "models", "retrievers", "recomp", "memwalker", "loogle", "coverage", "experts", "ablation", "epsilon", "time",
    "gate",
)  # fmt: skip
EXPERIMENTS: dict[str, tuple[str, str]] = {
    **{name: ("comparisons", name) for name in _COMPARED},
    "evolution": ("evolution", "CURVE"),
    "causal": ("evolution", "CAUSAL"),
    "abstraction": ("abstraction", "EXPERIMENT"),
    "evidence": ("evidence", "EXPERIMENT"),
    "transfer": ("transfer", "EXPERIMENT"),
    "retrieval": ("retrieval", "EXPERIMENT"),
    "robustness": ("robustness", "EXPERIMENT"),
    "thresholds": ("thresholds", "EXPERIMENT"),
}
"""Name to module of this package, and what it is there: an attribute, or an entry of the comparisons."""


def experiment(name: str) -> Experiment:
    """Return an experiment by name.

    Raises:
        InvalidInput: there is none of that name.
    """
    if name not in EXPERIMENTS:
        raise InvalidInput(f"There is no experiment {name!r}; there are {', '.join(sorted(EXPERIMENTS))}.")
    module, attribute = EXPERIMENTS[name]
    found = importlib.import_module(f"{__name__}.{module}")
    chosen: Experiment = found.COMPARISONS[name] if module == "comparisons" else getattr(found, attribute)
    return chosen
