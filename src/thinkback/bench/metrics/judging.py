"""A pass of its own: a language model as judge of pairs of answers, each pair shown in both orders.

The judge sees the request, the references and both answers, and gives each 1 to 100 points. What it says goes into the run's
folder as it comes, so that a pass that was stopped goes on; ``judged`` makes figures of it without a model. The paper's
judge sees one order only (its Figure 14); a preference for a place would go into its win rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator

from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import PROMPTS
from thinkback.bench.records import Dataset, Fault
from thinkback.errors import BadReply, InvalidInput, ModelError
from thinkback.ids import content_hash
from thinkback.llm.structured import parse, schema_of
from thinkback.ports import Generator, Progress, Request
from thinkback.text.prompts import Prompt, load_prompt, render_item
from thinkback.types import Record

__all__ = ["Answer", "Judgement", "Manner", "Pair", "judge", "pairs_of", "read_judgements", "text_key"]

Manner = Literal["strict", "lenient"]
_REPLY_TOKENS = 300
_TRIES = 2
_NO_ANSWER = "(empty)"
_PASSING = frozenset({"ModelError", "ModelUnavailable", "ModelTimeout", "RateLimited", "ModelDenied", "NoModel"})
"""Errors that say nothing of the pair: such judgements are tried again by the next pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Record):
    """What one system said."""

    system: str
    text: str
    error: str = ""
    """Why there is none; then the pair is not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(Record):
    """Two answers to one task."""

    task_id: str
    group: str
    """Its corpus, by which intervals are drawn."""
    query: str
    references: tuple[str, ...]
    one: Answer
    other: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(Record):
    """What a judge said of a pair in one order, or why it said nothing that counts."""

    task_id: str
    group: str
    one: str
    """Name of the system that is judged, in both orders the same."""
    other: str
    """Name of the system that it is compared with."""
    shown_first: Literal["one", "other"]
    manner: Manner
    prompt_hash: str
    model: str
    one_key: str
    """See ``text_key``: which text was judged."""
    other_key: str
    one_words: int
    other_words: int
    one_points: int | None = None
    """1 to 100, as ``other_points``; both None where the judge was not asked, or its reply could not be read."""
    other_points: int | None = None
    comment: str = ""
    fault: str = ""
    """Empty, or why there are no points: the pair is then counted as not judged, never as lost."""

    @property
    def same(self) -> bool:
        """Whether the two texts are the same: a tie that no judge need be asked about."""
        return self.one_key == self.other_key and not self.fault


def _points(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 100 or value != int(value):
        raise ValueError("not a whole number from 1 to 100")
    return int(value)


_Points = Annotated[int, BeforeValidator(_points)]


class _Reply(BaseModel):
    comment: str
    first: _Points
    second: _Points


def text_key(text: str) -> str:
    """Return a short hash of an answer, by which a judgement of another answer is told from one of this."""
    return content_hash(text.strip())[:24]


def pairs_of(dataset: Dataset, folder: RunFolder, one: str, other: str) -> list[Pair]:
    """Return the answers of two systems to the same tasks, in the order of the tasks.

    A task that either system has no prediction for has no pair; ``score`` names it as missing.

    Raises:
        InvalidInput: the run has no answers of a system.
    """
    said = {(each.system, each.task_id): each for each in folder.predictions()}
    for system in (one, other):
        if not any(system == name for name, _ in said):
            known = ", ".join(sorted({name for name, _ in said})) or "none"
            raise InvalidInput(f"The run has no answers of {system!r}; it has those of: {known}.")
    pairs = []
    for task in dataset.tasks:
        both = [said.get((system, task.id)) for system in (one, other)]
        answers = [
            Answer(system=each.system, text=each.output.text, error=each.error) for each in both if each is not None
        ]
        if len(answers) == 2:
            pairs.append(
                Pair(task_id=task.id, group=task.corpus_id, query=task.query, references=task.references,
                     one=answers[0], other=answers[1])
            )  # fmt: skip
    return pairs


def read_judgements(folder: RunFolder) -> list[Judgement]:
    """Return what judges said, of several judgements of the same texts in the same order by the same judge the last.

    Rows that are no judgements become faults of the folder.
    """
    found: dict[tuple[str, ...], Judgement] = {}
    for row in folder.judgements():
        try:
            one = _judgement(row)
        except (KeyError, TypeError, ValueError) as error:
            reason = f"not a judgement: {type(error).__name__}: {error}"
            folder.faults.append(Fault(where="judgements.jsonl", reason=reason))
            continue
        found[_identity(one)] = one
    return list(found.values())


def judge(
    pairs: Sequence[Pair],
    folder: RunFolder,
    llm: Generator,
    *,
    manner: Manner = "strict",
    seed: int = 42,
    progress: Progress | None = None,
) -> list[Judgement]:
    """Ask for both orders of each pair what the folder does not hold yet, and append it; return all judgements of the pairs.

    A reply that cannot be read is asked for once more with another seed, then written down as a fault. What failed for
    another reason (no connection) is asked again when the pass is called again. Pairs without a reference, or with an
    answer that failed, are not asked and written down with the reason; equal texts are a tie without being asked.

    Args:
        pairs: what to judge.
        folder: where judgements go, and which were made before.
        llm: the judge; keep its replies (``bench.calls``), and the pass replays.
        manner: how it is told to grade.
        seed: of the judge.
        progress: is told how far it is.
    """
    prompt = load_prompt(f"judge-{manner}", package=PROMPTS)
    known = {_identity(each): each for each in read_judgements(folder) if not _worth_another_try(each)}
    found = []
    for number, pair in enumerate(pairs, 1):
        for blank in _both_orders(pair, manner, prompt, llm.id):
            made = known.get(_identity(blank))
            if made is None:
                made = _asked(pair, blank, prompt, llm, seed)
                folder.add_judgement(made.to_dict())
            found.append(made)
        if progress is not None:
            progress("judge", number, len(pairs), f"{pair.one.system} and {pair.other.system}")
    return found


def _both_orders(pair: Pair, manner: Manner, prompt: Prompt, model: str) -> tuple[Judgement, Judgement]:
    """Return the pair's two judgements without points."""
    first = Judgement(
        task_id=pair.task_id, group=pair.group, one=pair.one.system, other=pair.other.system, shown_first="one",
        manner=manner, prompt_hash=prompt.hash, model=model, one_key=text_key(pair.one.text),
        other_key=text_key(pair.other.text), one_words=len(pair.one.text.split()),
        other_words=len(pair.other.text.split()),
    )  # fmt: skip
    return first, replace(first, shown_first="other")


