"""CI's script offers what lies beside the clone, requires none of it, and keeps what the user has set."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_MAKE = """#!/bin/sh
echo "links=$PIP_FIND_LINKS"
echo "data=$THINKBACK_DATA"
echo "arguments=$*"
exit "${MAKE_FAILS_WITH:-0}"
"""


@pytest.fixture
def clone(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with nothing but the script, and a ``make`` that says how it was called."""
    script = tmp_path / "clone" / ".ci" / "run"
    script.parent.mkdir(parents=True)
    shutil.copy(root / ".ci" / "run", script)
    make = tmp_path / "bin" / "make"
    make.parent.mkdir()
    make.write_text(_MAKE, encoding="utf-8")
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{make.parent}:/usr/bin:/bin")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.delenv("THINKBACK_DATA", raising=False)
    return tmp_path / "clone"


def _run(clone: Path) -> dict[str, str]:
    ran = subprocess.run([str(clone / ".ci" / "run")], cwd="/", capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in ran.stdout.splitlines())


def test_nothing_beside_the_clone_is_needed(clone: Path) -> None:
    assert _run(clone) == {"links": "", "data": "", "arguments": "--no-print-directory test"}


def test_wheels_and_data_beside_the_clone_are_used(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = clone.parent / "shared"
    (shared / "wheels").mkdir(parents=True)
    (shared / "data").mkdir()
    said = _run(clone)
    assert said["links"] == str(shared / "wheels")
    assert said["data"] == str(shared / "data")
    monkeypatch.setenv("PIP_FIND_LINKS", "/elsewhere")
    assert _run(clone)["links"] == f"{shared / 'wheels'} /elsewhere"


def test_a_failure_is_passed_on(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKE_FAILS_WITH", "2")
    ran = subprocess.run([str(clone / ".ci" / "run")], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
