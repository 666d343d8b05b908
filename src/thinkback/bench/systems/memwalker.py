"""A summary tree of fixed fan-out that the model walks by itself: MemWalker (Table 12 of the paper).

Source: Chen et al., "Walking Down the Memory Maze: Beyond Context Limit through Interactive Reading", arXiv 2310.05029, 2023.
Reading (in ``ingest``, and metered there): consecutive chunks form segments, a model summarises each, then so many
neighbouring summaries at a time, until one is left. Asking: the model begins at the root. At an inner node it sees the
summaries of its parts and chooses one, or goes back; at a segment it sees the text and says that it suffices, or goes back.
It gives its reasons first. What it has seen on the way is its working memory, shown to it at each step, the oldest left out
first where it gets too long. A reply that names no possible action is asked for again, with another seed; after three in a
row the walk ends without a find, as in the paper.

Two things are otherwise than there. The answer is written from the segment and the working memory with the prompt of all
systems, not by the walker's own. And a walk that finds nothing, or takes too many steps, is answered from the working
memory instead of by "no answer", which would count for nothing where a text has to be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import PROMPTS, Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.flat import as_shown, no_argument
from thinkback.bench.systems.summaries import Summariser
from thinkback.bench.systems.window import shortened
from thinkback.errors import BadReply
from thinkback.llm.structured import parse, schema_of
from thinkback.ports import Request
from thinkback.text.prompts import load_prompt, render_item

__all__ = ["MemWalker", "make_memwalker"]

_SEGMENT_TOKENS = 1_000  # the paper: 1,000 or 1,200
_FAN_OUT = 8  # the paper: 5 or 8
_SUMMARY_TOKENS = 150
_SUMMARISER_INPUT = 3_500
_MOST_STEPS = 12
_TRIES = 3  # as in the paper
_STEP_TOKENS = 200


def make_memwalker(kit: Kit, argument: str) -> MemWalker:
    """Return the walker; it takes no argument.

    Raises:
        InvalidInput: an argument, or a run without a model.
    """
    no_argument("memwalker", argument)
    return MemWalker(kit)


class _Step(BaseModel):
    reasoning: str
    action: int


@dataclass(slots=True, kw_only=True, eq=False)
class _Node:
    """A summary of a segment (``pieces``) or of other nodes (``children``)."""

    shown: Shown
    pieces: Sequence[Piece] = ()
    children: Sequence[_Node] = ()
    parent: _Node | None = None


@dataclass(slots=True, kw_only=True)
class _Walk:
    """Where the walker is, and how it got there."""

    at: _Node
    memory: list[_Node] = field(default_factory=list)
    """Nodes seen, each once, in the order in which they were first seen."""
    steps: int = 0
    invalid: int = 0
    back: int = 0
    end: Literal["", "found", "gave up", "too long"] = ""


class MemWalker:
    """Walks from the root to the segment that it wants to answer from.

    Args:
        kit: what all systems share.
        segment_tokens: most tokens of a segment; it has at least one chunk, and never chunks of two documents.
        fan_out: most children of a node.
        summary_tokens: most tokens of a summary.
        most_steps: the walk ends after so many actions.

    Raises:
        InvalidInput: the run has no model.
    """

    name = "memwalker"

    def __init__(
        self,
        kit: Kit,
        *,
        segment_tokens: int = _SEGMENT_TOKENS,
        fan_out: int = _FAN_OUT,
        summary_tokens: int = _SUMMARY_TOKENS,
        most_steps: int = _MOST_STEPS,
    ) -> None:
        self._kit = kit
        self._summariser = Summariser(kit, tokens=summary_tokens, most_input=_SUMMARISER_INPUT)
        self._segment_tokens = segment_tokens
        self._fan_out = fan_out
        self._most_steps = most_steps
        self.reset()

    def reset(self) -> None:
        """Forget the tree."""
        self._root: _Node | None = None
        self._segments: list[_Node] = []
        self._made = 0

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - built without questions
        """Summarise the new segments, and build the tree above all of them anew.

        Raises:
            ModelError
        """
        self._segments += [self._segment(part) for part in self._cut(chunked.pieces)]
        layer = self._segments
        while len(layer) > 1:
            layer = [self._join(layer[at : at + self._fan_out]) for at in range(0, len(layer), self._fan_out)]
        self._root = layer[0] if layer else None

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Walk, then write from the segment that was found, and from the working memory as far as there is room.

        Raises:
            ModelError
        """
        if self._root is None:
            return Output(text=self._kit.write(query, (), allowance), shown=())
        walk = _Walk(at=self._root, memory=[self._root])
        while not walk.end:
            self._step(walk, query, allowance)
        pieces = walk.at.pieces if walk.end == "found" else ()
        nearest_first = [node.shown for node in reversed(walk.memory) if not (pieces and node is walk.at)]
        shown = self._kit.fit([*map(as_shown, pieces), *nearest_first], allowance)
        chunks = [each.id for each in shown if each.kind == "chunk"] if query.kind == "search" else []
        ranking = tuple((key, float(len(chunks) - place)) for place, key in enumerate(chunks))
        details = {
            "steps": walk.steps, "turned_back": walk.back, "invalid": walk.invalid, "end": walk.end,
            "nodes": self._made, "empty_summaries": self._summariser.empty,
        }  # fmt: skip
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, ranking=ranking, details=details)

    def close(self) -> None:
        """Forget the tree."""
        self.reset()

    # --- reading -------------------------------------------------------------------------------------------------
    def _cut(self, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
        """Yield runs of chunks of one document that are no longer than a segment."""
        run: list[Piece] = []
        length = 0
        for piece in pieces:
            tokens = self._kit.count(piece.text)
            if run and (length + tokens > self._segment_tokens or piece.document_id != run[0].document_id):
                yield run
                run, length = [], 0
            run.append(piece)
            length += tokens
        if run:
            yield run

    def _segment(self, pieces: Sequence[Piece]) -> _Node:
        text = self._summariser.write([piece.text for piece in pieces])
        return _Node(shown=self._summary(text, [as_shown(piece) for piece in pieces]), pieces=pieces)

    def _join(self, nodes: Sequence[_Node]) -> _Node:
        if len(nodes) == 1:
            return nodes[0]
        below = [node.shown for node in nodes]
        joined = _Node(
            shown=self._summary(self._summariser.write([each.text for each in below]), below), children=nodes
        )
        for node in nodes:
            node.parent = joined
        return joined

    def _summary(self, text: str, below: Sequence[Shown]) -> Shown:
        self._made += 1
        roots = sorted({root for each in below for root in each.roots})
        level = 1.0 + sum(each.level for each in below) / len(below)
        return Shown(kind="summary", id=f"summary {self._made}", text=text, roots=tuple(roots), level=level)

    # --- walking -------------------------------------------------------------------------------------------------
    def _step(self, walk: _Walk, query: Query, allowance: Allowance) -> None:
        """Take one action, or end the walk."""
        node = walk.at
        if node.pieces and node.parent is None:  # the whole text is one segment: there is nothing to choose
            walk.end = "found"
            return
        action = self._ask(walk, self._request(walk, query, allowance))
        if action is None:
            walk.end = "gave up"
            return
        walk.steps += 1
        if action == 0 and node.parent is not None:
            walk.at = node.parent
            walk.back += 1
        elif node.pieces:
            walk.end = "found"
            return
        else:
            walk.at = node.children[action - 1]
            if walk.at not in walk.memory:
                walk.memory.append(walk.at)
        if walk.steps >= self._most_steps:
            walk.end = "too long"

    def _ask(self, walk: _Walk, request: Request) -> int | None:
        """Return a possible action: 0 to go back, or the number of an item; None where three replies had none."""
        assert self._kit.llm is not None  # noqa: S101 - the summariser has refused such a kit
        last = 1 if walk.at.pieces else len(walk.at.children)
        first = 1 if walk.at.parent is None else 0
        for attempt in range(_TRIES):
            again = replace(request, seed=request.seed + attempt, temperature=0.7 if attempt else 0.0)
            try:
                action = parse(self._kit.llm.generate(again).text, _Step).action
            except BadReply:
                action = -1
            if first <= action <= last:
                return action
            walk.invalid += 1
        return None

    def _request(self, walk: _Walk, query: Query, allowance: Allowance) -> Request:
        """Return what the model is asked at a node; items and memory together stay within the allowance."""
        node, tokens = walk.at, allowance.context_tokens
        if node.pieces:
            items = [each.text for each in self._kit.fit(map(as_shown, node.pieces), allowance)]
            prompt, back = load_prompt("walk-read", package=PROMPTS), ""
        else:
            each = max(1, tokens // len(node.children) - self._kit.price(len(node.children), ""))
            items = [shortened(child.shown.text, each, self._kit.count) for child in node.children]
            prompt = load_prompt("walk-choose", package=PROMPTS)
            back = (
                "Choose one in any case."
                if node.parent is None
                else "If none of them can lead there, give 0 to go back."
            )
        left = tokens - sum(self._kit.price(number, item) for number, item in enumerate(items, 1))
        shown_now = [node, *node.children]
        memory = self._remembered([each.shown.text for each in walk.memory if each not in shown_now], left)
        messages = prompt.fill(
            items="\n\n".join(render_item(number, item) for number, item in enumerate(items, 1)),
            memory=memory or "(none)", back=back, question=query.text,
        )  # fmt: skip
        return Request(
            messages=messages, max_tokens=_STEP_TOKENS, seed=self._kit.seed, schema=schema_of(_Step), purpose="answer"
        )

    def _remembered(self, texts: Sequence[str], tokens: int) -> str:
        """Return the newest of the texts that fit, in their order."""
        kept: list[str] = []
        for text in reversed(texts):
            line = f"- {text}"
            tokens -= self._kit.count(line) + 1
            if tokens < 0:
                break
            kept.insert(0, line)
        return "\n".join(kept)
