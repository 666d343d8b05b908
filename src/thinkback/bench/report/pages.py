"""A report on run folders: Markdown, one HTML page with nothing from elsewhere, CSV and SVG files."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from thinkback.bench.experiments import experiment
from thinkback.bench.folder import RunFolder
from thinkback.bench.report.over_budgets import budget_groups, budget_plot, budget_table
from thinkback.bench.report.paper import beside_paper
from thinkback.bench.report.plots import Plot, Series, bars
from thinkback.bench.report.results import run_notes
from thinkback.bench.report.tables import Table, as_csv, as_html, as_markdown
from thinkback.errors import InvalidInput

__all__ = ["Report", "find_runs", "make_report", "write_report"]

_OVER = ("coverage_supported_recall", "coverage_structural_recall", "answer_words", "rouge_l")
_PLOTTED = ("rouge_l", "token_f1", "ndcg_10", "coverage_supported_recall")


@dataclass(slots=True, kw_only=True)
class Report:
    """What a report holds, ready to be written."""

    sections: list[tuple[str, list[Table], list[Plot]]] = field(default_factory=list)
    """Heading, tables and plots, an experiment each."""
    records: list[dict[str, Any]] = field(default_factory=list)
    """The runs' records."""
    limits: list[str] = field(default_factory=list)
    """What a reader must know before the first number."""
    left_out: list[str] = field(default_factory=list)
    """Folders that could not be read, and why."""


def find_runs(paths: Sequence[Path]) -> list[Path]:
    """Return the run folders among the paths and below them, sorted.

    Raises:
        InvalidInput: there is none.
    """
    found = sorted(
        {file.parent for path in paths for file in [path / "run.json", *path.glob("**/run.json")] if file.exists()}
    )
    if not found:
        raise InvalidInput(f"There is no run in {', '.join(str(path) for path in paths)}.")
    return found


def make_report(paths: Sequence[Path]) -> Report:
    """Read runs and make their tables and plots. A folder that cannot be used is named; the others are reported.

    Args:
        paths: run folders, or folders above them.

    Raises:
        InvalidInput: there is no run.
    """
    report = Report()
    by_experiment: dict[str, list[RunFolder]] = {}
    for path in find_runs(paths):
        folder = RunFolder(path)
        try:
            record = folder.config()
            folder.scores()
            by_experiment.setdefault(str(record["config"]["experiment"]), []).append(folder)
        except InvalidInput as error:
            report.left_out.append(error.message)
        except (KeyError, TypeError):
            report.left_out.append(f"{str(path)!r} is not a run of an experiment.")
        else:
            report.records.append({"folder": path.name, **record})
    for name, unsorted in by_experiment.items():
        folders = sorted(unsorted, key=_order)
        try:
            chosen = experiment(name)
        except InvalidInput as error:
            report.left_out.append(error.message)
            continue
        tables = [_with_paper(table, name, folders) for table in chosen.tables(folders)]
        plots = [plot for folder in folders if (plot := _bars(folder)) is not None]
        for label, group in budget_groups(folders):
            for value in _OVER:
                tables += [table] if (table := budget_table(label, group, value)) is not None else []
                plots += [plot] if (plot := budget_plot(label, group, value)) is not None else []
        tables = [replace(table, name=_under(name, table.name)) for table in tables]
        plots = [replace(plot, name=_under(name, plot.name)) for plot in plots]
        heading = chosen.title + (f" ({chosen.paper})" if chosen.paper else "")
        report.sections.append((heading, tables, plots))
    report.limits = _limits(by_experiment)
    return report


def _order(folder: RunFolder) -> tuple[str, str, int]:
    """Return what runs are ordered by: data set, label, and budget as a number."""
    config = folder.config()["config"]
    return config["dataset"], config.get("label", ""), config.get("allowance", {}).get("context_tokens", 0)


def _under(experiment_name: str, name: str) -> str:
    """Return a name that no other experiment's table has."""
    return name if name.startswith(f"{experiment_name}-") else f"{experiment_name}-{name}"


def _with_paper(table: Table, name: str, folders: Sequence[RunFolder]) -> Table:
    dataset = next(
        (folder.config()["config"]["dataset"] for folder in folders if table.name.startswith(folder.path.name)), ""
    )
    return beside_paper(table, name, dataset)


