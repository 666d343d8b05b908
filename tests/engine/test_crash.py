"""kill -9 at any moment of add, ask, update and delete loses nothing acknowledged and leaves nothing half."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_killing_a_process_two_hundred_times(tmp_path):
    runner = Path(__file__).with_name("crash_runner.py")
    ran = subprocess.run(
        [sys.executable, str(runner), str(tmp_path / "store.sqlite"), "200", "7"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    report = json.loads(ran.stdout)
    assert report["faults"] == []
    assert report["rounds"] == 200
    assert report["acknowledged"] > 20  # how much is done between two kills depends on the machine
