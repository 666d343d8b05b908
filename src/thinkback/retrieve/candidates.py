"""What a store returns for a question: the rankings of one kind of item, and the cosine of every row in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from thinkback.config import Preset
from thinkback.ports import Reader
from thinkback.retrieve.rank import Scores, look_up, ranked
from thinkback.retrieve.smooth import smooth_cosines
from thinkback.types import Filter, FloatVector, Item, Ranking, Rows

__all__ = ["Asked", "Candidates", "Kind", "find_chunks", "find_thoughts"]

Kind = Literal["chunk", "thought"]

_NOTHING = Ranking(rows=np.empty(0, np.int64), scores=np.empty(0, np.float32))
_NEAREST = 60
"""Of each plain ranking, the rows whose neighbourhood is looked at: beyond, it changes no rank that counts, and each costs a
look-up of its neighbours and of their vectors."""
_THOUGHT_CONTEXT = 0.85
"""What a thought's own cosine counts in dense_smoothed, where a chunk's is averaged with its neighbours'. A thought has
none, and its bare cosine would outrank chunks that are as good. On the first five dialogues of LoCoMo .85 did better than 1,
.8 and .7, and as well as the neighbourhood of the thought's root, which costs four store calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question to one namespace of one snapshot."""

    reader: Reader
    namespace: str
    question: str
    vector: FloatVector
    """Shape (d,), norm 1."""
    preset: Preset
    where: Filter | None = None
    _seen: dict[int, Item] = field(default_factory=dict)

    def items(self, rows: Rows) -> tuple[Item, ...]:
        """Return the items of rows, in order; none is read from the store twice."""
        missing = [row for row in rows.tolist() if row not in self._seen]
        if missing:
            found = self.reader.items_at(self.namespace, np.array(missing, np.int64))
            self._seen.update(zip(missing, found, strict=True))
        return tuple(self._seen[row] for row in rows.tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """All rows of one kind that any ranking returned."""

    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    """Ranking name to rows by falling score; the names are those of the preset, or fewer."""
    rows: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    """Ascending, each once."""
    cosines: Scores = field(default_factory=lambda: np.empty(0, np.float64))
    """Of each row to the question."""


def find_chunks(asked: Asked) -> Candidates:
    """Return the rankings of chunks; those over neighbours reach one chunk beyond the best that the plain ones found."""
    names, depth = frozenset(asked.preset.rankings), asked.preset.depth
    dense, words = _plain(asked, "chunk")
    rankings = {"dense": dense, "words": words}
    if not (dense.rows.size or words.rows.size) or not names & {"dense_smoothed", "words_window"}:
        rows = np.union1d(dense.rows, words.rows)
        return Candidates(rankings=_only(rankings, names), rows=rows, cosines=_cosines(asked, rows))
    near, beside = _neighbourhood(asked, np.union1d(dense.rows[:_NEAREST], words.rows[:_NEAREST]))
    known = np.unique(np.concatenate([dense.rows, words.rows, near, beside[beside >= 0]]))
    cosines = _cosines(asked, known)
    own = look_up(near, known, cosines)
    scores = smooth_cosines(own, look_up(beside, known, cosines), beside >= 0, weight=asked.preset.smoothing)
    rankings["dense_smoothed"] = ranked(near, scores, depth)
    if "words_window" in names:
        rankings["words_window"] = _windows(asked, near, beside)
    rows = np.unique(np.concatenate([dense.rows, words.rows, near]))
    return Candidates(rankings=_only(rankings, names), rows=rows, cosines=look_up(rows, known, cosines))


def find_thoughts(asked: Asked) -> Candidates:
    """Return the rankings of thoughts. A thought stands alone: its window is itself."""
    names = frozenset(asked.preset.rankings)
    dense, words = _plain(asked, "thought")
    rows = np.union1d(dense.rows, words.rows)
    cosines = _cosines(asked, rows)
    rankings = {
        "dense": dense,
        "words": words,
        "dense_smoothed": ranked(rows, cosines * _THOUGHT_CONTEXT, asked.preset.depth),
    }
    if "words_window" in names:
        rankings["words_window"] = _windows(asked, words.rows, np.full((len(words.rows), 2), -1, np.int64))
    return Candidates(rankings=_only(rankings, names), rows=rows, cosines=cosines)


def _windows(asked: Asked, rows: Rows, beside: Rows) -> Ranking:
    """Return rows by the BM25 of the windows around them, without those in whose window no word of the question stands."""
    scores = asked.reader.window_words(
        asked.namespace, asked.question, np.column_stack([beside[:, 0], rows, beside[:, 1]])
    )
    matched = scores > 0
    return ranked(rows[matched], scores[matched], asked.preset.depth)


def _plain(asked: Asked, kind: Kind) -> tuple[Ranking, Ranking]:
    """Return the dense ranking and that of words, empty where no ranking of the preset needs it."""
    names, depth = frozenset(asked.preset.rankings), asked.preset.depth
    dense = words = _NOTHING
    if names & {"dense", "dense_smoothed"}:
        dense = asked.reader.search_dense(asked.namespace, asked.vector, depth, kind=kind, where=asked.where)
    if names & {"words", "words_window"}:
        words = asked.reader.search_words(asked.namespace, asked.question, depth, kind=kind, where=asked.where)
    return dense, words


def _only(rankings: Mapping[str, Ranking], names: frozenset[str]) -> dict[str, Ranking]:
    return {name: ranking for name, ranking in rankings.items() if name in names}


def _cosines(asked: Asked, rows: Rows) -> Scores:
    if not rows.size:
        return np.empty(0, np.float64)
    return asked.reader.cosines(asked.namespace, rows, asked.vector).astype(np.float64)


def _neighbourhood(asked: Asked, rows: Rows) -> tuple[Rows, Rows]:
    """Return the rows with those beside them, ascending, shape (n,), and the neighbours of each, shape (n, 2).

    A filter that holds for a chunk holds for its neighbours: its conditions are on the document.
    """
    beside = asked.reader.neighbours(asked.namespace, rows)
    further = np.setdiff1d(beside[beside >= 0], rows)
    both = np.concatenate([rows, further])
    around = np.concatenate([beside, asked.reader.neighbours(asked.namespace, further)])
    order = np.argsort(both)
    return both[order], around[order]
