"""Did the system answer at all, and was it right to? Says nothing about whether an answer is right."""

from __future__ import annotations

from collections.abc import Mapping

from thinkback.bench.metrics.words import content_stems
from thinkback.bench.ports import Score, Scored
from thinkback.bench.records import Task
from thinkback.thought.confidence import is_abstention

__all__ = ["Answered", "has_no_answer"]

_WITHOUT_ANSWER = frozenset({"adversarial", "abstention"})
"""Categories of LoCoMo and LongMemEval whose questions the corpus does not answer."""
_GIVEN = 0.80


def has_no_answer(task: Task) -> bool:
    """Return whether the corpus holds no answer to a task, as far as the data set says so."""
    return task.category in _WITHOUT_ANSWER


class Answered:
    """Tells answers from texts that only say that there is none, in the sense of the product's own check.

    ``answered`` is 1 for the former. ``rightly_silent`` is 1 for the latter where the corpus holds no answer. ``misled`` is
    1 where such a question suggests a wrong answer and the text gives it: .80 of its content words that are not in the
    question, and no abstention.
    """

    name = "answered"
    version = 2

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return answered, rightly_silent and misled, 0 or 1, each for the questions it is meant for."""
        text = scored.output.text
        if scored.task.kind == "search":
            nothing = Score(value=None, reason="a search writes nothing")
            return dict.fromkeys(("answered", "rightly_silent", "misled"), nothing)
        silent = not text.strip() or is_abstention(text)
        if not has_no_answer(scored.task):
            answerable = Score(value=None, reason="the question has an answer")
            return {"answered": Score(value=float(not silent)), "rightly_silent": answerable, "misled": answerable}
        return {
            "answered": Score(value=None, reason="the question has no answer"),
            "rightly_silent": Score(value=float(silent)),
            "misled": _misled(scored, silent=silent),
        }


def _misled(scored: Scored, *, silent: bool) -> Score:
    suggested = content_stems(str(scored.task.metadata.get("adversarial_answer", "")))
    wanted = suggested - content_stems(scored.task.query)
    if not wanted:
        return Score(value=None, reason="the question suggests no wrong answer")
    given = len(wanted & content_stems(scored.output.text)) >= _GIVEN * len(wanted)
    return Score(value=float(given and not silent))
