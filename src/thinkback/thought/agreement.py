"""What a claim says that a span does not, in the points that change a claim: numbers, names, negation, quantity, parts.

Recall of words tells how much of a claim stands in a span; these checks tell whether the rest would make it another
claim. Each refuses on a visible sign only, and each can refuse a good claim: that is the price of refusing bad ones.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from thinkback.thought.attribution import misattributed
from thinkback.thought.case import CLAUSE, PAUSE, Case, read_case
from thinkback.thought.contrast import contrasted, scattered
from thinkback.thought.derivation import kindred
from thinkback.thought.facts import Facts, facts
from thinkback.thought.matching import acronyms, counterparts
from thinkback.thought.numbers import Number, is_year, same_number
from thinkback.thought.roles import compare_roles
from thinkback.thought.slots import substituted
from thinkback.thought.synonyms import derived, opposed, same_word, synonyms
from thinkback.thought.unsaid import asked_only, elsewhere, unrelated
from thinkback.thought.words import Word, fold, stem, words

__all__ = ["disagreement"]

_STRONG = frozenset({"all", "most", "only", "none", "least", "at most"})
"""Quantity words that a source must have said itself."""
_COMPARES = re.compile(r"\bthan\b|\bcompared\b|\bversus\b|\bvs\b|\bexceed|\boutperform|\bsurpass|\bbeat", re.IGNORECASE)
_DOUBT = re.compile(r"\b(?:whether|if|unclear|unknown)\b", re.IGNORECASE)
_TO_COUNTED = re.compile(r"[\s-]*(?:of\s+)?(?:the\s+|these\s+|those\s+)?")


def disagreement(claim: str, text: str, start: int, end: int, *, question: str = "", title: str = "") -> str:
    """Return in a few words what of the claim does not stand in ``text[start:end]``, or the empty string.

    Args:
        claim: the claim.
        text: the whole item: a name may stand anywhere before the end of the span, since later sentences say "she".
        start: of the span.
        end: of the span.
        question: what the claim answers.
        title: of the item's document: its names may stand in the claim.
    """
    case = read_case(claim, text, start, end, question=question, title=title)
    faults = (check(case) for check in _CHECKS)
    return next((fault for fault in faults if fault), "")


def _numbers(case: Case) -> str:
    for number in case.wanted.numbers:
        rivals = case.given.numbers
        if number.soft and not any(n.unit == number.unit for n in rivals):
            continue
        same = [n for n in rivals if same_number(number, n)]
        if not same:
            return "a number of the claim does not stand in the evidence"
        counted = _counted(number, case.wanted, case.claim)
        if counted is not None and (_counts_otherwise(counted, same, case) or _counts_another(number, same, case)):
            return "a number of the claim counts something else in the evidence"
    return ""


def _counted(number: Number, there: Facts, text: str) -> Word | None:
    """Return the content word right after a number."""
    after = next((w for w in there.words if w.start >= number.end and w.content), None)
    if after is None or after.kind == "number" or not _TO_COUNTED.fullmatch(text[number.end : after.start]):
        return None
    return after


def _counts_otherwise(counted: Word, same: Sequence[Number], case: Case) -> bool:
    """Tell whether the counted thing stands in the evidence after other numbers, and after none of the same."""
    heads = {n: _counted(n, case.given, case.span) for n in case.given.numbers}
    here = [n for n, head in heads.items() if head is not None and same_word(head.stem, counted.stem)]
    return bool(here) and not any(n in same for n in here)


def _counts_another(number: Number, same: Sequence[Number], case: Case) -> bool:
    """Tell whether the number always counts something in the evidence, and never what the claim counts by it."""
    if is_year(number) or any(name.end + 1 == number.start for name in case.wanted.names):
        return False  # "Model 3"
    wanted = _run_after(number, case.wanted, case.claim)
    runs = [_run_after(n, case.given, case.span) for n in same]
    return bool(wanted) and all(runs) and not any(_overlap(wanted, run) for run in runs)


def _run_after(number: Number, there: Facts, text: str) -> list[Word]:
    """Return the content words after a number as far as nothing but "of the" stands between."""
    run: list[Word] = []
    end = number.end
    for word in there.content:
        if word.start < number.end:
            continue
        between = text[end : word.start]
        if not (_TO_COUNTED.fullmatch(between) if not run else between.strip(" -") == ""):
            break
        run.append(word)
        end = word.end
    return run


def _overlap(one: Sequence[Word], other: Sequence[Word]) -> bool:
    return any(same_word(a.stem, b.stem) or kindred(a.stem, b.stem) for a in one for b in other)


def _names(case: Case) -> str:
    context = (*words(case.before), *case.given.words, *case.title)
    there = {fold(w.text) for w in context} | {w.stem for w in context} | acronyms(case.given.words)
    stems = {w.start: w.stem for w in case.wanted.words}
    for name in case.wanted.names:
        stem = stems[name.start]
        if name.sure and name.key not in there and stem not in there and not synonyms(stem) & there:
            return "a name of the claim does not stand in the evidence"
    return ""


def _negation(case: Case) -> str:
    wanted, given = case.wanted, case.given
    if _denied(wanted, given):
        return "the claim denies what the evidence says"
    if _says_denied(case):
        return "the claim says what the evidence denies"
    if wanted.negations and not given.negations:
        return "the claim denies something and the evidence does not"
    return ""


def _denied(here: Facts, there: Facts) -> bool:
    """Tell whether a word denied here stands there without a negation."""
    shared = {derived(one) for one in here.negated} & {derived(one) for one in there.stems}
    return bool(shared - {derived(one) for one in there.negated | there.perhaps_negated})


def _says_denied(case: Case) -> bool:
    """Tell whether the claim says what the evidence denies, in the clause of it that has most of the claim."""
    clauses = [facts(clause) for clause in CLAUSE.split(case.span) if clause.strip()]
    for one in {derived(stem_) for stem_ in case.given.negated}:
        having = [c for c in clauses if one in {derived(w) for w in c.stems}]
        shares = [len(counterparts(case.wanted.content, c.content) & case.wanted.stems) for c in having]
        best = [c for c, share in zip(having, shares, strict=True) if share == max(shares)]
        if any(_denied(c, case.wanted) and one in {derived(w) for w in c.negated} for c in best):
            return True
    return False


def _opposite(case: Case) -> str:
    there = {w.stem for w in case.given.words}
    here = {w.stem for w in case.wanted.words}
    if any(opposed(one, other) for one in here - there for other in there - here):
        return "the claim has the opposite of a word of the evidence"
    return ""


def _scope(case: Case) -> str:
    if (case.wanted.scope & _STRONG) - case.given.scope:
        return "the claim is wider or narrower than the evidence"
    return ""


def _hedge(case: Case) -> str:
    if "if" not in case.given.hedges - case.wanted.hedges:
        return ""
    for doubt in _DOUBT.finditer(case.span):
        clause = case.span[doubt.end() :]
        pause = PAUSE.search(clause)
        doubted = facts(clause[: pause.start()] if pause else clause).content
        plain = case.wanted.stems - {stem(name.key) for name in case.wanted.names}
        if plain and 2 * len(plain & counterparts(case.wanted.content, doubted)) >= len(plain):
            return "the evidence leaves open what the claim states"
    return ""


def _comparative(case: Case) -> str:
    """Refuse a comparison that the evidence does not make, or makes with another word."""
    if not any(fold(w.text) == "than" for w in case.wanted.words):
        return ""
    if not _COMPARES.search(case.span):
        return "the evidence does not make the comparison of the claim"
    for word, following in itertools.pairwise(case.wanted.words):
        if fold(following.text) == "than" and word.stem in case.missing:
            return "the evidence does not make the comparison of the claim"
    return ""


def _roles(case: Case) -> str:
    if compare_roles(case.wanted, case.given, case.claim, case.span) == "swapped":
        return "the claim turns round who does what"
    return ""


def _attribution(case: Case) -> str:
    """Refuse what a speaker said of somebody else than the one the claim names."""
    return misattributed(case.wanted, case.before, case.start, len(case.before)) if case.turns else ""


_CHECKS = (
    _numbers,
    _names,
    _attribution,
    _negation,
    _opposite,
    _scope,
    _hedge,
    _comparative,
    contrasted,
    substituted,
    scattered,
    _roles,
    unrelated,
    asked_only,
    elsewhere,
)
