"""``rm``: deletion for good, and whether the bytes are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.naming import item_id
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, Yes, shared
from thinkback.app.cli.screen import confirm, emit, joined, note, out, quantity, symbol
from thinkback.errors import InvalidInput

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.engine.forgetting import DeleteReport
    from thinkback.ports import PurgeReport

__all__ = ["purge_words", "rm"]


@shared("store", "namespace", "embedder")
def rm(
    common: Common,
    item: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Documents (or their titles or file names), thoughts or testimonies."),
    ] = None,
    *,
    all_: Annotated[bool, typer.Option("--all", help="Everything in the namespace; asks first.")] = False,
    yes: Yes = False,
) -> None:
    """Delete documents or thoughts for good, with all that is derived from them.

    Nothing in the store holds their text afterwards, in no table, index, cache or log. Where another process still reads
    the old state the bytes go as soon as it has finished: `purge pending` names it, and `thinkback doctor` finishes the
    work. Bundles that were exported earlier are out of reach. Where one of the ids names nothing, nothing is deleted.
    """
    if bool(item) == all_:
        raise InvalidInput("Name what is to be deleted, or give --all.")
    with memory(common) as engine:
        if item:
            report = engine.delete([item_id(engine, one) for one in item])
        else:
            count = f"{quantity(len(engine.documents()), 'document')} and {quantity(len(engine.get_all()), 'thought')}"
            if not confirm(f"Delete {count} of namespace {engine.namespace!r} for good?", yes=yes):
                note().print("Nothing was deleted.")
                if common.as_json:
                    emit({"deleted": False})
                return
            report = engine.delete_all(namespace=engine.namespace)
    if common.as_json:
        emit(report)
    else:
        _print(report)


def _print(report: DeleteReport) -> None:
    console = out()
    parts = [
        quantity(len(report.documents), "document") if report.documents else "",
        quantity(len(report.thoughts), "thought") if report.thoughts else "",
        quantity(len(report.testimonies), "testimony", "testimonies") if report.testimonies else "",
        f"{quantity(report.answers, 'kept answer')}" if report.answers else "",
    ]
    console.print(f"Deleted: {joined(parts) or 'nothing'}")
    if report.thoughts_kept:
        console.print(f"{quantity(len(report.thoughts_kept), 'thought')} lost one ground and stands on others.")
    fine, plain = ("✓", "+") if report.purge.status == "purged" else ("…", "...")
    console.print(f"{symbol(fine, plain)} {purge_words(report.purge)}")


def purge_words(report: PurgeReport) -> str:
    """Say in words whether deleted text is gone from the bytes of the store."""
    if report.status == "purged":
        return f"purged: no byte of the store holds deleted text ({report.seconds:.2f} s)"
    holders = f"held by {', '.join(report.held_by)}" if report.held_by else "somebody still reads the old state"
    return f"purge pending: {holders}; run `thinkback doctor` when they have finished"