def _bars(folder: RunFolder) -> Plot | None:
    summary = folder.scores().get("summary", {})
    value = next((name for name in _PLOTTED if any(name in found for found in summary.values())), None)
    if value is None:
        return None
    own = [(system, found[value]) for system, found in summary.items() if value in found]
    series = Series(
        label=value, x=(), y=tuple(each["mean"] for _, each in own), low=tuple(each["low"] for _, each in own),
        high=tuple(each["high"] for _, each in own),
    )  # fmt: skip
    config = folder.config()["config"]
    said = value.replace("_", " ")
    title = f"{said}: {config['dataset']}, {config['allowance']['context_tokens']} tokens"
    return bars(f"{folder.path.name}-{value.replace('_', '-')}", title, said, series, [system for system, _ in own])


def _limits(by_experiment: dict[str, list[RunFolder]]) -> list[str]:
    """Return what is true of the runs as a whole: which models wrote, how much, what failed."""
    folders = [folder for group in by_experiment.values() for folder in group]
    models = sorted({str(folder.config()["config"].get("model") or "") for folder in folders} - {""})
    said = []
    if models:
        said.append(
            f"Written by {', '.join(models)}. What a small model writes says little about what a larger one would."
        )
    few = sorted({folder.path.name for folder in folders if 0 < folder.config()["config"].get("tasks", 0) < 30})
    if few:
        said.append(f"Fewer than 30 tasks in {', '.join(few)}: differences within the intervals are not shown.")
    for folder in folders:
        notes = (
            [
                note
                for note in run_notes(folder, folder.scores(), folder.config())
                if "failed" in note or "Without" in note
            ]
            if "unscored" in folder.scores()
            else []
        )
        said += [f"{folder.path.name}: {note}" for note in notes]
    return said


def write_report(report: Report, to: Path) -> Path:
    """Write report.md, report.html, tables/*.csv, plots/*.svg and runs.json into a folder; return report.html's path."""
    for name in ("tables", "plots"):
        (to / name).mkdir(parents=True, exist_ok=True)
    for _, tables, plots in report.sections:
        for table in tables:
            (to / "tables" / f"{_file(table.name)}.csv").write_text(as_csv(table), encoding="utf-8")
        for plot in plots:
            (to / "plots" / f"{_file(plot.name)}.svg").write_text(plot.svg, encoding="utf-8")
    (to / "report.md").write_text(_markdown(report), encoding="utf-8")
    (to / "runs.json").write_text(json.dumps(report.records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = to / "report.html"
    page.write_text(_page(report), encoding="utf-8")
    return page


def _file(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)


def _markdown(report: Report) -> str:
    lines = ["# Report", ""]
    lines += [f"- {each}" for each in (*report.limits, *(f"Left out: {each}" for each in report.left_out))]
    for heading, tables, plots in report.sections:
        lines += ["", f"## {heading}", ""]
        lines += [as_markdown(table) for table in tables]
        lines += [f"![{plot.alt}](plots/{_file(plot.name)}.svg)" for plot in plots]
    return "\n".join(lines) + "\n"


def _page(report: Report) -> str:
    style = (resources.files("thinkback.bench.report") / "report.css").read_text(encoding="utf-8")
    limits = "".join(
        f"<li>{html.escape(each)}</li>" for each in (*report.limits, *(f"Left out: {each}" for each in report.left_out))
    )
    links = "".join(
        f'<li><a href="#s{number}">{html.escape(heading)}</a></li>'
        for number, (heading, _, _) in enumerate(report.sections, 1)
    )
    body = "\n".join(
        f'<h2 id="s{number}">{html.escape(heading)}</h2>'
        + "".join(_figure(plot) for plot in plots)
        + "".join(as_html(table) for table in tables)
        for number, (heading, tables, plots) in enumerate(report.sections, 1)
    )
    records = html.escape(json.dumps(report.records, indent=1, ensure_ascii=False))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>thinkback bench</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>\n'
        f'<body><main><h1>What the bench found</h1><ul class="limits">{limits}</ul><nav><ol>{links}</ol></nav>\n{body}\n'
        f"<h2>How it was run</h2><details><summary>The records of all runs</summary><pre>{records}</pre></details>"
        f"</main></body></html>\n"
    )


def _figure(plot: Plot) -> str:
    return (
        f'<figure role="img" aria-label="{html.escape(plot.alt, quote=True)}">{plot.svg}'
        f"<figcaption>{html.escape(plot.title)}</figcaption></figure>"
    )
