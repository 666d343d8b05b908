"""What a heading is, and what kind of section it names: numbered or not, in any of the words that authors use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from thinkback.bench.academiceval.papers import SectionKind

__all__ = ["Heading", "TextBlock", "Unmarked", "blocks", "kind_of"]

Unmarked = Literal["none", "paragraphs", "lines"]
"""Where a heading may stand that has no mark: nowhere, as a paragraph of its own (PDF), or on a line of its own (text)."""

_MARKED = re.compile(r"(#{1,6})\s+(\S.*)")
_NUMBER = re.compile(
    r"(?i:(?:chapter|section)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}(?=[.):])|[A-H](?:\.\d{1,2})*(?=[.):]))"
    r"(?P<stop>[.):]?)\s+(?P<title>\S.*)"
)
_LETTERS = re.compile(r"[^\W\d_]")
_LONGEST = 90  # characters of a line that has no mark and is taken for a heading
_RUN_IN = re.compile(r"(?P<name>abstract|summary|index terms|key ?words)\s*[.:\u2013\u2014-]+\s*(?=\S)", re.IGNORECASE)
_DEEPEST = 4
"""Marks of a section; more of them stand before the run-in headings of paragraphs."""
_LEAST_NUMBERED = 3

_KINDS: tuple[tuple[SectionKind, re.Pattern[str]], ...] = (
    ("abstract", re.compile(r"abstract|executive summary")),
    ("references", re.compile(r"references?(?: and notes)?|bibliography|(?:literature|works) cited|list of references")),
    (
        "conclusion",
        re.compile(
            r"(?!.*\bproof\b).*\b(?:conclusions?|(?:concluding|conclusive|closing|final) (?:remarks?|thoughts|comments|discussion))\b.*"
            r"|summary(?: (?:and|&) .+)?|summing up"
        ),
    ),
    (
        "related",
        re.compile(
            r"(?!.*\bcompar).*\b(?:related|prior|previous|earlier|existing) (?:and \w+ )?"
            r"(?:works?|research|literature|studies|approaches)\b.*"
            r"|(?:.+ )?literature (?:review|survey)|review of (?:the )?literature|(?:the )?state[ -]of[ -]the[ -]art"
        ),
    ),
    (
        "back",
        re.compile(
            r"acknowledge?ments?.*|funding.*|(?:author|authors|authors'|credit author\S*) (?:contributions?|statement).*"
            r"|(?:(?:data|code|software|materials?)(?: and \w+)?) availability.*|availability of .*"
            r"|(?:declaration of )?(?:competing|conflicts? of) interests?.*|disclosures?|declarations?"
            r"|ethics (?:statement|approval).*|ethical (?:considerations?|statement)|(?:broader|societal) impacts?(?: statement)?"
            r"|reproducibility(?: statement| checklist)?|(?:neurips |paper )?checklist|(?:author )?biograph(?:y|ies)"
            r"|about the authors?|key ?words|index terms|ccs concepts"
        ),
    ),
    ("appendix", re.compile(r"(?:technical )?append(?:ix|ices)\b.*|supplement(?:ary|al|s)?\b.*|supporting information.*")),
    ("introduction", re.compile(r"(?:general )?introductions?(?: (?:and|&) .+)?|introductory remarks")),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading."""

    title: str
    number: str
    depth: int
    """1 for a section."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph between two headings."""

    text: str


def kind_of(title: str) -> SectionKind:
    """Return the kind of section that a title (without its number) names."""
    words = re.sub(r"[^\w\s&'-]", " ", title.casefold()).split()
    spaced = len(words) > 4 and all(len(word) == 1 for word in words)  # a b s t r a c t
    plain = ("" if spaced else " ").join(words)
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(plain)), "body")


def blocks(text: str, title: str = "", *, unmarked: Unmarked = "none") -> list[Heading | TextBlock]:
    """Return the headings and paragraphs of a text as the product's readers write it.

    Lines that begin with marks (``#``) are headings. Where ``unmarked`` allows it, so are short lines that are nothing but a
    known name (Conclusions, REFERENCES) or carry the next section number in the form of those before. In a text whose marked
    headings are numbered, a marked line without a number and without a known name is taken for words that were set large.

    Args:
        text: paragraphs parted by blank lines.
        title: of the document; a heading that only repeats it is left out.
        unmarked: where headings without a mark are looked for.
    """
    found = [each for each in _candidates(text, unmarked) if not (each.level and _same(each.text, title))]
    marked = [each for each in found if each.level]
    sequence = _Sequence()
    numbered = sum(sequence.takes(_parted(each.text), marked=True) for each in marked) >= _LEAST_NUMBERED
    reader = _Reader(base=min((each.level for each in marked), default=1), numbered=numbered)
    result: list[Heading | TextBlock] = [reader.heading(each) or TextBlock(each.text) for each in found]
    return _without_run_in(result)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    level: int = 0
    """Number of its marks; 0 where it has none."""
    alone: bool = False
    """Has no mark and stands where a heading may."""


@dataclass(frozen=True, slots=True)
class _Parted:
    number: str
    title: str
    stop: str = ""
    """What follows the number; tells one way of numbering from another."""


