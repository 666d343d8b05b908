"""Bytes → characters, by evidence.

UTF-8 proves itself: text in another encoding is practically never valid UTF-8. UTF-16 shows by its zero bytes. Between
the older encodings the languages decide: each candidate's reading is scored by how many of its characters are among
those that the candidate's language uses most. A misreading of Chinese as Korean, say, gives valid but rare syllables.
(charset-normalizer was weighed: a dependency more, and its guesses for short East Asian texts are not better.)
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

__all__ = ["Decoded", "decode"]

_SAMPLE = 65_536  # bytes that the older encodings are judged on
_BOMS = (  # the longer ones first: UTF-32's begins as UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Characters, and how they were come by."""

    text: str
    encoding: str
    replaced: int = 0
    """Places that could not be read and became U+FFFD."""


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Return the text of a file whose encoding is not known.

    Args:
        data: the whole file.
        declared: an encoding that the file or its server names; used if it reads the file without a fault.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _read(data[len(bom) :], encoding)
    wide = _wide_encoding(data)
    if wide:
        return _read(data, wide)
    if b"\x1b$" in data or b"\x1b(J" in data:  # a shift sequence; the rest of such a file is ASCII
        mail = _strict(data, "iso2022_jp")
        if mail is not None:
            return mail
    for named in ("utf-8", declared):
        exact = _strict(data, named) if named else None
        if exact is not None:
            return exact
    if _mostly_utf8(data):
        return _read(data, "utf-8")
    return _read(data, _legacy_encoding(data[:_SAMPLE]))


def _read(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    return Decoded(text=text, encoding=encoding, replaced=text.count("\ufffd"))


def _strict(data: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(text=data.decode(encoding), encoding=encoding)
    except (UnicodeError, LookupError, ValueError):
        return None


def _wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark: zero bytes at places of one parity, and hardly any at the others."""
    sample = data[: _SAMPLE & ~1]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    high, low = max(even, odd), min(even, odd)
    if len(data) % 2 or high * 100 < len(sample) or low * 20 > high:
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    text = sample.decode(encoding, "replace")
    odd_ones = sum(unicodedata.category(character) in {"Cn", "Co", "Cs", "Cc"} for character in text)
    line_ends = sum(character in "\t\n\r" for character in text)
    return encoding if (odd_ones - line_ends) * 20 < len(text) else None


def _mostly_utf8(data: bytes) -> bool:
    """Say whether a few damaged places are all that keeps the file from being UTF-8."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    proper = sum(1 for _ in re.finditer("[\x80-\ufffc\U00010000-\U0010ffff]", text))
    return proper >= 10 * damaged


@dataclass(frozen=True, slots=True)
class _Candidate:
    encoding: str
    frequent: frozenset[str]
    """What its language writes most; a third or more of running text."""
    usual: Callable[[str], bool]
    """Whether its language uses a character at all in ordinary text."""


_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当"
    "没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物"
    "手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當"
    "沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物"
)
_JAPANESE = (
    "のにはをたがでてとしれさいあるこもなかられりくっまものすそうよだきえどけわんみめちつじせずルトンスリ"
    "ラドアイタレシクロジテマッフィ、。日一年大人国本中"
)
_KOREAN = (
    "이다는을의에가고하지한를은로사도기어나있인서대자시해리그수일정전아들것보과라부장제상소주으적스여구원게들안만조면모관문성우동공무비해화신선재생니세국"
    "학경개연회미방며요바저치오거계지유실던없않때까내말년점위합마야더체와된했습입드트프드크"
)
_RUSSIAN_COMMON = "оеаинтсрвлкмдпуяыьгзбчй"
_MIXED = re.compile("(?<=[A-Za-z])[\u0400-\u04ff]|[\u0400-\u04ff](?=[A-Za-z])")
_WESTERN_MARKS = (
    "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u20ac\u00ab\u00bb\u00b0\u00a7\u00a9\u00ae\u00b7\u00a0\u2022\u00b1\u00b5"
)


@cache
def _plane(encoding: str, first: int, last: int, low: int = 0xA1) -> frozenset[str]:
    """Return the characters of a double-byte table between two lead bytes."""
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(low, 0xFF))
    return frozenset(character for pair in pairs if len(character := pair.decode(encoding, "ignore")) == 1)


