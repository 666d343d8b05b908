"""Questions that users would have asked before: from templates, and from a model that is shown a title or one passage.

The method is that of Figure 13; templates and prompts are ours. A question never comes from a reference: where the abstract is
to be written, only title and body are looked at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from thinkback.bench.academiceval.leakage import find_leaks
from thinkback.bench.kit import PROMPTS
from thinkback.bench.requests import PRE_QUERIES
from thinkback.errors import BadReply, InvalidInput
from thinkback.ids import normalise
from thinkback.ports import Generator, Request
from thinkback.text.prompts import load_prompt

__all__ = ["TEMPLATES", "Asked", "QueryFormer", "Sources", "clean_questions", "from_templates"]

TEMPLATES = (
    *PRE_QUERIES,
    "What are the broader consequences of this work for its field?",
    "Which key methods are introduced, and what is each of them for?",
    "How many data sets or benchmarks are used, and which?",
    "What is meant by {term}?",
    "How does {term} work, step by step?",
    "Under which conditions does the approach fail or do worse than others?",
    "Which earlier findings does this work confirm, and which does it contradict?",
    "What would somebody need in order to repeat the experiments?",
)
"""Generic questions, the most general first; those with ``{term}`` are only asked where the title names one."""

_TEMPERATURE = 0.5
_MOST_TOKENS = 400
_CHUNK_WORDS = 250
_ROUNDS = 2
_LEAD = re.compile(r"^[\W\d_]*(?:(?:question|q)\s*\d*\s*[.:)-]\s*)?", re.IGNORECASE)
_FEWEST, _MOST = 4, 40  # words of a question
_TERM = re.compile(r"^([^\s:]{2,30}(?: [^\s:]{2,20})?):\s|(?<!^)\b([A-Z][a-z]*[A-Z][\w-]*|[A-Z]{3,}[\w-]*)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What questions may be made from."""

    title: str = ""
    """Empty where the title is what is to be written."""
    abstract: str = ""
    """Empty where the abstract is, or where it is that of several papers."""
    body: str = ""
    """Of which passages are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Questions, and what was lacking."""

    questions: tuple[str, ...]
    missing: int = 0
    """How many fewer there are than were asked for."""


def from_templates(title: str, count: int) -> tuple[str, ...]:
    """Return the first ``count`` templates that fit: with the term that the title names, where it names one."""
    found = _TERM.search(title)
    term = (found[1] or found[2]) if found else ""
    usable = [each.format(term=term) for each in TEMPLATES if term or "{term}" not in each]
    return tuple(usable[:count])


class QueryFormer:
    """Makes the questions of an item.

    Args:
        llm: the model; None: templates only.
        kind: ``templates``, ``model`` (five from the title, five from a passage), or ``both``.
        each: questions of each source.
        seed: of the model and of the drawing of passages.

    Raises:
        InvalidInput: a model is to be asked and there is none, or ``each`` is not positive.
    """

    def __init__(
        self,
        llm: Generator | None = None,
        *,
        kind: Literal["templates", "model", "both"] = "templates",
        each: int = 5,
        seed: int = 42,
    ) -> None:
        if llm is None and kind != "templates":
            raise InvalidInput("Questions are to be asked of a model, and there is none.")
        if each < 1:
            raise InvalidInput("At least one question of each kind must be asked for.")
        self._llm, self._kind, self._each, self._seed = llm, kind, each, seed

    def questions(self, item: str, sources: Sources, references: Sequence[str]) -> Asked:
        """Return an item's questions, templates first, each once; none has twelve words in a row of a reference.

        Args:
            item: the item's id; with the seed it decides which passage is drawn.
            sources: what may be looked at.
            references: what must not come out.

        Raises:
            ModelError: the model does not answer.
        """
        found: list[str] = []
        wanted = 0
        if self._kind != "model":
            templates = from_templates(sources.title, self._each)
            wanted += len(templates)
            found += templates
        if self._kind != "templates":
            for name, given in self._given(item, sources):
                wanted += self._each
                found += self._ask(name, given, found, references)
        safe = [each for each in found if not find_leaks(references, [("", each)])]
        return Asked(questions=tuple(safe), missing=wanted - len(safe))

    def _given(self, item: str, sources: Sources) -> list[tuple[str, str]]:
        given = []
        if sources.title or sources.abstract:
            lines = [
                f"Title: {sources.title}" if sources.title else "",
                f"Abstract: {sources.abstract}" if sources.abstract else "",
            ]
            given.append(("queries-title", "\n".join(line for line in lines if line)))
        if sources.body:
            given.append(("queries-chunk", _passage(sources.body, f"{self._seed}/{item}")))
        return given

    def _ask(self, name: str, given: str, before: Sequence[str], references: Sequence[str]) -> list[str]:
        assert self._llm is not None  # noqa: S101 - __init__ sees to it
        prompt = load_prompt(name, package=PROMPTS)
        found: list[str] = []
        for round_ in range(_ROUNDS):
            lacking = self._each - len(found)
            if not lacking:
                break
            request = Request(
                messages=prompt.fill(given=given, count=str(lacking)), max_tokens=_MOST_TOKENS, purpose="rewrite",
                temperature=_TEMPERATURE, seed=self._seed + round_,
            )  # fmt: skip
            try:
                reply = self._llm.generate(request).text
            except BadReply:
                continue
            fresh = clean_questions(reply, [*before, *found])
            found += [each for each in fresh if not find_leaks(references, [("", each)])][:lacking]
        return found


def clean_questions(reply: str, known: Sequence[str] = ()) -> list[str]:
    """Return the questions of a reply, one a line: without numbers and bullets, each once, and none that is known."""
    seen = {normalise(each) for each in known}
    found = []
    for line in reply.split("\n"):
        question = " ".join(_LEAD.sub("", line.strip()).strip("*\"\u201c\u201d' ").split())
        if not question.endswith("?") or not _FEWEST <= len(question.split()) <= _MOST:
            continue
        question = question[0].upper() + question[1:]
        if normalise(question) not in seen:
            seen.add(normalise(question))
            found.append(question)
    return found


def _passage(body: str, seed: str) -> str:
    """Return some 250 words of a text, from the beginning of a paragraph that is drawn."""
    paragraphs = [part for part in body.split("\n\n") if len(part.split()) >= 30] or [body]
    start = random.Random(seed).randrange(len(paragraphs))
    words: list[str] = []
    for part in paragraphs[start:]:
        words += part.split()
        if len(words) >= _CHUNK_WORDS:
            break
    return " ".join(words[:_CHUNK_WORDS])
