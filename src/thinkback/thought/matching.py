"""Which words of a claim have a counterpart in a text: same stem, other form, synonym, acronym."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thinkback.thought.synonyms import derived, opposed, synonyms
from thinkback.thought.words import Word

__all__ = ["acronyms", "counterparts"]


def counterparts(wanted: Sequence[Word], given: Sequence[Word]) -> frozenset[str]:
    """Return the stems of ``wanted`` that have a counterpart among ``given``."""
    stems = {w.stem for w in given}
    roots: dict[str, set[str]] = {}
    for one in stems:
        roots.setdefault(derived(one), set()).add(one)
    short = acronyms(given)
    found = {
        one
        for one in {w.stem for w in wanted}
        if one in stems
        or synonyms(one) & stems
        or one in short
        or any(not opposed(one, other) for other in roots.get(derived(one), ()))
    }
    return frozenset(found | _spelled_out(wanted, stems))


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
