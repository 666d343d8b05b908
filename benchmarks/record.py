"""Run records: what was run, on what, with which versions, and what came out."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import apsw

__all__ = ["RESULTS", "processor", "record"]

RESULTS = Path(__file__).parent / "results"

_PACKAGES = ("numpy", "apsw", "onnxruntime", "tokenizers")


def processor() -> str:
    """Return the processor's model, as the system names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def record(name: str, config: Mapping[str, Any], results: Mapping[str, Any]) -> Path:
    """Write a run record under ``benchmarks/results`` and return its path.

    Args:
        name: of the benchmark; the file is called so, and a later run replaces it.
        config: all that would have to be given again to repeat the run, the seed too.
        results: what was measured. Names end in their unit: ``_cpu_ms``, ``_wall_s``, ``_rows_per_cpu_s``, ``_bytes``.
    """
    here = Path(__file__).parent
    git = ["git", "-C", str(here)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    changed = subprocess.run(
        [*git, "status", "--porcelain", "--", "../src/thinkback"], capture_output=True, text=True, check=False
    ).stdout
    found = {
        "name": name,
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "config": dict(config),
        "results": dict(results),
        "commit": commit,
        "package_changed_since_commit": bool(changed.strip()),
        "versions": {
            "python": platform.python_version(),
            "sqlite": apsw.sqlite_lib_version(),
            **{package: metadata.version(package) for package in _PACKAGES},
        },
        "machine": {
            "system": platform.system(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "load": [round(value, 1) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        },
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False, default=_plain) + "\n", encoding="utf-8")
    return path


def _plain(value: Any) -> Any:
    """Turn numpy's numbers and paths into what JSON knows."""
    return value.item() if hasattr(value, "item") else str(value)
