"""The papers of a build: listed, fetched and read, each once over all rounds, with everything kept for the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from thinkback.bench.academiceval.checkpoint import Checkpoint
from thinkback.bench.academiceval.feed import KeptFeed, PaperFeed
from thinkback.bench.academiceval.graph import AuthorGraph, prune, refine, walk
from thinkback.bench.academiceval.papers import Listing, Paper, Reason, listing_of, paper_of
from thinkback.bench.academiceval.plan import BuildPlan
from thinkback.bench.academiceval.reading import Dropped, read_paper
from thinkback.bench.records import Fault
from thinkback.errors import CorruptDocument, InvalidInput, TooLarge, UnsupportedFormat
from thinkback.ports import Progress
from thinkback.types import Record

__all__ = ["READER", "Collector", "Drop"]

READER = 1
"""Version of how papers are read: what an older one read is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(Record):
    """A paper or item that is not in a set, and why."""

    set: str
    """``papers`` for papers that are in none."""
    id: str
    reason: Reason
    detail: str = ""


class Collector:
    """Gets the papers of a build.

    Args:
        feed: where they are from.
        state: folder of the checkpoints.
        round: of the build, from 0.
        progress: is told of listings, papers and authors.
    """

    def __init__(self, feed: PaperFeed, state: Path, *, round: int, progress: Progress | None = None) -> None:  # noqa: A002
        self._answers = Checkpoint(state / "feed.jsonl")
        self._papers = Checkpoint(state / "papers.jsonl")
        self._fields = Checkpoint(state / "fields.jsonl")
        self.feed: PaperFeed = KeptFeed(feed, self._answers, round=round)
        self._progress = progress
        self.drops: list[Drop] = []

    @property
    def faults(self) -> list[Fault]:
        """What the feed and the checkpoints could not read."""
        return [*self.feed.faults, *self._answers.faults, *self._papers.faults, *self._fields.faults]

    def close(self) -> None:
        """Write what is left; the feed is the caller's."""
        for each in (self._answers, self._papers, self._fields):
            each.close()

    def listings(self, field: str) -> list[Listing]:
        """Return all papers that were ever listed in a field, oldest round first."""
        return [listing_of(row) for row in self._fields.rows(field)]

    def list_fields(self, plan: BuildPlan, since: str) -> dict[str, str]:
        """List the papers of all fields and return the ids of those that are to be read, each with its first field.

        Raises:
            LoadError: the feed cannot be reached, or keeps failing.
            InvalidInput: there is no such field, or none is named and the feed cannot tell which there are.
        """
        fields = plan.fields or self.feed.fields()
        if not fields:
            raise InvalidInput(
                "There is no field to take papers from.", hint="Name a category or a phrase with --field."
            )
        most = max(plan.papers, plan.pool) if "related_multi" in plan.sets else plan.papers
        chosen: dict[str, str] = {}
        for field in fields:
            known = {each.id for each in self.listings(field)}
            for number, listing in enumerate(self.feed.newest(field, limit=most, since=since), 1):
                if listing.id not in known:
                    known.add(listing.id)
                    self._fields.add(field, listing.to_dict())
                if number <= plan.papers:
                    chosen.setdefault(listing.id, field)
                    self._mark(field, listing.id)
                self._tell("listings", number, most, field)
        return {**self._chosen(fields), **chosen}

    def _mark(self, field: str, key: str) -> None:
        """Note that a paper is one of those that are read, also in later rounds."""
        mark = f"chosen|{field}|{key}"
        if mark not in self._fields:
            self._fields.add(mark, {"id": key})

    def _chosen(self, fields: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for field in fields:
            start = f"chosen|{field}|"
            found |= {key[len(start) :]: field for key in self._fields.keys() if key.startswith(start)}  # noqa: SIM118
        return found

    def read(self, listings: Mapping[str, Listing]) -> Iterator[Paper]:
        """Yield the papers that can be used, in the order given; the others are in ``drops``.

        Raises:
            LoadError: the feed cannot be reached, or keeps failing.
        """
        for number, (key, listing) in enumerate(listings.items(), 1):
            found = self.paper(listing)
            self._tell("papers", number, len(listings), listing.title or key)
            if isinstance(found, Dropped):
                self.drops.append(Drop(set="papers", id=key, reason=found.reason, detail=found.detail))
            else:
                yield found

    def paper(self, listing: Listing) -> Paper | Dropped:
        """Return a paper: as it was read before, or fetched and read now.

        Raises:
            LoadError: the feed cannot be reached, or keeps failing.
        """
        rows = self._papers.rows(listing.id)
        if rows and rows[-1].get("reader") == READER:
            row = rows[-1]
            if "paper" in row:
                return paper_of(row["paper"])
            return Dropped(reason=row["dropped"]["reason"], detail=row["dropped"]["detail"])
        found = self._fetched(listing)
        if isinstance(found, Dropped):
            self._papers.add(
                listing.id, {"reader": READER, "dropped": {"reason": found.reason, "detail": found.detail}}
            )
        else:
            self._papers.add(listing.id, {"reader": READER, "paper": found.to_dict()})
        return found

    def _fetched(self, listing: Listing) -> Paper | Dropped:
        try:
            source = self.feed.source(listing)
        except (CorruptDocument, TooLarge, UnsupportedFormat) as error:
            return Dropped(reason="the file cannot be read", detail=error.message)
        return Dropped(reason="no source can be fetched") if source is None else read_paper(listing, source)

    def graph(self, plan: BuildPlan, since: str, before: str = "") -> tuple[AuthorGraph, dict[str, Paper]]:
        """Return the refined graph of co-authors and its papers by id.

        Args:
            plan: names the author to begin with, and the limits.
            since: in an update, the day from which on papers are new.
            before: authors without a paper of this day or later are left out; empty: none are.

        Raises:
            LoadError: the feed cannot be reached, or keeps failing.
            InvalidInput: the feed has no paper of the author.
        """
        walked = walk(self.feed, plan.author, limits=plan.limits, since=since, progress=self._progress)
        if before:
            walked = prune(walked, before)
        papers = {paper.id: paper for paper in self.read(walked.listings)}
        refined = refine(walked, papers)
        kept = {key for keys in refined.papers.values() for key in keys}
        return refined, {key: paper for key, paper in papers.items() if key in kept}

    def _tell(self, stage: str, done: int, total: int, note: str) -> None:
        if self._progress is not None:
            self._progress(stage, min(done, total), total, note)
