"""``learn``: what somebody else answered, as a thought rooted in their testimony."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from thinkback.app.cli.answers import KEPT, cost, show_outcomes
from thinkback.app.cli.failures import FAILED
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import emit, out
from thinkback.app.cli.waiting import waiting

__all__ = ["learn"]


@shared("store", "namespace", "llm", "embedder", "preset")
def learn(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What was asked.")],
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="What they answered; - reads it from stdin.")],
    *,
    source: Annotated[str, typer.Option("--source", metavar="WHO", help="Who said it: a model, a person, a page.")],
    trust: Annotated[str, typer.Option("--trust", metavar="LABEL", help="untrusted, normal or trusted.")] = "untrusted",
) -> None:
    """Remember what somebody else answered.

    The answer passes the same gates as our own: abstentions, copies and text that tries to steer the model are refused.
    What is kept stands on the testimony of WHO, is marked as such wherever it is shown, and goes when that is deleted.
    Exits with 1 where nothing was kept.
    """
    from thinkback.engine.parts import check_trust

    said = sys.stdin.read() if answer == "-" else answer
    with memory(common, use_llm=True) as engine, waiting("reading the answer"):
        report = engine.learn(question, said, source=source, trust=check_trust(trust))
    if common.as_json:
        emit(report)
    else:
        show_outcomes(report.outcomes)
        out().print(f"\n{cost(report.usage)}", style="dim")
    if report.testimony_id is None and not any(one.status in KEPT for one in report.outcomes):
        raise typer.Exit(FAILED)
