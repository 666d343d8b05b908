"""A summary tree over clusters of chunks, built before any question: the paper's HRALM (Figure 1b, Table 14).

The paper compares itself to "hierarchical RALM" without naming one. Here it is RAPTOR (Sarthi et al., ICLR 2024): chunks are
clustered softly, a model summarises each cluster, the summaries are clustered and summarised again, until one is left; and
retrieval looks at all nodes alike ("collapsed tree", section 3), which the authors found better than walking down.
``mixtures`` says how clusters are found. Where the description leaves something open: a cluster that is too long for the
summariser is clustered once more, as in the authors' code, and halved in the order of the text if that does not part it;
a cluster of a single node gets no summary, the node itself goes up; and the last nodes, too few to be parted, become one
root, where the authors' code stops a layer below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.flat import DEEPEST, as_shown, best_first, no_argument
from thinkback.bench.systems.mixtures import clusters, halves
from thinkback.bench.systems.summaries import Summariser
from thinkback.types import FloatVector

__all__ = ["SummaryTree", "make_hralm"]

_SUMMARY_TOKENS = 200
_SUMMARISER_INPUT = 3_500
"""Tokens, as in the authors' code."""
_MOST_LAYERS = 5
"""Of summaries, as in the authors' code."""


def make_hralm(kit: Kit, argument: str) -> SummaryTree:
    """Return the summary tree; it takes no argument.

    Raises:
        InvalidInput: an argument, or a run without a model.
    """
    no_argument("hralm", argument)
    return SummaryTree(kit)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Node:
    shown: Shown
    vector: FloatVector


def _summary(number: int, text: str, group: Sequence[_Node]) -> Shown:
    roots = sorted({root for node in group for root in node.shown.roots})
    level = 1.0 + sum(node.shown.level for node in group) / len(group)
    return Shown(kind="summary", id=f"summary {number}", text=text, roots=tuple(roots), level=level)


class SummaryTree:
    """Retrieves among chunks and summaries of chunks.

    Args:
        kit: what all systems share; its seed is that of the clusters.
        summary_tokens: most tokens of a summary.
        most_layers: of summaries, one upon the other.

    Raises:
        InvalidInput: the run has no model.
    """

    name = "hralm"

    def __init__(self, kit: Kit, *, summary_tokens: int = _SUMMARY_TOKENS, most_layers: int = _MOST_LAYERS) -> None:
        self._kit = kit
        self._summariser = Summariser(kit, tokens=summary_tokens, most_input=_SUMMARISER_INPUT)
        self._most_layers = most_layers
        self.reset()

    def reset(self) -> None:
        """Forget all nodes."""
        self._nodes: list[_Node] = []
        self._layers = 0

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - built without questions
        """Build a tree over the chunks; a further corpus gets a tree of its own, searched together with the others.

        Raises:
            MissingExtra
            ModelError
        """
        pieces = chunked.pieces
        if not pieces:
            return
        vectors = self._kit.embedder.embed([piece.text for piece in pieces], kind="document")
        layer = [_Node(shown=as_shown(piece), vector=vector) for piece, vector in zip(pieces, vectors, strict=True)]
        self._nodes += layer
        for number in range(1, self._most_layers + 1):
            if len(layer) < 2:
                break
            written, alone = self._above(layer)
            if not written:
                break
            self._nodes += written
            self._layers = max(self._layers, number)
            layer = [*written, *alone]

    def _above(self, layer: Sequence[_Node]) -> tuple[list[_Node], list[_Node]]:
        """Return the summaries of a layer's clusters, and the nodes that are in none with another node."""
        rows = np.stack([node.vector for node in layer]).astype(np.float64)
        groups = [
            part
            for group in clusters(rows, seed=self._kit.seed)
            for part in self._parts([layer[place] for place in group], can_split=True)
            if len(part) > 1
        ]
        texts = [self._summariser.write([node.shown.text for node in group]) for group in groups]
        vectors = self._kit.embedder.embed(texts, kind="document")
        made = sum(node.shown.kind == "summary" for node in self._nodes)
        written = [
            _Node(shown=_summary(made + place, text, group), vector=vector)
            for place, (text, group, vector) in enumerate(zip(texts, groups, vectors, strict=True), 1)
        ]
        together = {node for group in groups for node in group}
        return written, [node for node in layer if node not in together]

    def _parts(self, group: Sequence[_Node], *, can_split: bool) -> Iterator[list[_Node]]:
        """Yield the group in parts that the summariser can read at once; a node that it cannot stands alone."""
        texts = [node.shown.text for node in group]
        if len(group) == 1 or self._summariser.price(texts) <= self._summariser.room:
            yield list(group)
            return
        if can_split:
            found = clusters(np.stack([node.vector for node in group]).astype(np.float64), seed=self._kit.seed)
            if len(found) > 1:
                for part in found:
                    # a part as large as the whole would be parted in the same way for ever
                    yield from self._parts([group[place] for place in part], can_split=len(part) < len(group))
                return
        at = halves([self._summariser.price([text]) for text in texts])
        for part_of in (group[:at], group[at:]):
            yield from self._parts(part_of, can_split=False)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Show the nearest nodes that fit, chunks and summaries alike, and write from them.

        Raises:
            ModelError
        """
        ranked = self._ranked(query.text)
        shown = self._kit.fit(ranked, allowance)
        chunks = [each for each in ranked if each.kind == "chunk"][:DEEPEST]
        ranking = tuple((each.id, each.score) for each in chunks) if query.kind == "search" else ()
        summaries = sum(node.shown.kind == "summary" for node in self._nodes)
        details = {
            "layers": self._layers, "summaries": summaries, "empty_summaries": self._summariser.empty,
            "shown_summaries": sum(each.kind == "summary" for each in shown),
        }  # fmt: skip
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, ranking=ranking, details=details)

    def _ranked(self, text: str) -> list[Shown]:
        if not self._nodes:
            return []
        vector = self._kit.embedder.embed([text], kind="query")[0]
        if not vector.any():
            return []
        scores = np.asarray(np.stack([node.vector for node in self._nodes]) @ vector, np.float64)
        order = best_first(scores, len(scores))
        return [replace(self._nodes[place].shown, score=float(scores[place])) for place in order]

    def close(self) -> None:
        """Forget all nodes."""
        self.reset()
