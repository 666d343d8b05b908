"""Who does it, in a dialogue: the one who speaks, the one who is spoken to, or somebody they speak of.

In "Anna: Hi Ben! I moved to Rome" Ben's name stands, and nothing is said of him. A claim about one of them is carried only
by a sentence that says it of that one: in the first person if they speak, in the second if they are spoken to, by name or by
a pronoun that takes the name up if they are spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thinkback.thought.facts import Facts
from thinkback.thought.words import Word, fold, sentences, words

__all__ = ["Turn", "misattributed", "turns_of"]

_TURN = re.compile(r"(?:^|\n|\)\s*)[ \t]*(?P<name>[A-Z][\w.\u2019'-]{0,30}(?: [A-Z][\w.\u2019'-]{0,30}){0,2}):\s")
_FIRST = re.compile(
    r"\b(?:I|I['\u2019]\w+|my|mine|me|myself|we|we['\u2019]\w+|our|ours|us|ich|mein\w*|mir|mich|wir|unser\w*|je|mon|ma|mes|moi"
    r"|nous|notre|nos)\b|\bj['\u2019]",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"\b(?:you|you['\u2019]\w+|your|yours|yourself|du|dich|dir|dein\w*|ihr|euch|euer\w*|tu|toi|ton|ta|tes|vous|votre|vos)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\b(?:thank you|see you|you know|how about you|what about you|bless you)\b", re.IGNORECASE)
"""Says "you" without saying anything of the one who is spoken to."""
_THIRD = re.compile(
    r"\b(?:he|she|him|her|his|hers|they|their|them|er|sie|sein\w*|ihre?\w*|il|elle|lui|son|sa|ses)\b", re.IGNORECASE
)
_FAR = 3
"""Words into a claim within which its subject is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one person says, ``text[start:end]``, without the label."""

    speaker: str
    start: int
    end: int


def turns_of(text: str) -> list[Turn]:
    """Return the turns of a dialogue, in order; none of a text without speakers' labels."""
    labels = list(_TURN.finditer(text))
    ends = [*(label.start() for label in labels[1:]), len(text)][: len(labels)]
    return [Turn(speaker=label["name"], start=label.end(), end=end) for label, end in zip(labels, ends, strict=True)]


def misattributed(wanted: Facts, text: str, start: int, end: int) -> str:
    """Return in a few words that the claim puts on one what another said of somebody else; empty if it does not.

    Looks only at claims that begin with a person's name, and only where that person speaks or is spoken to in the text: of
    the sentences of ``text[start:end]``, at that which has most of the claim's other content.

    Args:
        wanted: facts of the claim.
        text: the item.
        start: of the span that is to carry the claim.
        end: of the span.
    """
    turns = turns_of(text)
    people = {fold(turn.speaker.split()[0]) for turn in turns}
    person = _subject(wanted, text, people) if turns else None
    if person is None:
        return ""
    named = {_person(word) for word in wanted.words if any(name.start == word.start for name in wanted.names)} - {
        person
    }
    if named & people or any(re.search(_called(name), text, re.IGNORECASE) for name in named):
        return ""  # the claim is about both
    content = {word.stem for word in wanted.content if _person(word) != person}
    said = _best_sentence(content, text, start, end, turns)
    if said is None:
        return ""
    turn, sentence, before = said
    first, second = bool(_FIRST.search(sentence)), bool(_SECOND.search(_POLITE.sub(" ", sentence)))
    if fold(turn.speaker.split()[0]) == person:
        if not first and _begins_with(_THIRD, sentence):
            return "the evidence says it of one who is spoken of"
        own = _FIRST.search(text[max(start, turn.start) : min(end, turn.end)])
        return (
            "the evidence says it of the one who is spoken to"
            if second and not own and _begins_with(_SECOND, sentence)
            else ""
        )
    if second or _spoken_of(person, sentence) or (_THIRD.search(sentence) and _spoken_of(person, before)):
        return ""
    if first or not _spoken_of(person, before):
        return "the evidence does not say it of the one whom the claim names"
    return ""


def _subject(wanted: Facts, text: str, people: set[str]) -> str | None:
    """Return the folded name that a claim begins with, or None.

    Somebody who speaks or is called in the text; else a capitalised first word that the text does not have.
    """
    near = [word for word in wanted.words[:_FAR] if any(name.start == word.start for name in wanted.names)]
    known = [word for word in near if _person(word) in people or re.search(_called(_person(word)), text, re.IGNORECASE)]
    if known:
        return _person(known[0])
    here = {word.stem for word in words(text)}
    if near and near[0].start == wanted.words[0].start and near[0].content and near[0].stem not in here:
        return _person(near[0])
    return None


def _person(word: Word) -> str:
    return re.sub(r"['\u2019]s?$", "", fold(word.text))


def _best_sentence(
    content: set[str], text: str, start: int, end: int, turns: Sequence[Turn]
) -> tuple[Turn, str, str] | None:
    """Return the sentence that has most of the content, with its turn and what stands before it; None if none has any."""
    best: tuple[int, Turn, str, str] | None = None
    for turn in turns:
        for part in sentences(text[turn.start : turn.end]):
            low, high = turn.start + part.start, turn.start + part.end
            if high <= start or low >= end:
                continue
            shared = len(content & {word.stem for word in words(text[low:high])})
            if shared and (best is None or shared > best[0]):
                best = (shared, turn, text[low:high], text[:low])
    return best[1:] if best else None


def _spoken_of(person: str, text: str) -> bool:
    """Return whether the name stands there otherwise than to call somebody, or as a label."""
    without = re.sub(_called(person), " ", _TURN.sub(" ", text), flags=re.IGNORECASE)
    return re.search(rf"\b{re.escape(person)}\b", without, re.IGNORECASE) is not None


def _called(person: str) -> str:
    """Return the pattern of a name that calls: between pauses, or after a greeting, or at the end before a pause."""
    name = re.escape(person)
    greeting = r"(?:hey|hi|hello|oh|wow|yeah|yes|no|thanks|thank you|congrats|great|really|so|well|ok|okay|hallo|salut)"
    return rf"(?:(?:^|[.,!?:;\u2014-]|\b{greeting}\b)\s*\b{name}\b(?=\s*(?:[.,!?;\u2014-]|$)))|(?:\b{name}\b(?=\s*[!?]))|(?:^\s*{name}\s*,)"


def _begins_with(pronoun: re.Pattern[str], sentence: str) -> bool:
    found = pronoun.search(sentence)
    return found is not None and len(words(sentence[: found.start()])) <= _FAR
