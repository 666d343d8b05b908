"""Admission of thoughts to the fusion: by likeness or by their roots, and by coverage for requests about a whole.

Mixed in by dense similarity alone, as in the paper, thoughts born from other questions crowd out raw evidence (-.087
supported recall on new questions of LoCoMo). A gate on the cosine to the question stops that only where it stops the useful
ones too, because a note that was born from a question looks like every question. So a thought takes part where what it
stands on does: it comes with its evidence or not at all. The measurements are in ``docs/adr/0004-retrieval.md``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput

__all__ = ["Coverable", "admit_by_coverage", "admit_by_roots", "admit_by_similarity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverable:
    """What a thought can contribute to an overview."""

    sections: frozenset[Hashable]
    """The parts of documents that its roots lie in."""
    questions: frozenset[str]
    """The earlier questions that it answers, normalised."""
    cosine: float
    """To the request: decides between equals."""


def admit_by_similarity(cosines: npt.NDArray[np.floating], gate: float | None) -> npt.NDArray[np.bool_]:
    """Return which thoughts are like the question: those at or above the gate; all of them where there is no gate."""
    if gate is None:
        return np.ones(len(cosines), np.bool_)
    return np.asarray(cosines >= np.float32(gate), np.bool_)


def admit_by_roots(derivations: Sequence[Sequence[int]], *, root_rank: int, missing: int) -> bool:
    """Return whether a thought has a derivation whose roots rank at ``root_rank`` or better on average.

    The mean, not the best: a thought that claims many roots must not pass for one of them that happens to be near. Each
    derivation by itself: a second way to the same thought must not make it harder to find.

    Args:
        derivations: for each, the ranks from 1 of its root chunks for this question; 0 for one that is not ranked. A
            derivation without root chunks (testimony alone) admits nothing.
        root_rank: the worst mean rank.
        missing: the rank that counts for a root that is not ranked.
    """
    means = (sum(rank or missing for rank in ranks) / len(ranks) for ranks in derivations if ranks)
    return min(means, default=math.inf) <= root_rank


def admit_by_coverage(thoughts: Sequence[Coverable], *, most: int) -> tuple[int, ...]:
    """Return positions of thoughts that together touch many sections and earlier questions, in the order chosen.

    Greedy: the next one is the thought with the largest log2(1 + new sections) + (1 if it answers a new question); equal
    gains by cosine, then by position. The logarithm keeps one widely rooted thought from standing for the whole. It ends
    when nothing new is left or ``most`` are chosen.

    Raises:
        InvalidInput: ``most`` is negative.
    """
    if most < 0:
        raise InvalidInput(f"The number of thoughts to choose must not be negative, but is {most}.")
    seen_sections: set[Hashable] = set()
    seen_questions: set[str] = set()
    left = list(range(len(thoughts)))
    chosen: list[int] = []

    def gain(position: int) -> tuple[float, float, int]:
        thought = thoughts[position]
        new = math.log2(1 + len(thought.sections - seen_sections)) + bool(thought.questions - seen_questions)
        return new, thought.cosine, -position

    while left and len(chosen) < most:
        best = max(left, key=gain)
        if gain(best)[0] <= 0.0:
            break
        chosen.append(best)
        left.remove(best)
        seen_sections |= thoughts[best].sections
        seen_questions |= thoughts[best].questions
    return tuple(chosen)
