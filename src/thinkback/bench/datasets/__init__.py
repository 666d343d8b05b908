"""Data sets by name. Each family is one module, with loaders that read a local folder into the bench's record format."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any, Protocol

from thinkback.bench.datasets.catalogue import folder_of
from thinkback.bench.records import Dataset
from thinkback.errors import InvalidInput

__all__ = ["DATASETS", "Loader", "load", "options_of"]


class Loader(Protocol):
    """Reads one data set."""

    def __call__(self, folder: Path, **options: Any) -> Dataset:
        """Return the data set of a folder. Broken records become faults, not errors.

        Raises:
            InvalidInput: the folder lacks a file that must be there, or an option has no meaning.
        """
        ...


DATASETS: dict[str, tuple[str, str]] = {
    "abstract-single": ("unarxive", "load_abstract_single"),
    "abstract-multi": ("unarxive", "load_abstract_multi"),
    "related-multi": ("scisumm", "load_related_multi"),
    "govreport": ("leval", "load_govreport"),
    "wcep": ("wcep", "load_wcep"),
    "multi-news": ("leval", "load_multi_news"),
    "bigpatent": ("leval", "load_bigpatent"),
    "summscreen": ("leval", "load_summscreen"),
    "scientific-qa": ("leval", "load_scientific_qa"),
    "quality": ("leval", "load_quality"),
    "loogle": ("loogle", "load_loogle"),
    "loogle-summaries": ("loogle", "load_loogle_summaries"),
    "qmsum": ("qmsum", "load_qmsum"),
    "squality": ("squality", "load_squality"),
    "locomo": ("locomo", "load_locomo"),
    "longmemeval": ("longmemeval", "load_longmemeval"),
    "longmemeval-sample": ("longmemeval", "load_longmemeval"),
    "memorybank": ("memorybank", "load_memorybank"),
    "hotpotqa": ("multihop", "load_hotpotqa"),
    "hotpotqa-train": ("multihop", "load_hotpotqa_train"),
    "musique": ("multihop", "load_musique"),
    "musique-train": ("multihop", "load_musique_train"),
    "2wiki": ("multihop", "load_2wiki"),
    "scifact": ("beir", "load_scifact"),
    "cacm": ("classic", "load_cacm"),
    "cranfield": ("classic", "load_cranfield"),
}
"""Name to module of this package, and loader. Its folder, licence and origin are in catalogue.toml."""


def load(name: str, data: Path | None, *, cache: Path | None = None, **options: Any) -> Dataset:
    """Return a data set by name.

    Args:
        name: one of ``DATASETS``.
        data: the folder with one folder a source, or the source's own; None: none is set.
        cache: the user's cache folder, where fetched data sets lie; None: it is not looked at.
        options: of its loader, see ``options_of``.

    Raises:
        InvalidInput: no such data set or folder, or an option that the loader does not know.
    """
    loader = _loader(name)
    known = options_of(name)
    for option in options:
        if option not in known:
            there = f"its options are {', '.join(known)}" if known else "it has no options"
            raise InvalidInput(f"The data set {name} has no option {option!r}; {there}.")
    limit = options.get("limit")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise InvalidInput(f"limit is a number of at least 1, not {limit!r}.")
    return loader(folder_of(name, data, cache), **options)


def options_of(name: str) -> tuple[str, ...]:
    """Return the names of a loader's options.

    Raises:
        InvalidInput: no such data set.
    """
    parameters = inspect.signature(_loader(name)).parameters.values()
    return tuple(each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY)


def _loader(name: str) -> Loader:
    if name not in DATASETS:
        raise InvalidInput(f"There is no data set {name!r}; there are {', '.join(sorted(DATASETS))}.")
    module, function = DATASETS[name]
    loader: Loader = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return loader
