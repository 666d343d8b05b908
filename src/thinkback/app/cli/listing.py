"""``docs`` and ``thoughts``: what is in the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from thinkback.app.cli.naming import ALL_STATUSES, file_name, handles
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import ago, emit, line, note, out, quantity, table, width

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.types import Thought

__all__ = ["docs", "thoughts"]

_ROOMY = 100
"""Columns from which the time of day and the file name are shown, too."""


@shared("store", "namespace", "embedder")
def docs(common: Common) -> None:
    """List the documents.

    The short ids work wherever an id is asked for, and so do titles and file names.
    """
    with memory(common) as engine:
        documents = engine.documents()
        name = engine.namespace
    if common.as_json:
        emit({"namespace": name, "documents": list(documents)})
        return
    if not documents:
        note().print(f"There are no documents in namespace {name!r}; add some with: thinkback add FILE...")
        return
    short = handles(document.id for document in documents)
    labels = any(document.trust != "normal" for document in documents)
    roomy = width() >= _ROOMY
    columns = ["id", "title", "chunks", *(["trust"] if labels else []), "changed", *(["from"] if roomy else [])]
    made = table(*columns, right=["chunks"], wide="title")
    for document in documents:
        changed = ago(document.updated_at)
        row = [short[document.id], line(document.title, 200), f"{document.chunk_count:,}"]
        row += [document.trust] if labels else []
        row += [changed, line(file_name(document.uri), 28)] if roomy else [changed.partition(" ")[0]]
        made.add_row(*row)
    console = out()
    console.print(made)
    chunks = sum(document.chunk_count for document in documents)
    console.print(f"{quantity(len(documents), 'document')}, {quantity(chunks, 'chunk')}", style="dim")


@shared("store", "namespace", "embedder")
def thoughts(
    common: Common,
    *,
    status: Annotated[
        Literal["active", "stale", "superseded", "retracted", "all"],
        typer.Option("--status", "-s", help="Which thoughts."),
    ] = "active",
) -> None:
    """List the thoughts.

    Level is how far a thought stands above raw text (1 is a passage, a thought on passages is 2), support how many
    independent grounds it has, uses how often an answer was made with it, or given again that was.
    """
    with memory(common) as engine:
        found = engine.get_all(statuses=ALL_STATUSES if status == "all" else (status,))
        name = engine.namespace
    if common.as_json:
        emit({"namespace": name, "thoughts": list(found)})
        return
    if not found:
        which = "" if status == "all" else f"{status} "
        note().print(f"There are no {which}thoughts in namespace {name!r}; they come of questions: thinkback ask ...")
        return
    _print(found)


def _print(found: tuple[Thought, ...]) -> None:
    from rich.text import Text

    short = handles(thought.id for thought in found)
    made = table(
        "id", "thought", "level", "support", "uses", "status", right=["level", "support", "uses"], wide="thought"
    )
    styles = {"active": "green", "stale": "yellow", "superseded": "dim", "retracted": "red"}
    for thought in found:
        text = Text(line(thought.text))
        if thought.reason:
            text.append(f"\n{line(thought.reason, 120)}", style="dim")
        status = Text(thought.status, style=styles[thought.status])
        if thought.trust != "normal":
            status.append(f"\n{thought.trust}", style="yellow" if thought.trust == "untrusted" else "green")
        made.add_row(
            short[thought.id], text, f"{thought.level:.1f}", str(thought.support), str(thought.use_count), status
        )
    console = out()
    console.print(made)
    console.print(quantity(len(found), "thought"), style="dim")
