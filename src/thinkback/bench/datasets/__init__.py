"""Data sets by name. Each is one module with one loader that reads a local folder into the bench's record format."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Protocol

from thinkback.bench.records import Dataset
from thinkback.errors import InvalidInput

__all__ = ["DATASETS", "Loader", "load"]


class Loader(Protocol):
    """Reads one data set."""

    def __call__(self, folder: Path, **options: Any) -> Dataset:
        """Return the data set of a folder. Broken records become faults, not errors.

        Raises:
            InvalidInput: the folder lacks a file that must be there, or an option is unknown.
        """
        ...


DATASETS: dict[str, tuple[str, str, str]] = {
    "scifact": ("scifact_beir", "beir", "load_scifact"),
    "locomo": ("locomo", "locomo", "load_locomo"),
    "hotpotqa": ("multihop_migres", "multihop", "load_hotpotqa"),
    "musique": ("multihop_migres", "multihop", "load_musique"),
    "2wiki": ("multihop_migres", "multihop", "load_2wiki"),
    "abstract-single": ("academic_unarxive", "unarxive", "load_abstract_single"),
}
"""Name to folder below the data folder, module of this package, and loader."""


def load(name: str, data: Path, **options: Any) -> Dataset:
    """Return a data set by name.

    Args:
        name: one of ``DATASETS``.
        data: the folder with one folder a data set, or that data set's own folder.
        options: of its loader.

    Raises:
        InvalidInput: no such data set, folder or option.
    """
    if name not in DATASETS:
        raise InvalidInput(f"There is no data set {name!r}; there are {', '.join(sorted(DATASETS))}.")
    below, module, function = DATASETS[name]
    loader: Loader = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    folder = data / below if (data / below).is_dir() else data
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r} for the data set {name}.")
    return loader(folder, **options)
