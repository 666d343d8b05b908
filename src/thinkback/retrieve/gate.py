"""Admission of thoughts to the fusion: by likeness to the question, or by coverage for requests about a whole.

Mixed in by dense similarity alone, as in the paper, thoughts born from other questions crowd out raw evidence (-.087
supported recall on new questions of LoCoMo); fused and above a gate the harm is gone (findings A4).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput

__all__ = ["Coverable", "admit_by_coverage", "admit_by_similarity"]


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
    """Return which thoughts may take part: those at or above the gate; all of them where there is no gate."""
    if gate is None:
        return np.ones(len(cosines), np.bool_)
    return np.asarray(cosines >= np.float32(gate), np.bool_)


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
