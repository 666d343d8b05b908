"""Did the system answer at all? Says nothing about whether the answer is right."""

from __future__ import annotations

from collections.abc import Mapping

from thinkback.bench.ports import Score, Scored
from thinkback.thought.confidence import is_abstention

__all__ = ["Answered"]


class Answered:
    """Tells answers from texts that say they cannot answer.

    ``answered`` is 1 for the former; ``rightly_silent`` is 1 for the latter, where the corpus holds no answer (category
    "adversarial").
    """

    name = "answered"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return answered and rightly_silent, 0 or 1, each for the questions it is meant for."""
        silent = float(not scored.output.text.strip() or is_abstention(scored.output.text))
        unanswerable = scored.task.category == "adversarial"
        return {
            "answered": Score(value=None, reason="the question has no answer")
            if unanswerable
            else Score(value=1 - silent),
            "rightly_silent": Score(value=silent)
            if unanswerable
            else Score(value=None, reason="the question has an answer"),
        }
