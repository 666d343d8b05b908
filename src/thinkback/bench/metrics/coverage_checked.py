"""Coverage of gold evidence as the product itself would vouch for it: a stricter third reading beside ``coverage``."""

from __future__ import annotations

from collections.abc import Mapping

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.metrics.coverage import carried_roots, overlap
from thinkback.bench.metrics.words import Rarities
from thinkback.bench.ports import Score, Scored, Shown
from thinkback.thought.support import supports
from thinkback.thought.words import sentences

__all__ = ["CheckedCoverage"]

_MADE = frozenset({"thought", "summary", "testimony"})
"""Kinds of items that a model worded; the others are text of their chunks."""


class CheckedCoverage:
    """Precision, recall and F1 of gold chunks among the roots that carry at least one sentence of what stands on them.

    Whether a chunk carries a sentence is said by the check of the product's admission (``thought.support.supports``, at its
    own threshold): the words, and every number, name and negation of the sentence. The direction is the other one than in
    ``coverage``, which asks how much of the chunk is in the item. For raw text the two are the same.
    """

    name = "coverage_checked"
    version = 1
    reads_items = True

    def __init__(self) -> None:
        self._carried: dict[tuple[str, str], bool] = {}
        self._rarities = Rarities()

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return coverage_checked_precision, _recall and _f1, each 0 to 1."""
        gold = set(scored.chunked.gold(scored.task.gold))
        if not gold:
            reason = "the task has no gold evidence" if not scored.task.gold else "no chunk holds the gold evidence"
            names = [f"coverage_checked_{part}" for part in ("precision", "recall", "f1")]
            return dict.fromkeys(names, Score(value=None, reason=reason))
        covered = {root for item in scored.output.shown for root in self._roots(item, scored.chunked)}
        return overlap("coverage_checked", gold, covered)

    def _roots(self, item: Shown, chunked: ChunkedCorpus) -> list[str]:
        if item.kind not in _MADE:
            return carried_roots(item, chunked, self._rarities.of(chunked))
        return [root for root in item.roots if root in chunked.by_id and self._carries(root, item.text, chunked)]

    def _carries(self, root: str, text: str, chunked: ChunkedCorpus) -> bool:
        piece = chunked.by_id[root]
        key = (piece.text, text)
        if key not in self._carried:
            claims = [text[each.start : each.end] for each in sentences(text)]
            self._carried[key] = any(supports(claim, piece.text, title=piece.title).ok for claim in claims)
        return self._carried[key]
