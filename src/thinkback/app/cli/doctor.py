"""``doctor``: what is in use, from where, how fast it is here, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.failures import FAILED
from thinkback.app.cli.opening import settings_of
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import clean, emit, line, out, say, symbol
from thinkback.app.cli.waiting import waiting

if TYPE_CHECKING:  # these import numpy and pydantic, and rich, which `--help` must not wait for
    from rich.console import Console

    from thinkback.app.cli.checkup import Check

__all__ = ["doctor"]

_LOOKS = {"ok": ("✓", "+", "green"), "note": ("•", "*", "yellow"), "bad": ("✗", "x", "red")}
_NAMES = 14
"""Columns of the names of checks."""


@shared("store", "namespace", "llm", "embedder", "preset")
def doctor(
    common: Common,
    *,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure/--no-measure",
            show_default=False,
            help="Measure how fast the models are: ten seconds at the most.",
        ),
    ] = True,
) -> None:
    """Say what is in use, from where, how fast it is here, and what is missing.

    Settings come from an argument, else the environment, else the settings file; a language model also from what was
    pulled. Also checks the store for damage, and finishes deletions that another process held up. With a model behind an
    endpoint, measuring sends it one short request. Keys are never shown. Exits with 1 where something is broken.
    """
    from thinkback.app.cli.checkup import check_all
    from thinkback.config import origins, settings_file

    settings = settings_of(common)
    where = origins(
        file=common.config,
        namespace=common.namespace,
        llm=common.llm,
        embedder=common.embedder,
        preset=common.preset,
    )
    checks: list[Check] = []
    console = out()
    with waiting("looking around") as clock:
        for check in check_all(settings, where, common.store, measure=measure, file=common.config or settings_file()):
            checks.append(check)
            if not common.as_json:
                clock.hide()
                _print(console, check)
                clock.show("looking around")
    if common.as_json:
        emit({"checks": checks})
    if any(check.state == "bad" for check in checks):
        raise typer.Exit(FAILED)


def _print(console: Console, check: Check) -> None:
    from rich.text import Text

    fine, plain, style = _LOOKS[check.state]
    label = Text(f"{symbol(fine, plain)} ", style=style)
    label.append(check.name.ljust(_NAMES + 2), style="bold")
    text = Text(line(check.text))
    if check.origin:
        text.append(f"  [{check.origin}]", style="dim")
    say(console, text, hang=_NAMES + 4, label=label)
    if check.advice:
        for one in clean(check.advice).splitlines():
            say(console, one, indent=_NAMES + 4, hang=4, style="dim")
