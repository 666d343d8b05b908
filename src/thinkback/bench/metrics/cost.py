"""What an answer cost, and what was shown for it: seconds, tokens, money, items and their level of abstraction."""

from __future__ import annotations

from collections.abc import Mapping

from thinkback.bench.ports import Score, Scored

__all__ = ["CostOfAnswer"]


class CostOfAnswer:
    """The cost of answering alone; what building took is in the run's ``cost``, apart and spread over the answers."""

    name = "cost"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return seconds, calls, prompt_tokens, completion_tokens, money, items, thought_share and mean_level.

        ``thought_share``: share of the shown items that are thoughts; ``mean_level``: their mean abstraction level, 1 for raw
        text. Both have no value where nothing was shown.
        """
        cost, shown = scored.cost, scored.output.shown
        nothing = Score(value=None, reason="nothing was shown")
        return {
            "seconds": Score(value=cost.seconds),
            "calls": Score(value=float(cost.calls)),
            "prompt_tokens": Score(value=float(cost.prompt_tokens)),
            "completion_tokens": Score(value=float(cost.completion_tokens)),
            "money": Score(value=cost.money),
            "items": Score(value=float(len(shown))),
            "thought_share": Score(value=sum(each.kind == "thought" for each in shown) / len(shown))
            if shown
            else nothing,
            "mean_level": Score(value=sum(each.level for each in shown) / len(shown)) if shown else nothing,
        }
