"""Tables of results as Markdown, CSV and HTML: each value with its interval and N, a missing one as a dash."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass

from thinkback.types import Record

__all__ = ["Cell", "Table", "as_csv", "as_html", "as_markdown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(Record):
    """A value; ``None`` is shown as a dash with its note."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    note: str = ""
    digits: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Record):
    """A table with a column of names and columns of cells or words."""

    name: str
    """For files: letters, digits and dashes."""
    title: str
    columns: tuple[str, ...]
    """Headings, that of the names first."""
    rows: tuple[tuple[str | Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """What a reader must know to read it: what was run, on how much, what it does not show."""


def as_markdown(table: Table) -> str:
    """Return the table with title and notes; widths are padded so that the source can be read too."""
    cells = [[_bare(head) for head in table.columns], *([_bare(_words(cell)) for cell in row] for row in table.rows)]
    widths = [max(3, *(len(row[place]) for row in cells)) for place in range(len(table.columns))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *lines, *([""] if notes else []), *notes, ""])


def as_csv(table: Table) -> str:
    """Return the table as CSV: a cell becomes four columns, its value, low, high and n."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    numeric = [any(isinstance(row[place], Cell) for row in table.rows) for place in range(len(table.columns))]
    head: list[str] = []
    for name, is_cell in zip(table.columns, numeric, strict=True):
        head += [name, f"{name} low", f"{name} high", f"{name} n"] if is_cell else [name]
    writer.writerow(head)
    for row in table.rows:
        out: list[object] = []
        for cell, is_cell in zip(row, numeric, strict=True):
            if isinstance(cell, Cell):
                out += ["" if each is None else each for each in (cell.value, cell.low, cell.high, cell.n)]
            else:
                out += [cell, "", "", ""] if is_cell else [cell]
        writer.writerow(out)
    return stream.getvalue()


def as_html(table: Table) -> str:
    """Return the table as an HTML fragment; every text is escaped."""
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in table.columns)
    body = "\n".join(
        "<tr>" + "".join(_html_cell(cell, first=place == 0) for place, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in table.notes)
    return (
        f'<section><h3>{html.escape(table.title)}</h3><div class="scroll"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>{f'<ul>{notes}</ul>' if notes else ''}</section>"
    )


def _html_cell(cell: str | Cell, *, first: bool) -> str:
    tag = 'th scope="row"' if first else "td"
    if not isinstance(cell, Cell):
        return f"<{tag}>{html.escape(cell)}</{tag.split(maxsplit=1)[0]}>"
    rest = html.escape(_rest(cell))
    return (
        f'<{tag} class="number">{_number(cell)}{f" <small>{rest}</small>" if rest else ""}</{tag.split(maxsplit=1)[0]}>'
    )


def _words(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else f"{_number(cell)} {_rest(cell)}".strip()


def _number(cell: Cell) -> str:
    return "–" if cell.value is None else f"{cell.value:.{cell.digits}f}"


def _rest(cell: Cell) -> str:
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"[{cell.low:.{cell.digits}f}, {cell.high:.{cell.digits}f}]")
    if cell.n is not None:
        parts.append(f"n={cell.n}")
    if cell.note:
        parts.append(cell.note)
    return " ".join(parts)


def _bare(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
