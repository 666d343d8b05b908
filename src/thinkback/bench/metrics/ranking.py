"""nDCG, recall, average precision and reciprocal rank of a ranking, by ir-measures (trec_eval's definitions)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinkback.bench.ports import Score, Scored
from thinkback.errors import MissingExtra

__all__ = ["Ranking"]

_NAMES = {"nDCG@10": "ndcg_10", "R@10": "recall_10", "R@100": "recall_100", "R@1000": "recall_1000", "AP": "map",
          "RR": "mrr"}  # fmt: skip


class Ranking:
    """Measures of ``Output.ranking`` by documents: a document ranks where its best chunk does.

    Documents that have no judgement count as not relevant, as is usual.
    """

    name = "ranking"
    version = 1

    def __init__(self) -> None:
        try:
            import ir_measures
        except ImportError:
            raise MissingExtra("Ranking measures", "bench") from None
        self._measures: Any = [ir_measures.parse_measure(name) for name in _NAMES]
        self._calculate: Any = ir_measures.calc_aggregate

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return ndcg_10, recall_10, recall_100, recall_1000, map and mrr, each 0 to 1."""
        relevant: dict[str, int] = {}
        for gold in scored.task.gold:
            relevant[gold.document_id] = max(gold.grade, relevant.get(gold.document_id, 0))
        reason = ""
        if scored.task.kind != "search":
            reason = "nothing was ranked: the task is not a search"
        elif not any(grade > 0 for grade in relevant.values()):
            reason = "the task has no relevant document"
        if reason:
            return dict.fromkeys(_NAMES.values(), Score(value=None, reason=reason))
        best: dict[str, float] = {}
        for place, (chunk_id, _) in enumerate(scored.output.ranking):
            piece = scored.chunked.by_id.get(chunk_id)
            if piece is not None:
                best.setdefault(piece.document_id, float(-place))  # order of the system, not ties of its scores
        found = self._calculate(self._measures, {"q": relevant}, {"q": best}) if best else {}
        return {
            ours: Score(value=float(found.get(measure, 0.0)))
            for measure, ours in zip(self._measures, _NAMES.values(), strict=True)
        }
