"""What the tests about the project itself share: its files, as git sees them where there is git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_LEFT_OUT = {".git", ".venv", "build", "dist", "__pycache__", "demo-store"}


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every file of the project that is or will be tracked; from a source archive, every file that is no product."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        paths = [ROOT / line for line in listing.stdout.splitlines()]
    else:
        paths = [path for path in ROOT.rglob("*") if not _LEFT_OUT & set(path.relative_to(ROOT).parts)]
    found = sorted(path for path in paths if path.is_file())
    assert len(found) > 50
    return found


@pytest.fixture(scope="session")
def modules() -> dict[str, Path]:
    """Name to file of every module of the package."""
    source = ROOT / "src"
    found = {}
    for path in sorted((source / "thinkback").rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    assert "thinkback.engine" in found
    return found