def _east_asian(characters: frozenset[str], extra: str = "") -> Callable[[str], bool]:
    def usual(character: str) -> bool:
        return (
            character in characters
            or character in extra
            or "\u3000" <= character <= "\u301f"
            or "\uff01" <= character <= "\uff5e"
        )

    return usual


@cache
def _candidates() -> tuple[_Candidate, ...]:
    """The double-byte encodings; 'usual' is the part of each table that was filled by frequency of use."""
    kana = frozenset(map(chr, range(0x3041, 0x30FF)))
    kanji = _plane("euc_jp", 0xB0, 0xCF)
    return (
        _Candidate(
            "gb18030", frozenset(_SIMPLIFIED), _east_asian(_plane("gb2312", 0xB0, 0xD7), "\u201c\u201d\u2014\u2026")
        ),
        _Candidate("big5", frozenset(_TRADITIONAL), _east_asian(_plane("big5", 0xA4, 0xC6, 0x40))),
        _Candidate("cp932", frozenset(_JAPANESE), _east_asian(kana | kanji)),
        _Candidate("euc_jp", frozenset(_JAPANESE), _east_asian(kana | kanji)),
        _Candidate("cp949", frozenset(_KOREAN), _east_asian(_plane("euc_kr", 0xB0, 0xC8))),
    )


def _legacy_encoding(sample: bytes) -> str:
    scores = {each.encoding: _score(sample, each) for each in _candidates()}
    scores |= {encoding: _score_cyrillic(sample, encoding) for encoding in ("cp1251", "koi8_r")}
    scores["cp1252"] = _score_western(sample)
    best = max(scores, key=lambda encoding: scores[encoding])
    if scores[best] < 0.3:  # nothing speaks for any: the encoding that can read every byte
        return "latin-1"
    if best == "cp1252" and _strict(sample, "cp1252") is None:
        return "latin-1"
    return best


def _foreign(sample: bytes, encoding: str) -> tuple[list[str], float]:
    """Return the characters beyond ASCII, and which part of them was unreadable."""
    text = sample.decode(encoding, "replace")
    # The sample's last character may have been cut in two.
    characters = [character for character in text[:-1] + text[-1:].replace("\ufffd", "") if character > "\x7f"]
    return characters, characters.count("\ufffd") / max(1, len(characters))


def _score(sample: bytes, candidate: _Candidate) -> float:
    characters, broken = _foreign(sample, candidate.encoding)
    if not characters:
        return 0.0
    usual = sum(map(candidate.usual, characters)) / len(characters)
    frequent = sum(character in candidate.frequent for character in characters) / len(characters)
    return usual / 2 + min(1.0, 3 * frequent) / 2 - 10 * broken


def _score_cyrillic(sample: bytes, encoding: str) -> float:
    """Score by the commonest letters; words are wholly Cyrillic, so letters next to ASCII ones speak against it."""
    characters, broken = _foreign(sample, encoding)
    if not characters:
        return 0.0
    common = sum(character in _RUSSIAN_COMMON for character in characters) / len(characters)
    mixed = len(_MIXED.findall(sample.decode(encoding, "replace"))) / len(characters)
    return common - 10 * broken - 2 * mixed


def _score_western(sample: bytes) -> float:
    """Score by how the letters beyond ASCII stand: alone, among ASCII letters of the same word."""
    text = sample.decode("cp1252", "replace")
    runs = re.findall("[\x80-\uffff]+", text)
    if not runs:
        return 0.0
    good = sum(
        len(run) <= 2
        and all(character.islower() or character in _WESTERN_MARKS or character.isalpha() for character in run)
        for run in runs
    )
    inner = len(re.findall("(?<=[A-Za-z])[\xc0-\xff]{1,2}(?![\x80-\xff0-9])|[\xc0-\xff](?=[A-Za-z])", text))
    marks = sum(run in _WESTERN_MARKS for run in runs)
    return 0.4 * good / len(runs) + 0.5 * min(1.0, (inner + marks) / len(runs))
