"""What of each hit is shown: the whole item, or for small models the sentences that speak to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from thinkback.engine.parts import Parts
from thinkback.retrieve.excerpt import best_window, score_sentences
from thinkback.text.sentences import sentences
from thinkback.types import FloatVector, Hit

__all__ = ["Excerpts", "excerpts", "whole_items"]

_MOST_HITS = 20  # hits whose sentences are looked at: more than fit into a small context
_RANK_SHIFT = 10  # reciprocal ranks, as in fusion, of the hit and of its best window


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpts:
    """Hits in the order in which they are to be packed, and the text of each that is shown, by item id."""

    hits: tuple[Hit, ...]
    texts: Mapping[str, str]

    def text(self, hit: Hit) -> str:
        """Return what is shown of a hit."""
        return self.texts.get(hit.item.id, hit.item.text)


def whole_items(hits: Sequence[Hit]) -> Excerpts:
    """Show every hit whole, in rank order."""
    return Excerpts(hits=tuple(hits), texts={})


def excerpts(parts: Parts, question: str, vector: FloatVector, hits: Sequence[Hit], *, limit: int) -> Excerpts:
    """Cut the chunks among the first hits to their best sentences, at most ``limit`` tokens each, and rank them by those too.

    Thoughts are short, and shown whole. Sentences keep their words: a quote from an excerpt stands in its chunk.
    """
    looked_at, rest = list(hits[:_MOST_HITS]), hits[_MOST_HITS:]
    spans = [
        [(piece.start, piece.end) for piece in sentences(hit.item.text)]
        if hit.kind == "chunk"
        else [(0, len(hit.item.text))]
        for hit in looked_at
    ]
    texts = [hit.item.text[start:end] for hit, places in zip(looked_at, spans, strict=True) for start, end in places]
    if not texts:
        return whole_items(hits)
    cosines = parts.embedder.embed(texts, kind="document") @ vector
    scores = score_sentences(question, texts, cosines.tolist())
    counts = [parts.embedder.count(text) for text in texts]
    shown: dict[str, str] = {}
    best: list[float] = []
    at = 0
    for hit, places in zip(looked_at, spans, strict=True):
        window = best_window(scores[at : at + len(places)], counts[at : at + len(places)], limit=limit)
        shown[hit.item.id] = hit.item.text[places[window.first][0] : places[window.last][1]]
        best.append(window.score)
        at += len(places)
    by_window = sorted(range(len(looked_at)), key=lambda place: (-best[place], place))
    merit = [1 / (_RANK_SHIFT + place + 1) for place in range(len(looked_at))]
    for rank, place in enumerate(by_window, start=1):
        merit[place] += 1 / (_RANK_SHIFT + rank)
    order = sorted(range(len(looked_at)), key=lambda place: (-merit[place], place))
    return Excerpts(hits=(*(looked_at[place] for place in order), *rest), texts=shown)
