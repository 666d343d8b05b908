"""Do the words of the answer stand in what was shown? Says whether a reader could find it, not whether one did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thinkback.bench.metrics.qa import holds
from thinkback.bench.metrics.words import content_stems
from thinkback.bench.ports import Score, Scored, Shown
from thinkback.bench.records import Task

__all__ = ["AnswerWords", "repeats_answer"]

_CARRIED = 0.80
_DATED = "temporal"
"""LoCoMo's category of questions for a date: one stands in front of every turn, and any turn of the day would count."""


class AnswerWords:
    """1 where at least .80 of some reference's content words that are not in the question occur in the shown items, else 0.

    ``answer_words`` looks into all items; ``answer_words_gold`` only into those with a gold chunk among their roots, so that
    lucky words from elsewhere do not count. Summaries that stand on whole sessions make the second lenient.
    ``answer_words_new`` leaves out thoughts that repeat an answer: those born from a question that was answered the same. What
    they took of the context is not filled again, so it is a lower bound of what a memory without them would show.
    ``repeated_answer`` is 1 where such a thought was shown.
    """

    name = "answer_words"
    version = 2
    reads_items = True

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return answer_words, answer_words_gold, answer_words_new and repeated_answer, 0 or 1."""
        asked = content_stems(scored.task.query)
        wanted = [rest for each in scored.task.references if (rest := content_stems(each) - asked)]
        reason = ""
        if not scored.task.references:
            reason = "the task has no reference"
        elif not wanted:
            reason = "the references have no word that is not in the question"
        elif scored.task.category == _DATED:
            reason = "the answer is a date, and every item has one"
        if reason:
            names = ("answer_words", "answer_words_gold", "answer_words_new", "repeated_answer")
            return dict.fromkeys(names, Score(value=None, reason=reason))
        shown = scored.output.shown
        gold = set(scored.chunked.gold(scored.task.gold))
        new = [item for item in shown if not repeats_answer(item, scored.task)]
        return {
            "answer_words": _found(wanted, shown),
            "answer_words_gold": _found(wanted, [item for item in shown if gold & set(item.roots)])
            if gold
            else Score(value=None, reason="the task has no gold evidence"),
            "answer_words_new": _found(wanted, new),
            "repeated_answer": Score(value=float(len(new) < len(shown))),
        }


def repeats_answer(item: Shown, task: Task) -> bool:
    """Return whether a thought came from a question that was answered with one of the task's references.

    The reference must stand in that answer as whole words, after SQuAD's normalisation: for short references this leaves
    out too much rather than too little.
    """
    return any(holds(answer, reference) for answer in item.answers for reference in task.references)


def _found(wanted: Sequence[frozenset[str]], items: Iterable[Shown]) -> Score:
    there = frozenset().union(*(content_stems(item.text) for item in items))
    return Score(value=float(any(len(words & there) >= _CARRIED * len(words) for words in wanted)))
