"""Notes that are not understood alone: they go on about something, name their subject by a pronoun, or say nothing.

Judged by the opening words and, in English, by whether any word can be a verb. Where that cannot be told, a note passes.
"""

from __future__ import annotations

import re

from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.phrasing import in_english, phrasing
from thinkback.thought.predicate import has_past_form
from thinkback.thought.words import fold, is_cjk

__all__ = ["fragment", "is_phrase"]

_BEFORE = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u300c\u300e([*\u2022\u2013\u2014- \t\n"
_QUOTES = tuple("\"'\u201c\u2018\u00ab\u201e\u300c\u300e")
_LEAST = 2  # content words or numbers of a claim: "penguins swim"
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTED = re.compile(r"(?:it|that|this|he|she|they|we|i)['\u2019](?:s|re|ve|d|ll|m)\b|c['\u2019]", re.IGNORECASE)


def fragment(text: str) -> str:
    """Return in a few words why a note cannot be understood alone; empty where it can, or where that cannot be told."""
    bare = text.strip(_BEFORE)
    there = facts(bare)
    if is_cjk(bare):
        return "it refers to something before it" if phrasing().unspaced.match(bare) else ""
    if sum(word.content for word in there.words) < _LEAST:
        return "it says nothing of anything"
    english = in_english(there)
    if text.strip()[:1] in _QUOTES:  # a title may begin with anything
        return ""
    opening = phrasing().opening if english else phrasing().opening_abroad
    first = _FIRST_WORD.match(bare)
    key = fold(first.group()) if first else ""
    if key in opening.joining:
        return f"it begins with {first.group()!r}" if first else ""
    if phrasing().expletive.match(fold(bare)):
        return ""
    following = fold(there.words[1].text) if len(there.words) > 1 else ""
    if key in opening.pronouns or (key in opening.demonstratives and following in opening.verbs):
        return f"its subject is only {first.group()!r}" if first else ""
    if _CONTRACTED.match(bare):
        return f"its subject is only {bare.split()[0]!r}"
    return "it has no verb" if english and not _may_have_verb(there, bare) else ""


def is_phrase(text: str) -> bool:
    """Tell whether a text is no sentence but a part of one: "1932", "Marta Silva", "for 8,484 ratings".

    False where that cannot be told.
    """
    bare = text.strip(_BEFORE)
    there = facts(bare)
    if is_cjk(bare):
        return False
    return sum(word.content for word in there.words) < _LEAST or (in_english(there) and not _may_have_verb(there, bare))


def _may_have_verb(there: Facts, text: str) -> bool:
    """Tell whether any word may be a finite verb: an auxiliary, a past, or a word without a capital after a noun or name."""
    named = {name.start for name in there.names}
    content = {word.start for word in there.content}
    end = None
    for word in there.words:
        folded = fold(word.text).replace("\u2019", "'")
        if folded in lexicon().auxiliaries or (word.start in content and has_past_form(word)):
            return True
        plain = word.start in content
        if (
            plain
            and word.start not in named
            and end is not None
            and not text[end : word.start].strip()
            and not folded.endswith("ing")
        ):
            return True
        end = word.end if plain else None
    return False
