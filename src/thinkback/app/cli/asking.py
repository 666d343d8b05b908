"""``ask``: a question, its streamed answer, and what was remembered of it."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from thinkback.app.cli.naming import document_id
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, Inside, shared
from thinkback.app.cli.screen import emit, line, note
from thinkback.errors import InvalidInput

__all__ = ["ask"]


@shared("store", "namespace", "llm", "embedder", "preset")
def ask(
    common: Common,
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help="The question, quoted or not; - reads it from stdin.")
    ],
    *,
    inside: Inside = None,
    go_on: Annotated[
        bool, typer.Option("--continue", "-c", help="Follow up on the answer before; costs a second model call.")
    ] = False,
    remember: Annotated[
        bool,
        typer.Option(
            "--remember/--no-remember", show_default=False, help="Whether thoughts may be made of the answer."
        ),
    ] = True,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", metavar="N", help="Most items shown to the model.")
    ] = None,
) -> None:
    """Answer a question from documents and thoughts, and remember what was learned.

    Shows the answer as it comes, then the quoted places that it stands on, then what became of each note that was made of
    it: stored as a thought, linked to one that says the same, in conflict with another, or refused, and why.

    Exits with 3 and lists the ways to get a model where there is none; nothing is downloaded unasked.
    """
    asked = sys.stdin.read() if question == ["-"] else " ".join(question)
    if not asked.strip():
        raise InvalidInput("The question is empty.")
    with memory(common, need_llm=True, top_k=top_k) as engine:
        arguments: dict[str, Any] = {
            "remember": remember,
            "documents": [document_id(engine, one) for one in inside] if inside else None,
        }
        if go_on:
            last = engine.last_answer()
            if last is None:
                raise InvalidInput("There is no earlier answer to continue from in this namespace.")
            arguments["conversation"] = [(last.question, last.text)]
            if not common.as_json:
                note().print(f"Following up on: {line(last.question, 80)}", style="dim")
        if common.as_json:
            emit(engine.ask(asked, **arguments))
            return
        from thinkback.app.cli.answers import play

        with engine.ask(asked, stream=True, **arguments) as events:
            play(events)
        engine.wait()
