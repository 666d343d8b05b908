"""nDCG, recall, average precision and reciprocal rank of a ranking, by ir-measures (trec_eval's definitions)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thinkback.bench.ports import Score, Scored
from thinkback.errors import MissingExtra

__all__ = ["Ranking"]

_NAMES = {"nDCG@10": "ndcg_10", "R@10": "recall_10", "R@100": "recall_100", "R@1000": "recall_1000", "AP": "map",
          "RR": "mrr"}  # fmt: skip
_CHUNKS = "chunk_"


class Ranking:
    """Measures of ``Output.ranking`` by documents, where a document ranks as its best chunk does, and by chunks.

    A chunk is relevant where it holds gold evidence (``ChunkedCorpus.gold``). What has no judgement counts as not relevant, as
    is usual. Gains of nDCG are the grades themselves, discounted by log2(1 + rank) (Järvelin and Kekäläinen, 2002).
    """

    name = "ranking"
    version = 2

    def __init__(self) -> None:
        try:
            import ir_measures
        except ImportError:
            raise MissingExtra("Ranking measures", "bench") from None
        self._measures: Any = [ir_measures.parse_measure(name) for name in _NAMES]
        self._calculate: Any = ir_measures.calc_aggregate

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return ndcg_10, recall_10, recall_100, recall_1000, map and mrr, and the same of chunks as chunk_..., each 0 to 1."""
        documents: dict[str, int] = {}
        for gold in scored.task.gold:
            documents[gold.document_id] = max(gold.grade, documents.get(gold.document_id, 0))
        chunks = scored.chunked.gold(scored.task.gold)
        reason = ""
        if scored.task.kind != "search" and not scored.output.ranking:
            reason = "nothing was ranked: the task is not a search"
        elif not any(grade > 0 for grade in documents.values()):
            reason = "the task has no relevant document"
        if reason:
            names = [f"{prefix}{name}" for prefix in ("", _CHUNKS) for name in _NAMES.values()]
            return dict.fromkeys(names, Score(value=None, reason=reason))
        ranked = {place: chunk_id for place, (chunk_id, _) in enumerate(scored.output.ranking)}
        known = {place: scored.chunked.by_id[key] for place, key in ranked.items() if key in scored.chunked.by_id}
        return {
            **self._measured("", documents, {place: piece.document_id for place, piece in known.items()}),
            **self._measured(_CHUNKS, chunks, {place: piece.id for place, piece in known.items()}),
        }

    def _measured(self, prefix: str, relevant: Mapping[str, int], ranked: Mapping[int, str]) -> dict[str, Score]:
        """Return the measures of a ranking: place to id, of which the first place of an id counts."""
        if not any(grade > 0 for grade in relevant.values()):
            reason = "no chunk holds the gold evidence"
            return {f"{prefix}{ours}": Score(value=None, reason=reason) for ours in _NAMES.values()}
        scores: dict[str, float] = {}
        for place, key in ranked.items():
            scores.setdefault(key, float(-place))  # the system's order; equal scores would be broken by the id
        found = self._calculate(self._measures, {"q": relevant}, {"q": scores}) if scores else {}
        return {
            f"{prefix}{ours}": Score(value=float(found.get(measure, 0.0)))
            for measure, ours in zip(self._measures, _NAMES.values(), strict=True)
        }
