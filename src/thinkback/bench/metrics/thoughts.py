"""What the shown thoughts are like: how long, how deep, how often the same again, and how much of the memory is ever used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thinkback.bench.ports import Score, Scored, Shown
from thinkback.ports import Embedder
from thinkback.types import FloatMatrix

__all__ = ["ThoughtStatistics"]

_TWIN = 0.85
"""Cosine from which the paper takes two thoughts for the same. Measured with the built-in embedder it is not: of 40 such
pairs of notes, 12 said the same. Repeats are "near in wording", no more."""
_STORED = "thoughts"
"""In ``Output.details``: how many thoughts the memory held."""


class ThoughtStatistics:
    """Of each answer's thoughts, and of all thoughts that a system showed. A memory's thoughts that are never shown are only counted.

    Args:
        embedder: for repeats; None: they are not looked for.
    """

    name = "thoughts"
    version = 1
    reads_items = True

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._vectors: dict[str, FloatMatrix] = {}

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return thoughts (how many), thought_words, thought_level, thought_roots (means) and thought_repeats.

        ``thought_repeats`` is the share of the thoughts that are as near as .85 to one shown before them.
        """
        shown = [item for item in scored.output.shown if item.kind == "thought"]
        names = ("thought_words", "thought_level", "thought_roots", "thought_repeats")
        if not shown:
            none = dict.fromkeys(names, Score(value=None, reason="no thought was shown"))
            return {"thoughts": Score(value=0.0), **none}
        repeats = self._repeats(shown)
        return {
            "thoughts": Score(value=float(len(shown))),
            "thought_words": Score(value=_mean([len(each.text.split()) for each in shown])),
            "thought_level": Score(value=_mean([each.level for each in shown])),
            "thought_roots": Score(value=_mean([len(each.roots) for each in shown])),
            "thought_repeats": Score(value=None, reason="there is no embedder to find repeats with")
            if repeats is None
            else Score(value=_mean(repeats)),
        }

    def over_all(self, scored: Sequence[Scored]) -> Mapping[str, Any]:
        """Return what the different thoughts are like that a system showed; empty if it showed none.

        ``different``: thoughts, by corpus and id; ``words``, ``roots``: means; ``levels``: level, rounded, to how many;
        ``repeats``: share of them as near as .85 to an earlier one of the corpus; ``shown``: how often one was shown on
        average; ``answers``: share of the answers with one; ``stored``: thoughts in memory at the last answer of each corpus,
        and ``used``: share of those that were ever shown, both None where the system does not say how many it has.
        """
        corpora: dict[str, dict[str, Shown]] = {}
        stored: dict[str, float] = {}
        times, answers = 0, 0
        for one in scored:
            thoughts = [item for item in one.output.shown if item.kind == "thought"]
            corpora.setdefault(one.task.corpus_id, {}).update((item.id, item) for item in thoughts)
            times += len(thoughts)
            answers += bool(thoughts)
            held = one.output.details.get(_STORED)
            if isinstance(held, int | float):
                stored[one.task.corpus_id] = float(held)
        different = [item for items in corpora.values() for item in items.values()]
        if not different:
            return {}
        repeats = [self._repeats(list(items.values())) for items in corpora.values()]
        levels = Counter(round(item.level) for item in different)
        held_by_all = sum(stored.values()) if stored.keys() == corpora.keys() else None
        return {
            "different": len(different),
            "words": _mean([len(item.text.split()) for item in different]),
            "roots": _mean([len(item.roots) for item in different]),
            "levels": {str(level): levels[level] for level in sorted(levels)},
            "repeats": None if self._embedder is None else _mean([each for own in repeats for each in own or ()]),
            "shown": times / len(different),
            "answers": answers / len(scored),
            "stored": held_by_all,
            "used": len(different) / held_by_all if held_by_all else None,
        }

    def _repeats(self, shown: Sequence[Shown]) -> list[bool] | None:
        """Return of each thought whether it is near one before it."""
        if self._embedder is None:
            return None
        fresh = list(dict.fromkeys(item.text for item in shown if item.text not in self._vectors))
        if fresh:
            self._vectors.update(zip(fresh, self._embedder.embed(fresh, kind="document"), strict=True))
        if not shown:
            return []
        rows = np.stack([self._vectors[item.text] for item in shown])
        near = np.tril(rows @ rows.T >= _TWIN, k=-1)
        return [bool(each) for each in np.asarray(near.any(axis=1))]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
