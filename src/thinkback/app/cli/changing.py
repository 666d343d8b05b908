"""``edit``, ``invalidate``, ``restore`` and ``refresh``: thoughts follow their sources, and their owner's word."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinkback.app.cli.answers import KEPT, MARKS, show_outcomes
from thinkback.app.cli.failures import FAILED
from thinkback.app.cli.naming import handles, item_id, thought_id
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, TrustLabel, shared
from thinkback.app.cli.screen import emit, line, note, out, quantity, say, symbol
from thinkback.app.cli.waiting import waiting
from thinkback.errors import InvalidInput

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.engine.face import Engine
    from thinkback.engine.reviving import RefreshResult
    from thinkback.types import AddResult

__all__ = ["edit", "invalidate", "refresh", "restore"]

ThoughtId = Annotated[str, typer.Argument(metavar="ID", help="A thought, as `thoughts` shows it.")]


@shared("store", "namespace", "embedder", "preset")
def edit(
    common: Common,
    item: Annotated[str, typer.Argument(metavar="ID", help="A document (or its title or file name) or a thought.")],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="The new text; - reads it from stdin.")] = None,
    *,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", metavar="FILE", help="Take the new text from this file.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="A document's new title.")] = None,
    trust: TrustLabel = None,
) -> None:
    """Change a document or the words of a thought.

    Chunks of a document that stay the same keep the thoughts on them; thoughts that lose their last ground go stale. A
    thought's new words must be carried by its sources and must not repeat another thought; else nothing changes and the
    exit code is 1.
    """
    from thinkback.engine.parts import check_trust
    from thinkback.types import AddResult

    new = _text(text, file)
    if new is None and title is None and trust is None:
        raise InvalidInput("There is nothing to change.", hint="Give TEXT, --file, --title or --trust.")
    with memory(common) as engine:
        result = engine.update(
            item_id(engine, item), new, title=title, trust=check_trust(trust) if trust is not None else None
        )
    if common.as_json:
        emit(result)
    elif isinstance(result, AddResult):
        _print_document(result)
    else:
        show_outcomes([result], kept="Changed", none="Not changed")
    failed = result.status in {"failed", "empty"} if isinstance(result, AddResult) else result.status not in KEPT
    if failed:
        raise typer.Exit(FAILED)


def _text(text: str | None, file: Path | None) -> str | None:
    if text is not None and file is not None:
        raise InvalidInput("Give the new text or --file, not both.")
    if file is not None:
        from thinkback.text.load import load

        return load(file).text
    return sys.stdin.read() if text == "-" else text


def _print_document(result: AddResult) -> None:
    console = out()
    console.print(f"{line(result.title, 70)}: {result.status}. {line(result.reason)}".rstrip())
    if result.status == "updated":
        console.print(f"{result.chunks_kept:,} of {quantity(result.chunks, 'chunk')} unchanged", style="dim")
    if result.stale:
        console.print(f"{quantity(len(result.stale), 'thought')} went stale; see: thinkback thoughts --status stale")


@shared("store", "namespace", "embedder")
def invalidate(
    common: Common,
    thought: ThoughtId,
    *,
    reason: Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why; kept with the thought.")] = "",
) -> None:
    """Take a thought out of use, with what rests on it.

    Nothing is deleted: `thinkback restore` brings it back, with what went with it.
    """
    with memory(common) as engine:
        gone = engine.invalidate(thought_id(engine, thought), reason)
        _tell(common, engine, gone, "invalidated", "taken out of use")


@shared("store", "namespace", "embedder")
def restore(common: Common, thought: ThoughtId) -> None:
    """Bring a thought back into use.

    What rested on it comes back too. A thought whose sources are gone cannot be restored; see `thinkback refresh`.
    """
    with memory(common) as engine:
        back = engine.restore(thought_id(engine, thought))
        _tell(common, engine, back, "restored", "back in use")


def _tell(common: Common, engine: Engine, ids: Sequence[str], key: str, words: str) -> None:
    if common.as_json:
        emit({key: list(ids)})
        return
    texts = {one.id: one.text for one in engine.get_all(statuses=("active", "stale", "superseded", "retracted"))}
    console = out()
    console.print(f"{quantity(len(ids), 'thought')} {words}:")
    for one, short in handles(ids).items():
        say(console, f"{short}  {line(texts.get(one, ''))}", indent=2, hang=2)


@shared("store", "namespace", "llm", "embedder", "preset")
def refresh(
    common: Common,
    thought: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Stale thoughts.")] = None,
    *,
    all_: Annotated[bool, typer.Option("--all", help="All stale thoughts of the namespace.")] = False,
) -> None:
    """Derive stale thoughts anew from the present documents.

    A thought that the documents still carry word for word is verified without a model call; else its question is asked
    again, and the new answer's thought takes its place. Exits with 1 where one stays stale.
    """
    if bool(thought) == all_:
        raise InvalidInput("Name stale thoughts, or give --all.", hint="See: thinkback thoughts --status stale")
    with memory(common, use_llm=True) as engine, waiting("going through the documents"):
        ids = [thought_id(engine, one) for one in thought] if thought else None
        results = engine.refresh(ids)
        texts = {one.id: one.text for one in engine.get_all(statuses=("active", "stale", "superseded"))}
    if common.as_json:
        emit({"refreshed": list(results)})
    elif not results:
        note().print("No thought is stale.")
    else:
        _print_refreshed(results, texts)
    if any(result.status == "stale" for result in results):
        raise typer.Exit(FAILED)


def _print_refreshed(results: Sequence[RefreshResult], texts: dict[str, str]) -> None:
    from rich.text import Text

    looks: dict[str, Any] = {
        "verified": MARKS["stored"],
        "superseded": ("→", ">", "cyan"),
        "stale": ("·", ".", "yellow"),
    }
    short = handles(result.thought_id for result in results)
    console = out()
    for result in results:
        fine, plain, style = looks[result.status]
        label = Text(f"{symbol(fine, plain)} {result.status}", style=style)
        label.append(f" {short[result.thought_id]}", style="dim")
        label.append(f"  {line(texts.get(result.thought_id, ''))}", style="default")
        if result.reason:
            label.append(f"\n{line(result.reason)}", style="dim")
        say(console, label, hang=2)
        for outcome in result.outcomes:
            say(console, f"{outcome.status}: {line(outcome.text or outcome.reason)}", indent=4, hang=2)
