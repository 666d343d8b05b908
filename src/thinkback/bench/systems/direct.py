"""Answers from what the model knows, without any source: "Response-direct" of the paper's Table 3.

The prompts of the other rows tell the model to use the items and nothing else, and to say so where these do not hold the
answer. Without items that would always be the answer, so this row alone has a prompt of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import PROMPTS, Kit, prompt_for
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.systems.flat import no_argument
from thinkback.text.prompts import load_prompt

__all__ = ["Direct", "make_direct"]

_GIVEN = ("title", "abstract")
"""What a request may come with; each is told where the prompt of the other rows tells it, and nowhere else."""


def make_direct(kit: Kit, argument: str) -> Direct:
    """Return answering without retrieval; it takes no argument."""
    no_argument("response-direct", argument)
    return Direct(kit)


class Direct:
    """Shows nothing. Has no text in a run without a model.

    Args:
        kit: what all systems share.
    """

    name = "response-direct"

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    def reset(self) -> None:
        """Do nothing: there is nothing to forget."""

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Read nothing."""

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Let the model write from what it knows.

        Raises:
            ModelError
        """
        if self._kit.llm is None or query.kind == "search":
            return Output(text="", shown=())
        own = prompt_for(query).user
        given = [
            f"{name.capitalize()}: {query.metadata.get(name, '')}\n" for name in _GIVEN if f"{{{{{name}}}}}" in own
        ]
        asked = replace(query, metadata={"given": "".join([*given, "\n"]) if given else ""})
        reply = self._kit.ask(load_prompt("direct", package=PROMPTS), asked, (), allowance)
        return Output(text=reply.text.strip(), shown=())

    def close(self) -> None:
        """Do nothing."""
