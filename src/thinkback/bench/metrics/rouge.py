"""ROUGE of a text against its references: the paper's "F1" is the F-measure of ROUGE-L, stemmed; we call it ROUGE-L."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from thinkback.bench.ports import Score, Scored
from thinkback.errors import MissingExtra

__all__ = ["Rouge"]

_NAMES = {"rouge1": "rouge_1", "rouge2": "rouge_2", "rougeL": "rouge_l"}


@cache
def _scorer() -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise MissingExtra("ROUGE", "bench") from None
    return RougeScorer(list(_NAMES), use_stemmer=True)


class Rouge:
    """F-measures of ROUGE-1, -2 and -L (Lin, 2004) by the package rouge-score, with Porter's stemmer.

    Of several references the one with the highest F-measure counts, for each of the three alone.
    """

    name = "rouge"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return rouge_1, rouge_2 and rouge_l, each 0 to 1."""
        references = [each for each in scored.task.references if each.strip()]
        if not references:
            return dict.fromkeys(_NAMES.values(), Score(value=None, reason="the task has no reference"))
        found = _scorer().score_multi(references, scored.output.text)
        return {ours: Score(value=float(found[theirs].fmeasure)) for theirs, ours in _NAMES.items()}
