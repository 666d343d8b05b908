"""The run record: everything that would have to be the same for a run to come out the same."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from thinkback.bench.records import Dataset
from thinkback.ids import canonical_json, content_hash

__all__ = ["dataset_hash", "prompts_hash", "run_record"]

_PACKAGES = ("thinkback", "numpy", "apsw", "onnxruntime", "tokenizers", "openai", "llama-cpp-python", "bm25s",
             "scikit-learn", "rouge-score", "ir-measures", "torch", "sentence-transformers")  # fmt: skip


def dataset_hash(dataset: Dataset) -> str:
    """Return the SHA-256 of everything in the tasks and corpora that a result may depend on."""
    parts = [canonical_json(corpus.to_dict()) for corpus in dataset.corpora]
    parts += [canonical_json(task.to_dict()) for task in dataset.tasks]
    return content_hash(dataset.name, *parts)


def prompts_hash() -> str:
    """Return the SHA-256 of all prompts, the product's and the bench's."""
    parts: list[str] = []
    for package in ("thinkback.text.prompts", "thinkback.bench.prompts"):
        folder = resources.files(package)
        for entry in sorted(folder.iterdir(), key=lambda each: each.name):
            if entry.name.endswith(".txt"):
                parts += [entry.name, entry.read_text(encoding="utf-8")]
    return content_hash(*parts)


def run_record(
    config: Mapping[str, Any], *, dataset: Dataset, systems: Sequence[str], model: str | None, embedder: str
) -> dict[str, Any]:
    """Return the record of a run that is about to begin.

    Args:
        config: what the caller chose; a run is gone on with only under an equal one.
        dataset: what is asked.
        systems: names of the systems, with their settings.
        model: id of the writing model; None: nothing is written.
        embedder: id of the embedder.
    """
    return {
        "config": {
            **config,
            "dataset": dataset.name,
            "dataset_hash": dataset_hash(dataset),
            "tasks": len(dataset.tasks),
            "model": model,
            "embedder": embedder,
            "prompts_hash": prompts_hash() if model is not None else None,
        },
        "systems": list(systems),
        "licence": dataset.licence,
        "source": dataset.source,
        "faults": [fault.to_dict() for fault in dataset.faults],
        "begun": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version(), **_versions()},
        "commit": _commit(),
        "machine": {"system": sys.platform, "processor": _processor(), "cores": os.cpu_count()},
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit() -> dict[str, Any]:
    """Return the commit of the package's source and whether it was changed; empty for an installed package."""
    here = Path(__file__).resolve().parent
    git = ["git", "-C", str(here)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        if head.returncode:
            return {}
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--", ".."], capture_output=True, text=True, check=False
        )
    except OSError:
        return {}
    return {"id": head.stdout.strip(), "changed": bool(changed.stdout.strip())}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
