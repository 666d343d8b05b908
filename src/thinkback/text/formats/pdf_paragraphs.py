"""Lines of type → paragraphs and headings, by where the lines stand and how large they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from thinkback.text.formats.pdf_lines import Line

__all__ = ["Body", "Paragraph", "Seam", "body_type", "joiner", "paragraphs", "title_of"]

_HEADING_SIZE = 1.12  # times the body's: the smallest step that typographers use for a heading
_LONGEST_HEADING = 150
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,5}\.)\s+\S")
_NAMED = re.compile(
    r"(?:abstract|introduction|background|related work|methods?|results|discussion|conclusions?|acknowledge?ments?"
    r"|references|bibliography|appendix(?:\s+[A-Z])?)\W?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[\u2022\u25e6\u25aa\u2013*\u00b7]|\(?\d{1,2}[.)]|\[\d{1,3}\]|\([a-z]\))\s")
_ENTRY = re.compile(r" \.\.\. \d+$")  # of a table of contents
_CONTENTS = re.compile(r"(?:table of )?contents|inhalt(?:sverzeichnis)?", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_CLOSED = re.compile(r"[.!?:;\u3002\uff01\uff1f][\"'\u2019\u201d)\]]*$")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_HYPHENATED = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)([-\u00ad\u2010])$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The measures of a document's running text, in points."""

    size: float
    leading: float
    """From base line to base line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Lines that belong together."""

    lines: tuple[Line, ...]
    level: int = 0
    """0 for running text, 1 to 3 for a heading."""


def body_type(lines: Sequence[Line]) -> Body:
    """Return the size that most characters have, and the most usual distance of lines of that size."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    steps: Counter[float] = Counter()
    for above, below in pairwise(lines):
        step = above.y - below.y
        if above.page == below.page and 0.8 * size <= step <= 3 * size:
            steps[round(step * 2) / 2] += 1
    return Body(size=size or 10.0, leading=steps.most_common(1)[0][0] if steps else 1.2 * (size or 10.0))


def paragraphs(lines: Sequence[Line], body: Body) -> list[Paragraph]:
    """Return the lines of a whole document as paragraphs; one may go on over the end of a page or column."""
    found: list[list[Line]] = []
    for line in lines:
        if found and not _begins(found[-1], line, body):
            found[-1].append(line)
        else:
            found.append([line])
    return [Paragraph(lines=tuple(group), level=_level(group, body)) for group in found]


def _begins(group: Sequence[Line], line: Line, body: Body) -> bool:
    """Say whether a line begins a paragraph, given the lines of the one before."""
    above = group[-1]
    if abs(line.size - above.size) > 0.08 * above.size or line.monospaced != above.monospaced:
        return True
    if _is_heading(above, body) != _is_heading(line, body) or (line.bold != above.bold and len(group) == 1):
        return True
    if _ITEM.match(line.text) or _ENTRY.search(above.text) or _NAMED.fullmatch(line.text):
        return True
    step = above.y - line.y
    if line.page != above.page or step < -body.leading:  # another page or column: does the sentence go on?
        return bool(_CLOSED.search(above.text)) and not line.text[0].islower()
    if step > 1.35 * max(body.leading * above.size / body.size, above.size):
        return True
    return _is_indented(group, line)


def _is_indented(group: Sequence[Line], line: Line) -> bool:
    """Say whether a line stands further right than those above: by some letters, not by a quarter of the page."""
    indent = line.x - min(each.x for each in group[-3:])
    hanging = bool(_ITEM.match(group[0].text)) or (len(group) == 1 and line.x > group[0].x)
    return 0.6 * line.size <= indent <= 6 * line.size and not (hanging and not _CLOSED.search(group[-1].text))


def _is_heading(line: Line, body: Body) -> bool:
    if len(line.text) > _LONGEST_HEADING or not any(character.isalpha() for character in line.text):
        return False
    if line.size >= _HEADING_SIZE * body.size:
        return True
    marked = _NUMBERED.match(line.text) or _NAMED.fullmatch(line.text)
    return bool(marked) and (line.bold or bool(_NAMED.fullmatch(line.text))) and not line.text.endswith((".", ","))


def _level(group: Sequence[Line], body: Body) -> int:
    if (
        not all(_is_heading(line, body) for line in group)
        or sum(len(line.text) for line in group) > 2 * _LONGEST_HEADING
    ):
        return 0
    ratio = group[0].size / body.size
    return 1 if ratio >= 1.6 else 2 if ratio >= _HEADING_SIZE + 0.05 else 3


def title_of(first_page: Sequence[Line], body: Body) -> str:
    """Return the largest type of the first page, if it stands out; its lines joined."""
    worded = [
        line for line in first_page if len(_LETTER.findall(line.text)) >= 3 and not _CONTENTS.fullmatch(line.text)
    ]
    size = max((line.size for line in worded), default=0)
    if size < _HEADING_SIZE * body.size:
        return ""
    start = next(number for number, line in enumerate(worded) if line.size == size)
    title: list[str] = []
    for line in worded[start:]:
        if abs(line.size - size) > 0.05 * size or len(title) == 4:
            break
        title.append(line.text)
    return " ".join(title)


@dataclass(frozen=True, slots=True)
class Seam:
    """How two lines of a paragraph are put together."""

    dropped: int
    """Characters taken off the end of the line above."""
    glue: str
    """What comes between."""


def joiner(lines: Sequence[Line]) -> Callable[[str, Line], Seam]:
    """Return the function that says how a line of a paragraph is joined to the one above it.

    A hyphen at a line's end goes if the word is written without one elsewhere in the document, stays if it is written
    with one, and else goes if a small letter
    follows and the word has no other hyphen: typesetters break words more often than authors join them.
    """
    vocabulary = {word.casefold() for line in lines for word in _WORD.findall(line.text)}

    def join(above: str, line: Line) -> Seam:
        if line.monospaced:
            return Seam(0, "\n")
        broken, following = _HYPHENATED.search(above), _WORD.match(line.text)
        if broken and following:
            head, tail = broken.group(1), following.group().split("-")[0]
            if broken.group(2) != "-" or (head + tail).casefold() in vocabulary:
                return Seam(1, "")
            written = {f"{head}-{tail}".casefold(), f"{head}-{following.group()}".casefold()}
            compound = "-" in head or not tail[0].islower() or bool(written & vocabulary)
            return Seam(0 if compound else 1, "")
        return Seam(0, "" if _WIDE.match(above[-1:]) and _WIDE.match(line.text) else " ")

    return join
