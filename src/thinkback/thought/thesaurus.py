"""What WordNet knows of a word: what it may be, synonyms, derived words, opposites.

The data are derived from WordNet 3.1 by ``scripts/wordnet.py``, which says what stands in them; the licence is beside
them. They are read on the first question, in some milliseconds.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from thinkback.thought.lexicon import lexicon
from thinkback.thought.words import stem

__all__ = ["Known", "known", "names_thing", "phrase_known"]

_PARTICLE = "_"
_ENDINGS = (("ies", ("y",)), ("es", ("",)), ("s", ("",)), ("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a word; relations are stems, and phrases of two words as ``stem_particle``."""

    noun: int
    """Tenths of the uses of its words as a noun, 0 to 9; likewise the next three. All 0: nothing is known."""
    verb: int
    adjective: int
    adverb: int
    person: bool
    """As a noun it mostly names a person or a group of them."""
    event: bool
    """As a noun it often names an act, event, process or state."""
    time: bool
    """As a noun it mostly names a time."""
    same: frozenset[str]
    """Synonyms in a sense that is common for both."""
    derived: frozenset[str]
    """Words of another kind made from it, or it from them: death and die."""
    opposite: frozenset[str]


@cache
def _lines() -> dict[str, str]:
    """Return the rest of the line of each word."""
    packed = (resources.files("thinkback.thought") / "data" / "wordnet.txt.gz").read_bytes()
    lines = gzip.decompress(packed).decode().split("\n")
    return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}


@lru_cache(maxsize=20_000)
def known(form: str) -> Known:
    """Return what is known of a word as it is written, folded: of all words that it may be a form of."""
    return _read([rest for word in _lemmas(form) if (rest := _lines().get(word)) is not None])


@lru_cache(maxsize=20_000)
def phrase_known(form: str, particle: str) -> Known:
    """Return what is known of a verb, in any of its forms, with a particle: "broke", "down"."""
    return _read([rest for word in _lemmas(form) if (rest := _lines().get(f"{word}_{particle}")) is not None])


@lru_cache(maxsize=20_000)
def names_thing(form: str) -> bool:
    """Tell whether a word as it is written, and no word that it is a form of, is listed as a noun: training."""
    line = _lines().get(form)
    return line is not None and line[0] > "2"


def _lemmas(form: str) -> tuple[str, ...]:
    """Return the words that a form may belong to, itself first, and those as they are spelled in America."""
    found = [form]
    if lemma := lexicon().irregular.get(form):
        found.append(lemma)
    for ending, put in _ENDINGS:
        if form.endswith(ending) and len(form) - len(ending) >= 2:
            root = form[: -len(ending)]
            found += [root + instead for instead in put]
            if ending in ("ing", "ed") and root[-1] == root[-2]:
                found.append(root[:-1])
    found += [word.replace("is", "iz") for word in found if word.endswith(("ise", "isation"))]
    found += [word[:-3] + "or" for word in found if word.endswith("our") and len(word) > 5]
    found += [word[:-2] + "se" for word in found if word.endswith("ence")]
    return tuple(dict.fromkeys(found))


def _read(lines: list[str]) -> Known:
    kinds = [0, 0, 0, 0]
    flags = set()
    relations: tuple[set[str], ...] = (set(), set(), set())
    for line in lines:
        about, *lists = line.split(";")
        digits, _, flag = about.partition(" ")
        kinds = [max(before, int(digit)) for before, digit in zip(kinds, digits, strict=True)]
        flags.add(flag)
        for relation, words in zip(relations, lists, strict=False):
            relation.update(_stems(word) for word in words.split())
    noun, verb, adjective, adverb = kinds
    same, derived, opposite = (frozenset(relation) for relation in relations)
    return Known(
        noun=noun,
        verb=verb,
        adjective=adjective,
        adverb=adverb,
        person="p" in flags,
        event="e" in flags,
        time="t" in flags,
        same=same,
        derived=derived,
        opposite=opposite,
    )


def _stems(word: str) -> str:
    first, mark, rest = word.partition(_PARTICLE)
    return f"{stem(first)}{mark}{rest}" if mark else stem(word)
