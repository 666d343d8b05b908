"""Whether the passages that a small model quoted say what its answer says: each is real, but may be about something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from thinkback.engine.shown import Shown
from thinkback.thought.fragment import is_phrase
from thinkback.thought.support import SupportVerdict, supports
from thinkback.thought.words import sentences
from thinkback.types import Citation

__all__ = ["NOTHING", "NOT_ALL", "check_quotes", "quotes_of"]

NOT_ALL = "The quotes stand in the sources, but do not carry all of the answer."
NOTHING = "The quotes stand in the sources, but do not carry the answer: check it before you rely on it."
_MARKS = " ?\uff1f"
_CARRIED = 0.5  # share of a sentence's words: an answer may be put more freely than a note that is kept


def check_quotes(
    text: str, question: str, citations: Sequence[Citation], shown: Shown
) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """Return the citations of an evidence-first answer, each marked with whether it carries a sentence of it, and warnings.

    Where the quote does not carry any, but another passage of the same item does, the citation is moved there.

    Args:
        text: the answer, without markers.
        question: what it answers: a bare "1932" is read with it.
        citations: of the passages that the model quoted.
        shown: what they are from.
    """
    claims = [_claim(text[span.start : span.end], question) for span in sentences(text)]
    carried: set[str] = set()
    checked: list[Citation] = []
    for citation in citations:
        looks = {claim: _look(claim, question, citation, shown) for claim in claims}
        found = [(claim, verdict) for claim, verdict in looks.items() if verdict.ok]
        carried.update(claim for claim, _ in found)
        checked.append(_marked(citation, [verdict for _, verdict in found], shown))
    if not carried and citations:
        return tuple(dict.fromkeys(checked)), (NOTHING,)
    return tuple(dict.fromkeys(checked)), () if carried.issuperset(claims) else (NOT_ALL,)


def quotes_of(citations: Sequence[Citation]) -> Mapping[str, tuple[str, ...]]:
    """Return what a model quoted, by chunk: the citations that were checked, as only those of quotes are."""
    quotes: dict[str, tuple[str, ...]] = {}
    for citation in citations:
        if citation.carries is not None and citation.via is None:
            quotes[citation.root_id] = (*quotes.get(citation.root_id, ()), citation.quote)
    return quotes


def _claim(sentence: str, question: str) -> str:
    return f"{question.rstrip(_MARKS)} {sentence}" if is_phrase(sentence) else sentence


def _text_and_start(citation: Citation, shown: Shown) -> tuple[str, int]:
    """Return the raw text that a citation is from, and where that begins in what its offsets count in."""
    chunk = shown.chunks.get(citation.root_id)
    if chunk is not None:
        return chunk.text, chunk.start
    said = shown.testimonies.get(citation.root_id)
    return (said.answer, 0) if said is not None else (citation.quote, citation.start)


def _look(claim: str, question: str, citation: Citation, shown: Shown) -> SupportVerdict:
    text, _ = _text_and_start(citation, shown)
    asked = "" if claim.startswith(question.rstrip(_MARKS)) else question  # a joined claim has all of the question
    return supports(claim, text, quote=citation.quote, threshold=_CARRIED, question=asked, title=citation.title)


def _marked(citation: Citation, found: Sequence[SupportVerdict], shown: Shown) -> Citation:
    """Return a citation with its mark; moved to the first passage that carries a sentence, if its own carries none."""
    text, at = _text_and_start(citation, shown)
    start, end = citation.start - at, citation.end - at
    if not found:
        return replace(citation, carries=False)
    if citation.via or any(verdict.start < end and start < verdict.end for verdict in found):
        return replace(citation, carries=True)
    place = found[0]
    return replace(
        citation, start=at + place.start, end=at + place.end, quote=text[place.start : place.end], carries=True
    )
