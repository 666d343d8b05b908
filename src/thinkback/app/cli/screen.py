"""What is printed, and how: one JSON document for programs, or text for people on any terminal, pipe and encoding.

Text of documents and models is data: control characters are taken out before it reaches a terminal, and it is never read
as markup.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from thinkback.errors import InvalidInput

if TYPE_CHECKING:  # rich takes a tenth of a second to import, and `--help` and `--json` need none of it
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = [
    "ago",
    "clean",
    "confirm",
    "emit",
    "joined",
    "line",
    "megabytes",
    "note",
    "out",
    "prepare_streams",
    "prose_width",
    "quantity",
    "say",
    "symbol",
    "table",
    "width",
]

_PROSE = 100
"""Most columns of running text: longer lines are hard to read."""
_PIPE = 120
"""Columns where there is no terminal."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def prepare_streams() -> None:
    """Make stdout and stderr take any text: what an encoding lacks is replaced, never an error (fault 95)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def clean(text: str) -> str:
    """Return text that a terminal only shows: no escape sequences, no tabs, no marks that turn the direction of reading."""
    return _CONTROLS.sub("", text.replace("\t", " ").replace("\r\n", "\n").replace("\r", "\n"))


def line(text: str, most: int | None = None) -> str:
    """Return text on one line, cut to ``most`` characters with an ellipsis."""
    whole = " ".join(clean(text).split())
    if most is None or len(whole) <= most:
        return whole
    return whole[: max(most - 1, 0)].rstrip() + symbol("…", ".")


def width() -> int:
    """Return the columns there are: of the terminal, of the variable COLUMNS, or 120 in a pipe."""
    return max(shutil.get_terminal_size((_PIPE, 40)).columns, 20)


def prose_width() -> int:
    """Return the columns for running text."""
    return min(width(), _PROSE)


def _speaks(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def symbol(fine: str, plain: str) -> str:
    """Return a character, or its plain stand-in where the output's encoding lacks it."""
    return fine if _speaks(sys.stdout, fine) else plain


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    return Console(file=stream, width=width(), markup=False, highlight=False, emoji=False, soft_wrap=False)


def out() -> Console:
    """Return a console on stdout; it colours terminals only, and none where NO_COLOR is set."""
    return _console(sys.stdout)


def note() -> Console:
    """Return a console on stderr, for progress and remarks."""
    return _console(sys.stderr)


def say(
    console: Console, text: Text | str, *, indent: int = 0, hang: int = 0, style: str = "", label: Text | None = None
) -> None:
    """Print running text, wrapped between words and without blanks at the ends of lines.

    Args:
        console: where to.
        text: with its styles, or plain.
        indent: blanks before each line.
        hang: more of them before all lines but the first of each paragraph.
        style: for all of the text.
        label: stands before the first line, in place of the indent; as wide as indent and hang together.
    """
    from rich.text import Text

    whole = text if isinstance(text, Text) else Text(text)
    whole.stylize_before(style)
    for paragraph in whole.split("\n", allow_blank=True):
        lines = paragraph.wrap(console, max(prose_width() - indent - hang, 10))
        for number, one in enumerate(lines):
            one.rstrip()
            before = Text(" " * (indent + (hang if number or label else 0)))
            console.print((label or before) + one, soft_wrap=True)
            label = None


def emit(value: Any) -> None:
    """Print one JSON document. Records become objects; text is escaped where the encoding lacks it, so nothing is lost."""
    plain = json.dumps(_plain(value), ensure_ascii=False, indent=2)
    if not _speaks(sys.stdout, plain):
        plain = json.dumps(_plain(value), indent=2)
    print(plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def table(*columns: str, right: Sequence[str] = (), wide: str | None = None) -> Table:
    """Return a table without lines; ``wide`` names the column that is wrapped where room is short, others are kept whole."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", width=None)
    for column in columns:
        stretch = column == wide
        made.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=not stretch,
            ratio=1 if stretch else None,
            overflow="fold" if stretch else "ellipsis",
        )
    return made


def confirm(question: str, *, yes: bool) -> bool:
    """Ask on stderr and return whether the user agrees.

    Raises:
        InvalidInput: nobody is there to ask, and ``--yes`` was not given.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise InvalidInput("This needs a confirmation, and there is no terminal to ask at.", hint="Give --yes.")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def quantity(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: 1 document, 1,204 documents."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def megabytes(size: int) -> str:
    """Return a size in units of 1,000: 98 MB, 1.1 GB."""
    if size >= 1_000_000_000:
        return f"{size / 1e9:.1f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 10_000_000 else f"{size / 1e6:.1f} MB"


def ago(at: float | None) -> str:
    """Return a time as the user's clock showed it."""
    if at is None:
        return "never"
    return datetime.fromtimestamp(at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def joined(parts: Iterable[str]) -> str:
    """Return the parts that say anything, with a dot between them."""
    return f" {symbol('·', '-')} ".join(part for part in parts if part)
