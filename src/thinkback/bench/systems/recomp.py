"""Retrieved chunks compressed before they are shown: RECOMP (Table 10 of the paper).

Source: Xu, Shi and Choi, "RECOMP: Improving Retrieval-Augmented LMs with Context Compression and Selective Augmentation",
ICLR 2024, section 3. The extractive compressor scores each sentence by the inner product of its vector with the query's and
keeps the best; the abstractive one lets a model write a summary for the query. Either may come out empty, and then nothing is
shown. Their compressors are trained for each task; ours are the run's embedder and model as they are, so this row shows the
method and not their weights.

* ``recomp:extractive`` (also without an argument): sentences of the chunks that would fill four allowances, the best until
  the allowance is full, shown in the order of the text.
* ``recomp:abstractive``: a summary of the chunks that fill the allowance, of at most a quarter of it.

A third part is the target in tokens: ``recomp:extractive:200``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import PROMPTS, Kit
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.dense import Dense
from thinkback.bench.systems.flat import DEEPEST, as_shown
from thinkback.bench.systems.window import shortened
from thinkback.embed.calibrate import thresholds
from thinkback.errors import InvalidInput
from thinkback.text.prompts import load_prompt
from thinkback.text.sentences import sentences

__all__ = ["Abstractive", "Candidate", "Extractive", "choose", "excerpts", "make_recomp"]

_SOURCES = 4
"""Allowances of chunks that the extractive compressor looks at."""
_TARGET = 4
"""The abstractive compressor's target is one part in so many of the allowance."""
_RELEVANT = 0.35
"""On MiniLM's scale. Measured on the training questions of HotpotQA and MuSiQue (200): the best sentence of a question's own
evidence is above .42 in 95 of 100, that of another question's below .33."""
_WORDS_PER_TOKEN = 0.75
_NOTHING = "nothing"


