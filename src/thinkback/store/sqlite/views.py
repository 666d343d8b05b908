"""From segments on disk to views in memory, and from an older view to the one of a snapshot."""

from __future__ import annotations

import threading
from collections import defaultdict, deque

import numpy as np

from thinkback.errors import StoreCorrupt
from thinkback.ports import ItemClass
from thinkback.store.sqlite.segments import Segment, SegmentTable
from thinkback.store.vectors.codes import code_dtype, code_rows
from thinkback.store.vectors.view import RowBlock, View

__all__ = ["Views"]

_KEPT = 4
"""Latest views of each kind that are kept, for readers whose snapshot is a little older; they share their memory."""

_DEAD_SHARE = 4
"""A view is read anew when one row in this many is dead."""


class Views:
    """The views of a store, by namespace number and kind."""

    def __init__(self) -> None:
        self._views: defaultdict[tuple[int, ItemClass], deque[View]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self._lock = threading.Lock()

    def view(self, table: SegmentTable, *, revision: int, reset_at: int, live: int, committed: bool) -> View:
        """Return the rows as they are in the caller's snapshot.

        Args:
            table: the segments, through the snapshot's connection.
            revision: of the namespace in the snapshot.
            reset_at: the revision at which the index was last emptied as a whole: older views are useless.
            live: how many rows there are, as the namespace's record says.
            committed: False inside a transaction that has changed the namespace: its view is its own business.

        Raises:
            StoreCorrupt: the segments do not hold that many rows.
        """
        key = table.space, table.kind
        with self._lock:
            known = self._views[key]
            base: View | None = None
            for view in known:  # newest first
                if view.revision == revision:
                    return view
                if view.revision < revision:
                    base = view if view.revision >= reset_at else None
                    break
            # Only the newest view may grow in place: what follows an older one is not what the newest has behind it.
            share = committed and bool(known) and base is known[0]
            fresh = None if base is None else _follow(base, table, revision, live, share=share)
            if fresh is None:
                fresh = _load(table, revision, live)
            if fresh.live != live:
                raise StoreCorrupt(f"The index has {fresh.live} rows of a kind where {live} are recorded.")
            if committed and (not known or revision > known[0].revision):
                known.appendleft(fresh)
            return fresh

    def is_current(self, space: int, kind: ItemClass, view: View) -> bool:
        """Return whether it is the newest view that was kept."""
        with self._lock:
            known = self._views[space, kind]
            return bool(known) and known[0] is view

    def forget(self) -> None:
        """Drop all views."""
        with self._lock:
            self._views.clear()


def _load(table: SegmentTable, revision: int, live: int) -> View:
    blocks = (segment.block for segment in table.all())
    empty = np.empty((code_rows(table.code_kind, table.dimension), 0), code_dtype(table.code_kind))
    return View.of(revision, blocks, empty, expected=live)


def _follow(base: View, table: SegmentTable, revision: int, live: int, *, share: bool) -> View | None:
    """Return the view at a later revision, or None where reading all anew is simpler or safer."""
    view, added = base, []
    last = int(base.seqs[-1]) if base.count else -1
    for segment in table.changed_since(base.revision):
        view = _without_missing(view, segment)
        beyond = segment.block.seqs > last
        if beyond.any():
            part = slice(int(np.argmax(beyond)), None)
            added.append(
                RowBlock(
                    seqs=segment.block.seqs[part],
                    owners=segment.block.owners[part],
                    codes=segment.block.codes[:, part],
                )
            )
    if added:
        view = view.plus(added, share=share)
    if view.live != live or (view.count - view.live) * _DEAD_SHARE > view.count:
        return None
    return view.at(revision)


def _without_missing(view: View, segment: Segment) -> View:
    """Mark the rows in a segment's range that it has no more."""
    start, end = np.searchsorted(view.seqs, [segment.first, segment.last + 1])
    if start == end:
        return view
    gone = ~np.isin(view.seqs[start:end], segment.block.seqs, assume_unique=True)
    if view.dead is not None:
        gone &= ~view.dead[start:end]
    return view.without(np.flatnonzero(gone) + start) if gone.any() else view
