"""kill -9 at any moment: nothing that was acknowledged is lost, nothing is left half done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("rounds", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_a_writer_killed_over_and_over_loses_nothing(tmp_path: Path, rounds: int) -> None:
    child = Path(__file__).with_name("crash_child.py")
    done = subprocess.run(
        [sys.executable, str(child), str(tmp_path), str(rounds), "7"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    killed, acknowledged = map(int, done.stdout.split())
    assert killed == rounds
    assert acknowledged > rounds  # the children did write
