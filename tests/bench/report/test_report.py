from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET  # our own plots, no foreign text

import pytest

from thinkback.bench.experiments.plan import Setting
from thinkback.bench.kit import Kit
from thinkback.bench.records import Dataset
from thinkback.bench.report.pages import find_runs, make_report, write_report
from thinkback.bench.report.paper import beside_paper, paper_values
from thinkback.bench.report.plots import Series, bars, lines
from thinkback.bench.report.tables import Cell, Table, as_csv, as_html, as_markdown
from thinkback.errors import InvalidInput
from thinkback.ports import Request

TABLE = Table(
    name="t", title="A <title> | here", columns=("system", "rouge l"),
    rows=(("a|b", Cell(value=0.5, low=0.4, high=0.6, n=9)), ("<b>", Cell(value=None, note="2 unscored"))),
    notes=("Read me.",),
)  # fmt: skip


def test_markdown_keeps_its_columns_whatever_the_names() -> None:
    rows = [line for line in as_markdown(TABLE).splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert "0.500 [0.400, 0.600] n=9" in as_markdown(TABLE)
    assert "– 2 unscored" in as_markdown(TABLE)
    assert "- Read me." in as_markdown(TABLE)


def test_csv_has_value_interval_and_n_apart_and_nothing_for_what_is_missing() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(TABLE))))
    assert rows[0] == {"system": "a|b", "rouge l": "0.5", "rouge l low": "0.4", "rouge l high": "0.6", "rouge l n": "9"}
    assert rows[1]["rouge l"] == ""


def test_html_escapes_every_text() -> None:
    page = as_html(TABLE)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "A &lt;title&gt; | here" in page


def test_plots_are_the_same_bytes_each_time_and_say_in_words_what_they_show() -> None:
    series = Series(label="s", x=(250, 500), y=(0.5, None), low=(0.4, None), high=(0.6, None))
    first, second = (bars("b", "Title", "recall", series, ["one", "two"]) for _ in range(2))
    assert first == second
    assert ET.fromstring(first.svg).tag.endswith("svg")  # noqa: S314
    assert "one 0.500; two not scored" in first.alt
    drawn = lines("l", "Title", "tokens", "recall", [series, series], log=True)
    assert ET.fromstring(drawn.svg).tag.endswith("svg")  # noqa: S314
    assert "from 0.500 to not scored" in drawn.alt


def test_the_papers_figures_stand_beside_rows_that_it_has() -> None:
    title, values = paper_values("main", "abstract-single")
    assert "Table" in title
    assert values["thoughts:paper"] == 0.290
    assert paper_values("main", "yours") == ("", {})
    rows = (("bm25", Cell(value=0.1)), ("mine", Cell(value=0.2)))
    table = Table(name="n", title="t", columns=("system", "rouge l"), rows=rows)
    found = beside_paper(table, "main", "abstract-single")
    assert [row[-1] for row in found.rows] == [Cell(value=0.212), Cell(value=None)]
    assert beside_paper(table, "main", "yours") is table


@pytest.fixture
def runs(tmp_path: Path, tiny: Dataset, kit_saying: Callable[[Callable[[Request], str]], Kit]) -> Path:
    from thinkback.bench.experiments.plan import one_run
    from thinkback.bench.ports import Allowance

    kit = kit_saying(lambda _: "Maples")
    setting = Setting(data=tmp_path, out=tmp_path / "runs", kit=kit)
    for tokens in (60, 120):
        one_run(
            setting, experiment="main", dataset=tiny, systems=("bm25", "tf-idf"), metrics=("rouge", "coverage"),
            allowance=Allowance(context_tokens=tokens),
        )  # fmt: skip
    return tmp_path / "runs"


def test_a_report_is_made_of_run_folders_alone(runs: Path, tmp_path: Path) -> None:
    report = make_report([runs])
    page = write_report(report, tmp_path / "out").read_text(encoding="utf-8")
    assert len(report.records) == 2
    assert report.left_out == []
    assert "Fewer than 30 tasks" in page
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']https?:", page)
    assert (tmp_path / "out" / "report.md").read_text().count("### ") >= 4
    names = {file.stem for file in (tmp_path / "out" / "tables").iterdir()}
    assert {"main-tiny-60", "main-tiny-120", "main-tiny-rouge-l"} <= names
    assert any(file.suffix == ".svg" for file in (tmp_path / "out" / "plots").iterdir())
    assert len(json.loads((tmp_path / "out" / "runs.json").read_text())) == 2
    again = write_report(make_report([runs]), tmp_path / "again").read_text(encoding="utf-8")
    assert again == page


def test_folders_that_cannot_be_used_are_named_and_the_others_reported(runs: Path) -> None:
    (runs / "main" / "tiny-60" / "scores.json").unlink()
    (runs / "odd").mkdir()
    (runs / "odd" / "run.json").write_text('{"config": {}}')
    (runs / "odd" / "scores.json").write_text("{}")
    (runs / "broken").mkdir()
    (runs / "broken" / "run.json").write_text("{")
    report = make_report([runs])
    assert len(report.records) == 1
    assert sorted(report.left_out) == sorted(
        each for each in report.left_out if "not scored" in each or "not a run of an experiment" in each or "cannot be read" in each
    )  # fmt: skip
    assert len(report.left_out) == 3


def test_where_there_is_no_run_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no run in"):
        find_runs([tmp_path])
