"""Words, stems and sentences of a text, with exact offsets: what quotes, support and twins count in.

Written for claims and chunks of any language that separates words by spaces; runs of Chinese, Japanese and Korean are
cut into overlapping pairs of characters, which need no dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from thinkback.thought.lexicon import lexicon

__all__ = ["Sentence", "Word", "fold", "is_cjk", "is_english", "sentences", "stem", "words"]

_CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<number>\d+(?:[.,'\u2019]\d+)*(?![^\W_{_CJK}]))"
    rf"|(?P<word>[^\W_{_CJK}]+(?:['\u2019][^\W\d_{_CJK}]+)*)"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_IS_CJK = re.compile(f"[{_CJK}]")
_POSSESSIVE = re.compile(r"(?:['\u2019]s|s['\u2019]|['\u2019])$")
_END = re.compile(r"[.!?\u2026]+[\"'\u2019\u201d\u00bb)\]]*(?=\s|$)|[\u3002\uff01\uff1f][\u300d\u300f\u201d]?|\n\s*\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:al|approx|ca|cf|co|dept|dr|ed|eds|eq|eqs|est|etc|ex|fig|figs|inc|jr|ltd|mr|mrs|ms|no|nos|p|pp|prof|"
    r"ref|refs|resp|sec|sect|sr|st|tab|vol|vs|bzw|usw|nr|z\.B|d\.h|i\.e|e\.g|a\.m|p\.m)|\b[A-Z])\.$",
    re.IGNORECASE,
)

_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s+(?:[a-z]|Jan|Feb|M\u00e4r|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")  # 3. Juni


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word, a number or a pair of CJK characters; ``text[start:end]`` is what was written."""

    text: str
    start: int
    end: int
    stem: str
    kind: str
    """``word``, ``number`` or ``cjk``."""
    content: bool
    """False for words that carry no content of their own (articles, auxiliaries, pronouns)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence; ``text[start:end]``, without the white space around it."""

    start: int
    end: int


@lru_cache(maxsize=50_000)
def fold(text: str) -> str:
    """Return the text in NFKC, case-folded, without accents: for comparing single words."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def is_cjk(text: str) -> bool:
    """Tell whether any character is Han, kana or Hangul."""
    return _IS_CJK.search(text) is not None


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the light stem of one word: inflection goes, derivation mostly stays.

    Irregular verbs and plurals come from the lexicon. Two words are never joined for sharing a beginning alone.
    """
    base = _POSSESSIVE.sub("", fold(word)).replace("\u2019", "'")
    base = lexicon().irregular.get(base, base)
    if len(base) <= 3 or base in lexicon().keep or not (base.isalpha() and base.isascii()):
        return base
    singular = _singular(base)
    return singular if singular in lexicon().keep else _plain_ending(_infinitive(singular))


def _singular(base: str) -> str:
    """Strip the ending of a plural or of a third person."""
    if base.endswith("ies") and len(base) > 4:
        return base[:-3] + "y"
    if base.endswith(("sses", "shes", "ches", "xes", "zes")):
        return base[:-2]
    if base.endswith("s") and not base.endswith(("ss", "us", "is")):
        return base[:-1]
    return base


def _infinitive(base: str) -> str:
    """Strip the ending of a past, a progressive or an adverb, where something with a vowel is left."""
    if base.endswith("ically"):
        return base[:-4]
    if base.endswith("eed"):  # agreed
        return base[:-1]
    for ending in ("ing", "ed", "ly"):
        shorter = base[: -len(ending)]
        least = 4 if ending == "ly" else 3
        if base.endswith(ending) and len(shorter) >= least and re.search(r"[aeiouy]", shorter):
            shorter = lexicon().irregular.get(shorter, shorter)
            doubled = len(shorter) > 3 and shorter[-1] == shorter[-2] and shorter[-1] not in "lsz"
            return shorter[:-1] if doubled and ending != "ly" else shorter
    return base


def _plain_ending(base: str) -> str:
    """Make equal what inflection leaves different: controll and control, us and use, appli and apply."""
    if base.endswith("ied"):
        base = base[:-3] + "y"
    if len(base) > 4 and base.endswith("ll"):
        base = base[:-1]
    if len(base) > 3 and base.endswith("e"):
        base = base[:-1]
    return base[:-1] + "y" if len(base) > 3 and base.endswith("i") else base


def words(text: str) -> list[Word]:
    """Return the words of a text in order. A run of n CJK characters gives n - 1 overlapping pairs (one for n = 1)."""
    found: list[Word] = []
    stop = _stop(text)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "word"
        if kind == "cjk":
            found.extend(_pairs(match.group(), match.start()))
            continue
        written = match.group()
        folded = fold(written)
        found.append(
            Word(
                text=written,
                start=match.start(),
                end=match.end(),
                stem=stem(written) if kind == "word" else written,
                kind=kind,
                content=kind == "number"
                or folded.replace("\u2019", "'") not in stop
                or (written == "A" and not _opens(text, match.start())),  # "Model A"
            )
        )
    return found


def is_english(text: str) -> bool:
    """Tell whether a text may be English: no word tells that it is in another language, or one that it is not."""
    written = set(_LETTERS.findall(text.casefold()))
    lists = lexicon()
    return not is_cjk(text) and (not written & lists.foreign or bool(written & lists.english))


def _stop(text: str) -> frozenset[str]:
    """Return the words that carry no content of their own in a text of its language; "die" and "son" do in English."""
    return _english_stop() if is_english(text) else lexicon().stop


@cache
def _english_stop() -> frozenset[str]:
    return lexicon().stop - lexicon().borrowed


def _opens(text: str, at: int) -> bool:
    """Tell whether a sentence may begin at an offset."""
    return text[:at].rstrip(" \t\"'(\u201c\u2018")[-1:] in ("", ".", ":", ";", "!", "?", "\n", "-", "\u2014")


def _pairs(run: str, offset: int) -> list[Word]:
    width = min(2, len(run))
    return [
        Word(
            text=run[i : i + width],
            start=offset + i,
            end=offset + i + width,
            stem=run[i : i + width],
            kind="cjk",
            content=True,
        )
        for i in range(len(run) - width + 1)
    ]


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order; together they hold every character that is not white space."""
    cuts = [
        match.end()
        for match in _END.finditer(text)
        if not _ABBREVIATION.search(text[max(0, match.end() - 12) : match.end()])
        and not _ORDINAL.search(text[max(0, match.end() - 4) : match.end() + 5])
    ]
    found = []
    start = 0
    for cut in [*cuts, len(text)]:
        piece = text[start:cut]
        inner = piece.strip()
        if inner:
            begin = start + len(piece) - len(piece.lstrip())
            found.append(Sentence(start=begin, end=begin + len(inner)))
        start = cut
    return found
