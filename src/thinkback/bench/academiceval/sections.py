"""The sections of a paper, each with its kind: what is written for, what is read, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thinkback.bench.academiceval.headings import Heading, TextBlock, Unmarked, blocks, kind_of
from thinkback.bench.academiceval.papers import Section, SectionKind

__all__ = ["Parsed", "parse"]

_LEAST_ABSTRACT = 40
"""Words of a paragraph before the first section that is taken for an abstract without a heading."""
_MARKS = re.compile(r"^#{1,6}\s+", re.MULTILINE)
_AFTER_BODY = frozenset({"references", "back", "appendix"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A text in its sections."""

    sections: tuple[Section, ...]
    """In order, the abstract and the references among them."""

    def text(self, kind: SectionKind) -> str:
        """Return the text of the sections of one kind, without headings."""
        return "\n\n".join(each.text for each in self.sections if each.kind == kind and each.text)


def parse(text: str, title: str = "", *, unmarked: Unmarked = "none") -> Parsed:
    """Return the sections of a text as the product's readers write it.

    What a section is of, its subsections are of too: those of the related work are related work. A summary counts as a
    conclusion only where it is a section of its own after the middle of the paper. Everything from a heading of the
    appendix on, and all that follows the references but a conclusion, is appendix.

    Args:
        text: paragraphs parted by blank lines, headings marked with ``#``.
        title: of the paper.
        unmarked: where headings without a mark are looked for.
    """
    before: list[str] = []
    flat: list[tuple[Heading, list[str]]] = []
    for each in blocks(text, title, unmarked=unmarked):
        if isinstance(each, Heading):
            flat.append((each, []))
        else:
            (flat[-1][1] if flat else before).append(_plain(each))
    sections = [
        Section(title=heading.title, number=heading.number, depth=heading.depth, kind=kind, text="\n\n".join(parts))
        for (heading, parts), kind in zip(flat, _kinds([heading for heading, _ in flat]), strict=True)
    ]
    return Parsed(sections=tuple(_with_abstract(before, sections)))


def _plain(block: TextBlock) -> str:
    return _MARKS.sub("", block.text).strip()


def _kinds(headings: Sequence[Heading]) -> list[SectionKind]:
    result: list[SectionKind] = []
    above: list[tuple[int, SectionKind]] = []  # depth and kind of the sections that the present one lies in
    ended = False
    for place, heading in enumerate(headings):
        while above and above[-1][0] >= heading.depth:
            above.pop()
        kind = _own(heading, place, headings)
        inherited = above[-1][1] if above else "body"
        if kind == "body" or inherited in _AFTER_BODY:
            kind = inherited
        if (ended and kind in {"body", "introduction", "related"}) or _is_lettered(heading):
            kind = "appendix"
        ended = ended or kind in {"references", "appendix"}
        above.append((heading.depth, kind))
        result.append(kind)
    return result


def _own(heading: Heading, place: int, headings: Sequence[Heading]) -> SectionKind:
    """Return the kind that a heading names where it stands."""
    kind = kind_of(heading.title)
    if kind == "conclusion" and heading.title.casefold().startswith("summary"):
        tops = [number for number, each in enumerate(headings) if each.depth == 1]
        late = place in tops and tops.index(place) * 2 > len(tops)
        return kind if late else "body"
    if kind == "abstract" and place > 2:
        return "body"
    return kind


def _is_lettered(heading: Heading) -> bool:
    return heading.depth == 1 and heading.number[:1] in set("ABCDEFGH") and bool(heading.number)


def _with_abstract(before: Sequence[str], sections: Sequence[Section]) -> list[Section]:
    """Return the sections, and what is the abstract by its place where no heading says so."""
    if any(each.kind == "abstract" and each.text for each in sections):
        # Front matter (affiliations, a note on the first page) that follows the abstract in its own short paragraphs stays.
        return list(sections)
    paragraphs = [each for each in before if len(each.split()) >= _LEAST_ABSTRACT]
    if not paragraphs or not sections:
        return list(sections)
    found = Section(title="Abstract", number="", depth=1, kind="abstract", text="\n\n".join(paragraphs))
    return [found, *(each for each in sections if each.kind != "abstract")]
