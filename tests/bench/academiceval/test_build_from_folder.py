from __future__ import annotations

import json
import shutil
from pathlib import Path

from typer.testing import CliRunner

import thinkback.samples
from thinkback.app.cli.bench_academiceval import app
from thinkback.bench.academiceval.leakage import runs

SAMPLES = Path(thinkback.samples.__path__[0])


def papers(to: Path) -> Path:
    to.mkdir()
    for name in ("euclidnets.md", "esg-ratings-from-news.md", "mutation-based-text-generation.md"):
        shutil.copy(SAMPLES / name, to / name)
    return to


def built(tmp_path: Path, *more: str) -> Path:
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["build", str(out), "--from", str(papers(tmp_path / "in")), "--sets", "abstract_single,abs_9K", *more]
    )
    assert done.exit_code == 0, done.output
    return out


def test_a_set_is_built_from_a_folder_without_a_network(tmp_path: Path) -> None:
    out = built(tmp_path)
    items = [json.loads(line) for line in (out / "documented" / "abstract_single.jsonl").read_text().splitlines()]
    assert len(items) == 3
    for item in items:
        assert {"title", "abstract", "main_content"} <= set(item)
        assert len(item["main_content"].split()) > 1000
        assert not runs(item["abstract"]) & runs(item["main_content"])
    assert sum(len(json.loads(file.read_text())) for file in (out / "abs_9K").glob("*.json")) == 3


def test_a_build_that_is_there_is_checked_and_counted(tmp_path: Path) -> None:
    out = built(tmp_path)
    checked = CliRunner().invoke(app, ["check", str(out), "--json"])
    assert checked.exit_code == 0
    assert json.loads(checked.stdout)["leaks"] == []
    again = CliRunner().invoke(app, ["statistics", str(out)], env={"COLUMNS": "160"})
    assert again.exit_code == 0
    assert "abstract_single" in again.stdout
