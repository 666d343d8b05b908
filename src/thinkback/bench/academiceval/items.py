"""What the sets are made of: one record for each kind of item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from thinkback.bench.academiceval.papers import Listing
from thinkback.types import Record

__all__ = [
    "SETS",
    "SETTINGS",
    "Candidate",
    "GraphInfo",
    "Item",
    "MultiItem",
    "PaperText",
    "RelatedItem",
    "SetName",
    "Setting",
    "SingleItem",
    "WritingItem",
    "WritingTask",
]

SetName = Literal["abstract_single", "abstract_multi", "related_multi"]
SETS: tuple[SetName, ...] = ("abstract_single", "abstract_multi", "related_multi")
WritingTask = Literal["title", "abstract", "introduction", "related"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Record):
    """A setting of the benchmark with four writing tasks."""

    name: str
    task: WritingTask
    examples: bool = False
    """Two papers of the same category come with the input."""
    graph: bool = False
    """Papers of co-authors come with it."""


def _settings() -> dict[str, Setting]:
    names: tuple[tuple[WritingTask, str, tuple[str, ...]], ...] = (
        ("title", "title", ("10K", "30K", "31K_G", "50K_M")),
        ("abstract", "abs", ("9K", "28K", "29K_G", "48K_M")),
        ("introduction", "intro", ("8K", "28K", "28K_G", "48K_M")),
        ("related", "related", ("34K", "53K", "53K_G", "72K_M")),
    )
    rows = {}
    for task, short, sizes in names:
        for number, size in enumerate(sizes):
            name = f"{short}_{size}"
            rows[name] = Setting(name=name, task=task, examples=number in {1, 3}, graph=number in {2, 3})
    return rows


SETTINGS: Mapping[str, Setting] = _settings()
"""By the benchmark's own names; the numbers in them are the mean lengths of its first round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperText(Record):
    """A paper as the sets hold it."""

    listing: Listing
    main_content: str
    """Without abstract and conclusion."""
    conclusion: str = ""
    """Of its own; never indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleItem(Record):
    """Write the abstract of a paper."""

    paper: PaperText
    pre_questions: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The paper's."""
        return self.paper.listing.id

    @property
    def published(self) -> str:
        """The paper's."""
        return self.paper.listing.published


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiItem(Record):
    """Write one abstract over several papers."""

    id: str
    papers: tuple[PaperText, ...]
    references: tuple[str, ...] = ()
    pre_questions: tuple[str, ...] = ()

    @property
    def published(self) -> str:
        """The newest paper's."""
        return max((each.listing.published for each in self.papers), default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Record):
    """A paper that a related work section may speak of."""

    listing: Listing
    gold: bool
    """The section cites it; the others were drawn from the same field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedItem(Record):
    """Write the related work section of a paper from candidates, some of which it cites."""

    paper: PaperText
    """Its main content is without the related work."""
    reference: str
    candidates: tuple[Candidate, ...]
    pre_questions: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The paper's."""
        return self.paper.listing.id

    @property
    def published(self) -> str:
        """The paper's."""
        return self.paper.listing.published


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphInfo(Record):
    """The neighbourhood of a paper's first author among co-authors."""

    edges: tuple[tuple[str, str], ...]
    papers: Mapping[str, tuple[PaperText, ...]] = field(default_factory=dict)
    """Author to first-author papers, none of them newer than the one that is written for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingItem(Record):
    """Write one section of a paper from the others."""

    task: WritingTask
    listing: Listing
    """With title and abstract; whoever reads must look at neither where it is what is to be written."""
    reference: str
    main_content: str
    """Without the section that is to be written."""
    cited: tuple[Listing, ...] = ()
    """For the related work: the papers that the section cites."""
    examples: tuple[PaperText, ...] = ()
    graph: GraphInfo | None = None

    @property
    def id(self) -> str:
        """The paper's."""
        return self.listing.id

    @property
    def published(self) -> str:
        """The paper's."""
        return self.listing.published


Item: TypeAlias = SingleItem | MultiItem | RelatedItem