def make_recomp(kit: Kit, argument: str) -> Extractive | Abstractive:
    """Return ``extractive`` or ``abstractive``, with a target in tokens if one is given.

    Raises:
        InvalidInput: another argument, or ``abstractive`` in a run without a model.
    """
    way, _, given = argument.partition(":")
    if way not in {"", "extractive", "abstractive"} or not (given == "" or (given.isdecimal() and int(given) > 0)):
        raise InvalidInput(f"RECOMP is extractive or abstractive, with a target in tokens, not {argument!r}.")
    target = int(given) if given else None
    return Abstractive(kit, target=target) if way == "abstractive" else Extractive(kit, target=target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that may be kept: ``piece.text[start:end]``."""

    piece: int
    """Place of its chunk in the order of the text."""
    start: int
    end: int
    score: float


def choose(candidates: Sequence[Candidate], fits: Callable[[Sequence[Candidate]], bool]) -> list[Candidate]:
    """Return the best candidates that fit together, in the order of the text.

    Taken by falling score, of equal ones the earlier first; one that does not fit beside those taken is passed over.

    Args:
        candidates: in any order.
        fits: says whether some candidates, in the order of the text, are short enough together.
    """
    taken: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda each: (-each.score, each.piece, each.start)):
        tried = sorted([*taken, candidate], key=lambda each: (each.piece, each.start))
        if fits(tried):
            taken = tried
    return taken


def excerpts(chosen: Sequence[Candidate], pieces: Sequence[Piece]) -> list[Shown]:
    """Return one item for each chunk that has chosen sentences, these with blanks between, its score that of the best."""
    found: list[Shown] = []
    for place in dict.fromkeys(each.piece for each in chosen):
        piece, own = pieces[place], [each for each in chosen if each.piece == place]
        text = " ".join(piece.text[each.start : each.end] for each in own)
        score = max(each.score for each in own)
        found.append(Shown(kind="excerpt", id=piece.id, text=text, roots=(piece.id,), score=score))
    return found


class _Compressor:
    """Retrieval and the rest that both ways share.

    Args:
        kit: what all systems share.
        name: of the row.
        target: tokens of what is shown; None: as the way has it.
    """

    def __init__(self, kit: Kit, *, name: str, target: int | None) -> None:
        self.name = name if target is None else f"{name}:{target}"
        self._kit = kit
        self._target = target
        self._dense = Dense(kit)
        self._places: dict[str, int] = {}

    def reset(self) -> None:
        """Forget all chunks."""
        self._dense.reset()
        self._places = {}

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:
        """Index the chunks."""
        self._dense.ingest(chunked, pre_queries)
        for piece in chunked.pieces:
            self._places[piece.id] = len(self._places)

    def close(self) -> None:
        """Forget all chunks."""
        self._dense.close()
        self._places = {}

    def _output(self, query: Query, shown: Sequence[Shown], allowance: Allowance, sources: int) -> Output:
        ranked = self._dense.rank(query.text, DEEPEST) if query.kind == "search" else []
        return Output(
            text=self._kit.write(query, shown, allowance),
            shown=tuple(shown),
            ranking=tuple((piece.id, score) for piece, score in ranked),
            details={"sources": sources, "empty": not shown},
        )

    def _retrieved(self, query: Query, allowance: Allowance, tokens: int) -> list[Piece]:
        """Return the best chunks that fill so many tokens, in the order of the text."""
        ranked = [piece for piece, _ in self._dense.rank(query.text, DEEPEST)]
        taken = {each.id for each in self._kit.fit(map(as_shown, ranked), replace(allowance, context_tokens=tokens))}
        return sorted((piece for piece in ranked if piece.id in taken), key=lambda piece: self._places[piece.id])


class Extractive(_Compressor):
    """Keeps sentences.

    A question whose best sentence is below the threshold gets nothing; a request to write about the whole is never off the
    point of its own documents, however far its wording is from them.

    Args:
        kit: what all systems share.
        target: tokens of what is shown, if the allowance has as many; None: the allowance.
        relevant: the threshold, a cosine of the kit's embedder; None: .35 carried over from MiniLM to it.
    """

    def __init__(self, kit: Kit, *, target: int | None = None, relevant: float | None = None) -> None:
        super().__init__(kit, name="recomp:extractive", target=target)
        self._relevant = relevant

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Retrieve, compress and write.

        Raises:
            ModelError
        """
        pieces = self._retrieved(query, allowance, _SOURCES * allowance.context_tokens)
        candidates = self._candidates(query.text, pieces)
        most = min(self._target or allowance.context_tokens, allowance.context_tokens)
        if query.kind == "question" and all(each.score < self._threshold() for each in candidates):
            candidates = []
        prices: dict[tuple[int, str], int] = {}

        def fits(chosen: Sequence[Candidate]) -> bool:
            total = 0
            for number, item in enumerate(excerpts(chosen, pieces), 1):
                key = (len(str(number)), item.text)
                if key not in prices:
                    prices[key] = self._kit.price(number, item.text)
                total += prices[key]
            return total <= most

        return self._output(query, excerpts(choose(candidates, fits), pieces), allowance, len(pieces))

    def _candidates(self, text: str, pieces: Sequence[Piece]) -> list[Candidate]:
        spans = [(place, each.start, each.end) for place, piece in enumerate(pieces) for each in sentences(piece.text)]
        if not spans:
            return []
        vectors = self._kit.embedder.embed(
            [pieces[place].text[start:end] for place, start, end in spans], kind="document"
        )
        scores = np.asarray(vectors @ self._kit.embedder.embed([text], kind="query")[0], np.float64)
        return [
            Candidate(piece=place, start=start, end=end, score=float(score))
            for (place, start, end), score in zip(spans, scores, strict=True)
        ]

    def _threshold(self) -> float:
        if self._relevant is None:
            self._relevant = thresholds(self._kit.embedder, gate=_RELEVANT, related=-1).gate
        return self._relevant


class Abstractive(_Compressor):
    """Lets the model write what helps with the query.

    Args:
        kit: what all systems share.
        target: tokens of the summary, if the allowance has as many; None: a quarter of the allowance.

    Raises:
        InvalidInput: the run has no model.
    """

    def __init__(self, kit: Kit, *, target: int | None = None) -> None:
        if kit.llm is None:
            raise InvalidInput("Abstractive compression needs a model that writes; recomp:extractive needs none.")
        super().__init__(kit, name="recomp:abstractive", target=target)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Retrieve, compress and write.

        Raises:
            ModelError
        """
        pieces = self._retrieved(query, allowance, allowance.context_tokens)
        most = min(self._target or allowance.context_tokens // _TARGET, allowance.context_tokens)
        frame = self._kit.price(1, "")
        text = self._summary(query, pieces, allowance, most - frame) if pieces and most > frame else ""
        roots = tuple(sorted(piece.id for piece in pieces))
        shown = [Shown(kind="excerpt", id="summary", text=text, roots=roots, level=2.0)] if text else []
        return self._output(query, shown, allowance, len(pieces))

    def _summary(self, query: Query, pieces: Sequence[Piece], allowance: Allowance, tokens: int) -> str:
        words = {"words": max(20, int(tokens * _WORDS_PER_TOKEN))}
        asked = replace(query, metadata={**query.metadata, **words})
        reply = self._kit.ask(
            load_prompt("compress", package=PROMPTS), asked, [as_shown(piece) for piece in pieces],
            replace(allowance, answer_tokens=tokens),
        )  # fmt: skip
        text = reply.text.strip()
        if text.strip(" .!\"'*").casefold() in {"", _NOTHING}:
            return ""
        return shortened(text, tokens, self._kit.count)
