"""Retrieval interleaved with the sentences of a chain of thought: IRCoT.

Source: Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning for Knowledge-Intensive Multi-Step
Questions", ACL 2023, section 3: retrieve with the question; then, in turn, let the model write the next sentence of its
reasoning from what was retrieved so far, and retrieve with that sentence; until the sentence has "answer is", or for eight
sentences, or until so many paragraphs are collected that no more may be shown. What comes up again is not shown twice, and
where the chain ends early the rest of the allowance stays empty. The answer is written anew from the paragraphs, without the
chain. Their retriever is BM25, with 2 to 8 paragraphs a step and 15 in all; here a step adds at most four chunks
and at most a quarter of the allowance, which is as much of it, and the allowance takes the place of the 15.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import PROMPTS, Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.dense import Dense
from thinkback.bench.systems.flat import FlatSystem, as_shown
from thinkback.bench.systems.sparse import Bm25
from thinkback.errors import InvalidInput
from thinkback.text.prompts import load_prompt
from thinkback.text.sentences import sentences

__all__ = ["InterleavedRetrieval", "make_ircot"]

_MOST_STEPS = 8
_PER_STEP = 4
_SHARE = 4
"""A step takes at most one part in so many of the allowance."""
_STEP_TOKENS = 100
_ANSWERED = re.compile(r"\banswer is\b", re.IGNORECASE)


def make_ircot(kit: Kit, argument: str) -> InterleavedRetrieval:
    """Return IRCoT over BM25 (also without an argument), or over the run's embedder with "dense".

    Raises:
        InvalidInput: another argument, or a run without a model.
    """
    if argument not in {"", "bm25", "dense"}:
        raise InvalidInput(f"IRCoT retrieves by bm25 or dense, not by {argument!r}.")
    if argument == "dense":
        return InterleavedRetrieval(kit, Dense(kit), name="ircot:dense")
    return InterleavedRetrieval(kit, Bm25(kit), name="ircot")


class InterleavedRetrieval:
    """Collects chunks step by step, each found by the model's last sentence.

    Args:
        kit: what all systems share.
        retriever: finds chunks for a text.
        name: of the row.
        most_steps: sentences at most.

    Raises:
        InvalidInput: the run has no model.
    """

    def __init__(self, kit: Kit, retriever: FlatSystem, *, name: str, most_steps: int = _MOST_STEPS) -> None:
        if kit.llm is None:
            raise InvalidInput("IRCoT needs a model that reasons.")
        self.name = name
        self._kit = kit
        self._retriever = retriever
        self._most_steps = most_steps
        self._chunks = 0

    def reset(self) -> None:
        """Forget all chunks."""
        self._retriever.reset()
        self._chunks = 0

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Index the chunks."""
        self._retriever.ingest(chunked, pre_queries)
        self._chunks += len(chunked.pieces)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Collect, then write from what was collected.

        Raises:
            ModelError
        """
        shown, full = self._with_more((), query.text, allowance)
        thoughts: list[str] = []
        while self._chunks and not full and len(thoughts) < self._most_steps:
            thought = self._think(query, shown, thoughts, allowance)
            if not thought or thought in thoughts:  # the same sentence would find the same again
                break
            thoughts.append(thought)
            if _ANSWERED.search(thought):
                break
            shown, full = self._with_more(shown, thought, allowance)
        ranked = [each.id for each in shown] if query.kind == "search" else []
        ranking = tuple((key, float(len(ranked) - place)) for place, key in enumerate(ranked))
        answered = bool(thoughts) and bool(_ANSWERED.search(thoughts[-1]))
        details = {"steps": len(thoughts), "answered": answered}
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, ranking=ranking, details=details)

    def close(self) -> None:
        """Forget all chunks."""
        self._retriever.close()

    def _with_more(self, shown: tuple[Shown, ...], text: str, allowance: Allowance) -> tuple[tuple[Shown, ...], bool]:
        """Return what is shown with what is new of the text's best hits, and whether there was no room for any of that."""
        known = {each.id for each in shown}
        found = [
            as_shown(piece, score) for piece, score in self._retriever.rank(text, _PER_STEP) if piece.id not in known
        ]
        left = allowance.context_tokens - sum(self._kit.price(place, each.text) for place, each in enumerate(shown, 1))
        share = replace(allowance, context_tokens=min(allowance.context_tokens // _SHARE, left))
        # chunks larger than a step's share come one at a time
        fresh = self._kit.fit(found, share) or self._kit.fit(found, replace(allowance, context_tokens=left), limit=1)
        together = self._kit.fit((*shown, *fresh), allowance)
        return together, bool(found) and len(together) == len(shown)

    def _think(self, query: Query, shown: Sequence[Shown], thoughts: Sequence[str], allowance: Allowance) -> str:
        """Return the first sentence of what the model goes on with."""
        asked = replace(query, metadata={**query.metadata, "thoughts": "\n".join(thoughts) or "(none)"})
        step = replace(allowance, answer_tokens=_STEP_TOKENS)
        said = self._kit.ask(load_prompt("reason-step", package=PROMPTS), asked, shown, step).text
        return next((said[each.start : each.end] for each in sentences(said)), "")
