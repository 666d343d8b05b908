"""The parts of a sentence that change its claim when they change: names, negation, quantity words, hedges, time order.

Heuristics over words, not a parser. Each is built to err towards "differs": a note kept twice costs a line, a note
joined to a different one costs a fact.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from thinkback.thought.lexicon import lexicon
from thinkback.thought.numbers import Number, numbers
from thinkback.thought.words import Word, fold, sentences, stem, words

__all__ = ["Facts", "Name", "facts"]

_CJK_NEGATION = re.compile(
    r"[\u4e0d\u6ca1\u6c92\u672a\u65e0\u7121\u975e\u5426]|\u306a\u3044|\u307e\u305b\u3093|\u306a\u304b\u3063\u305f|\u305a\u306b|\uc54a|\ubabb|\uc5c6"
)
_BREAK = re.compile(
    r"[,;:.!?()\u2014\u2013\"]|\b(?:but|although|though|because|while|whereas|however|which|and then)\b", re.IGNORECASE
)
_BOUNDS = re.compile(
    r"\b(?:(?P<least>at least|no (?:less|fewer) than|minimum of|more than|over|above|exceed(?:s|ed|ing)?|larger than|longer than)"
    r"|(?P<most>at most|no more than|up to|maximum of|(?:less|fewer) than|under|below|smaller than|shorter than))\b",
    re.IGNORECASE,
)
_BOUND_REACH = 12  # characters between a bound and its number
_LONGEST_SCOPE = 8
_MUST = re.compile(r"\b(?:needs? to|ha(?:s|ve) to|had to)\b", re.IGNORECASE)
_MAY_DO = re.compile(
    r"\bmay (?:be \w+ed\b|not be|only)|\b(?:users?|members?|students?|staff|visitors?|you) may\b", re.IGNORECASE
)
_EVERY_SO_OFTEN = re.compile(
    r"(?:every|each)\s+(?:\d|two|three|four|five|six|ten|twelve|few|other|second|minute|hour|day|night|morning|evening|"
    r"week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    re.IGNORECASE,
)  # tells how often, not of how many
_NO_NEGATION = re.compile(r"\s+(?:only|just|least|more|less|fewer|later|matter)\b|\s*[.:]?\s*\d")  # "no. 5", "not only"


@dataclass(frozen=True, slots=True)
class _Denied:
    sure: frozenset[str]
    perhaps: frozenset[str]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A word that looks like a proper name."""

    key: str
    start: int
    end: int
    sure: bool
    """False where it stands at the start of a sentence and may be any word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What must agree between two statements of the same claim."""

    words: tuple[Word, ...]
    numbers: tuple[Number, ...]
    names: tuple[Name, ...]
    negated: frozenset[str]
    """Stems right after a negation: what is denied for certain."""
    perhaps_negated: frozenset[str]
    """Stems further on in the same clause, which may be meant."""
    negations: int
    bounds: tuple[tuple[int, int], ...]
    """Where "more than" and the like stand before a number."""
    scope: frozenset[str]
    """Classes of quantity words: all, some, most, only, none, many, rare, near, least, at most."""
    hedges: frozenset[str]
    """Classes of hedges: may, if, plan, must."""

    @property
    def stems(self) -> frozenset[str]:
        """Stems of the content words that are no part of a number."""
        return frozenset(w.stem for w in self.content)

    @property
    def content(self) -> tuple[Word, ...]:
        """The content words that are no part of a number or of the bound before it, in order."""
        spans = [*((n.start, n.end) for n in self.numbers), *self.bounds]
        return tuple(
            w
            for w in self.words
            if w.content and w.kind != "number" and not any(a < w.end and w.start < b for a, b in spans)
        )


