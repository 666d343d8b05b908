"""What a claim says of the things that it names: its verb, or the noun or adjective after "is" and "has".

No parser, and English only: the words after an auxiliary, or the first word with the look of a finite verb. A claim in
which neither is found has no predicate here, and nothing is asked of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from thinkback.thought.facts import Facts, facts
from thinkback.thought.lexicon import lexicon
from thinkback.thought.phrasing import in_english, phrasing
from thinkback.thought.synonyms import light, saying
from thinkback.thought.words import Word, fold

__all__ = ["has_past_form", "plain_words", "predicate"]

_PAUSE = re.compile(r"[,;:.!?()\u2014\u2013]")
_PAST = re.compile(r"[a-z]{2,}ed$")
_THIRD = re.compile(r"[a-z]{2,}[a-rtv-z]s$")  # not "ss", not "us"
_BELONGING = frozenset({"part", "kind", "typ", "sort", "form"})  # stems: "is part of", "is a kind of"
_HAVE = frozenset({"has", "have", "had"})


def plain_words(there: Facts) -> tuple[Word, ...]:
    """Return the content words that are no names, numbers, titles, adverbs in -ly or words that only carry others."""
    named = {name.start for name in there.names}
    empty = light() | saying()
    return tuple(
        word
        for word in there.content
        if word.start not in named
        and word.stem not in empty
        and not fold(word.text).endswith("ly")
        and fold(word.text) not in lexicon().titles
    )


def predicate(there: Facts, text: str) -> tuple[Word, ...]:
    """Return the predicate of a claim: the words that a text must have to say it; none where none is found.

    Two where a form in -s may be the verb of the word after it, or the subject of that ("lowers costs", "networks lose").

    Words that only carry another ("make") and verbs of saying are none.

    Args:
        there: facts of ``text``.
        text: a claim of one sentence.
    """
    if not in_english(there) or any(word.kind == "cjk" for word in there.words):
        return ()
    at = next((i for i, word in enumerate(there.words) if i and _auxiliary(word)), len(there.words))
    main = _finite(there, text, at)
    if not main and at < len(there.words):
        main = _after(there, text, at)
    empty = light() | saying() | _BELONGING
    if not any(word.stem in empty or fold(word.text) in lexicon().hedges for word in main):
        return main
    said = next((word for word in there.words if fold(word.text) == "that" and word.start > main[-1].end), None)
    if said is None:
        return ()
    clause = text[said.end :]  # "the survey found that ..."
    found = predicate(facts(clause), clause)
    return tuple(replace(word, start=word.start + said.end, end=word.end + said.end) for word in found)


def has_past_form(word: Word) -> bool:
    """Tell whether a word has the form of a past or a participle of the past."""
    folded = fold(word.text)
    irregular = lexicon().irregular.get(folded)
    if irregular is not None:
        return irregular != folded and not folded.endswith(("er", "est", "s", "men", "ing"))
    return _PAST.match(folded) is not None and folded not in lexicon().keep


def _auxiliary(word: Word) -> bool:
    return fold(word.text).replace("\u2019", "'") in lexicon().auxiliaries and word.text != "May"


def _after(there: Facts, text: str, at: int) -> tuple[Word, ...]:
    """Return the participle after an auxiliary, or else the last word of the noun phrase or adjective there."""
    content = {word.start for word in there.content}
    named = {name.start for name in there.names}
    run: list[Word] = []
    following = there.words[at + 1 :]
    to_do = bool(following) and fold(following[0].text) == "to"  # "has to be changed"
    noun = fold(there.words[at].text) in _HAVE and not to_do
    end = there.words[at].end
    for word in following[to_do:]:
        folded = fold(word.text)
        if _PAUSE.search(text[end : word.start]):
            break
        end = word.end
        if any(number.start <= word.start < number.end for number in there.numbers):
            noun = True
        elif word.start not in content:
            if run or folded in lexicon().prepositions | phrasing().links:
                break
            noun = noun or folded in lexicon().determiners
        elif not folded.endswith("ly"):
            participle = has_past_form(word) or folded.endswith("ing")
            if participle and not noun:
                return (word,)
            if run and has_past_form(word):
                break  # "a dog named Max"
            run.append(word)
    return tuple(word for word in run[-1:] if word.start not in named)


def _finite(there: Facts, text: str, before: int) -> tuple[Word, ...]:
    """Return the main verb before a place: the first past form, or what ends in -s as verbs of the present do.

    A form before an auxiliary counts only where another clause begins between the two.
    """
    words = there.words[:before]
    named = {name.start for name in there.names}
    content = {word.start for word in there.content}
    counted = {number.end for number in there.numbers}
    for i, word in enumerate(words):
        if not i or word.start not in content or word.start in named:
            continue
        following = words[i + 1] if i + 1 < len(words) else None
        beside = following is not None and following.start in content and not text[word.end : following.start].strip()
        opened = fold(words[i - 1].text) in lexicon().determiners | lexicon().prepositions
        if has_past_form(word) and not (opened and beside) and _stands_alone(there, text, i, before):
            return (word,)
        if before < len(there.words) or opened or not _THIRD.match(fold(word.text)):
            continue
        if words[i - 1].end in counted and not (i > 1 and words[i - 2].start in named):
            continue  # "two phones", but not "Model 3 phones"
        if beside and following is not None and following.start not in named:
            return (following,) if has_past_form(following) else (word, following)  # "networks lose", "removes viruses"
        return (word,)
    return ()


def _stands_alone(there: Facts, text: str, i: int, before: int) -> bool:
    """Tell whether no auxiliary follows, or only one of another clause."""
    if before == len(there.words):
        return True
    between = there.words[i + 1 : before]
    pause = _PAUSE.search(text[there.words[i].end : there.words[before].start])
    return pause is not None or any(fold(word.text) in phrasing().links for word in between)
