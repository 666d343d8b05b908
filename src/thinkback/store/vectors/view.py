"""The searchable rows of one kind in one namespace, in memory, as they are at one revision of the store.

A view never changes. The next one shares its memory: new rows are written behind the last one, where no older view looks,
and rows that were deleted are marked in a mask of the new view's own. 61 bytes a row for 384 dimensions and sign codes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from thinkback.store.vectors.codes import CodeMatrix, Positions
from thinkback.types import Rows

__all__ = ["RowBlock", "View"]

_SLACK = 8
"""New memory is larger than needed by one part in this, so that adding rows one by one copies seldom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowBlock:
    """Some rows as they lie on disk: sequence numbers rising, owners (document numbers), codes (w, n)."""

    seqs: Rows
    owners: npt.NDArray[np.int32]
    codes: CodeMatrix


@dataclass(slots=True)
class _Memory:
    """Shared by the views that grew from one another."""

    seqs: Rows
    owners: npt.NDArray[np.int32]
    codes: CodeMatrix
    used: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def sized(cls, count: int, like: CodeMatrix) -> _Memory:
        capacity = count + count // _SLACK + 16
        return cls(
            seqs=np.empty(capacity, np.int64),
            owners=np.empty(capacity, np.int32),
            codes=np.empty((like.shape[0], capacity), like.dtype),
        )

    def write(self, blocks: list[RowBlock]) -> None:
        for block in blocks:
            end = self.used + len(block.seqs)
            self.seqs[self.used : end] = block.seqs
            self.owners[self.used : end] = block.owners
            self.codes[:, self.used : end] = block.codes
            self.used = end


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Rows by rising sequence number; some may be dead."""

    revision: int
    memory: _Memory
    count: int
    """Positions, dead ones included."""
    dead: npt.NDArray[np.bool_] | None = None
    common: int
    """How many leading positions are the same rows in every view that shares ``family``."""
    family: object = field(default_factory=object)

    @classmethod
    def of(cls, revision: int, blocks: Iterable[RowBlock], empty: CodeMatrix, *, expected: int = 0) -> View:
        """Return a view of exactly these rows.

        Args:
            revision: of the rows.
            blocks: the rows.
            empty: a matrix (w, 0) of the codes' type.
            expected: how many rows there will be; more are copied once more.
        """
        view = cls(revision=revision, memory=_Memory.sized(expected, empty), count=0, common=0)
        for block in blocks:
            view = view.plus([block], share=True)
        return view

    @property
    def seqs(self) -> Rows:
        """(n,) rising."""
        return self.memory.seqs[: self.count]

    @property
    def owners(self) -> npt.NDArray[np.int32]:
        """(n,) number of the document of each row; -1 for a thought."""
        return self.memory.owners[: self.count]

    @property
    def codes(self) -> CodeMatrix:
        """(w, n)."""
        return self.memory.codes[:, : self.count]

    @property
    def live(self) -> int:
        """Return the number of rows that are not dead."""
        return self.count - (0 if self.dead is None else int(np.count_nonzero(self.dead)))

    def positions(self, seqs: Rows) -> Positions:
        """Return the position of each sequence number, -1 where there is no such live row."""
        if self.count == 0:
            return np.full(len(seqs), -1, np.int64)
        places = np.minimum(np.searchsorted(self.seqs, seqs), self.count - 1)
        found = self.seqs[places] == seqs
        if self.dead is not None:
            found &= ~self.dead[places]
        return np.where(found, places, -1)

    def at(self, revision: int) -> View:
        """Return the same rows as they are at a later revision, which changed none of them."""
        return replace(self, revision=revision)

    def without(self, gone: Positions) -> View:
        """Return the view with these positions dead."""
        dead = np.zeros(self.count, np.bool_) if self.dead is None else self.dead.copy()
        dead[gone] = True
        return replace(self, dead=dead)

    def plus(self, blocks: list[RowBlock], *, share: bool) -> View:
        """Return the view with more rows behind it; their sequence numbers must rise above all here.

        Args:
            blocks: the rows.
            share: whether they are committed. What is not may yet be undone, so it goes into memory of its own.
        """
        added = sum(len(block.seqs) for block in blocks)
        count = self.count + added
        dead = None if self.dead is None else np.concatenate([self.dead, np.zeros(added, np.bool_)])
        if share:
            with self.memory.lock:
                if self.memory.used == self.count and count <= len(self.memory.seqs):
                    self.memory.write(blocks)
                    return replace(self, count=count, dead=dead, common=count)
        fresh = _Memory.sized(count, self.memory.codes)
        fresh.write([RowBlock(seqs=self.seqs, owners=self.owners, codes=self.codes), *blocks])
        common = count if share else self.common
        return replace(self, memory=fresh, count=count, dead=dead, common=common)
