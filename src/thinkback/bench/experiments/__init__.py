"""Experiments by name: each one command, one table and one plot of the paper, or of ours. One file an experiment."""

from __future__ import annotations

import importlib

from thinkback.bench.experiments.plan import Experiment
from thinkback.errors import InvalidInput

__all__ = ["EXPERIMENTS", "experiment"]

EXPERIMENTS: dict[str, str] = {
    "main": "main_results",
    "evidence": "evidence",
    "transfer": "transfer",
    "retrieval": "retrieval",
}
"""Name to module of this package, which has it as ``EXPERIMENT``."""


def experiment(name: str) -> Experiment:
    """Return an experiment by name.

    Raises:
        InvalidInput: there is none of that name.
    """
    if name not in EXPERIMENTS:
        raise InvalidInput(f"There is no experiment {name!r}; there are {', '.join(sorted(EXPERIMENTS))}.")
    found: Experiment = importlib.import_module(f"{__name__}.{EXPERIMENTS[name]}").EXPERIMENT
    return found
