#!/usr/bin/env python3
"""Renew constraints.txt: the exact version of every package that the project, its extras and its tools resolve to.

Usage: scripts/constraints.py [--check]     --check: write nothing, fail if a requirement of pyproject.toml is not pinned

pip resolves in a fresh environment without installing anything. Names and versions only: where a package comes from is
the business of whoever installs it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "constraints.txt"
LEFT_OPEN = ("torch", "nvidia-", "cuda-", "triton")
"""Which build of PyTorch fits depends on the machine's accelerator; these follow from it."""

HEADER = """\
# Exact versions for repeatable installations: pip install -c constraints.txt ...
# Made by scripts/constraints.py from pyproject.toml; do not edit. The ranges that the project accepts are there.
"""


def canonical(name: str) -> str:
    """Return a package's name as packaging tools compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> list[str]:
    """Return every requirement that pyproject.toml states: core, extras, tools and what builds the package.

    The group "model" is left out: it is pinned there, and installed without what it depends on.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    lists += [project["dependency-groups"]["dev"], project["build-system"]["requires"]]
    return sorted({entry for group in lists for entry in group})


def resolve(requirements: list[str]) -> dict[str, str]:
    """Return canonical name to version of all that the requirements pull in."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip"]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip"], check=True)
        report = Path(folder) / "report.json"
        command = [*pip, "install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        subprocess.run([*command, *requirements], check=True)
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = ((canonical(entry["metadata"]["name"]), entry["metadata"]["version"]) for entry in installs)
    # A local build's suffix ("+cpu") says how it was built; without it the version matches every build.
    return {name: version.partition("+")[0] for name, version in found if not name.startswith(LEFT_OPEN)}


def check() -> list[str]:
    """Return the requirements of pyproject.toml that constraints.txt does not pin."""
    pinned = {line.partition("==")[0] for line in TARGET.read_text(encoding="utf-8").splitlines()}
    names = (re.match(r"[\w.-]+", entry) for entry in required())
    return [match[0] for match in names if match and canonical(match[0]) not in pinned]


def main() -> None:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description="Renew constraints.txt from pyproject.toml.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a requirement is not pinned")
    if parser.parse_args().check:
        if missing := check():
            sys.exit(f"constraints.txt does not pin {', '.join(missing)}; run scripts/constraints.py")
        return
    versions = resolve(required())
    lines = [f"{name}=={version}" for name, version in sorted(versions.items())]
    TARGET.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} packages pinned in {TARGET.name}")


if __name__ == "__main__":
    main()
