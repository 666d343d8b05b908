"""Rating sheets for people (Table 11): the thoughts that were shown, to be scored 0, 1 or 2, and how far raters agree.

A sheet does not tell which system a thought is from, nor whether the filter would have let it through; the key does, and
stays with whoever sends the sheets out.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thinkback.bench.folder import RunFolder
from thinkback.bench.metrics.agreement import krippendorff
from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["INSTRUCTIONS", "Agreement", "agreement", "alpha_ordinal", "read_sheet", "write_sheets"]

INSTRUCTIONS = """\
Each row has a question and one note that a memory holds for it. Give the note a score for how much it helps to answer:
2  it helps, fits the question, is coherent and right
1  it helps somewhat, or is vague, or has a small flaw
0  it does not fit, or is wrong, confused or made up
Judge every note alone, by what it says and not by its style. If you cannot tell, leave the cell empty.
"""
_SCORES = {"0": 0, "1": 1, "2": 2}
_COLUMNS = ("id", "question", "note", "score")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Record):
    """How far raters agree."""

    raters: int
    notes: int
    """Scored by at least two."""
    identical: float | None
    """Share of pairs of raters who gave a note the same score; None without a pair."""
    alpha: float | None
    """Krippendorff's alpha for ordered scores; None where it is not defined."""
    mean: float | None
    """Of all scores, 0 to 2."""


def write_sheets(folder: RunFolder, questions: Mapping[str, str], to: Path, *, most: int = 100, seed: int = 42) -> Path:
    """Write ``sheet.csv``, ``key.csv`` and ``instructions.txt`` for the thoughts that a run showed; return the folder.

    Args:
        folder: the run.
        questions: task id to what was asked.
        to: a folder, made if it is not there.
        most: notes on the sheet, drawn by the seed; each pair of question and note once.
        seed: of the draw and the order.

    Raises:
        InvalidInput: the run showed no thought.
    """
    rows: dict[tuple[str, str], tuple[str, str]] = {}
    for prediction in folder.predictions():
        for shown in prediction.output.shown:
            if shown.kind == "thought" and shown.text:
                rows.setdefault((prediction.task_id, shown.text), (prediction.system, shown.id))
    if not rows:
        raise InvalidInput(f"The run in {str(folder.path)!r} showed no thought that could be rated.")
    chosen = sorted(rows)
    random.Random(seed).shuffle(chosen)
    to.mkdir(parents=True, exist_ok=True)
    with (to / "sheet.csv").open("w", encoding="utf-8", newline="") as sheet:
        writer = csv.writer(sheet)
        writer.writerow(_COLUMNS)
        for number, (task_id, text) in enumerate(chosen[:most], 1):
            writer.writerow((f"n{number}", _plain(questions.get(task_id, task_id)), _plain(text), ""))
    with (to / "key.csv").open("w", encoding="utf-8", newline="") as key:
        writer = csv.writer(key)
        writer.writerow(("id", "task", "system", "thought"))
        for number, pair in enumerate(chosen[:most], 1):
            writer.writerow((f"n{number}", pair[0], *rows[pair]))
    (to / "instructions.txt").write_text(INSTRUCTIONS, encoding="utf-8")
    return to


def _plain(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def read_sheet(file: Path) -> dict[str, int]:
    """Return note id to score of a filled sheet; empty cells are left out.

    Raises:
        InvalidInput: the file cannot be read, has other columns, or a score that is not 0, 1 or 2.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{str(file)!r} cannot be read as CSV.") from error
    found = {}
    for number, row in enumerate(rows, 2):
        if "id" not in row or "score" not in row:
            raise InvalidInput(f"{file.name} has no columns id and score.")
        score = (row["score"] or "").strip()
        if score and score not in _SCORES:
            raise InvalidInput(f"{file.name}, line {number}: a score is 0, 1 or 2, not {score!r}.")
        if score:
            found[row["id"]] = _SCORES[score]
    return found


def agreement(sheets: Sequence[Mapping[str, int]]) -> Agreement:
    """Return how far sheets agree.

    Args:
        sheets: one a rater, note id to score.

    Raises:
        InvalidInput: there are fewer than two.
    """
    if len(sheets) < 2:
        raise InvalidInput(f"Agreement needs the sheets of at least two raters, not {len(sheets)}.")
    notes = list(dict.fromkeys(note for sheet in sheets for note in sheet))
    units = [[sheet[note] for sheet in sheets if note in sheet] for note in notes]
    shared = [unit for unit in units if len(unit) > 1]
    pairs = [a == b for unit in shared for place, a in enumerate(unit) for b in unit[place + 1 :]]
    scores = [score for unit in units for score in unit]
    return Agreement(
        raters=len(sheets),
        notes=len(shared),
        identical=sum(pairs) / len(pairs) if pairs else None,
        alpha=alpha_ordinal(shared),
        mean=sum(scores) / len(scores) if scores else None,
    )


def alpha_ordinal(units: Sequence[Sequence[int]]) -> float | None:
    """Return Krippendorff's alpha for ordered scores, see ``metrics.agreement.krippendorff``.

    Args:
        units: for each unit the values that raters gave, at least two.

    Returns:
        None where there are no pairs, or all values are the same.
    """
    return krippendorff(units, "ordinal")
