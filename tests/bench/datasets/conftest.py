from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

Lines = Callable[[str, Sequence[Any]], Path]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Write records, one JSON a line (a str as it is), into a file of the test's folder; return the folder."""

    def write(name: str, rows: Sequence[Any]) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return tmp_path

    return write
