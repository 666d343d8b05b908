"""``demo``: five papers, a few questions of growing abstraction, a local model, and what it remembers of them."""

from __future__ import annotations

import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli.answers import KEPT, play
from thinkback.app.cli.failures import NO_MODEL
from thinkback.app.cli.opening import memory, settings_of
from thinkback.app.cli.options import Common, Yes, shared
from thinkback.app.cli.screen import emit, joined, line, note, out, prose_width, quantity, say, symbol, table
from thinkback.app.cli.waiting import adding
from thinkback.errors import ThinkbackError

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from rich.console import Console

    from thinkback.engine.face import Engine
    from thinkback.types import Answer

__all__ = ["demo"]

_MODEL = "qwen2.5-coder-1.5b-instruct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the sample's list."""

    text: str
    kind: str
    why: str


@shared("store", "namespace", "llm", "embedder", "preset")
def demo(
    common: Common,
    *,
    yes: Yes = False,
    questions: Annotated[
        int | None, typer.Option("--questions", metavar="N", help="Only the first N questions.")
    ] = None,
) -> None:
    """Ask a local model about five papers, and watch it remember.

    Adds five openly licensed papers and asks questions of growing abstraction. Watch which notes become thoughts, which
    are refused and why, and how later questions reuse them. The model is qwen2.5-coder-1.5b-instruct unless --llm names
    another; where it is not here it is fetched first (1.1 GB, Apache-2.0), after you agreed or gave --yes. The store is a
    temporary one unless --store is given.
    """
    chosen = replace(common, llm=common.llm or _MODEL)
    if not _model_is_here(chosen, yes=yes):
        raise typer.Exit(NO_MODEL)
    asked = _questions()[: max(questions, 1) if questions is not None else None]
    with _store(chosen) as kept, memory(kept, need_llm=True) as engine, _papers() as files:
        quiet = common.as_json
        if not quiet:
            _introduce(engine, len(asked))
        with adding() as progress:
            report = engine.add(files, progress=progress)
        if not quiet:
            chunks = sum(result.chunks for result in report)
            out().print(
                f"{symbol('✓', '+')} {quantity(len(report), 'paper')} added: {quantity(chunks, 'chunk')} in"
                f" {report.seconds:.1f} s, no model call"
            )
        answers = [_ask(engine, number, one, len(asked), quiet=quiet) for number, one in enumerate(asked, start=1)]
        thoughts = engine.get_all()
        if quiet:
            emit(
                {
                    "questions": [{"kind": q.kind, "answer": a} for q, a in zip(asked, answers, strict=True)],
                    "thoughts": thoughts,
                }
            )
            return
        _summary(asked, answers)
        _farewell(common, [thought.id for thought in thoughts])


def _model_is_here(common: Common, *, yes: bool) -> bool:
    """Fetch a catalogue model that is missing; say plainly what to do where that cannot be."""
    from thinkback.app.cli.models import fetch
    from thinkback.llm.catalogue import models

    wanted = {entry.name: entry for entry in models()}.get(common.llm or "")
    if wanted is None:
        return True
    try:
        path = fetch(wanted, settings_of(common).cache, yes=yes)
    except ThinkbackError as error:
        note().print(f"{symbol('✗', 'x')} {line(str(error))}", style="red")
        path = None
    if path is None:
        note().print(
            "The demo needs a language model. Run it again with --yes to fetch one, name a file that you have with"
            " --llm gguf:PATH, or an endpoint with --llm openai:MODEL and OPENAI_BASE_URL."
        )
    return path is not None


def _questions() -> list[Question]:
    text = (resources.files("thinkback") / "samples" / "questions.toml").read_text(encoding="utf-8")
    return [Question(text=one["text"], kind=one["kind"], why=one["why"]) for one in tomllib.loads(text)["question"]]


@contextmanager
def _papers() -> Iterator[list[str | Path]]:
    """Give the sample papers as files."""
    with resources.as_file(resources.files("thinkback") / "samples") as folder:
        yield sorted(path for path in folder.glob("*.md") if path.name != "README.md")


