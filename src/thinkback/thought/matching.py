"""Which words of a claim have a counterpart in a text: same stem, other form, synonym, acronym.

``counterparts`` goes by the word lists alone. ``kin`` asks WordNet too: it is for two notes that a cosine has brought
together, where a word that *can* mean the same most often does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thinkback.thought.synonyms import derived, opposed, same_word, synonyms
from thinkback.thought.thesaurus import Known, known, phrase_known
from thinkback.thought.words import Word, fold

__all__ = ["acronyms", "counterparts", "kin", "particles"]

_PARTICLES = frozenset({"up", "out", "off", "down", "away", "back", "in", "on", "over", "through", "around"})
_REACH = 3  # words between a verb and its particle: "broke the starch down"


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


def particles(words: Sequence[Word]) -> dict[int, Word]:
    """Return by the offset of a verb the particle that makes a phrase with it: "broke" and "down"."""
    found: dict[int, Word] = {}
    for i, word in enumerate(words):
        particle = fold(word.text)
        if particle not in _PARTICLES or word.content:
            continue
        for verb in reversed(words[max(0, i - 1 - _REACH) : i]):
            if verb.content and verb.kind == "word" and _phrase(verb, particle) is not None:
                found.setdefault(verb.start, word)
                break
    return found


def _phrase(verb: Word, particle: str) -> Known | None:
    about = phrase_known(fold(verb.text), particle)
    return about if about.same or about.derived or known(verb.stem + particle).noun else None


def kin(one: Word, other: Word, particle: Word | None = None, other_particle: Word | None = None) -> bool:
    """Tell whether two words can mean the same, or one is made from the other; opposites never do.

    Args:
        one: a word.
        other: a word.
        particle: of ``one``, where it has one ("break down").
        other_particle: of ``other``.
    """
    if one.stem == other.stem or (same_word(one.stem, other.stem) and not opposed(one.stem, other.stem)):
        return True
    if one.kind != "word" or other.kind != "word" or opposed(one.stem, other.stem):
        return False
    left, right = known(fold(one.text)), known(fold(other.text))
    if other.stem in left.opposite or one.stem in right.opposite:
        return False
    if other.stem in left.same | left.derived or one.stem in right.same | right.derived:
        return True
    return _made_of(one, particle, other, other_particle) or _made_of(other, other_particle, one, particle)


def _made_of(verb: Word, particle: Word | None, other: Word, other_particle: Word | None) -> bool:
    """Tell whether a verb and its particle mean another word, or make it up: break down and breakdown."""
    if particle is None:
        return False
    about = phrase_known(fold(verb.text), fold(particle.text))
    names = {other.stem} if other_particle is None else {other.stem, f"{other.stem}_{fold(other_particle.text)}"}
    return bool(names & (about.same | about.derived)) or other.stem == verb.stem + fold(particle.text)
