"""How an answer looks: the streamed text, the places it stands on, what was remembered of it, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from thinkback.app.cli.naming import handle
from thinkback.app.cli.screen import joined, line, note, out, quantity, say, symbol
from thinkback.app.cli.typing_out import Typist, closing_line
from thinkback.app.cli.waiting import waiting

if TYPE_CHECKING:  # the engine imports numpy and pydantic, and rich is not needed for --json
    from rich.console import Console
    from rich.text import Text

    from thinkback.engine.events import Event
    from thinkback.types import Answer, Citation, Hit, Outcome, Usage

__all__ = ["KEPT", "MARKS", "cost", "play", "show_citations", "show_outcomes"]

MARKS = {
    "stored": ("✓", "+", "green"),
    "linked": ("=", "=", "cyan"),
    "conflict": ("≠", "!", "yellow"),
    "redundant": ("~", "~", "dim"),
    "abstained": ("·", "-", "dim"),
    "unsupported": ("✗", "x", "red"),
    "unreadable": ("✗", "x", "red"),
    "quarantined": ("⚠", "!", "yellow"),
    "over_budget": ("✗", "x", "yellow"),
    "error": ("✗", "x", "red"),
    "off": ("·", "-", "dim"),
}
"""Outcome status to its mark, the mark in ASCII, and its colour."""

KEPT = frozenset({"stored", "linked", "conflict"})
"""Outcomes by which the memory has learned something."""

_LONGEST_QUOTE = 400


def play(events: Iterable[Event], *, thoughts: bool = False) -> Answer:
    """Print the events of one answer as they come and return the finished answer.

    Args:
        events: of ``Engine.ask(..., stream=True)``.
        thoughts: also print the thoughts that were shown to the model.
    """
    from thinkback.engine.events import AnswerEvent, DoneEvent, OutcomeEvent, TextEvent

    typist = Typist()
    outcomes: list[Outcome] = []
    answer: Answer | None = None
    with waiting("reading and answering") as clock, closing_line(typist):
        for event in events:
            clock.hide()
            if isinstance(event, TextEvent):
                typist.write(event.text)
            elif isinstance(event, AnswerEvent):
                typist.finish()
                show_citations(event.answer)
                if thoughts:
                    _show_reused(_thoughts(event.answer.hits))
                if event.answer.hits and not event.answer.cached:
                    clock.show("thinking back: what is worth remembering")
            elif isinstance(event, OutcomeEvent):
                outcomes.append(event.outcome)
            elif isinstance(event, DoneEvent):
                answer = event.answer
    assert answer is not None  # noqa: S101 - a stream that does not raise ends with it
    if outcomes:
        out().print()
    show_outcomes(outcomes)
    _show_end(answer)
    return answer


def show_citations(answer: Answer) -> None:
    """Print where in raw text the answer stands."""
    console = out()
    for warning in answer.warnings:
        note().print(f"{symbol('⚠', '!')} {line(warning)}", style="yellow")
    if not answer.citations:
        return
    console.print()
    console.print("Sources", style="bold")
    for citation in answer.citations:
        _show_citation(console, citation)


def _show_citation(console: Console, citation: Citation) -> None:
    from rich.text import Text

    place = Text(f"[{citation.marker}] ", style="cyan")
    place.append(line(citation.title or citation.uri, 70), style="default")
    where = f"p. {citation.page}" if citation.page is not None else f"characters {citation.start:,} to {citation.end:,}"
    place.append(f", {where}", style="dim")
    if citation.via:
        place.append(f", through thought {handle(citation.via)}", style="dim")
    say(console, place, indent=2, hang=4)
    left, right = symbol("“", '"'), symbol("”", '"')
    quote = Text(f"{left}{line(citation.quote, _LONGEST_QUOTE)}{right}", style="italic")
    say(console, quote, indent=6)
    if citation.carries is False:
        say(
            console,
            f"{symbol('⚠', '!')} the quoted passage does not say this",
            indent=6,
            style="yellow",
        )


def _show_reused(hits: Sequence[Hit]) -> None:
    from rich.text import Text

    if not hits:
        return
    console = out()
    console.print()
    console.print("Thoughts reused", style="bold")
    for hit in hits:
        label = Text(f"{symbol('↺', '@')} {handle(hit.item.id)}", style="magenta")
        label.append(f"  {line(hit.item.text)}", style="default")
        say(console, label, indent=2, hang=2)


def show_outcomes(outcomes: Sequence[Outcome], *, kept: str = "Remembered", none: str = "Nothing remembered") -> None:
    """Print what became of each note, and why.

    Args:
        outcomes: one a note.
        kept: the heading where any was admitted.
        none: the heading where none was.
    """
    if not outcomes:
        return
    console = out()
    console.print(kept if any(one.status in KEPT for one in outcomes) else none, style="bold")
    for outcome in outcomes:
        say(console, _outcome(outcome), indent=2, hang=2)
        if outcome.text and (reason := _reason(outcome)):
            say(console, reason, indent=4, style="dim")


def _outcome(outcome: Outcome) -> Text:
    from rich.text import Text

    fine, plain, style = MARKS[outcome.status]
    made = Text(f"{symbol(fine, plain)} {outcome.status.replace('_', ' ')}", style=style)
    if outcome.thought_id:
        made.append(f" {handle(outcome.thought_id)}", style="dim")
    if outcome.text:
        made.append(f"  {line(outcome.text)}", style="default")
    elif reason := _reason(outcome):
        made.append(f"  {reason}", style="not bold dim")
    return made


def _reason(outcome: Outcome) -> str:
    """Return why, with the other thought that it is about."""
    reason = outcome.reason
    if outcome.other_id and outcome.other_id in reason:
        reason = reason.replace(outcome.other_id, handle(outcome.other_id))
    elif outcome.other_id and outcome.other_id != outcome.thought_id:
        reason = f"{reason} ({handle(outcome.other_id)})".strip()
    return line(reason)


def _show_end(answer: Answer) -> None:
    console = out()
    console.print()
    used = _thoughts(answer.hits)
    parts = [
        "kept answer, its evidence is unchanged" if answer.cached else "",
        f"{quantity(len(used), 'thought')} reused" if used else "",
        cost(answer.usage),
        f"{answer.dropped_markers} markers pointed nowhere" if answer.dropped_markers else "",
    ]
    say(console, joined(parts), style="dim")


def _thoughts(hits: Iterable[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.kind == "thought"]


def cost(usage: Usage) -> str:
    """Return tokens, calls, money and seconds in a few words."""
    parts = []
    sign = symbol("≈", "~") if usage.estimated else ""
    if usage.calls:
        parts.append(
            f"{sign}{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens in {quantity(usage.calls, 'call')}"
        )
    else:
        parts.append("no model call")
    if usage.embedded_tokens:
        parts.append(f"{sign}{usage.embedded_tokens:,} tokens embedded")
    if usage.cached_prompt_tokens * 10 > usage.prompt_tokens:
        parts.append(f"{usage.cached_prompt_tokens:,} read before")
    if usage.failed_calls:
        parts.append(f"{usage.failed_calls} failed")
    if usage.money:
        parts.append(f"costs {usage.money:.4f}")
    stages = [f"{name} {value:.1f}" for name, value in usage.seconds.items() if value >= 0.05]
    total = sum(usage.seconds.values())
    if total:
        parts.append(f"{total:.1f} s" + (f" ({', '.join(stages)})" if len(stages) > 1 else ""))
    return joined(parts)
