"""Citations: from the markers or quotes of an answer to places in raw text. Never to a thought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thinkback.engine.shown import RawSpan, Shown
from thinkback.thought.quotes import find_quote
from thinkback.thought.support import best_span
from thinkback.types import Citation, Root

__all__ = ["MarkerFilter", "Quoted", "cite_markers", "cite_quotes", "match_quotes"]

_MARKER = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_OPENED = re.compile(r"\[[\d\s,;]{0,40}$")
_MOST_SPANS_OF_A_THOUGHT = 3


class MarkerFilter:
    """Passes a streamed text on without the markers that point nowhere, and counts those.

    Only a tail that may still become a marker is held back, so nothing that was passed on is ever taken back.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._held = ""
        self.dropped = 0

    def feed(self, piece: str) -> str:
        """Return what may be shown now."""
        text = self._held + piece
        opened = _OPENED.search(text)
        cut = opened.start() if opened else len(text)
        self._held = text[cut:]
        return self._clean(text[:cut])

    def finish(self) -> str:
        """Return what was held back."""
        rest, self._held = self._held, ""
        return self._clean(rest)

    def _clean(self, text: str) -> str:
        return _MARKER.sub(self._checked, text)

    def _checked(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", match.group(1))]
        kept = [number for number in numbers if 1 <= number <= self._shown]
        self.dropped += len(numbers) - len(kept)
        return "".join(f"[{number}]" for number in kept)


def cite_markers(text: str, shown: Shown) -> tuple[Citation, ...]:
    """Return the citations of an answer with [n] markers, by number: for each, the span that carries its sentence best."""
    sentences: dict[int, list[str]] = {}
    for sentence in _sentences(text):
        for match in _MARKER.finditer(sentence):
            for number in map(int, re.findall(r"\d+", match.group(1))):
                if 1 <= number <= len(shown.hits):
                    sentences.setdefault(number, []).append(_MARKER.sub("", sentence).strip())
    citations: list[Citation] = []
    for number in sorted(sentences):
        claim = " ".join(sentences[number])
        citations.extend(_cite_item(number, claim, shown))
    return tuple(citations)


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences, each with the markers behind its full stop."""
    for line in text.splitlines():
        yield from (part for part in re.split(r"(?<=[.!?。！？\]])\s+(?!\[)", line) if part)


def _cite_item(number: int, claim: str, shown: Shown) -> list[Citation]:
    item = shown.hits[number - 1].item
    if shown.hits[number - 1].kind == "chunk":
        span = best_span(claim, item.text, None)
        # No word in common, as between two languages: then no sentence can be picked, and the passage is the quote.
        start, end = (span.start, span.end) if span.end > span.start else (0, len(item.text))
        raw = RawSpan(
            root=Root(kind="chunk", id=item.id),
            start=start,
            end=end,
            quote=item.text[start:end],
            score=span.score,
        )
        cited = _cite_span(number, raw, shown, via=None)
        return [cited] if cited else []
    spans = shown.spans.get(item.id, ())[:_MOST_SPANS_OF_A_THOUGHT]
    return [cited for raw in spans if (cited := _cite_span(number, raw, shown, via=item.id))]


def _cite_span(number: int, raw: RawSpan, shown: Shown, *, via: str | None) -> Citation | None:
    if raw.root.kind == "testimony":
        said = shown.testimonies.get(raw.root.id)
        if said is None:
            return None
        return Citation(
            marker=number,
            document_id="",
            title=said.source,
            uri=f"testimony:{said.id}",
            page=None,
            start=raw.start,
            end=raw.end,
            quote=raw.quote,
            root_id=said.id,
            via=via,
        )
    chunk = shown.chunks.get(raw.root.id)
    document = shown.documents.get(chunk.document_id) if chunk else None
    if chunk is None or document is None:
        return None
    return Citation(
        marker=number,
        document_id=document.id,
        title=document.title,
        uri=document.uri,
        page=chunk.page,
        start=chunk.start + raw.start,
        end=chunk.start + raw.end,
        quote=raw.quote,
        root_id=chunk.id,
        via=via,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A quote of an evidence-first reply, found in a shown item."""

    number: int
    start: int
    end: int
    quote: str


def match_quotes(claimed: Sequence[tuple[int, str]], shown: Shown) -> tuple[Quoted, ...]:
    """Return those quotes that really stand in a shown item: the named one, or any other if the number is wrong.

    The evidence field does not verify itself: of nineteen of a model of 1.5 billion parameters, nine were its own sentences.
    """
    found: list[Quoted] = []
    for number, quote in claimed:
        order = sorted(range(1, len(shown.hits) + 1), key=lambda candidate: candidate != number)
        for candidate in order:
            text = shown.hits[candidate - 1].item.text
            if match := find_quote(quote, text):
                place = Quoted(number=candidate, start=match.start, end=match.end, quote=text[match.start : match.end])
                if place not in found:
                    found.append(place)
                break
    return tuple(found)


def cite_quotes(quoted: Sequence[Quoted], shown: Shown) -> tuple[Citation, ...]:
    """Return the citations of an evidence-first answer, by item number and place."""
    citations: list[Citation] = []
    for place in sorted(quoted, key=lambda quote: (quote.number, quote.start)):
        item = shown.hits[place.number - 1].item
        if shown.hits[place.number - 1].kind == "thought":
            citations.extend(_cite_item(place.number, place.quote, shown))
            continue
        raw = RawSpan(
            root=Root(kind="chunk", id=item.id), start=place.start, end=place.end, quote=place.quote, score=1.0
        )
        cited = _cite_span(place.number, raw, shown, via=None)
        if cited:
            citations.append(cited)
    return tuple(dict.fromkeys(citations))
