"""Which words of a claim have a counterpart in a text: same stem, synonym, acronym, or part of a compound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thinkback.thought.synonyms import synonyms
from thinkback.thought.words import Word

__all__ = ["acronyms", "matched"]


def matched(wanted: Sequence[Word], given: Sequence[Word]) -> frozenset[str]:
    """Return the stems of ``wanted`` that have a counterpart among ``given``."""
    stems = {w.stem for w in given}
    known = set(stems)
    for one in stems:
        known |= synonyms(one)
    short = acronyms(given)
    long = {w.stem: w for w in wanted}
    result = {one for one in long if one in known or synonyms(one) & stems or one in short}
    result |= _spelled_out(wanted, stems)
    return frozenset(result)


def acronyms(given: Iterable[Word]) -> frozenset[str]:
    """Return the initials of every run of two to six words, as they could stand for the run."""
    initials = "".join(w.stem[:1] if w.kind == "word" else " " for w in given)
    return frozenset(
        initials[i : i + size]
        for size in range(2, 7)
        for i in range(len(initials) - size + 1)
        if " " not in initials[i : i + size]
    )


def _spelled_out(wanted: Sequence[Word], stems: set[str]) -> set[str]:
    """Return the stems of wanted words that together spell an acronym of the text ("language model" for LM)."""
    found: set[str] = set()
    run = [w for w in wanted if w.kind == "word"]
    for size in range(2, 6):
        for i in range(len(run) - size + 1):
            part = run[i : i + size]
            if "".join(w.stem[:1] for w in part) in stems and all(w.content for w in part):
                found |= {w.stem for w in part}
    return found
