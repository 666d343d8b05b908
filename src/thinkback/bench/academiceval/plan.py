"""What is asked of a build."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from thinkback.bench.academiceval.graph import Limits
from thinkback.bench.academiceval.items import SETS, SETTINGS, SetName, Setting
from thinkback.bench.academiceval.multi import MOST_REFERENCES
from thinkback.bench.academiceval.related import PoolPlan
from thinkback.bench.academiceval.single import Leaks
from thinkback.bench.academiceval.splits import SHARES, Cuts, day
from thinkback.errors import InvalidInput
from thinkback.ids import canonical_json, content_hash
from thinkback.types import Record

__all__ = ["FIELDS", "BuildPlan", "since_of"]

FIELDS = (
    "spatio-temporal data mining",
    "large language model jailbreak",
    "Mamba state space model",
    "multimodal large language model",
    "diffusion model",
    "mixture of experts",
    "parameter-efficient fine-tuning",
    "retrieval-augmented generation",
    "image segmentation",
)
"""The nine topics of the paper's Related-multi, as phrases to search for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan(Record):
    """What is built, from how much.

    Raises:
        InvalidInput: it contradicts itself, or names what there is not.
    """

    sets: tuple[str, ...] = SETS
    """Of the three sets and the settings of the writing tasks."""
    fields: tuple[str, ...] = ()
    """Categories of arXiv or phrases; none: all of a folder's."""
    papers: int = 100
    """Most papers of a field, the newest."""
    pool: int = 300
    """Most papers of a field that Related-multi draws from; only their titles and abstracts are fetched."""
    author: str = ""
    """Where the walk through co-authors begins; without one, writing tasks are made of the fields' papers and have no graph."""
    limits: Limits = field(default_factory=Limits)
    candidates: PoolPlan = field(default_factory=PoolPlan)
    references: int = 1
    """Of each item of Abstract-multi."""
    questions: Literal["templates", "model", "both"] = "templates"
    each: int = 5
    """Questions of each source."""
    leaks: Leaks = "drop"
    shares: tuple[float, float, float] = SHARES
    cuts: Cuts | None = None
    """Days at which the splits are cut; None: where the shares say."""
    seed: int = 42

    def __post_init__(self) -> None:
        unknown = [name for name in self.sets if name not in SETS and name not in SETTINGS]
        if unknown or not self.sets:
            known = ", ".join((*SETS, *SETTINGS))
            raise InvalidInput(
                f"There is no set {unknown[0]!r}; there are {known}." if unknown else f"No set is named: {known}."
            )
        if self.papers < 1 or self.pool < 1 or self.each < 1:
            raise InvalidInput("Numbers of papers and questions must be positive.")
        if not 1 <= self.references <= MOST_REFERENCES:
            raise InvalidInput(f"An item may have 1 to {MOST_REFERENCES} references, not {self.references}.")
        if any(each.graph for each in self.settings) and not self.author:
            names = ", ".join(each.name for each in self.settings if each.graph)
            raise InvalidInput(
                f"The settings {names} need an author to begin the graph with.", hint="Name one with --author."
            )

    @property
    def chosen(self) -> tuple[SetName, ...]:
        """Those of the three sets that are built."""
        return tuple(name for name in SETS if name in self.sets)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings of writing tasks that are built."""
        return tuple(setting for name, setting in SETTINGS.items() if name in self.sets)

    def fingerprint(self) -> str:
        """Return a hash of what decides the items; a folder is gone on with only under the same one. Sets may be added."""
        return content_hash(canonical_json({**self.to_dict(), "sets": []}))[:16]


def since_of(text: str, rounds: Sequence[Mapping[str, Any]]) -> str:
    """Return the day from which on papers are new: as the user wrote it, or for ``last`` that of the newest known paper.

    Raises:
        InvalidInput: it is no day, or there is no finished round whose newest paper is known.
    """
    if text != "last":
        return day(text)
    newest = max((str(each.get("newest", "")) for each in rounds if each.get("done")), default="")
    if not re.match(r"\d{4}", newest):
        raise InvalidInput(
            "No finished build is in the folder whose papers have dates.", hint="Name a day: --since 2024-06-30."
        )
    return newest[:10]
