"""Learning from what others say (paper, Table 3 and Figure 4): rooted in a testimony, not in a chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from thinkback.engine.budget import Meter, on_account, tune
from thinkback.engine.parts import Parts
from thinkback.engine.remembering import Told, admit_atoms, count_outcomes, distilled, failed
from thinkback.engine.shown import Shown
from thinkback.errors import BudgetExceeded, ModelError, ThinkbackError
from thinkback.ports import Generator, Message, Request
from thinkback.thought.admit import Source
from thinkback.thought.confidence import is_abstention
from thinkback.thought.distil import notes_of
from thinkback.types import Atom, Outcome, Record, Root, Testimony, Trust, Usage

__all__ = ["Expert", "LearnReport", "learn", "learn_from"]

Expert: TypeAlias = Generator | Callable[[str], str]
"""A language model, or a function from a question to an answer."""

_EXPERT_TOKENS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnReport(Record):
    """What was learned from one answer."""

    source: str
    question: str
    answer: str
    testimony_id: str | None
    """None where nothing was admitted: then nothing is kept of it either."""
    outcomes: tuple[Outcome, ...]
    usage: Usage


def learn(
    parts: Parts,
    namespace: str,
    question: str,
    answer: str,
    *,
    source: str,
    trust: Trust,
    meter: Meter | None = None,
) -> LearnReport:
    """Admit what somebody else answered. Without a language model the answer's sentences are its notes."""
    meter = meter or Meter(parts, namespace)

    def report(outcomes: tuple[Outcome, ...], testimony_id: str | None = None) -> LearnReport:
        count_outcomes(parts, namespace, outcomes)
        return LearnReport(
            source=source,
            question=question,
            answer=answer,
            testimony_id=testimony_id,
            outcomes=outcomes,
            usage=meter.usage,
        )

    if is_abstention(answer):
        return report((Outcome(status="abstained", reason="the answer says that it cannot be answered"),))
    said = _testimony(parts, namespace, question, answer, source, trust)
    root = Source(
        kind="testimony", id=said.id, text=answer, level=1.0, trust=trust, roots=(Root(kind="testimony", id=said.id),)
    )
    told = Told(
        namespace=namespace,
        question=question,
        answer=answer,
        found=True,
        cited=(),
        shown=Shown.of_testimony(said, root),
        testimony=said,
    )
    try:
        tune(parts, namespace)
        parts = on_account(parts, meter)
        atoms: tuple[Atom, ...] | Outcome
        atoms = (
            distilled(parts, told, meter) if parts.llm is not None else notes_of(answer, most=parts.preset.max_atoms)
        )
        if isinstance(atoms, Outcome):
            return report((atoms,))
        outcomes = admit_atoms(parts, told, atoms, [root], meter)
    except ThinkbackError as error:
        return report((failed(error),))
    kept = any(outcome.thought_id for outcome in outcomes)
    return report(outcomes, said.id if kept else None)


def _testimony(parts: Parts, namespace: str, question: str, answer: str, source: str, trust: Trust) -> Testimony:
    return Testimony(
        id=parts.fresh_id("tst"),
        namespace=namespace,
        source=source,
        question=question,
        answer=answer,
        trust=trust,
        created_at=parts.clock(),
    )


def learn_from(
    parts: Parts, namespace: str, experts: Mapping[str, Expert], questions: Sequence[str], *, trust: Trust
) -> tuple[LearnReport, ...]:
    """Ask every expert every question and learn from the answers; an expert that fails is reported, not raised."""
    reports: list[LearnReport] = []
    for question in questions:
        for name, expert in experts.items():
            meter = Meter(parts, namespace)
            try:
                answer = _answer_of(expert, question, meter)
            except (ModelError, BudgetExceeded) as error:
                outcome = failed(error)
                reports.append(
                    LearnReport(
                        source=name,
                        question=question,
                        answer="",
                        testimony_id=None,
                        outcomes=(outcome,),
                        usage=meter.usage,
                    )
                )
                continue
            reports.append(learn(parts, namespace, question, answer, source=name, trust=trust, meter=meter))
    return tuple(reports)


def _answer_of(expert: Expert, question: str, meter: Meter) -> str:
    if callable(expert):
        return expert(question)
    request = Request(messages=(Message(role="user", content=question),), max_tokens=_EXPERT_TOKENS, purpose="expert")
    return meter.call(expert, request).text
