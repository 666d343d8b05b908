"""What all systems share, so that they differ in what they show the model and in nothing else: model, embedder, prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Query, Shown
from thinkback.ports import Embedder, Reply, Request
from thinkback.text.prompts import Prompt, load_prompt, render_item

__all__ = ["PROMPTS", "Kit", "prompt_for"]

PROMPTS = "thinkback.bench.prompts"
"""Where the bench's prompts lie."""
_BETWEEN = 2  # the blank line between two items
_LEAST_ITEM = 20
"""Tokens that hardly an item in its frame is below: when less is left, or more items were tried than would fill the
allowance at this size, nothing more is looked at."""
_LEAST_TRIED = 50
_CHARACTERS = 10
"""Per token, more than any text has on average: longer texts are skipped without counting."""


def prompt_for(query: Query) -> Prompt:
    """Return the prompt with which every system writes what is asked for."""
    return load_prompt(f"write-{query.kind.replace('_', '-')}", package=PROMPTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The collaborators of a run. Without a model systems retrieve and do not write."""

    embedder: Embedder
    llm: MeteredGenerator | None = None
    seed: int = 42

    def close(self) -> None:
        """Close model and embedder; calling it twice is fine."""
        if self.llm is not None:
            self.llm.shut()
        self.embedder.close()

    def count(self, text: str) -> int:
        """Return the number of tokens, under the model's tokenizer, or the embedder's where there is no model."""
        return self.llm.count(text) if self.llm is not None else self.embedder.count(text)

    def price(self, number: int, text: str) -> int:
        """Return the tokens that an item takes at a place, counted from 1.

        In a run with a model the frame counts that the prompt puts round it; without one only the text does, as in the
        measurements of evidence in the context that have no prompt.
        """
        if self.llm is None:
            return self.embedder.count(text)
        return self.llm.count(render_item(number, text)) + _BETWEEN

    def fit(self, ranked: Iterable[Shown], allowance: Allowance, *, limit: int | None = None) -> tuple[Shown, ...]:
        """Return the items that fit into the allowance: in rank order, skipping those that are too large for the rest.

        Args:
            ranked: best first.
            allowance: how much may be shown; an item costs its ``price``.
            limit: most items; None: as many as fit.
        """
        fitting: list[Shown] = []
        left = allowance.context_tokens
        for item in islice(ranked, max(_LEAST_TRIED, allowance.context_tokens // _LEAST_ITEM)):
            if left < _LEAST_ITEM or (limit is not None and len(fitting) >= limit):
                break
            if len(item.text) > _CHARACTERS * left:
                continue
            price = self.price(len(fitting) + 1, item.text)
            if price <= left:
                fitting.append(item)
                left -= price
        return tuple(fitting)

    def write(self, query: Query, shown: Sequence[Shown], allowance: Allowance) -> str:
        """Return what the model writes from the items; the empty text in a run without a model and for a search.

        Raises:
            ModelError
        """
        if self.llm is None or query.kind == "search":
            return ""
        return self.ask(prompt_for(query), query, shown, allowance).text.strip()

    def ask(self, prompt: Prompt, query: Query, shown: Sequence[Shown], allowance: Allowance) -> Reply:
        """Return the model's reply to a prompt with the slots ``items``, ``question`` and those of the query's metadata.

        Raises:
            ModelError
        """
        if self.llm is None:
            raise ValueError("There is no model in this run.")
        items = "\n\n".join(render_item(number, each.text) for number, each in enumerate(shown, 1))
        known = {"title": "", "abstract": "", **{name: str(value) for name, value in query.metadata.items()}}
        messages = prompt.fill(**{**known, "items": items or "(nothing was found)", "question": query.text})
        return self.llm.generate(
            Request(messages=messages, max_tokens=allowance.answer_tokens, purpose="answer", seed=self.seed)
        )
