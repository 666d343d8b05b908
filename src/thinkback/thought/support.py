"""Does a text carry a claim, and where? Words, not vectors: cosine between a note and its source certifies little.

A claim is carried by a span if the span has enough of the claim's words, rare words counting more, and every number,
name and negation of the claim. A quote that a model gives only says where to look.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from thinkback.thought.agreement import disagreement
from thinkback.thought.case import title_names
from thinkback.thought.derivation import kindred
from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import counterparts
from thinkback.thought.quotes import find_quote
from thinkback.thought.synonyms import light, saying, single_words
from thinkback.thought.words import Sentence, Word, sentences, words

__all__ = ["Idf", "Span", "SupportVerdict", "best_span", "idf_of", "longer_than_sources", "supports"]

Idf = Callable[[str], float]
"""Stem to weight, at least 0; see ``idf_of``."""

_REFERS_BACK = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|this|that|these|those|such|there|then|here|i|we|my|our|me|us|"
    r"one|ones|both|so|er|sie|es|dies\w*|il|elle|cela|ce\w*|ella|esto|eso)\b"
    r"|[\u5b83\u4ed6\u5979\u6b64\u9019\u8fd9\u8be5\u8a72]|\u3053\u308c|\u305d\u308c",
    re.IGNORECASE,
)  # a sentence with one of these may go on about what the one before it named
_PAIR_GAIN = 0.05  # a second sentence must add this much recall, or the shorter span is the better citation
_QUOTE_EASE = 0.8  # a verbatim quote chosen by the model needs this share of the threshold in words
_EMPTY_SHARE = 0.4  # a verb of saying that the source lacks ("Tom mentions that ...") takes little from a claim
_NOTE_WORDS = 40  # a note of this length is short whatever it was distilled from


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The part of a text that carries most of a claim: ``text[start:end]``."""

    start: int
    end: int
    score: float
    """Share of the claim's content that stands there, by weight, 0 to 1."""
    missing: tuple[str, ...]
    """Content words of the claim that do not, in order, as written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportVerdict:
    """Whether a text carries a claim. ``quote == text[start:end]``; all empty where nothing stood near."""

    ok: bool
    start: int
    end: int
    quote: str
    score: float
    reason: str
    """Why not; empty for a carried claim."""


def idf_of(texts: Iterable[str]) -> Idf:
    """Return inverse document frequencies over texts: log(1 + n / (1 + number of texts with the stem)).

    A stem in no text has the largest weight. Memory grows with the number of distinct stems.
    """
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        total += 1
        counts.update({w.stem for w in words(text) if w.content})
    return lambda stem: math.log(1 + total / (1 + counts[stem])) if total else 1.0


def best_span(claim: str, text: str, idf: Idf | None = None, *, title: str = "") -> Span:
    """Return the sentence, or two adjacent ones, with the largest recall of the claim's content words.

    Of equal spans the shorter, then the first. A text without content gives an empty span with score 0.

    Args:
        claim: the atom.
        text: the item.
        idf: weights of stems; None weighs all content words alike, numbers and names doubly.
        title: of the text's document: names of the claim may stand there.
    """
    return _best(_wanted(claim, text, title), text, sentences(text), idf)


def supports(
    claim: str,
    text: str,
    *,
    quote: str | None = None,
    threshold: float = 0.7,
    idf: Idf | None = None,
    question: str = "",
    title: str = "",
) -> SupportVerdict:
    """Return whether a text carries a claim, and the span that does.

    Where a quote is given and stands in the text, the sentences that it touches are tried first, with a lower
    threshold, since the model pointed there; after that, as without a quote, the best one or two sentences.

    Args:
        claim: the atom, self-contained.
        text: the item.
        quote: what the model says the claim stands on.
        threshold: least recall by words, 0 to 1; the preset's ``support``.
        idf: see ``best_span``.
        question: what the claim answers: what it repeats of that must stand in the text.
        title: see ``best_span``.
    """
    wanted = _wanted(claim, text, title)
    spans = sentences(text)
    context = {"question": question, "title": title}
    if not any(w.content for w in wanted.facts.words):
        return _refuse("the claim has no content", text, None)
    if quote:
        found = find_quote(quote, text)
        if found is not None:
            touched = [s for s in spans if s.start < found.end and found.start < s.end]
            span = _measure(wanted, text, touched[0].start, touched[-1].end, idf)
            if span.score >= threshold * _QUOTE_EASE and not disagreement(claim, text, span.start, span.end, **context):
                return _accept(text, found.start, found.end, span.score)
    span = _best(wanted, text, spans, idf)
    if span.score < threshold:
        lacking = ", ".join(span.missing[:4])
        return _refuse(f"only {span.score:.0%} of the claim stands in the item; missing: {lacking}", text, span)
    fault = disagreement(claim, text, span.start, span.end, **context)
    if fault:
        return _refuse(fault, text, span)
    return _accept(text, span.start, span.end, span.score)


def longer_than_sources(thought: str, sources: Sequence[str]) -> bool:
    """Tell whether a thought has more words than all its sources together: then it is no distillate.

    Notes of up to 40 words are let through, since a note on one short turn adds who said it, and when.
    """
    length = len(words(thought))
    return length > _NOTE_WORDS and length > sum(len(words(source)) for source in sources)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is looked for."""

    facts: Facts
    titled: frozenset[str]
    """Stems of the names in the title."""


