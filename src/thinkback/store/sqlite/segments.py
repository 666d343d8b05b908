# ruff: noqa: S608 - only names of our own go into statements, values never
"""Codes on disk: packed segments of some thousand rows, so that opening a large store reads a hundred blobs.

The segments of a kind in a namespace have disjoint ranges of sequence numbers, and every number that was ever given out
lies in one of them. So whoever holds older rows in memory needs only the segments that changed since: what a segment does
not have within its range is gone, what it has beyond the last known number is new.

A transaction adds its rows as one small segment. When many small ones have gathered at the end they are packed into one,
and many middling ones into a full one, so that a row is written three times at the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from thinkback.ports import ItemClass
from thinkback.store.sqlite.sql import Sql
from thinkback.store.vectors.codes import CodeKind, code_from_bytes
from thinkback.store.vectors.view import RowBlock
from thinkback.types import Rows

__all__ = ["Segment", "SegmentTable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Rows with the range of sequence numbers that they stand for."""

    number: int
    first: int
    last: int
    block: RowBlock


_COLUMNS = "segment, first_seq, last_seq, seqs, owners, codes"


def _segment(row: tuple[int, int, int, bytes, bytes, bytes], kind: CodeKind, dimension: int) -> Segment:
    number, first, last, seqs, owners, codes = row
    block = RowBlock(
        seqs=np.frombuffer(seqs, np.int64),
        owners=np.frombuffer(owners, np.int32),
        codes=code_from_bytes(kind, dimension, codes),
    )
    return Segment(number=number, first=first, last=last, block=block)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentTable:
    """The segments of one kind in one namespace."""

    sql: Sql
    space: int
    kind: ItemClass
    code_kind: CodeKind
    dimension: int
    full: int
    """Rows of a full segment."""
    small: int
    """As many segments of fewer rows than this one after another become one."""

    def changed_since(self, revision: int) -> list[Segment]:
        """Return the segments that were written after a revision, by rising sequence numbers."""
        rows = self.sql.rows(
            f"SELECT {_COLUMNS} FROM segments WHERE space = ? AND kind = ? AND changed > ? ORDER BY first_seq",
            (self.space, self.kind, revision),
        )
        return [_segment(row, self.code_kind, self.dimension) for row in rows]

    def all(self) -> Iterator[Segment]:
        """Yield all segments by rising sequence numbers, one in memory at a time."""
        for (number,) in self.sql.rows(
            "SELECT segment FROM segments WHERE space = ? AND kind = ? ORDER BY last_seq", (self.space, self.kind)
        ):
            yield self._read(number)

    def add(self, block: RowBlock, revision: int) -> None:
        """Append rows whose sequence numbers rise above all that were ever given out for the kind."""
        for start in range(0, len(block.seqs), self.full):
            part = slice(start, start + self.full)
            piece = RowBlock(seqs=block.seqs[part], owners=block.owners[part], codes=block.codes[:, part])
            self._write(int(piece.seqs[0]), int(piece.seqs[-1]), piece, revision)
        self._pack(revision)

    def _write(self, first: int, last: int, block: RowBlock, revision: int) -> None:
        self.sql.run(
            "INSERT INTO segments(space, kind, first_seq, last_seq, rows, changed, seqs, owners, codes)"
            " VALUES(?,?,?,?,?,?,?,?,?)",
            (
                self.space,
                self.kind,
                first,
                last,
                len(block.seqs),
                revision,
                block.seqs.tobytes(),
                block.owners.tobytes(),
                block.codes.tobytes(),
            ),
        )

    def _pack(self, revision: int) -> None:
        """Join the small segments at the end when there are many."""
        tail = self.sql.rows(
            "SELECT segment, rows FROM segments WHERE space = ? AND kind = ? ORDER BY last_seq DESC LIMIT ?",
            (self.space, self.kind, 2 * self.small),
        )
        small = _leading(tail, self.small)
        middling = small + _leading(tail[small:], self.full)
        if small >= self.small:
            self._join([number for number, _ in tail[:small]], revision)
        elif middling - small >= self.small or middling >= 2 * self.small:
            self._join([number for number, _ in tail[:middling]], revision)

    def _join(self, numbers: list[int], revision: int) -> None:
        segments = sorted((self._read(number) for number in numbers), key=lambda segment: segment.first)
        self._delete(numbers)
        batch: list[Segment] = []
        for segment in [*segments, None]:
            rows = sum(len(each.block.seqs) for each in batch)
            if batch and (segment is None or rows + len(segment.block.seqs) > self.full):
                self._write(batch[0].first, batch[-1].last, _joined(batch), revision)
                batch = []
            if segment is not None:
                batch.append(segment)

    def _read(self, number: int) -> Segment:
        (row,) = self.sql.rows(f"SELECT {_COLUMNS} FROM segments WHERE segment = ?", (number,))
        return _segment(row, self.code_kind, self.dimension)

    def _delete(self, numbers: Iterable[int]) -> None:
        self.sql.many("DELETE FROM segments WHERE segment = ?", ((number,) for number in numbers))

    def remove(self, seqs: Rows, revision: int) -> None:
        """Take rows out. A segment that loses rows is written anew; those beside one another are joined while they fit."""
        gone = np.sort(seqs)
        places = self.sql.rows(
            "SELECT segment, first_seq, last_seq FROM segments"
            " WHERE space = ? AND kind = ? AND last_seq >= ? AND first_seq <= ? ORDER BY last_seq",
            (self.space, self.kind, int(gone[0]), int(gone[-1])),
        )
        touched = [
            number
            for number, first, last in places
            if np.searchsorted(gone, first) < np.searchsorted(gone, last, "right")
        ]
        changed: list[Segment] = []
        for number in touched:
            segment = self._read(number)
            stays = ~np.isin(segment.block.seqs, gone)
            block = RowBlock(
                seqs=segment.block.seqs[stays],
                owners=segment.block.owners[stays],
                codes=segment.block.codes[:, stays],
            )
            changed.append(Segment(number=number, first=segment.first, last=segment.last, block=block))
        self._delete(touched)
        order = {number: position for position, (number, _, _) in enumerate(places)}
        run: list[Segment] = []
        for segment_or_end in [*changed, None]:
            if run and (
                segment_or_end is None
                or order[segment_or_end.number] != order[run[-1].number] + 1
                or sum(len(each.block.seqs) for each in [*run, segment_or_end]) > self.full
            ):
                self._write(run[0].first, run[-1].last, _joined(run), revision)
                run = []
            if segment_or_end is not None:
                run.append(segment_or_end)

    def drop(self) -> None:
        """Take all rows out."""
        self.sql.run("DELETE FROM segments WHERE space = ? AND kind = ?", (self.space, self.kind))


def _leading(tail: list[tuple[int, int]], below: int) -> int:
    """Return how many of the first segments have fewer rows than that."""
    return next((position for position, (_, rows) in enumerate(tail) if rows >= below), len(tail))


def _joined(segments: list[Segment]) -> RowBlock:
    return RowBlock(
        seqs=np.concatenate([segment.block.seqs for segment in segments]),
        owners=np.concatenate([segment.block.owners for segment in segments]),
        codes=np.concatenate([segment.block.codes for segment in segments], axis=1),
    )
