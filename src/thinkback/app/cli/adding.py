"""``add`` and ``sync``: documents into the memory, with a bar while it works and a table at the end."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.failures import BUDGET, FAILED
from thinkback.app.cli.naming import file_name, handles
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, TrustLabel, shared
from thinkback.app.cli.screen import clean, emit, joined, line, note, out, quantity, symbol, table
from thinkback.app.cli.waiting import adding
from thinkback.errors import BudgetExceeded, InvalidInput

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.engine.face import Engine
    from thinkback.types import AddReport, AddResult, Scalar, Trust

__all__ = ["add", "sync"]

_MOST_ROWS = 40
"""Rows of the table; what went wrong is always shown."""

Metadata = Annotated[
    list[str] | None,
    typer.Option("--meta", metavar="KEY=VALUE", help="Kept with each document, to filter by. May be given repeatedly."),
]


@shared("store", "namespace", "embedder", "preset")
def add(
    common: Common,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE", help="Files, folders, URLs, .bib or .ris files with attached files, or - for stdin."
        ),
    ],
    *,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="For a single document.")] = None,
    doc_id: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="An id of your own for a single document; adding again replaces it."),
    ] = None,
    meta: Metadata = None,
    trust: TrustLabel = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="HOST", help="A host that may be fetched from. May be given repeatedly."),
    ] = None,
) -> None:
    """Add files, folders, web pages or text; no model is asked.

    Reads PDF, Markdown, HTML, LaTeX and plain text. Adding again what is there is no work; a changed file is updated, a
    renamed one is recognised. A web page is fetched only from a host that is allowed, and is untrusted unless --trust says
    otherwise. Ctrl-C keeps what was written.
    """
    if len(sources) > 1 and (title or doc_id):
        raise InvalidInput("--title and --id are for a single document; several sources were given.")
    metadata = _metadata(meta or [])
    given: list[str | Path]
    if "-" in sources:
        if len(sources) > 1:
            raise InvalidInput("Standard input (-) cannot be added together with other sources.")
        text, title = _standard_input(title)
        given = [text]
    else:
        given = [_source(one) for one in sources]
    with _reported(common), memory(common, allow_hosts=allow_host or []) as engine, _kept(engine), adding() as progress:
        report = engine.add(
            given, title=title, doc_id=doc_id, metadata=metadata, trust=_trust(trust), progress=progress
        )
    _show(common, report)


@shared("store", "namespace", "embedder", "preset")
def sync(
    common: Common,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to follow.")],
    *,
    meta: Metadata = None,
    trust: TrustLabel = None,
) -> None:
    """Make the memory hold what a folder holds.

    New files come in, changed ones are updated (thoughts that lose their ground go stale), renamed ones keep their
    thoughts, and documents whose file is gone are deleted with all that is derived from them. Documents from elsewhere are
    left alone. An empty folder is refused. Ctrl-C keeps what was written.
    """
    with _reported(common), memory(common) as engine, _kept(engine), adding() as progress:
        report = engine.sync(folder, metadata=_metadata(meta or []), trust=_trust(trust), progress=progress)
    _show(common, report)


def _source(given: str) -> str | Path:
    """Return a URL as it is and anything else as a path: on a command line, text comes from standard input."""
    return given if given.startswith(("http://", "https://")) else Path(given)


def _trust(label: str | None) -> Trust | None:
    from thinkback.engine.parts import check_trust

    return check_trust(label) if label is not None else None


def _metadata(pairs: Sequence[str]) -> dict[str, Scalar]:
    """Return ``key=value`` pairs; numbers and true/false become such, everything else is text."""
    found: dict[str, Scalar] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"Metadata is KEY=VALUE, not {line(pair, 40)!r}.")
        found[key.strip()] = _scalar(value.strip())
    return found


def _scalar(value: str) -> Scalar:
    if value in {"true", "false"}:
        return value == "true"
    if re.fullmatch(r"-?(0|[1-9]\d*)", value):  # 007 is a name
        return int(value)
    return float(value) if re.fullmatch(r"-?\d+\.\d+", value) else value


def _standard_input(title: str | None) -> tuple[str, str | None]:
    """Return the text on stdin, whatever its format, and its title."""
    from thinkback.text.load import load_bytes

    loaded = load_bytes(sys.stdin.buffer.read(), name="stdin", uri="stdin", media_type=None)
    if loaded.text.strip().startswith(("http://", "https://")) and len(loaded.text.split()) == 1:
        raise InvalidInput("Standard input holds only an address.", hint="Give it as an argument: thinkback add URL")
    own = loaded.title if loaded.title not in {"", "stdin"} else None
    return f"{loaded.text}\n", title or own  # with a line's end it cannot be taken for the name of a file


@contextmanager
def _kept(engine: Engine) -> Iterator[None]:
    """On Ctrl-C say what was written until then."""
    before = {document.id: document.version for document in engine.documents()}
    try:
        yield
    except KeyboardInterrupt:
        after = {document.id: document.version for document in engine.documents()}
        written = sum(before.get(key) != version for key, version in after.items())
        print(
            f"Stopped. {quantity(written, 'document')} had been written and stayed; run it again to go on.",
            file=sys.stderr,
        )
        raise


@contextmanager
def _reported(common: Common) -> Iterator[None]:
    """Where a budget ends the work, show what was done before the error itself."""
    try:
        yield
    except BudgetExceeded as error:
        if error.report is None:
            raise
        _say(common, error.report)
        print(f"Error: {clean(error.message)}", file=sys.stderr)
        raise typer.Exit(BUDGET) from error


def _show(common: Common, report: AddReport) -> None:
    _say(common, report)
    if any(result.status == "failed" for result in report):
        raise typer.Exit(FAILED)


def _say(common: Common, report: AddReport) -> None:
    if common.as_json:
        emit(report)
    else:
        _print(report)


_MARKS = {
    "added": ("✓", "+", "green"),
    "updated": ("✓", "+", "green"),
    "moved": ("→", ">", "cyan"),
    "removed": ("○", "-", "yellow"),
    "unchanged": ("·", ".", "dim"),
    "empty": ("○", "o", "yellow"),
    "failed": ("✗", "x", "red"),
}


def _print(report: AddReport) -> None:
    from rich.text import Text

    rows = list(report)
    if not rows:
        note().print("There was nothing to add.")
        return
    shown = _most_telling(rows)
    short = handles(result.document_id for result in shown if result.document_id)
    made = table("", "document", "id", "chunks", right=["chunks"], wide="document")
    made.show_header = False
    for result in shown:
        fine, plain, style = _MARKS[result.status]
        title = line(result.title) or file_name(result.uri) or line(result.uri)
        text = Text(line(title, 100))
        remark = _remark(result)
        if remark:
            text.append(f"\n{remark}", style="dim" if result.status != "failed" else "red")
        count = quantity(result.chunks, "chunk") if result.chunks else ""
        made.add_row(
            Text(f"{symbol(fine, plain)} {result.status}", style=style),
            text,
            short.get(result.document_id or "", ""),
            count,
        )
    console = out()
    console.print(made)
    if len(shown) < len(rows):
        console.print(f"  and {quantity(len(rows) - len(shown), 'document')} more", style="dim")
    counts = Counter(result.status for result in rows)
    chunks = sum(result.chunks - result.chunks_kept for result in rows if result.status in {"added", "updated"})
    speed = f"{quantity(chunks, 'chunk')} at {chunks / report.seconds:.1f} a second" if chunks else ""
    total = ", ".join(f"{number:,} {status}" for status, number in counts.items())
    usage = report.usage
    embedded = f"{usage.embedded_tokens:,} tokens embedded" if usage.embedded_tokens else ""
    money = f"costs {usage.money:.4f}" if usage.money else ""
    console.print(joined([total, speed, embedded, money, f"{report.seconds:.1f} s"]), style="dim")


def _most_telling(rows: Sequence[AddResult]) -> list[AddResult]:
    """Return the rows to show: all of a few, else everything that went another way than most."""
    if len(rows) <= _MOST_ROWS:
        return list(rows)
    plain = [result for result in rows if result.status in {"added", "unchanged"} and not result.warnings]
    room = max(_MOST_ROWS - (len(rows) - len(plain)), 5)
    few = {id(result) for result in plain[:room]}
    return [result for result in rows if id(result) in few or result not in plain]


def _remark(result: AddResult) -> str:
    parts = [result.reason, *result.warnings]
    if result.status == "updated":
        parts.append(f"{quantity(result.chunks_kept, 'chunk')} unchanged")
    if result.stale:
        parts.append(f"{quantity(len(result.stale), 'thought')} went stale (thinkback refresh --all)")
    return line("; ".join(part for part in dict.fromkeys(parts) if part), 300)
