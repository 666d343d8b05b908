from __future__ import annotations

import csv
from pathlib import Path

import pytest

from thinkback.bench.experiments.sheets import agreement, alpha_ordinal, read_sheet, write_sheets
from thinkback.bench.folder import Prediction, RunFolder
from thinkback.bench.ports import Cost, Output, Shown
from thinkback.errors import InvalidInput


def run_with(path: Path, *texts: str) -> RunFolder:
    folder = RunFolder(path)
    folder.create({"config": {}})
    shown = tuple(Shown(kind="thought", id=f"tht_{n}", text=text, roots=()) for n, text in enumerate(texts))
    chunk = Shown(kind="chunk", id="c#0", text="raw text", roots=("c#0",))
    folder.add(Prediction(system="s", task_id="t", cost=Cost(), output=Output(text="x", shown=(*shown, chunk))))
    return folder


def test_a_sheet_shows_thoughts_and_hides_where_they_are_from(tmp_path: Path) -> None:
    write_sheets(run_with(tmp_path / "run", "Maples drink.", "=cmd()"), {"t": "Which tree?"}, tmp_path / "out")
    sheet = (tmp_path / "out" / "sheet.csv").read_text()
    assert "Maples drink." in sheet
    assert "raw text" not in sheet
    assert "tht_" not in sheet
    assert "'=cmd()" in sheet  # no formula for a spreadsheet
    with (tmp_path / "out" / "key.csv").open() as key:
        assert {row["thought"] for row in csv.DictReader(key)} == {"tht_0", "tht_1"}
    assert "Which tree?" in sheet


def test_a_run_without_thoughts_has_nothing_to_rate(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no thought"):
        write_sheets(run_with(tmp_path / "run"), {}, tmp_path / "out")


def test_filled_sheets_are_read_and_wrong_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("\ufeffid,question,note,score\nn1,q,t,2\nn2,q,t,\nn3,q,t, 0 \n", encoding="utf-8")
    assert read_sheet(file) == {"n1": 2, "n3": 0}
    file.write_text("id,score\nn1,3\n")
    with pytest.raises(InvalidInput, match="line 2: a score is 0, 1 or 2, not '3'"):
        read_sheet(file)
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match="no columns"):
        read_sheet(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_sheet(tmp_path / "none.csv")


def test_alpha_of_a_worked_example() -> None:
    # Two raters, values 0, 1, 2; units (0,0) (1,1) (2,2) (0,1). Coincidences: 00: 2, 11: 2, 22: 2, 01: 1, 10: 1;
    # totals 3, 3, 2; n = 8. Distances: 0-1: (6 - 3)^2 = 9; 1-2: (5 - 2.5)^2 = 6.25; 0-2: (8 - 2.5)^2 = 30.25.
    # Observed 2 * 9 = 18; expected 2 * (9 * 9 + 6 * 6.25 + 6 * 30.25) = 600. alpha = 1 - 7 * 18 / 600 = .79.
    assert alpha_ordinal([(0, 0), (1, 1), (2, 2), (0, 1)]) == pytest.approx(0.79)
    assert alpha_ordinal([(1, 1), (1, 1)]) is None
    assert alpha_ordinal([]) is None


def test_agreement_counts_pairs_over_shared_notes() -> None:
    found = agreement([{"a": 2, "b": 1, "c": 0}, {"a": 2, "b": 0}, {"a": 2}])
    assert (found.raters, found.notes) == (3, 2)
    assert found.identical == pytest.approx(3 / 4)
    assert found.mean == pytest.approx(7 / 6)
    with pytest.raises(InvalidInput, match="at least two"):
        agreement([{"a": 1}])
