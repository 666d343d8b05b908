"""The graph of co-authors: found by walking from one author, then refined until it is whole.

A node is an author, with the papers that they are first author of; an edge joins two who have written together. Names are all
that arXiv has: two people of one name are one node.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from thinkback.bench.academiceval.feed import PaperFeed
from thinkback.bench.academiceval.papers import Listing
from thinkback.errors import InvalidInput
from thinkback.ports import Progress
from thinkback.types import Record

__all__ = ["AuthorGraph", "Limits", "prune", "refine", "walk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(Record):
    """How far the walk goes.

    Raises:
        InvalidInput: a limit is not positive.
    """

    papers: int = 100
    """Newest ones of each author."""
    coauthors: int = 20
    """Most frequent ones of each author, that become edges."""
    authors: int = 999

    def __post_init__(self) -> None:
        if min(self.papers, self.coauthors, self.authors) < 1:
            raise InvalidInput("The limits of the walk through co-authors must be positive.")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorGraph:
    """Authors and who wrote with whom."""

    start: str
    papers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Author to the ids of first-author papers, newest first; in the order in which the authors were found."""
    edges: tuple[tuple[str, str], ...] = ()
    """Each once, its two names sorted; sorted."""
    listings: Mapping[str, Listing] = field(default_factory=dict)
    """Of the papers, by id."""


def walk(
    feed: PaperFeed, start: str, *, limits: Limits | None = None, since: str = "", progress: Progress | None = None
) -> AuthorGraph:
    """Return the graph that is found breadth first from an author.

    In an update (``since``) those come first, among the co-authors that are waiting, who have most papers of that day or
    later with the authors seen so far; otherwise whoever was found first.

    Raises:
        LoadError: the feed cannot be reached, or keeps failing.
        InvalidInput: the feed has no paper of the author.
    """
    limits = limits or Limits()
    papers: dict[str, tuple[str, ...]] = {}
    listings: dict[str, Listing] = {}
    edges: set[tuple[str, str]] = set()
    waiting = _Waiting()
    waiting.add(start, 0)
    while len(papers) < limits.authors and (author := waiting.next()) is not None:
        found = list(feed.by_author(author, limit=limits.papers))
        if author == start and not found:
            raise InvalidInput(f"There is no paper by {start!r}.", hint="Write the name as the papers have it.")
        own = [each for each in found if each.authors and _same(each.authors[0], author)]
        papers[author] = tuple(each.id for each in own)
        listings |= {each.id: each for each in own}
        for other, fresh in _coauthors(found, author, limits.coauthors, since):
            edges.add((min(author, other), max(author, other)))
            if other not in papers:
                waiting.add(other, fresh)
        if progress is not None:
            progress("authors", len(papers), min(limits.authors, len(papers) + len(waiting)), author)
    return AuthorGraph(start=start, papers=papers, edges=tuple(sorted(edges)), listings=listings)


def _coauthors(found: Sequence[Listing], author: str, most: int, since: str) -> list[tuple[str, int]]:
    """Return the most frequent co-authors, ties by the newest common paper, each with their number of fresh papers."""
    counts: Counter[str] = Counter()
    fresh: Counter[str] = Counter()
    for listing in found:
        for name in dict.fromkeys(listing.authors):
            if not _same(name, author):
                counts[name] += 1
                fresh[name] += bool(since) and listing.published[: len(since)] >= since
    return [(name, fresh[name]) for name, _ in counts.most_common(most)]


class _Waiting:
    """Authors that were found and not yet looked at."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, str]] = []
        self._best: dict[str, tuple[int, int]] = {}
        self._done: set[str] = set()

    def __len__(self) -> int:
        return len(self._best)

    def add(self, name: str, fresh: int) -> None:
        if name in self._done:
            return
        known = self._best.get(name)
        total = fresh - (known[0] if known else 0)
        order = known[1] if known else len(self._best) + len(self._done)
        self._best[name] = (-total, order)
        heapq.heappush(self._heap, (-total, order, name))

    def next(self) -> str | None:
        while self._heap:
            rank, order, name = heapq.heappop(self._heap)
            if self._best.get(name) == (rank, order):
                del self._best[name]
                self._done.add(name)
                return name
        return None


def refine(graph: AuthorGraph, usable: Collection[str]) -> AuthorGraph:
    """Return the part of a graph that holds: authors with usable papers, edges between those, one connected component.

    It is repeated until nothing changes. Of several components that of the start stays, or the largest where the start is
    gone (of two equal ones that with the first name in the alphabet).

    Args:
        graph: as it was walked.
        usable: ids of the papers that could be read.
    """
    papers = {name: tuple(key for key in keys if key in usable) for name, keys in graph.papers.items()}
    kept = {name for name, keys in papers.items() if keys}
    edges = list(graph.edges)
    while True:
        edges = [edge for edge in edges if edge[0] in kept and edge[1] in kept]
        parts = list(_components(kept, edges))
        part = next((each for each in parts if graph.start in each), None)
        chosen = part or max(sorted(parts, key=min), key=len, default=set())
        if chosen == kept:
            break
        kept = chosen
    left = {name: keys for name, keys in papers.items() if name in kept}
    wanted = {key for keys in left.values() for key in keys}
    return AuthorGraph(
        start=graph.start, papers=left, edges=tuple(edges),
        listings={key: each for key, each in graph.listings.items() if key in wanted},
    )  # fmt: skip


def prune(graph: AuthorGraph, before: str) -> AuthorGraph:
    """Return a graph without the authors whose newest paper is older than a day (ISO): they have left the field."""
    current = {
        key for keys in graph.papers.values() if any(graph.listings[key].published >= before for key in keys) for key in keys
    }  # fmt: skip
    return refine(graph, current)


def _components(names: set[str], edges: Sequence[tuple[str, str]]) -> Iterator[set[str]]:
    near: dict[str, set[str]] = {name: set() for name in names}
    for left, right in edges:
        near[left].add(right)
        near[right].add(left)
    seen: set[str] = set()
    for name in sorted(names):
        if name in seen:
            continue
        part: set[str] = set()
        open_ = [name]
        while open_:
            one = open_.pop()
            if one not in part:
                part.add(one)
                open_ += near[one] - part
        seen |= part
        yield part


def _same(left: str, right: str) -> bool:
    return left.casefold().split() == right.casefold().split()
