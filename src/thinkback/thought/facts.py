"""The parts of a sentence that change its claim when they change: names, negation, quantity words, hedges, time order.

Heuristics over words, not a parser. Each is built to err towards "differs": a note kept twice costs a line, a note
joined to a different one costs a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from thinkback.thought.lexicon import STOP_WORDS
from thinkback.thought.numbers import Number, numbers
from thinkback.thought.words import Word, fold, sentences, words

__all__ = ["Facts", "Name", "facts"]

_TITLES = frozenset("mr mrs ms dr prof professor sir madam miss st".split())
_NOT_NAMES = frozenset(
    "i i'm i've i'd i'll january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_WEEKDAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely n't nicht kein keine keinen keiner "
    "nie niemals nichts ohne pas jamais aucun aucune rien sans nunca ningun ninguna sin nada jamas non mai nessun nessuna senza nao "
    "\u043d\u0435 \u043d\u0438 \u043d\u0435\u0442 \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u0431\u0435\u0437".split()
)
_FAILING = frozenset(
    "fail lack refus deny unabl absenc absent prevent avoid stop ceas reject declin omit exclud miss impossibl".split()
)
_CJK_NEGATION = re.compile(
    r"[\u4e0d\u6ca1\u6c92\u672a\u65e0\u7121\u975e\u5426]|\u306a\u3044|\u307e\u305b\u3093|\u306a\u304b\u3063\u305f|\u305a\u306b|\uc54a|\ubabb|\uc5c6"
)
_BREAK = re.compile(
    r"[,;:.!?()\u2014\u2013\"]|\b(?:but|although|though|because|while|whereas|however|which|and then)\b", re.IGNORECASE
)
_SCOPE: dict[str, str] = {
    **dict.fromkeys(
        "all every each always entire whole everyone everybody everything entirely completely fully both any".split(),
        "all",
    ),
    **dict.fromkeys("some several sometimes partly partially occasionally few".split(), "some"),
    **dict.fromkeys("most mostly majority usually generally mainly largely typically".split(), "most"),
    **dict.fromkeys("only solely exclusively merely just alone".split(), "only"),
    **dict.fromkeys("never none nobody nothing neither".split(), "none"),
    **dict.fromkeys("many often frequently numerous".split(), "many"),
    **dict.fromkeys("rarely seldom hardly scarcely barely".split(), "rare"),
    **dict.fromkeys("almost nearly approximately roughly about around".split(), "near"),
}
_BOUNDS = re.compile(
    r"\b(?:(?P<least>at least|no (?:less|fewer) than|minimum of|or more|more than|over|above|exceed(?:s|ed|ing)?|upwards of)"
    r"|(?P<most>at most|no more than|up to|maximum of|or (?:less|fewer)|(?:less|fewer) than|under|below))\b(?=[^.]{0,25}\d|\s+(?:two|three|four|five|six|seven|eight|nine|ten|half|a))",
    re.IGNORECASE,
)
_HEDGES: dict[str, str] = {
    **dict.fromkeys(
        "may might could possibly perhaps maybe potentially likely probably apparently suggest suggests suggested seem seems seemed appear appears".split(),
        "may",
    ),
    **dict.fromkeys("whether if unclear unknown unless".split(), "if"),
    **dict.fromkeys(
        "plan plans planned planning hope hopes hoped hoping intend intends intended expect expects expected want wants wanted considering consider consider propose proposed proposes wish wishes will would shall going".split(),
        "plan",
    ),
    **dict.fromkeys("should must need needs ought required require requires".split(), "must"),
}


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
    """Stems in the scope of an odd number of negations."""
    negations: int
    scope: frozenset[str]
    """Classes of quantity words: all, some, most, only, none, many, rare, near, least, most_bound."""
    hedges: frozenset[str]
    """Classes of hedges: may, if, plan, must."""

    @property
    def stems(self) -> frozenset[str]:
        """Stems of the content words."""
        return frozenset(w.stem for w in self.words if w.content and w.kind != "number")


def facts(text: str) -> Facts:
    """Return the facts of a text of one or a few sentences."""
    found = tuple(words(text))
    negated, negations = _negation(text, found)
    scope = {_SCOPE[key] for w in found if (key := fold(w.text)) in _SCOPE}
    for bound in _BOUNDS.finditer(text):
        scope.add("least" if bound["least"] else "most_bound")
    hedges = {_HEDGES[key] for w in found if (key := fold(w.text)) in _HEDGES}
    return Facts(
        words=found,
        numbers=numbers(text),
        names=_names(text, found),
        negated=negated,
        negations=negations,
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
        if folded in _TITLES or (folded in _NOT_NAMES and folded not in _WEEKDAYS):
            continue
        inner = any(c.isupper() for c in written[1:]) or (
            any(c.isdigit() for c in written) and any(c.isalpha() for c in written)
        )
        if not inner and not written[0].isupper():
            continue
        if folded in STOP_WORDS and not (inner and len(written) > 1 and word.start not in starts):
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


def _negation(text: str, found: tuple[Word, ...]) -> tuple[frozenset[str], int]:
    """Return the stems that stand under a negation, and how many negations there are.

    The scope of a negation is the next three content words of the same clause; two negations over a word cancel.
    """
    under: dict[str, int] = {}
    count = 0
    for i, word in enumerate(found):
        folded = fold(word.text).replace("\u2019", "'")
        if not (folded in _NEGATIONS or folded.endswith("n't") or (word.stem in _FAILING and word.content)):
            continue
        after = text[word.end : word.end + 12].casefold()
        if folded == "not" and re.match(r"\s+(?:only|just|least)\b", after):
            continue
        if folded == "no" and re.match(r"\s*[.:]?\s*\d|\s+(?:more|less|fewer|later|matter)\b", after):
            continue
        count += 1
        left = 3
        for other in found[i + 1 :]:
            if left == 0 or _BREAK.search(text[word.end : other.start]):
                break
            if other.content and other.kind == "word":
                under[other.stem] = under.get(other.stem, 0) + 1
                left -= 1
    count += len(_CJK_NEGATION.findall(text))
    return frozenset(stem for stem, times in under.items() if times % 2), count
