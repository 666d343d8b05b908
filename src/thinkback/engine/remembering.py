"""After the answer: distil into atoms, ground them, compare them with what is known, write in one short transaction.

Fails closed: whatever goes wrong leaves an outcome with its reason, and no thought. The answer has been delivered by then,
so no error of this stage reaches the caller as an exception.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from thinkback.engine.budget import Meter, Metered
from thinkback.engine.parts import Parts
from thinkback.engine.retrieving import describe
from thinkback.engine.shown import Shown
from thinkback.engine.standing import live_ways
from thinkback.engine.writing import Candidate, Question, write_candidates
from thinkback.errors import BadReply, BudgetExceeded, StoreError, ThinkbackError
from thinkback.llm.judge import GeneratorJudge
from thinkback.llm.structured import parse, schema_of
from thinkback.ports import Generator, Judge, Message, Request
from thinkback.text.prompts import load_prompt, render_item
from thinkback.thought.admit import Grounded, Refusal, Source, ground, ground_in_all, one_sentence
from thinkback.thought.confidence import is_abstention, is_hypothetical
from thinkback.thought.distil import AtomsReply, SummaryReply, clean_atoms
from thinkback.thought.support import idf_of
from thinkback.types import Atom, Outcome, Testimony

__all__ = ["Told", "admit_atoms", "count_outcomes", "distilled", "failed", "remember"]

Form = TypeVar("Form", AtomsReply, SummaryReply)

_log = logging.getLogger(__name__)
_DISTIL_TOKENS = 700
_TOKENS_AN_ATOM = 70
_PROMPT_OF = {"atoms": "distil-atoms", "summary": "distil-summary", "off": "distil-atoms"}
_MARKERS_OF_REFUSAL = ("idk", "Step 1")  # the released script looks for these in the verifying reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A question and the answer to it, with what the answer could draw on."""

    namespace: str
    question: str
    answer: str
    found: bool
    cited: tuple[str, ...]
    """Ids of the shown items that the answer cites; they are shown to a model with a small window alone."""
    shown: Shown
    also_shown: tuple[str, ...] = ()
    """Raw items that the question itself draws on: those below the answers of its conversation."""
    quotes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What the model quoted of shown items before it answered, by item id."""
    testimony: Testimony | None = None
    """Written with the first thought that stands on it, and not at all if none does."""


def remember(parts: Parts, told: Told, meter: Meter) -> tuple[Outcome, ...]:
    """Return what became of each atom of an answer; at least one outcome, and never an exception of ours."""
    outcomes = _remember(parts, told, meter)
    count_outcomes(parts, told.namespace, outcomes)
    return outcomes


def count_outcomes(parts: Parts, namespace: str, outcomes: Sequence[Outcome]) -> None:
    """Record the outcomes for ``stats``; a store that cannot be written does not undo what was answered."""
    try:
        with parts.store.write() as writer:
            writer.add_outcomes(namespace, [outcome.status for outcome in outcomes])
    except StoreError as error:
        _log.warning("outcomes were not counted: %s", type(error).__name__)


def _remember(parts: Parts, told: Told, meter: Meter) -> tuple[Outcome, ...]:
    preset = parts.preset
    if preset.distil == "off":
        return (Outcome(status="off", reason="remembering is switched off"),)
    if preset.confidence == "model_and_measured":
        if not told.found or is_abstention(told.answer):
            return (Outcome(status="abstained", reason="the answer says that it cannot be answered"),)
        if is_hypothetical(told.question):
            return (Outcome(status="unsupported", reason="the question is hypothetical: its answer is no fact"),)
    try:
        atoms = distilled(parts, told, meter)
        if isinstance(atoms, Outcome):
            return (atoms,)
        return admit_atoms(parts, told, atoms, told.shown.sources, meter)
    except ThinkbackError as error:
        return (failed(error),)


def failed(error: ThinkbackError) -> Outcome:
    """Return the outcome that an error of ours leaves."""
    if isinstance(error, BudgetExceeded):
        return Outcome(status="over_budget", reason=error.message)
    if isinstance(error, BadReply):
        return Outcome(status="unreadable", reason=error.message)
    _log.warning("remembering failed: %s", type(error).__name__)
    return Outcome(status="error", reason=error.message)


def distilled(parts: Parts, told: Told, meter: Meter) -> tuple[Atom, ...] | Outcome:
    """Return the atoms of an answer by the preset's way of distilling, or the outcome that ends it.

    Raises:
        BadReply, ModelError, BudgetExceeded
    """
    if parts.preset.confidence == "marker":
        return _passage_of_the_script(parts, told, meter)
    if parts.preset.distil == "summary":
        return _summary(parts, told, meter)
    return _atoms(parts, told, meter)


def _atoms(parts: Parts, told: Told, meter: Meter) -> tuple[Atom, ...] | Outcome:
    llm, most = parts.model(), parts.preset.max_atoms
    numbers = _numbers_to_show(llm, told)
    labels = [describe(hit) for hit in told.shown.hits] or ["" for _ in told.shown.sources]
    items = "\n\n".join(
        render_item(position, told.shown.texts[number], labels[number], trust=told.shown.sources[number].trust)
        for position, number in enumerate(numbers, start=1)
    )
    messages = load_prompt("distil-atoms").fill(items=items, question=told.question, answer=told.answer, most=str(most))
    request = Request(
        messages=messages,
        max_tokens=min(_DISTIL_TOKENS, _TOKENS_AN_ATOM * (most + 1)),
        purpose="distil",
        schema=schema_of(AtomsReply),
    )
    reply = _ask_twice(parts, request, AtomsReply, meter)
    if not reply.valid:
        return Outcome(status="abstained", reason="the model does not take the answer for one")
    atoms = clean_atoms(reply, shown=len(numbers), most=most)
    if not atoms:
        return Outcome(status="unreadable", reason="the model named no note")
    return tuple(
        replace(atom, item_numbers=tuple(numbers[number - 1] + 1 for number in atom.item_numbers)) for atom in atoms
    )


def _numbers_to_show(llm: Generator, told: Told) -> list[int]:
    """Return which hits, from 0, the distilling call is shown: a small model the cited ones, if there are any."""
    everything = list(range(len(told.shown.sources)))
    cited = [number for number in everything if told.shown.sources[number].id in told.cited]
    return cited if llm.traits.evidence_first and cited else everything


def _summary(parts: Parts, told: Told, meter: Meter) -> tuple[Atom, ...] | Outcome:
    messages = load_prompt("distil-summary").fill(question=told.question, answer=told.answer)
    request = Request(messages=messages, max_tokens=_DISTIL_TOKENS, purpose="distil", schema=schema_of(SummaryReply))
    reply = _ask_twice(parts, request, SummaryReply, meter)
    if not reply.valid or not reply.thought.strip():
        return Outcome(status="abstained", reason="the model does not take the answer for one")
    return (Atom(text=reply.thought.strip(), item_numbers=()),)


def _passage_of_the_script(parts: Parts, told: Told, meter: Meter) -> tuple[Atom, ...] | Outcome:
    """Do as the released script: one call verifies and is only a gate, another writes the stored text."""
    llm = parts.model()
    values = {"question": told.question, "answer": told.answer}

    def said(messages: tuple[Message, ...]) -> str:
        return meter.call(llm, Request(messages=messages, max_tokens=_DISTIL_TOKENS, purpose="distil")).text.strip()

    verdict = said(load_prompt("distil-verify").fill(**values))
    if any(marker in verdict for marker in _MARKERS_OF_REFUSAL):
        return Outcome(status="abstained", reason="the verifying reply says idk")
    passage = said(load_prompt("distil-passage").fill(**values))
    if not passage:
        return Outcome(status="unreadable", reason="the model's passage is empty")
    return (Atom(text=passage, item_numbers=()),)


def _ask_twice(parts: Parts, request: Request, form: type[Form], meter: Meter) -> Form:
    """Return the reply in its form; a bad one is asked for once more, told what was wrong.

    Raises:
        BadReply: twice bad.
    """
    llm = parts.model()
    try:
        return parse(meter.call(llm, request).text, form)
    except BadReply as error:
        reminder = Message(
            role="user", content=f"That was not readable: {error.message} Reply with the JSON object only."
        )
        again = replace(request, messages=(*request.messages, reminder), max_tokens=request.max_tokens * 2)
        return parse(meter.call(llm, again).text, form)


def admit_atoms(
    parts: Parts, told: Told, atoms: Sequence[Atom], sources: Sequence[Source], meter: Meter
) -> tuple[Outcome, ...]:
    """Ground the atoms and write those that stand; return an outcome per atom, in order.

    An overview stands on the atoms before it, not on the items: it is grounded after they are written.
    """
    question = Question(
        namespace=told.namespace,
        question=told.question,
        answer=told.answer,
        shown=tuple(sorted({root.id for source in sources for root in source.roots} | {*told.also_shown})),
        model=parts.llm.id if parts.llm else "",
        prompt_hash=load_prompt(_PROMPT_OF[parts.preset.distil]).hash if parts.llm else "",
        testimony=told.testimony,
    )
    judge = _judge(parts, meter)
    plain = [atom for atom in atoms if not atom.overview]
    outcomes = _admit(parts, question, plain, sources, judge, told.quotes)
    overviews = [atom for atom in atoms if atom.overview]
    if overviews:
        try:  # what was written before stands, and is reported
            outcomes.extend(_admit_overviews(parts, replace(question, testimony=None), overviews, outcomes, judge))
        except ThinkbackError as error:
            outcomes.append(failed(error))
    return tuple(outcomes)


def _judge(parts: Parts, meter: Meter) -> Judge | None:
    """Return who decides what the guard cannot: a judge that was given, or the language model within the budgets."""
    if parts.judge is not None or parts.llm is None or not parts.preset.model_judges:
        return parts.judge
    return GeneratorJudge(Metered(parts.llm, meter))


def _admit(
    parts: Parts,
    question: Question,
    atoms: Sequence[Atom],
    sources: Sequence[Source],
    judge: Judge | None,
    quotes: Mapping[str, Sequence[str]],
) -> list[Outcome]:
    preset = parts.preset
    asked = question.question if question.testimony is None else ""  # who answers need not repeat the question
    idf = idf_of([source.text for source in sources])
    outcomes: list[Outcome | None] = []
    candidates: list[Candidate] = []
    places: list[int] = []
    for atom in atoms:
        grounded: Grounded | Refusal
        if preset.sources == "context":
            grounded = ground_in_all(atom.text, sources)
        else:
            grounded = ground(atom, sources, threshold=preset.support, idf=idf, question=asked, quotes=quotes)
        if isinstance(grounded, Refusal):
            outcomes.append(
                Outcome(status=grounded.status, reason=grounded.reason, text=atom.text, support=grounded.score)
            )
            continue
        places.append(len(outcomes))
        outcomes.append(None)
        candidates.append(Candidate(grounded=grounded, confidence=atom.confidence))
    for place, outcome in zip(places, write_candidates(parts, question, candidates, judge), strict=True):
        outcomes[place] = outcome
    return [outcome for outcome in outcomes if outcome is not None]


def _admit_overviews(
    parts: Parts, question: Question, overviews: Sequence[Atom], plain: Sequence[Outcome], judge: Judge | None
) -> list[Outcome]:
    """Ground overviews in the thoughts that their sister atoms became: an overview of nothing admitted is refused."""
    ids = list(dict.fromkeys(outcome.thought_id for outcome in plain if outcome.thought_id))
    with parts.store.read() as reader:
        thoughts = reader.items(question.namespace, ids)
        ways = live_ways(reader, question.namespace, reader.derivations(question.namespace, ids))
    sources = [
        Source(
            kind="thought",
            id=item.id,
            text=item.text,
            level=getattr(item, "level", 1.0),
            trust=item.trust,
            roots=tuple(dict.fromkeys(root for way in ways.get(item.id, ()) for root in way.roots)),
        )
        for item in thoughts
    ]
    sources = [source for source in sources if source.trust != "untrusted"] or sources
    outcomes: list[Outcome] = []
    for atom in overviews:
        if len(sources) < 2:
            outcomes.append(Outcome(status="unsupported", reason="fewer than two notes stand below it", text=atom.text))
            continue
        whole = ground(
            Atom(text=atom.text, item_numbers=(1,)),
            [replace(sources[0], text=one_sentence([source.text for source in sources]))],
            threshold=parts.preset.support,
            idf=idf_of([source.text for source in sources]),
        )
        if isinstance(whole, Refusal):
            outcomes.append(Outcome(status=whole.status, reason=whole.reason, text=atom.text, support=whole.score))
            continue
        over_all = ground_in_all(atom.text, sources)
        if isinstance(over_all, Refusal):
            outcomes.append(Outcome(status=over_all.status, reason=over_all.reason, text=atom.text))
            continue
        outcomes.extend(
            write_candidates(parts, question, [Candidate(grounded=over_all, confidence=atom.confidence)], judge)
        )
    return outcomes
