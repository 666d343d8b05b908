"""Exact match and token F1 of short answers, after SQuAD's normalisation (Rajpurkar et al., EMNLP 2016)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping

from thinkback.bench.ports import Score, Scored

__all__ = ["ShortAnswer", "exact_match", "holds", "token_f1"]

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))


def _normal(text: str) -> str:
    """Lower case, no punctuation, no English articles, single spaces: in SQuAD's order."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(text: str, reference: str) -> float:
    """Return 1 if the two are the same after normalisation, else 0."""
    return float(_normal(text) == _normal(reference))


def holds(text: str, reference: str) -> bool:
    """Return whether the reference stands in the text after normalisation, as whole words; an empty one never does."""
    wanted = _normal(reference)
    return bool(wanted) and f" {wanted} " in f" {_normal(text)} "


def token_f1(text: str, reference: str) -> float:
    """Return the harmonic mean of the shares of tokens that the two have in common, as multisets.

    Two empty texts match, an empty one and another do not. "yes" and "no" match only themselves (as in HotpotQA's script).
    """
    said, wanted = _normal(text).split(), _normal(reference).split()
    if {"yes", "no"} & {" ".join(said), " ".join(wanted)} and said != wanted:
        return 0.0
    if not said or not wanted:
        return float(said == wanted)
    common = sum((Counter(said) & Counter(wanted)).values())
    return 2 * common / (len(said) + len(wanted))


class ShortAnswer:
    """Of several references the best counts, for each value alone."""

    name = "qa"
    version = 1

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return exact_match and token_f1, each 0 to 1."""
        if scored.task.kind != "question" or not scored.task.references:
            reason = "the task has no reference" if scored.task.kind == "question" else "the task is no question"
            return dict.fromkeys(("exact_match", "token_f1"), Score(value=None, reason=reason))
        text, references = scored.output.text, scored.task.references
        return {
            "exact_match": Score(value=max(exact_match(text, each) for each in references)),
            "token_f1": Score(value=max(token_f1(text, each) for each in references)),
        }