def facts(text: str) -> Facts:
    """Return the facts of a text of one or a few sentences."""
    lists = lexicon()
    found = tuple(words(text))
    denied = _negation(text, found)
    scope = {
        lists.scope[key]
        for w in found
        if (key := fold(w.text)) in lists.scope and not _EVERY_SO_OFTEN.match(text[w.start :])
    }
    counted = numbers(text)
    bounds = [
        bound
        for bound in _BOUNDS.finditer(text)
        if any(0 <= number.start - bound.end() <= _BOUND_REACH for number in counted)
    ]
    scope |= {"least" if bound["least"] else "at most" for bound in bounds}
    hedges = {lists.hedges[key] for w in found if (key := fold(w.text)) in lists.hedges}
    hedges |= {"must"} if _MUST.search(text) else set()
    if "may" in hedges and _MAY_DO.search(text):
        hedges.remove("may")  # "up to ten books may be borrowed" says what can be done
    return Facts(
        words=found,
        numbers=counted,
        names=_names(text, found),
        negated=denied.sure,
        perhaps_negated=denied.perhaps,
        negations=denied.count,
        bounds=tuple(bound.span() for bound in bounds),
        scope=frozenset(scope),
        hedges=frozenset(hedges),
    )


def _names(text: str, found: tuple[Word, ...]) -> tuple[Name, ...]:
    starts = {s.start for s in sentences(text)}
    result = []
    for i, word in enumerate(found):
        if word.kind != "word":
            continue
        written = re.sub(r"['\u2019]s$|['\u2019]$", "", word.text)
        folded = fold(written)
        if folded in lexicon().titles or folded in lexicon().capitalised:
            continue
        inner = any(c.isupper() for c in written[1:]) or (
            any(c.isdigit() for c in written) and any(c.isalpha() for c in written)
        )
        if not inner and not written[0].isupper():
            continue
        if folded in lexicon().stop and not (inner and len(written) > 1 and word.start not in starts):
            continue
        initial = word.start in starts or text[: word.start].rstrip(" \"'\u201c(\u2018")[-1:] in (
            "",
            ".",
            ":",
            "!",
            "?",
            "\n",
        )
        follows = (
            i + 1 < len(found)
            and found[i + 1].text[0].isupper()
            and found[i + 1].content
            and text[word.end : found[i + 1].start] == " "
        )
        result.append(Name(key=folded, start=word.start, end=word.end, sure=inner or not initial or follows))
    return tuple(result)


def _negation(text: str, found: tuple[Word, ...]) -> _Denied:
    """Return what stands under a negation; two negations over a word cancel."""
    sure: Counter[str] = Counter()
    perhaps: set[str] = set()
    count = 0
    for i, word in enumerate(found):
        folded = fold(word.text).replace("\u2019", "'")
        plain = folded in lexicon().negations or folded.endswith("n't")
        if not plain and not _denies(word, found[i + 1 : i + 2]):
            continue
        after = text[word.end : word.end + 12].casefold()
        if folded in ("not", "no") and _NO_NEGATION.match(after):
            continue
        count += plain
        scope = _clause(text, found, i)
        if scope:
            sure[scope[0]] += 1
            perhaps.update(scope[1:])
    count += len(_CJK_NEGATION.findall(text))
    return _Denied(frozenset(stem for stem, times in sure.items() if times % 2), frozenset(perhaps), count)


def _denies(word: Word, following: tuple[Word, ...]) -> bool:
    """Tell whether a verb denies what follows it: fail to do, stop doing, lack a thing."""
    if not word.content or not following:
        return False
    failing, ceasing, lacking = _denying()
    if word.stem in failing:
        return fold(following[0].text) == "to"
    if word.stem in ceasing:
        return fold(word.text) == "nolonger" or fold(following[0].text).endswith("ing")
    return word.stem in lacking


@cache
def _denying() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    lists = lexicon()
    failing, ceasing, lacking = (frozenset(map(stem, found)) for found in (lists.failing, lists.ceasing, lists.lacking))
    return failing, ceasing, lacking


def _clause(text: str, found: tuple[Word, ...], i: int) -> list[str]:
    """Return the stems of up to eight content words after word i, as far as its clause goes."""
    scope: list[str] = []
    for other in found[i + 1 :]:
        if len(scope) == _LONGEST_SCOPE or _BREAK.search(text[found[i].end : other.start]):
            break
        if other.content and other.kind == "word":
            scope.append(other.stem)
    return scope
