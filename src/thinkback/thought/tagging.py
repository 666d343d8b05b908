"""What each word of an English sentence is: noun, verb, participle, function word. A guess from form, place and WordNet.

Right for the plain sentences that notes are made of; where it is not, two notes are taken to differ, and both are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from thinkback.thought.facts import Facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.synonyms import light
from thinkback.thought.thesaurus import Known, known, names_thing
from thinkback.thought.tokens import Tag, Token, alike, tokens

__all__ = ["tagged"]

_PLURAL = re.compile(r"[^sui]s$")
_VERB_ENDINGS = ("ates", "izes", "ises", "ifies")
_BORDERS = frozenset({"pause", "subordinator", "relative", "and"})
_LEAST_VERB = 0.5
_UNKNOWN = 4  # tenths of its uses in which a word that WordNet does not know, and ends in -s, may be a verb


def tagged(text: str, facts: Facts) -> list[Token]:
    """Return the words of a text with their tags, and a ``pause`` where a comma or the like stands; order as written."""
    found = tokens(text, facts)
    _mark_clauses(found)
    start = 0
    for i in range(len(found) + 1):
        if i == len(found) or found[i].tag in _BORDERS:
            _tag_clause(found, start, i)
            start = i + 1
    return found


def _mark_clauses(found: list[Token]) -> None:
    """Take "before", "since" and the like for subordinators where a clause follows them, in place."""
    for i, token in enumerate(found):
        if token.folded not in lexicon().tags["clausal"] or token.tag != "preposition":
            continue
        if token.folded in ("than", "as") and i + 1 < len(found) and found[i + 1].number:
            continue
        end = next((j for j in range(i + 1, len(found)) if found[j].tag in _BORDERS), len(found))
        following = found[i + 1 : end]
        if not any(
            t.tag == "auxiliary" or (_content(t) and (t.past or known(t.folded).verb >= 5))
            for t in found[:i] + found[end:]
        ):
            continue  # all that follows is the one clause: "after three defeats the coach was fired"
        if any(t.tag == "auxiliary" for t in following[1:]) or _finite(found, i + 1, end) is not None:
            found[i] = replace(token, tag="subordinator")


def _content(token: Token) -> bool:
    return token.tag == "noun" and not token.number


def _tag_clause(found: list[Token], start: int, end: int) -> None:
    """Tag the content words of a stretch without pause or conjunction, in place."""
    finite = _after_auxiliary(found, start, end)
    if finite is None:
        finite = _finite(found, start, end)
        if finite is None and any(found[i].tag in ("preposition", "to") for i in range(start, min(start + 2, end))):
            finite = _finite(found, start, end, inverted=True)  # "at the foot lies the village"
        if finite is not None:
            found[finite] = replace(found[finite], tag="verb")
    if start and (found[start - 1].tag == "relative" or found[start - 1].folded == "that"):
        _second(found, start, end, finite)  # "the film that Carla directed won"
    for i in range(start, end):
        if not _content(found[i]):
            continue
        found[i] = replace(found[i], tag=_rest(found, i, start, end))


def _second(found: list[Token], start: int, end: int, finite: int | None) -> None:
    """Tag the verb of the clause around a relative one, or of the relative one before an auxiliary, in place."""
    auxiliary = next((i for i in range(start, end) if found[i].tag == "auxiliary"), None)
    if auxiliary is not None:
        other = _finite(found, start, auxiliary)
    elif finite is not None:
        other = _finite(found, finite + 1, end) or _finite(found, start, finite)
    else:
        return
    if other is not None and _score(found[other], None, None, subject=True, plural=True, many=False) >= 1:
        found[other] = replace(found[other], tag="verb")


def _after_auxiliary(found: list[Token], start: int, end: int) -> int | None:
    """Tag the verb that an auxiliary begins; return where it stands, or where the auxiliary does if it has none."""
    first = next((i for i in range(start, end) if found[i].tag == "auxiliary"), None)
    if first is None:
        return None
    last = first
    for i in range(first + 1, end):
        token = found[i]
        if token.tag == "auxiliary":
            last = i
            continue
        if token.tag in ("not", "other", "pronoun") or (_content(token) and _adverb(token)):
            continue
        if not _content(token) or token.name or token.owner:
            return last
        form = known(token.folded)
        governing = found[last].folded
        if governing in lexicon().tags["be"]:
            if token.past:
                found[i] = replace(token, tag="participle", passive=True)
                return i
            if token.folded.endswith("ing") and form.verb and not governing.startswith("g"):  # but "got training"
                found[i] = replace(token, tag="verb")
                return i
            return last
        if governing in lexicon().tags["have"]:
            if token.past:
                found[i] = replace(token, tag="verb")
                return i
            return last
        found[i] = replace(token, tag="verb")
        return i
    return last


def _adverb(token: Token) -> bool:
    form = known(token.folded)
    if token.folded.endswith("ed"):
        return False
    return (token.folded.endswith("ly") and form.noun + form.verb + form.adjective < 9) or form.adverb >= 6


def _finite(found: list[Token], start: int, end: int, *, inverted: bool = False) -> int | None:
    """Return where the likeliest verb with a tense stands, in a clause without an auxiliary."""
    best, at = _LEAST_VERB, None
    subject = start > 0 and (
        found[start - 1].tag in ("and", "relative", "pause", "verb") or found[start - 1].folded == "that"
    )
    plural = start > 0 and found[start - 1].tag == "and"
    governed = many = False
    for i in range(start, end):
        token = found[i]
        before = found[i - 1] if i > start else None
        if _content(token) and not token.name and not token.owner and (subject or before is not None):
            after = found[i + 1] if i + 1 < end else None
            score = _score(token, before, after, subject=subject, plural=plural, many=many)
            if score > best:
                best, at = score, i
        follows = before is not None and before.tag in ("noun", "other", "adverb") and i - 1 > start
        begins = before is not None and (  # "In April Nadia left", "In 1911 lightning struck"
            before.year or (follows and ((token.name and not before.name) or bool(token.number)))
        )
        governed = token.tag in ("preposition", "to") or (
            governed
            and token.tag in ("noun", "other", "determiner")
            and not begins
            and not (follows and token.tag == "determiner")
        )
        subject = subject or (token.tag in ("noun", "pronoun") and (inverted or not governed))
        ending = token.tag == "noun" and not token.owner and _PLURAL.search(token.folded) is not None
        several = ending or token.folded in lexicon().tags["plural"]
        many = several and not governed
        plural = plural or several or bool(token.number)
    return at


def _score(
    token: Token, before: Token | None, after: Token | None, *, subject: bool, plural: bool, many: bool
) -> float:
    """Return how likely a word is the verb of its clause, 0 to 3.5.

    Args:
        token: the word.
        before: the token before it in the clause.
        after: the one after it.
        subject: something that may be its subject stands before it.
        plural: and that is a plural, or has one in it.
        many: the word right before it is a plural.
    """
    if not subject or (before is not None and (before.owner or before.tag in ("determiner", "preposition", "to"))):
        return 0.0
    form = known(token.folded)
    if before is not None and before.number and form.noun and token.folded.endswith("s"):
        return 0.0  # 60 frames
    opens = (
        after is None
        or after.tag in ("determiner", "pronoun", "preposition", "to", "other")
        or after.name
        or after.number
    )
    bonus = 0.5 if opens else 0.0
    if token.past and not alike(token.folded):
        return 0.9 if after is not None and after.folded == "by" else 2.0 + form.verb / 10 + bonus
    if token.folded.endswith("s"):
        agrees = 0.25 if many else 1.0
        verb = form.verb or (0 if form.noun else 9 if token.folded.endswith(_VERB_ENDINGS) else _UNKNOWN)
        return agrees * 2 * verb / 10 + bonus if verb else 0.0
    if token.folded.endswith("ing") or not form.verb:
        return 0.0
    if plural or alike(token.folded):
        return 1.5 * form.verb / 10 + bonus
    return bonus + 0.1 if form.verb >= 9 and not form.noun else 0.0


def _rest(found: Sequence[Token], i: int, start: int, end: int) -> Tag:
    """Return what a content word is that is not the verb of its clause."""
    token = found[i]
    before = found[i - 1] if i > start else None
    if token.name or token.owner:
        return "noun"
    form = known(token.folded)
    follows_noun = i + 1 < end and _content(found[i + 1]) and found[i + 1].tag == "noun"
    if before is not None and before.tag == "to" and form.verb and not token.past:
        once = i > start + 1 and found[i - 2].folded == "used"
        if once or _verbal(form, token):
            return "infinitive"
    if token.folded.endswith("ing") and (form.verb or not form.noun) and not _inside(before):
        thing = before is not None and names_thing(token.folded)
        if thing and before is not None and before.word.stem in light():
            return "noun"  # "received training"
        described = follows_noun and thing and before is not None and before.tag != "verb"
        return "adjective" if described else "gerund"  # "in training data"; but "stopped eating meat"
    after_noun = before is not None and before.tag in ("noun", "adverb") and not _inside(before)
    if token.past and after_noun and not alike(token.folded):
        return "participle"
    if _adverb(token):
        return "adverb"
    if follows_noun and (form.adjective or token.past):
        return "adjective"
    if form.adjective >= 6 and (
        form.noun < 3 or (before is not None and before.tag in ("noun", "verb") and not before.name)
    ):
        return "adjective"  # "turns the mixture blue" too
    return "noun"


def _verbal(form: Known, token: Token) -> bool:
    return form.verb >= 3 and not (token.folded.endswith("s") and form.noun >= 5)


def _inside(before: Token | None) -> bool:
    """Tell whether a word after this one stands inside a noun phrase."""
    return before is not None and (before.tag in ("determiner", "adjective") or before.owner or bool(before.number))