@contextmanager
def _store(common: Common) -> Iterator[Common]:
    if common.store is not None:
        yield common
        return
    with tempfile.TemporaryDirectory(prefix="thinkback-demo-") as folder:
        yield replace(common, store=str(Path(folder) / "memory.sqlite"))


def _introduce(engine: Engine, number: int) -> None:
    from rich.rule import Rule

    console = out()
    console.print(Rule("thinkback demo", characters=symbol("─", "-")), width=prose_width())
    say(
        console,
        f"Five papers, {quantity(number, 'question')}, one small model on this computer. It reads some 500 tokens at a time of"
        " the papers' 40,000. What it understands is checked against the text, kept as thoughts, and"
        " reused. A kept answer costs nothing.",
    )
    console.print(f"store {line(engine.stats().store.path)}", style="dim")
    console.print()


def _ask(engine: Engine, number: int, question: Question, total: int, *, quiet: bool) -> Answer:
    """Ask one question, showing everything unless ``quiet``."""
    if quiet:
        return engine.ask(question.text)
    from rich.rule import Rule

    console = out()
    console.print()
    title = f"{number} of {total}: {question.kind}"
    console.print(Rule(title, align="left", characters=symbol("─", "-"), style="cyan"), width=prose_width())
    say(console, question.text, style="bold")
    say(console, question.why, style="dim")
    console.print()
    with engine.ask(question.text, stream=True) as events:
        return play(events, thoughts=True)


def _summary(questions: Sequence[Question], answers: Sequence[Answer]) -> None:
    from rich.rule import Rule

    console = out()
    console.print()
    console.print(Rule("what happened", align="left", characters=symbol("─", "-")), width=prose_width())
    right = ["s", "tokens", "reused", "kept", "refused"]
    made = table("", "question", "answer", *right, right=["", *right], wide="question")
    for number, (question, answer) in enumerate(zip(questions, answers, strict=True), start=1):
        made.add_row(str(number), line(question.text), _verdict(answer), *_figures(answer))
    console.print(made, width=prose_width())
    _print_outcomes(console, answers)


def _verdict(answer: Answer) -> str:
    if answer.cached:
        return "kept answer"
    return quantity(len(answer.citations), "citation") if answer.found else "not in the papers"


def _figures(answer: Answer) -> tuple[str, ...]:
    kept = sum(outcome.status in KEPT for outcome in answer.outcomes)
    reused = sum(hit.kind == "thought" for hit in answer.hits)
    seconds = sum(answer.usage.seconds.values())
    return (
        f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}",
        f"{answer.usage.tokens:,}",
        str(reused),
        str(kept),
        str(len(answer.outcomes) - kept),
    )


def _print_outcomes(console: Console, answers: Sequence[Answer]) -> None:
    counts = Counter(outcome.status for answer in answers for outcome in answer.outcomes)
    seconds = sum(sum(answer.usage.seconds.values()) for answer in answers)
    tokens = sum(answer.usage.tokens for answer in answers)
    notes = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.most_common())
    console.print()
    parts = [f"notes: {notes}" if notes else "no notes", f"{tokens:,} tokens", f"{seconds / 60:.1f} minutes in all"]
    say(console, joined(parts), style="dim")


def _farewell(common: Common, thoughts: Sequence[str]) -> None:
    from thinkback.app.cli.naming import handle

    console = out()
    console.print()
    console.print("What to try next", style="bold")
    if common.store is None:
        console.print("  thinkback demo --store demo-store      the same, in a store that stays; then look into it:")
        store = "demo-store"
    else:
        store = common.store
    thought = handle(thoughts[0]) if thoughts and common.store is not None else "ID"
    for command, words in (
        (f"thinkback thoughts --store {store}", "what it has understood"),
        (f"thinkback why {thought} --store {store}", "what a thought stands on"),
        (f"thinkback ask --store {store} --continue 'And why?'", "go on asking"),
        ("thinkback add FOLDER && thinkback ask QUESTION", "your own documents"),
    ):
        console.print(f"  {command}", soft_wrap=True)
        console.print(f"      {words}", style="dim")
