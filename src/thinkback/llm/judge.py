"""A language model as the judge of what words and cosines cannot tell: same claim or not, carried by a text or not.

The prompts are short and carry examples, for models of 1.5 billion parameters; they ask for the difference before the
verdict. Whatever cannot be read, and whatever the model says one way round and not the other, is left undecided.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from pydantic import BaseModel

from thinkback.errors import BudgetExceeded, ModelError
from thinkback.ids import normalise
from thinkback.llm.structured import parse, schema_of
from thinkback.ports import Claim, Generator, Message, Relation, Request

__all__ = ["GeneratorJudge"]

_REPLY_TOKENS: Final = 80
_WORD: Final = re.compile(r"\w+")
_SHORT: Final = 2
"""Words of a difference that a small model may overlook."""
_LONGEST: Final = 2000
"""Characters of a premise that are shown; notes and sentences are far shorter."""

T = TypeVar("T", bound=BaseModel)


class _Sameness(BaseModel):
    a: str
    b: str
    same: bool


class _Standing(BaseModel):
    point: str
    verdict: Literal["supported", "contradicted", "not mentioned"]


@dataclass(frozen=True, slots=True)
class _Example:
    shown: str
    reply: BaseModel


def _notes(left: str, right: str) -> str:
    return f"A: {left}\nB: {right}"


def _text_and_claim(premise: str, claim: str) -> str:
    return f"Text: {premise}\nClaim: {claim}"


_SAME_TASK: Final = """\
You compare two notes, A and B. They are the same only if they state the same fact in other words. Beware: B may use the \
same words and yet say something else: another person, thing, action, number, order or direction.
Write the point in which A might differ from B, as A has it and as B has it. Then say whether the notes are the same."""

# Balanced on purpose: as many notes that are alike in words and differ as notes that are unlike and agree, and the other
# way round. With examples that differed in one word only, the 1.5B model took whatever was rephrased for the same.
_SAME_EXAMPLES: Final = tuple(
    _Example(_notes(left, right), _Sameness(a=a, b=b, same=same))
    for left, right, a, b, same in (
        ("Tim bought the car from Ann.", "Tim purchased the car from Ann.", "bought it", "purchased it", True),
        ("Heat slows the reaction down.", "The reaction gets faster in the heat.", "slower", "faster", False),
        ("If it rains, the match is cancelled.", "The match does not take place when it rains.", "no match then", "no match then", True),
        ("The soup contains leeks.", "The soup contains carrots.", "leeks", "carrots", False),
        ("Ann is older than Tim.", "Tim is younger than Ann.", "Ann is the older one", "Ann is the older one", True),
        ("Dogs cost more to keep than cats.", "Keeping cats costs more than keeping dogs.", "dogs cost more", "cats cost more", False),
        ("Volunteers maintain the footpath.", "The footpath is maintained by volunteers.", "by volunteers", "by volunteers", True),
        ("Ann sold her car to Tim.", "Ann was sold a car by Tim.", "Ann is the seller", "Tim is the seller", False),
        ("The shop opens at nine.", "The shop closes at nine.", "opens", "closes", False),
        ("The road was widened before the school opened.", "After the school had opened, the road was widened.", "before", "after", False),
        ("The cat sleeps on the sofa.", "The cat is asleep on the couch.", "on the sofa", "on the couch", True),
        ("All rooms have a bath.", "Some of the rooms come with a bath.", "all", "some", False),
    )
)  # fmt: skip

_RELATION_TASK: Final = """\
You check whether a text supports a claim. Only the text counts, not what you know.
"supported": the text says so. "contradicted": the text says otherwise. "not mentioned": the text leaves it open.
First write what the text says on the point of the claim, or "nothing". Then give the verdict."""

_RELATION_EXAMPLES: Final = tuple(
    _Example(_text_and_claim(premise, claim), _Standing.model_validate({"point": point, "verdict": verdict}))
    for premise, claim, point, verdict in (
        ("We open at nine, on Sundays at eleven.", "The shop opens at eleven on Sundays.", "Sundays at eleven", "supported"),
        ("We open at nine, on Sundays at eleven.", "The shop opens at nine on Sundays.", "Sundays at eleven", "contradicted"),
        ("We open at nine, on Sundays at eleven.", "The shop sells bread.", "nothing", "not mentioned"),
        ("Ann has sold her car to Tim, who needs it for work.", "Ann bought Tim's car.", "Ann sold her car to Tim", "contradicted"),
        ("Ann has sold her car to Tim, who needs it for work.", "Tim got the car from Ann.", "Ann sold her car to Tim", "supported"),
        ("Ann has sold her car to Tim, who needs it for work.", "The car is ten years old.", "nothing", "not mentioned"),
    )
)  # fmt: skip


class GeneratorJudge:
    """Asks a language model.

    Args:
        generator: the model.
    """

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def __repr__(self) -> str:
        return f"GeneratorJudge({self._generator!r})"

    def same_claim(self, left: str, right: str) -> Claim:
        """Return whether two notes claim the same; symmetric.

        ``same`` and ``different`` only if the model says so both ways round. Two notes that are equal but for case and
        spaces are ``same`` without asking. Left ``undecided`` without asking are those of which one only adds words to
        the other, and those that have the same words in another order: small models overlook both (of 38 dev pairs that
        differ in one place, "only" was the one that Qwen2.5-Coder-1.5B missed; of 27 others, an exchange of roles). A
        model or budget that fails leaves it ``undecided``. So does a ``same`` of two notes that differ in one place by a
        word or two: of 81 such dev pairs that claim different things, Qwen2.5-Coder-1.5B took 11 for the same ("killed"
        and "murdered", "fell to" and "fell by"); of 5 that claim the same, 5.
        """
        if normalise(left) == normalise(right):
            return "same"
        if _only_adds_or_reorders(left, right):
            return "undecided"
        one, other = sorted((left, right))
        first = self._ask(_SAME_TASK, _SAME_EXAMPLES, _notes(one, other), _Sameness)
        if first is None:
            return "undecided"
        second = self._ask(_SAME_TASK, _SAME_EXAMPLES, _notes(other, one), _Sameness)
        if second is None or first.same != second.same:
            return "undecided"
        if first.same:
            return "undecided" if _differ_in_one_place(left, right) else "same"
        return "different"

    def relation(self, premise: str, claim: str) -> Relation:
        """Return how a claim stands to a text; ``neutral`` also where the model or the budget fails."""
        shown = _text_and_claim(premise[:_LONGEST], claim)
        said = self._ask(_RELATION_TASK, _RELATION_EXAMPLES, shown, _Standing)
        verdicts: dict[str, Relation] = {"supported": "entailed", "contradicted": "contradicted"}
        return "neutral" if said is None else verdicts.get(said.verdict, "neutral")

    def _ask(self, task: str, examples: Sequence[_Example], shown: str, form: type[T]) -> T | None:
        messages = [Message(role="system", content=task)]
        for example in examples:
            messages.append(Message(role="user", content=example.shown))
            messages.append(Message(role="assistant", content=json.dumps(example.reply.model_dump())))
        messages.append(Message(role="user", content=shown))
        request = Request(messages=tuple(messages), max_tokens=_REPLY_TOKENS, purpose="judge", schema=schema_of(form))
        try:
            return parse(self._generator.generate(request).text, form)
        except (ModelError, BudgetExceeded):
            return None


def _only_adds_or_reorders(left: str, right: str) -> bool:
    """Return whether all words of one note stand in the other in the same order, or all words of both in another."""
    one, other = sorted((_WORD.findall(normalise(note)) for note in (left, right)), key=len)
    if sorted(one) == sorted(other):
        return True
    rest = iter(other)
    return all(word in rest for word in one)  # each membership test reads on from the last


def _differ_in_one_place(left: str, right: str) -> bool:
    """Return whether two notes are equal but for one or two words in one place."""
    one, other = (_WORD.findall(normalise(note)) for note in (left, right))
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[same:][::-1], other[same:][::-1]
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return max(len(one), len(other)) - same <= _SHORT