def _candidates(text: str, unmarked: Unmarked) -> Iterable[_Candidate]:
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        kept: list[str] = []
        for line in lines:
            mark = _MARKED.fullmatch(line.strip())
            may = unmarked == "lines" or (unmarked == "paragraphs" and len(lines) == 1)
            alone = mark is None and may and _has_the_form(line.strip())
            if mark is None and not alone:
                kept.append(line)
                continue
            if kept:
                yield _Candidate("\n".join(kept))
                kept = []
            words = mark[2].strip() if mark else line.strip()
            level = len(mark[1]) if mark else 0
            yield _Candidate(words, level if level <= _DEEPEST else 0, alone)
        if kept:
            yield _Candidate("\n".join(kept))


def _has_the_form(line: str) -> bool:
    """Say whether a line without a mark could be a heading."""
    if len(line) > _LONGEST or line[-1] in ".,;:?!" or not _LETTERS.search(line):
        return False
    parted = _parted(line)
    return parted.title[0].isupper() and (bool(parted.number) or kind_of(parted.title) != "body")


def _parted(text: str) -> _Parted:
    """Return the number and the title of a heading."""
    found = _NUMBER.fullmatch(text)
    if found is None or not _LETTERS.search(found["title"]):
        return _Parted("", text.strip())
    return _Parted(found["number"], found["title"].strip(), found["stop"])


def _same(left: str, right: str) -> bool:
    return bool(right) and left.casefold().split() == right.casefold().split()


_ROMAN = {"I": 1, "V": 5, "X": 10}


def _ranks(number: str) -> list[int]:
    """Return a number's parts; of a Roman one its value; nothing of a letter."""
    if number[:1].isdigit():
        return [int(part) for part in number.split(".")]
    if not number or not set(number) <= set(_ROMAN):
        return []
    values = [_ROMAN[letter] for letter in number]
    return [sum(-v if n + 1 < len(values) and v < values[n + 1] else v for n, v in enumerate(values))]


class _Sequence:
    """Follows the section numbers of a document, so that a numbered line of a list is no heading."""

    def __init__(self) -> None:
        self._last: list[int] = []
        self._form: tuple[bool, str] | None = None

    @property
    def arabic(self) -> bool:
        """Say whether sections are numbered 1, 2, 3 (and not I, II, III, or not at all)."""
        return self._form is not None and self._form[0]

    def takes(self, parted: _Parted, *, marked: bool) -> bool:
        """Say whether a number can come next, and if so take it. A mark allows a gap: a heading may have been missed."""
        ranks = _ranks(parted.number)
        if not ranks:
            return False
        form = (parted.number[0].isdigit(), parted.stop)
        if self._form is not None and len(ranks) == 1 and form[0] != self._form[0]:
            return False
        if not marked and not self._may_follow(ranks, form, parted.title):
            return False
        if marked and self._last and not (ranks > self._last or ranks[0] == self._last[0]):
            return False
        if len(ranks) == 1 or self._form is None:
            self._form = form
        self._last = ranks
        return True

    def _may_follow(self, ranks: list[int], form: tuple[bool, str], title: str) -> bool:
        if not self._last:
            return ranks in ([0], [1]) and kind_of(title) == "introduction"
        if len(ranks) == 1:
            return form == self._form and ranks[0] == self._last[0] + 1
        return ranks[0] == self._last[0] and (ranks[:-1] == self._last[: len(ranks) - 1] or ranks[-1] == 1)


class _Reader:
    def __init__(self, *, base: int, numbered: bool) -> None:
        self._base, self._numbered = base, numbered
        self._sequence = _Sequence()

    def heading(self, each: _Candidate) -> Heading | None:
        if not (each.level or each.alone) or not _LETTERS.search(each.text):
            return None
        parted = _parted(each.text)
        known = kind_of(parted.title) != "body"
        if not each.level and self._numbered and not known:
            return None  # the other headings have marks: this is a line of a list
        if parted.number and self._sequence.takes(parted, marked=bool(each.level)):
            return Heading(title=parted.title, number=parted.number, depth=max(1, len(_ranks(parted.number))))
        if not each.level:
            return Heading(title=parted.title, number="", depth=1) if known and not parted.number else None
        if parted.number[:1].isalpha() and not _ranks(parted.number):  # of an appendix, or below a Roman number
            return Heading(title=parted.title, number=parted.number, depth=1 if self._sequence.arabic else 2)
        if self._numbered and not known:
            return None
        depth = 1 if self._numbered else max(1, each.level - self._base + 1)
        return Heading(title=parted.title if known else each.text, number="", depth=depth)


def _without_run_in(found: Sequence[Heading | TextBlock]) -> list[Heading | TextBlock]:
    """Give a paragraph that begins with its own name ("Abstract: We ...") that name as a heading."""
    result: list[Heading | TextBlock] = []
    begun = False
    for each in found:
        if isinstance(each, Heading):
            begun = begun or kind_of(each.title) not in {"abstract", "back"}
            result.append(each)
            continue
        named = None if begun else _RUN_IN.match(each.text)
        if named is None:
            result.append(each)
            continue
        name = "Abstract" if named["name"].casefold() in {"abstract", "summary"} else "Keywords"
        result += [Heading(title=name, number="", depth=1), TextBlock(each.text[named.end() :])]
    return result