def _asked(pair: Pair, blank: Judgement, prompt: Prompt, llm: Generator, seed: int) -> Judgement:
    """Return the judge's points for a pair in the order that ``blank`` names, or what was wrong."""
    reason = _not_to_be_judged(pair)
    if reason or blank.same:
        return replace(blank, fault=reason)
    texts = [pair.one.text, pair.other.text] if blank.shown_first == "one" else [pair.other.text, pair.one.text]
    messages = prompt.fill(
        question=pair.query,
        reference="\n\nor:\n".join(pair.references),
        answers="\n\n".join(render_item(number, text.strip() or _NO_ANSWER) for number, text in enumerate(texts, 1)),
    )
    fault = ""
    for attempt in range(_TRIES):
        request = Request(
            messages=messages, max_tokens=_REPLY_TOKENS, purpose="judge", seed=seed + attempt, schema=schema_of(_Reply)
        )
        try:
            reply = parse(llm.generate(request).text, _Reply)
        except BadReply as error:
            fault = f"{type(error).__name__}: {error.message}"
            continue
        except ModelError as error:
            return replace(blank, fault=f"{type(error).__name__}: {error.message}")
        points = (reply.first, reply.second) if blank.shown_first == "one" else (reply.second, reply.first)
        return replace(blank, one_points=points[0], other_points=points[1], comment=reply.comment)
    return replace(blank, fault=fault)


def _not_to_be_judged(pair: Pair) -> str:
    if not any(each.strip() for each in pair.references):
        return "the task has no reference"
    failed = [each.system for each in (pair.one, pair.other) if each.error]
    if failed:
        return f"no answer of {failed[0]}"
    return "" if pair.one.text.strip() or pair.other.text.strip() else "neither system wrote anything"


def _worth_another_try(judgement: Judgement) -> bool:
    return judgement.fault.partition(":")[0] in _PASSING


def _identity(judgement: Judgement) -> tuple[str, ...]:
    return (
        judgement.task_id, judgement.one, judgement.other, judgement.shown_first, judgement.manner,
        judgement.prompt_hash, judgement.model, judgement.one_key, judgement.other_key,
    )  # fmt: skip


def _judgement(row: Mapping[str, Any]) -> Judgement:
    made = Judgement(**{field.name: row[field.name] for field in fields(Judgement)})
    points = (made.one_points, made.other_points)
    if points != (None, None):
        made = replace(made, one_points=_points(points[0]), other_points=_points(points[1]))
    if made.shown_first not in {"one", "other"} or made.manner not in get_args(Manner):
        raise ValueError("no such order or manner")
    return made
