"""``history``, ``audit`` and ``stats``: what happened, what is wrong, and how much there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinkback.app.cli.answers import cost
from thinkback.app.cli.failures import FAILED
from thinkback.app.cli.naming import handle, item_id
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import ago, emit, line, note, out, quantity, say, symbol, table
from thinkback.errors import NotFound

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from thinkback.engine.auditing import AuditReport
    from thinkback.engine.face import Engine
    from thinkback.engine.statistics import Stats

__all__ = ["audit", "history", "stats"]


@shared("store", "namespace", "embedder")
def history(
    common: Common,
    item: Annotated[
        str | None, typer.Argument(metavar="ID", help="A document or thought, also a deleted one by its whole id.")
    ] = None,
) -> None:
    """Show what happened to a document or thought, or to all.

    It holds ids and numbers, never text: so nothing of a deleted document is left in it.
    """
    with memory(common) as engine:
        events = engine.history(_past_or_present(engine, item) if item is not None else None)
    if common.as_json:
        emit({"events": list(events)})
        return
    if not events:
        note().print("Nothing has happened yet.")
        return
    made = table("when", "what", "id", "details", wide="details")
    for event in events:
        details = ", ".join(f"{key} {_detail(value)}" for key, value in event.detail.items() if value != "")
        made.add_row(ago(event.at), event.event, handle(event.item_id), details)
    out().print(made)


def _past_or_present(engine: Engine, given: str) -> str:
    try:
        return item_id(engine, given)
    except NotFound:
        if engine.history(given):
            return given
        raise


def _detail(value: str | float) -> str:
    if isinstance(value, str):
        ids = value.split()
        shown = " ".join(handle(one) for one in ids[:4])
        return shown if len(ids) <= 4 else f"{shown} and {len(ids) - 4} more"
    return f"{value:g}"


_KINDS = {
    "damage": "The store is damaged",
    "secret": "Something that looks like a secret",
    "steering": "Text that tries to steer the model",
    "conflict": "Thoughts in conflict",
    "duplicate": "Thoughts that say the same",
    "unsupported": "Thoughts without support",
    "stale": "Stale thoughts",
    "unused": "Thoughts that are never used",
    "loop": "Thoughts far from any text",
}


@shared("store", "namespace", "embedder", "preset")
def audit(common: Common) -> None:
    """Look for duplicates, conflicts, unsupported and stale thoughts, and secrets.

    Works offline and changes nothing. Exits with 1 where the store itself is damaged.
    """
    with memory(common) as engine:
        report = engine.audit()
    if common.as_json:
        emit(report)
    else:
        _print_audit(report)
    if report.counts.get("damage"):
        raise typer.Exit(FAILED)


def _print_audit(report: AuditReport) -> None:
    from rich.text import Text

    console = out()
    for kind, title in _KINDS.items():
        found = [finding for finding in report.findings if finding.kind == kind]
        if not found:
            continue
        style = "bold red" if kind in {"damage", "secret"} else "bold"
        console.print(Text(f"{title} ({len(found)})", style=style))
        for finding in found:
            ids = " and ".join(handle(one) for one in (finding.item_id, finding.other_id) if one)
            say(console, f"{ids}  {line(finding.detail)}".strip(), indent=2, hang=2)
    looked = f"{quantity(report.thoughts, 'thought')} and {quantity(report.chunks, 'chunk')} looked at"
    if report.findings:
        console.print(f"{looked}, {quantity(len(report.findings), 'finding')}", style="dim")
    else:
        console.print(f"{symbol('✓', '+')} Nothing to object to: {looked}.")


@shared("store", "namespace", "embedder")
def stats(common: Common) -> None:
    """Show how much there is, how it is used and what it cost."""
    with memory(common) as engine:
        numbers = engine.stats()
        names = engine.namespaces()
    if common.as_json:
        emit({**numbers.to_dict(), "namespaces": list(names)})
    else:
        _print_stats(numbers, names)


def _print_stats(numbers: Stats, names: tuple[str, ...]) -> None:
    from rich.text import Text

    counts = numbers.counts
    others = [name for name in names if name != numbers.namespace]
    thoughts = _few(
        {word: counts.get(f"thoughts_{word}", 0) for word in ("active", "stale", "superseded", "retracted")}
    )
    rows = {
        "store": line(numbers.store.path),
        "namespace": line(numbers.namespace) + (f" (others: {line(', '.join(others), 60)})" if others else ""),
        "documents": f"{counts.get('documents', 0):,} with {quantity(counts.get('chunks', 0), 'chunk')}",
        "thoughts": thoughts or "none",
        "levels": ", ".join(f"{level}: {count}" for level, count in numbers.levels.items()),
        "used": f"{numbers.thoughts_used:,} of them, {quantity(numbers.uses, 'time')}" if numbers.uses else "",
        "support": f"{numbers.mean_support:.2f} on average" if counts.get("thoughts_active") else "",
        "outcomes": _few(numbers.outcomes),
        "answers": f"{counts.get('answers', 0):,} kept" if counts.get("answers") else "",
        "testimonies": f"{counts.get('testimonies', 0):,}" if counts.get("testimonies") else "",
        "cost in all": cost(numbers.usage),
        "cost today": cost(numbers.usage_today),
        "embedder": f"{line(numbers.store.embedder_id)}, {numbers.store.dimension} dimensions",
    }
    made = table("", "", wide="")
    made.show_header = False
    for name, value in rows.items():
        if value:
            made.add_row(Text(name, style="bold"), Text(value))
    out().print(made)


def _few(numbers: Mapping[str, Any]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in numbers.items() if count)
