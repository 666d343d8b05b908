"""Thought-Retriever with one part taken out or another put in: Figure 7 of the paper, and the parts that it lacks.

Each is the default preset with one change, named by the argument: ``ablation:no-gate``. What a change does is in the table
below and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from thinkback.bench.kit import Kit
from thinkback.bench.systems.thoughts import Thoughts
from thinkback.config import load_preset
from thinkback.errors import InvalidInput
from thinkback.retrieve.candidates import Kind

__all__ = ["ABLATIONS", "Ablation", "make_ablation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """A change to the default."""

    says: str
    """What it is, for the table."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the preset that change."""
    kinds: frozenset[Kind] = frozenset({"chunk", "thought"})
    highest: float | None = None


_ALL = ["dense", "dense_smoothed", "words", "words_window"]

ABLATIONS: dict[str, Ablation] = {
    "dense-only": Ablation(says="one dense ranking instead of four", preset={"rankings": ["dense"]}),
    "words-only": Ablation(says="one BM25 ranking instead of four", preset={"rankings": ["words"]}),
    "no-words": Ablation(says="without BM25 and its windows", preset={"rankings": ["dense", "dense_smoothed"]}),
    "no-smoothing": Ablation(
        says="without the ranking by neighbours' vectors",
        preset={"rankings": [r for r in _ALL if r != "dense_smoothed"]},
    ),
    "no-windows": Ablation(
        says="without BM25 over three chunks", preset={"rankings": [r for r in _ALL if r != "words_window"]}
    ),
    "no-gate": Ablation(says="every thought takes part", preset={"gate": None, "root_tokens": None}),
    "cosine-gate": Ablation(says="thoughts take part by cosine of .6 alone", preset={"gate": 0.6, "root_tokens": None}),
    "no-overview": Ablation(says="requests for a whole pass the gate as others do", preset={"overview_door": False}),
    "no-support": Ablation(says="a thought need not stand in the evidence", preset={"support": 0.0}),
    "no-twins": Ablation(says="no claim is compared with those that stand", preset={"admission": "none"}),
    "epsilon": Ablation(
        says="the paper's rule: a near copy is refused", preset={"admission": "epsilon", "epsilon": 0.85}
    ),
    "epsilon-80": Ablation(says="the same at .80", preset={"admission": "epsilon", "epsilon": 0.80}),
    "epsilon-90": Ablation(says="the same at .90", preset={"admission": "epsilon", "epsilon": 0.90}),
    "model-confidence": Ablation(
        says="the model's word alone decides what is an answer", preset={"confidence": "model"}
    ),
    "context-roots": Ablation(says="everything shown is a source, as in the paper", preset={"sources": "context"}),
    "summaries": Ablation(says="one passage from question and answer instead of atoms", preset={"distil": "summary"}),
    "thoughts-only": Ablation(says="no raw chunk is shown", kinds=frozenset({"thought"})),
    "chunks-only": Ablation(says="no thought is shown", kinds=frozenset({"chunk"})),
    "level-2": Ablation(says="only thoughts that stand on chunks alone", highest=2.0),
}
"""Name to change."""


def make_ablation(kit: Kit, argument: str) -> Thoughts:
    """Return the default with the change that the argument names.

    Raises:
        InvalidInput: there is no such change.
    """
    if argument not in ABLATIONS:
        raise InvalidInput(f"There is no ablation {argument!r}; there are {', '.join(sorted(ABLATIONS))}.")
    chosen = ABLATIONS[argument]
    return Thoughts(
        kit,
        preset=load_preset("default", **chosen.preset),
        name=f"ablation:{argument}",
        kinds=chosen.kinds,
        highest=chosen.highest,
    )
