"""Do the words of the answer stand in what was shown? Says whether a reader could find it, not whether one did."""

from __future__ import annotations

from collections.abc import Mapping

from thinkback.bench.metrics.words import content_stems
from thinkback.bench.ports import Score, Scored

__all__ = ["AnswerWords"]

_CARRIED = 0.80


class AnswerWords:
    """1 where at least .80 of some reference's content words that are not in the question occur in the shown items, else 0.

    ``answer_words`` looks into all items; ``answer_words_gold`` only into those with a gold chunk among their roots, so that
    lucky words from elsewhere do not count. Summaries that stand on whole sessions make the second lenient.
    """

    name = "answer_words"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return answer_words and answer_words_gold, 0 or 1."""
        asked = content_stems(scored.task.query)
        wanted = [new for each in scored.task.references if (new := content_stems(each) - asked)]
        if not wanted:
            reason = "the references have no word that is not in the question"
            if not scored.task.references:
                reason = "the task has no reference"
            return dict.fromkeys(("answer_words", "answer_words_gold"), Score(value=None, reason=reason))
        gold = set(scored.chunked.gold(scored.task.gold))
        everywhere = [content_stems(item.text) for item in scored.output.shown]
        rooted = [content_stems(item.text) for item in scored.output.shown if gold & set(item.roots)]
        return {
            "answer_words": Score(value=_found(wanted, everywhere)),
            "answer_words_gold": Score(value=_found(wanted, rooted))
            if gold
            else Score(value=None, reason="the task has no gold evidence"),
        }


def _found(wanted: list[frozenset[str]], texts: list[frozenset[str]]) -> float:
    there = frozenset().union(*texts) if texts else frozenset()
    return float(any(len(words & there) >= _CARRIED * len(words) for words in wanted))
