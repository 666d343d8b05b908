"""Where papers come from: what a feed must do, and a feed that keeps what it was told so that a build can go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from thinkback.bench.academiceval.checkpoint import Checkpoint
from thinkback.bench.academiceval.papers import Listing, listing_of
from thinkback.bench.academiceval.reading import SourceFile
from thinkback.bench.records import Fault

__all__ = ["KeptFeed", "PaperFeed"]


class PaperFeed(Protocol):
    """Lists papers and hands out their files. Used by one thread."""

    name: str
    """``arxiv``, ``folder``."""
    faults: list[Fault]
    """Entries that could not be read, so far; grows."""

    def fields(self) -> tuple[str, ...]:
        """Return the fields there are, where they can be told; else none, and the user names them."""
        ...

    def newest(self, field: str, *, limit: int, since: str = "", skip: int = 0) -> Iterator[Listing]:
        """Yield the papers of a field, newest first, each once.

        Args:
            field: a category of arXiv (cs.CL) or words; of a folder, one of ``fields``.
            limit: most papers, the skipped ones counted.
            since: only papers whose first version is of this day (ISO) or later.
            skip: papers at the beginning that are known already.

        Raises:
            LoadError: the feed cannot be reached, or keeps failing.
            InvalidInput: there is no such field.
        """
        ...

    def by_author(self, author: str, *, limit: int) -> Sequence[Listing]:
        """Return an author's papers, newest first. Authors of one name are one author here.

        Raises:
            LoadError: as ``newest``.
        """
        ...

    def by_title(self, title: str, *, limit: int = 5) -> Sequence[Listing]:
        """Return papers whose titles have the words of one, the nearest first as the feed sees it.

        Raises:
            LoadError: as ``newest``.
        """
        ...

    def by_id(self, ids: Sequence[str]) -> Sequence[Listing]:
        """Return the papers of these ids, in any order; unknown ids are left out.

        Raises:
            LoadError: as ``newest``.
        """
        ...

    def source(self, listing: Listing) -> SourceFile | None:
        """Return a paper's LaTeX source, else its PDF; None where there is neither.

        Raises:
            CorruptDocument, TooLarge: this file cannot be had; others may.
            LoadError: as ``newest``.
        """
        ...

    def close(self) -> None:
        """End connections; calling it twice is fine."""
        ...


class KeptFeed:
    """A feed whose answers are kept in a checkpoint: what was asked once is not asked again.

    Args:
        inner: the feed.
        checkpoint: where its answers go.
        round: of the build; a search of an earlier round is asked anew, a paper or title is not.
    """

    def __init__(self, inner: PaperFeed, checkpoint: Checkpoint, *, round: int = 0) -> None:  # noqa: A002 - the word for it
        self.name = inner.name
        self.faults = inner.faults
        self._inner, self._kept, self._round = inner, checkpoint, round

    def fields(self) -> tuple[str, ...]:
        """Return the inner feed's."""
        return self._inner.fields()

    def newest(self, field: str, *, limit: int, since: str = "", skip: int = 0) -> Iterator[Listing]:
        """Yield what is kept, then what the inner feed adds; a search that was cut off goes on at the paper it had come to.

        Raises:
            LoadError, InvalidInput: as the inner feed.
        """
        key = f"newest|{self._round}|{field}|{since}|{limit}"
        rows = self._kept.rows(key)
        done = bool(rows) and rows[-1].get("end") is True
        listings = [listing_of(row) for row in rows if "id" in row]
        yield from listings[skip:]
        if done:
            return
        seen = {each.id for each in listings}
        for listing in self._inner.newest(field, limit=limit, since=since, skip=len(listings)):
            if listing.id not in seen:
                seen.add(listing.id)
                self._kept.add(key, listing.to_dict())
                yield listing
        self._kept.add(key, {"end": True})

    def by_author(self, author: str, *, limit: int) -> Sequence[Listing]:
        """Return what is kept, or ask.

        Raises:
            LoadError: as the inner feed.
        """
        key = f"author|{self._round}|{author}|{limit}"
        return self._all(key, lambda: self._inner.by_author(author, limit=limit))

    def by_title(self, title: str, *, limit: int = 5) -> Sequence[Listing]:
        """Return what is kept, or ask.

        Raises:
            LoadError: as the inner feed.
        """
        return self._all(f"title|{limit}|{title}", lambda: self._inner.by_title(title, limit=limit))

    def by_id(self, ids: Sequence[str]) -> Sequence[Listing]:
        """Return what is kept of each id, and ask for the others together.

        Raises:
            LoadError: as the inner feed.
        """
        missing = [each for each in ids if not self._kept.rows(f"id|{each}")]
        if missing:
            found = {each.id: each for each in self._inner.by_id(missing)}
            for each in missing:
                self._kept.add(f"id|{each}", {"listings": [found[each].to_dict()] if each in found else []})
        return [listing_of(row) for each in ids for row in self._kept.rows(f"id|{each}")[0]["listings"]]

    def source(self, listing: Listing) -> SourceFile | None:
        """Return the inner feed's file: it is read at once, and what was read is kept by the builder.

        Raises:
            LoadError: as the inner feed.
        """
        return self._inner.source(listing)

    def close(self) -> None:
        """Close the inner feed; the checkpoint belongs to the build."""
        self._inner.close()

    def _all(self, key: str, ask: Any) -> Sequence[Listing]:
        rows = self._kept.rows(key)
        if not rows:
            found = ask()
            self._kept.add(key, {"listings": [each.to_dict() for each in found]})
            return list(found)
        return [listing_of(row) for row in rows[0]["listings"]]
