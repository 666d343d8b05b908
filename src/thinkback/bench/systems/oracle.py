"""Gold chunks only: the upper bound of Table 13 for whatever shows raw chunks.

Where the task says which spans are needed, the chunks that hold them are shown. Where it does not (an abstract has no gold
passages), chunks are chosen greedily, each the one that adds most to the ROUGE recall of the reference: the usual oracle of
extractive summarisation (Nallapati et al., AAAI 2017; with recall of words and of pairs of words as in Liu and Lapata, EMNLP
2019). The two are different things, so each answer is labelled with the one that it is, and either can be asked for alone:
``oracle:gold``, ``oracle:reference``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.records import Task
from thinkback.bench.systems.flat import DEEPEST, as_shown
from thinkback.errors import InvalidInput, MissingExtra
from thinkback.types import Scalar

__all__ = ["Coverage", "Oracle", "make_oracle"]

Counts = npt.NDArray[np.int64]


def make_oracle(kit: Kit, argument: str) -> Oracle:
    """Return the oracle: by gold where there is some and else by the reference, or "gold" or "reference" alone.

    Raises:
        InvalidInput: another argument.
    """
    if argument not in {"", "gold", "reference"}:
        raise InvalidInput(f"The oracle knows gold or the reference, not {argument!r}.")
    return Oracle(kit, way=argument)


class Coverage:
    """How much of a reference some texts have: the sum of ROUGE-1 and ROUGE-2 recall, counted up text by text.

    Recall of the n-grams of a reference r by a set of texts S, with counts clipped as in ROUGE (Lin, 2004):
    R_n = Σ over g in r of min(count(g in S), count(g in r)) / Σ over g in r of count(g in r). An n-gram lies within one text.

    Args:
        reference: the words of what is to be covered.
        texts: the words of what it may be covered with.
    """

    def __init__(self, reference: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
        wanted = _grams(reference)
        places = {gram: place for place, gram in enumerate(wanted)}
        totals = Counter[int]()
        for gram, count in wanted.items():
            totals[len(gram)] += count
        self._wanted: Counts = np.array(list(wanted.values()), np.int64)
        self._weights = np.array([1 / totals[len(gram)] for gram in wanted])
        self._has: Counts = np.zeros((len(texts), len(wanted)), np.int64)
        for row, text in enumerate(texts):
            for gram, count in _grams(text).items():
                if gram in places:
                    self._has[row, places[gram]] = count
        self._sum: Counts = np.zeros(len(wanted), np.int64)

    def value(self) -> float:
        """Return the recall of the texts taken so far, 0 to 2."""
        return float(np.minimum(self._sum, self._wanted) @ self._weights)

    def gains(self) -> npt.NDArray[np.float64]:
        """Return by how much each text would raise the value, shape (n,)."""
        missing = np.maximum(self._wanted - self._sum, 0)
        return np.asarray(np.minimum(self._has, missing) @ self._weights, np.float64)

    def take(self, place: int) -> None:
        """Add a text."""
        self._sum = self._sum + self._has[place]


def _grams(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter([(word,) for word in words]) + Counter(pairwise(words))


class Oracle:
    """Is shown the whole task before it answers.

    Args:
        kit: what all systems share.
        way: "gold", "reference", or empty for gold where the task has some and else the reference.
    """

    def __init__(self, kit: Kit, *, way: str = "") -> None:
        self.name = f"oracle:{way}" if way else "oracle"
        self._kit = kit
        self._way = way
        self.reset()

    def reset(self) -> None:
        """Forget corpora and task."""
        self._corpora: list[ChunkedCorpus] = []
        self._words: list[list[str]] = []
        self._task: Task | None = None

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - asks nothing before
        """Keep the chunks."""
        self._corpora.append(chunked)

    def reveal(self, task: Task) -> None:
        """Take the task that is asked next, with gold and references."""
        self._task = task

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Show the chunks that are needed, in the order of the text, as many as fit.

        Raises:
            InvalidInput: the task was not revealed, or has nothing that the oracle knows by.
            MissingExtra
            ModelError
        """
        if self._task is None or self._task.id != query.task_id:
            raise InvalidInput(f"The task {query.task_id!r} was not revealed to the oracle.")
        gold: dict[str, int] = {}
        for chunked in self._corpora:
            gold |= chunked.gold(self._task.gold)
        by_gold = self._way == "gold" or (self._way == "" and bool(self._task.gold))
        references = [each for each in self._task.references if each.strip()]
        if by_gold and not self._task.gold:
            raise InvalidInput(f"The task {query.task_id!r} has no gold evidence.")
        if not by_gold and not references:
            raise InvalidInput(f"The task {query.task_id!r} has no reference to look for chunks by.")
        details: dict[str, Scalar] = {"oracle": "gold", "gold": len(gold)}
        if by_gold:
            shown = self._by_gold(gold, allowance)
        else:
            shown, recall = self._by_reference(references, allowance)
            details = {"oracle": "reference", "recall": recall}
        best = sorted(gold.items(), key=lambda pair: -pair[1])[:DEEPEST] if query.kind == "search" else []
        return Output(
            text=self._kit.write(query, shown, allowance),
            shown=shown,
            ranking=tuple((key, float(grade)) for key, grade in best),
            details=details,
        )

    def close(self) -> None:
        """Forget corpora and task."""
        self.reset()

    @property
    def _pieces(self) -> list[Piece]:
        return [piece for chunked in self._corpora for piece in chunked.pieces]

    def _by_gold(self, gold: Mapping[str, int], allowance: Allowance) -> tuple[Shown, ...]:
        """Return the gold chunks that fit, the higher grades first where they do not all."""
        own = [piece for piece in self._pieces if piece.id in gold]
        ranked = sorted(own, key=lambda piece: -gold[piece.id])
        fitting = self._kit.fit((as_shown(piece, float(gold[piece.id])) for piece in ranked), allowance)
        return self._in_order(fitting)

    def _by_reference(self, references: Sequence[str], allowance: Allowance) -> tuple[tuple[Shown, ...], float]:
        """Return the chunks for the reference that can be covered best, and its covered share of words and pairs, 0 to 2."""
        pieces, split = self._pieces, _splitter()
        self._words += [split(piece.text) for piece in pieces[len(self._words) :]]
        tried = [self._cover(Coverage(split(each), self._words), pieces, allowance) for each in references]
        shown, value = max(tried, key=lambda pair: pair[1])
        return self._in_order(shown), value

    def _cover(
        self, coverage: Coverage, pieces: Sequence[Piece], allowance: Allowance
    ) -> tuple[tuple[Shown, ...], float]:
        taken: tuple[Shown, ...] = ()
        out: list[int] = []
        while len(out) < len(pieces):
            gains = coverage.gains()
            gains[out] = 0.0
            place = int(gains.argmax())
            if gains[place] <= 0:
                break
            out.append(place)
            with_it = self._kit.fit((*taken, as_shown(pieces[place], float(gains[place]))), allowance)
            if len(with_it) > len(taken):
                taken = with_it
                coverage.take(place)
        return taken, coverage.value()

    def _in_order(self, shown: Sequence[Shown]) -> tuple[Shown, ...]:
        places = {piece.id: place for place, piece in enumerate(self._pieces)}
        return tuple(sorted(shown, key=lambda each: places[each.id]))


@cache
def _splitter() -> Callable[[str], list[str]]:
    """Return what splits a text into stems, as the metric does."""
    try:
        from rouge_score.tokenizers import DefaultTokenizer
    except ImportError:
        raise MissingExtra("The oracle by reference", "bench") from None
    split: Callable[[str], list[str]] = DefaultTokenizer(use_stemmer=True).tokenize
    return split