def _wanted(claim: str, text: str, title: str) -> _Wanted:
    return _Wanted(facts(single_words(claim)), frozenset(word.stem for word in title_names(title, text)))


def _best(wanted: _Wanted, text: str, spans: Sequence[Sentence], idf: Idf | None) -> Span:
    best = Span(start=0, end=0, score=0.0, missing=tuple(w.text for w in wanted.facts.words if w.content))
    singles = [_measure(wanted, text, s.start, s.end, idf) for s in spans]
    for span in singles:
        if span.score > best.score + 1e-9:
            best = span
    for left, right in itertools.pairwise(singles):
        if not left.score or not right.score or not _REFERS_BACK.search(text[right.start : right.end]):
            continue
        pair = _measure(wanted, text, left.start, right.end, idf)
        if pair.score >= best.score + _PAIR_GAIN and pair.score >= max(left.score, right.score) + _PAIR_GAIN:
            best = pair
    return best


def _measure(wanted: _Wanted, text: str, start: int, end: int, idf: Idf | None) -> Span:
    """Return the recall of the claim in ``text[start:end]``; a name may stand earlier in the text, or in its title."""
    given = words(single_words(text[start:end]))
    here = counterparts(wanted.facts.words, given)
    stems = {w.stem for w in given if w.content}
    named = {name.start for name in wanted.facts.names}
    before = {w.stem for w in words(text[:start])} | wanted.titled if named else set()
    total = got = 0.0
    missing = []
    seen: set[str] = set()
    for word in wanted.facts.words:
        if not word.content or word.stem in seen or _counter(word, wanted.facts):
            continue
        seen.add(word.stem)
        weight = _weight(word, idf, named=word.start in named)
        total += weight
        if (
            word.stem in here
            or (word.start in named and word.stem in before)
            or any(kindred(word.stem, one) for one in stems)
        ):
            got += weight
        elif word.kind == "cjk" and _straddles(word, wanted.facts.words, here):
            total -= weight
        else:
            missing.append(word.text)
    return Span(start=start, end=end, score=got / total if total else 0.0, missing=tuple(missing))


def _counter(word: Word, claim: Facts) -> bool:
    """Tell whether a single character is the counter after a number; beside other characters it would be one of a pair."""
    return word.kind == "cjk" and len(word.text) == 1 and any(number.end == word.start for number in claim.numbers)


def _straddles(pair: Word, claim: Sequence[Word], here: frozenset[str]) -> bool:
    """Tell whether a missing pair of characters stands between two that are there: it is no word, but their border."""
    beside = [word for word in claim if word.kind == "cjk" and abs(word.start - pair.start) == 1]
    return len(beside) == 2 and all(word.stem in here for word in beside)


def _weight(word: Word, idf: Idf | None, *, named: bool) -> float:
    plain = 2.0 if word.kind == "number" or named else 1.0
    weight = idf(word.stem) if idf else plain
    return weight * _EMPTY_SHARE if word.stem in light() or word.stem in saying() else weight


def _accept(text: str, start: int, end: int, score: float) -> SupportVerdict:
    return SupportVerdict(ok=True, start=start, end=end, quote=text[start:end], score=min(1.0, score), reason="")


def _refuse(reason: str, text: str, span: Span | None) -> SupportVerdict:
    start, end, score = (span.start, span.end, span.score) if span else (0, 0, 0.0)
    return SupportVerdict(ok=False, start=start, end=end, quote=text[start:end], score=score, reason=reason)
