"""``export``, ``import`` and ``reindex``: a memory in and out, and under another embedder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import emit, line, note, out, quantity, symbol
from thinkback.app.cli.waiting import counting
from thinkback.errors import InvalidInput

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.engine.bundle import ImportReport
    from thinkback.engine.face import Engine
    from thinkback.text.bibliography import BibEntry
    from thinkback.types import Document

__all__ = ["export", "import_", "reindex"]


@shared("store", "namespace", "embedder")
def export(
    common: Common,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Replaced only once it is whole; by default stdout.")
    ] = None,
    *,
    bibtex: Annotated[
        bool, typer.Option("--bibtex", help="Instead: a BibTeX list of the documents that answers and thoughts cite.")
    ] = False,
) -> None:
    """Write the memory to a bundle, or a bibliography of what was cited.

    A bundle is a file of JSON lines with documents, thoughts and provenance (docs/bundle.md); the same memory always gives
    the same bytes. With --json a summary is printed, and FILE must be given.
    """
    if common.as_json and file is None:
        raise InvalidInput("With --json the bundle needs a FILE: stdout is for the summary.")
    from thinkback.text.bibliography import to_bibtex

    with memory(common) as engine:
        if bibtex:
            cited = _cited(engine)
            text = to_bibtex(cited)
            if file is not None:
                file.write_text(text, encoding="utf-8")
            lines, what = text.splitlines(), quantity(len(cited), "cited document")
        else:
            lines = list(engine.export(file))
            what = quantity(len(lines), "line")
    if common.as_json:
        emit({"file": str(file), "documents": len(cited)} if bibtex else {"file": str(file), "lines": len(lines)})
    elif file is not None:
        note().print(f"{symbol('✓', '+')} {what} written to {file}")
    else:
        for one in lines:
            print(one)


def _cited(engine: Engine) -> list[BibEntry]:
    """Return the documents that kept answers and the evidence of active thoughts point to, in the order of the memory."""
    records = [json.loads(one) for one in engine.export()]
    active = {record["id"] for record in records if record["record"] == "thought" and record["status"] == "active"}
    home = {record["id"]: record["document_id"] for record in records if record["record"] == "chunk"}
    cited: set[str | None] = set()
    for record in records:
        if record["record"] == "answer":
            cited.update(citation["document_id"] for citation in record["citations"])
        elif record["record"] == "derivation" and record["thought_id"] in active:
            cited.update(home.get(piece["item_id"]) for piece in record["evidence"])
    return [_entry(document) for document in engine.documents() if document.id in cited]


def _entry(document: Document) -> BibEntry:
    """Return a document as a reference: what its bibliography said of it, else its title and address."""
    from thinkback.text.bibliography import BibEntry

    known = document.metadata
    authors = str(known.get("authors", ""))
    year = known.get("year")
    is_page = document.uri.startswith(("http://", "https://"))
    return BibEntry(
        key=str(known.get("bib_key") or re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-") or document.id),
        title=document.title,
        authors=tuple(name for name in authors.split("; ") if name),
        year=year if isinstance(year, int) else None,
        doi=str(known.get("doi", "")),
        url=str(known.get("url") or (document.uri if is_page else "")),
    )


@shared("store", "namespace", "embedder")
def import_(
    common: Common,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle that `thinkback export` wrote.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be written.")] = False,
) -> None:
    """Read a bundle into the memory, all of it or nothing.

    Ids that are there already are skipped. Quotes must stand in their documents, or the whole bundle is refused. Nothing
    in a bundle is trusted more than it says.
    """
    with memory(common) as engine, counting("Importing", "chunks") as progress:
        report = engine.import_(file, dry_run=dry_run, progress=progress)
    if common.as_json:
        emit(report)
    else:
        _print_import(report)


def _print_import(report: ImportReport) -> None:
    console = out()
    word = "Would write" if report.dry_run else "Written"
    console.print(f"{word}: {_counts(report.written) or 'nothing'}")
    if any(report.skipped.values()):
        console.print(f"Already there: {_counts(report.skipped)}", style="dim")
    if report.unknown_fields:
        names = line(", ".join(report.unknown_fields), 200)
        note().print(f"{symbol('⚠', '!')} Fields of a newer version were left out: {names}", style="yellow")


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(quantity(count, name.rstrip("s")) for name, count in numbers.items() if count)


@shared("store", "embedder")
def reindex(common: Common) -> None:
    """Embed everything anew, with another embedder if you like.

    Needed after a change of --embedder: vectors of different embedders do not compare. All namespaces of the store are
    embedded; texts, thoughts and provenance stay as they are.
    """
    with memory(common, reindexing=True) as engine, counting("Embedding", "texts") as progress:
        vectors = engine.reindex(progress=progress)
        embedder = engine.stats().store.embedder_id
    if common.as_json:
        emit({"vectors": vectors, "embedder": embedder})
    else:
        out().print(f"{symbol('✓', '+')} {quantity(vectors, 'vector')} made by {line(embedder)}")
