"""How much of the gold evidence stands in what was shown, in two readings that belong together.

*Structural* (the paper's, its equation 1): every root of a shown item counts as covered. *Supported*: a root counts only if
its content is in the item. Measured on LoCoMo, a packer that maximises the first reached .840 of it and .270 of the second,
so neither is ever given without the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.metrics.words import Rarities, word_recall
from thinkback.bench.ports import Score, Scored, Shown

__all__ = ["Coverage", "carried_roots", "overlap"]

_CARRIED = 0.20
"""Share of a chunk's words, by rarity, from which an item is taken to carry it: a proxy, which observations of LoCoMo meet
for .80 of their own turns and .07 of other turns of the session. It is blind to paraphrase and lenient to long items."""
_ROUNDING = 1e-9
_READINGS = ("structural", "supported")


class Coverage:
    """Precision, recall and F1 of gold chunks among the chunks that the shown items stand on.

    Raw text of chunks covers its chunk in both readings. Grades above 1 count as 1.
    """

    name = "coverage"
    version = 1
    reads_items = True

    def __init__(self) -> None:
        self._rarities = Rarities()

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return coverage_{structural,supported}_{precision,recall,f1}, each 0 to 1."""
        names = [f"coverage_{reading}_{part}" for reading in _READINGS for part in ("precision", "recall", "f1")]
        gold = set(scored.chunked.gold(scored.task.gold))
        if not gold:
            reason = "the task has no gold evidence" if not scored.task.gold else "no chunk holds the gold evidence"
            return dict.fromkeys(names, Score(value=None, reason=reason))
        found = {}
        for reading in _READINGS:
            covered = self._covered(scored.output.shown, scored.chunked, supported=reading == "supported")
            found.update(overlap(f"coverage_{reading}", gold, covered))
        return found

    def _covered(self, shown: Sequence[Shown], chunked: ChunkedCorpus, *, supported: bool) -> set[str]:
        if not supported:
            return {root for item in shown for root in item.roots}
        weights = self._rarities.of(chunked)
        return {root for item in shown for root in carried_roots(item, chunked, weights)}


def overlap(name: str, gold: AbstractSet[str], covered: AbstractSet[str]) -> dict[str, Score]:
    """Return NAME_precision, _recall and _f1 of covered among gold ids, the latter not empty; where none is covered, 0."""
    common = len(gold & covered)
    precision = common / len(covered) if covered else 0.0
    recall = common / len(gold)
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    return {
        f"{name}_precision": Score(value=precision), f"{name}_recall": Score(value=recall), f"{name}_f1": Score(value=f1),
    }  # fmt: skip


def carried_roots(item: Shown, chunked: ChunkedCorpus, weights: Mapping[str, float]) -> list[str]:
    """Return the roots of an item whose content is in its text, in the item's order.

    Args:
        item: what was shown.
        chunked: the chunks that roots name; a root that is none of them is never carried.
        weights: stem to weight, see ``words.rarity``.
    """
    if item.kind == "chunk":
        return list(item.roots)
    return [
        root
        for root in item.roots
        if root in chunked.by_id and word_recall(chunked.by_id[root].text, item.text, weights) >= _CARRIED - _ROUNDING
    ]
