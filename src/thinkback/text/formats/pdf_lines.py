"""A page of a PDF → its lines, with where they stand and in what type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Any

from pypdf import PageObject

from thinkback.text.blank import is_blank
from thinkback.text.clean import clean

__all__ = ["Line", "read_lines"]

_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)
_LEADERS = re.compile(r"(?:[ \t]?\.){5,}[ \t]*")  # of a table of contents
_MONOSPACED = ("mono", "courier", "cmtt", "consol", "typewriter", "menlo", "fixed")
_BOLD = ("bold", "cmbx", "black", "heavy", "semibold", "demi", "-bd", "medi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of type."""

    text: str
    page: int
    """Number of the page, from 0."""
    x: float
    """Left edge in points, from the left of the page."""
    y: float
    """Base line in points, from the foot of the page."""
    size: float
    """Of most of its characters, in points."""
    bold: bool = False
    monospaced: bool = False


@dataclass(frozen=True, slots=True)
class _Fragment:
    text: str
    x: float
    y: float
    size: float
    font: str
    upright: bool


def read_lines(page: PageObject, number: int) -> list[Line]:
    """Return the page's lines in the order of its content, which is the order of reading in all but odd files.

    Turned text (the labels of axes, a stamp in the margin) is left out, unless it is most of the page.
    """
    fragments: list[_Fragment] = []

    def collect(text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        if text:
            fragments.append(_fragment(text, cm, tm, font, size))

    page.extract_text(visitor_text=collect)
    turned = sum(len(fragment.text.strip()) for fragment in fragments if not fragment.upright)
    total = sum(len(fragment.text.strip()) for fragment in fragments)
    if turned * 2 < total:
        fragments = [
            fragment if fragment.upright or not fragment.text.strip() else replace(fragment, text="\n")
            for fragment in fragments
        ]
    return [line for parts in _group(fragments) if (line := _line(parts, number))]


def _fragment(text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> _Fragment:
    """Place a piece of text: its matrix, then the page's (ISO 32000-1, 9.4.4)."""
    a = tm[0] * cm[0] + tm[1] * cm[2]
    b = tm[0] * cm[1] + tm[1] * cm[3]
    height = hypot(tm[2] * cm[0] + tm[3] * cm[2], tm[2] * cm[1] + tm[3] * cm[3])
    name = str(font.get("/BaseFont", "")).lower() if hasattr(font, "get") else ""
    return _Fragment(
        text=text,
        x=tm[4] * cm[0] + tm[5] * cm[2] + cm[4],
        y=tm[4] * cm[1] + tm[5] * cm[3] + cm[5],
        size=abs(float(size)) * height,
        font=name,
        upright=abs(a) >= abs(b),
    )


def _group(fragments: Sequence[_Fragment]) -> list[list[_Fragment]]:
    """Part the fragments at the line ends in their texts."""
    lines: list[list[_Fragment]] = [[]]
    for fragment in fragments:
        first, *others = clean(fragment.text).split("\n")
        lines[-1].append(replace(fragment, text=first))
        lines.extend([replace(fragment, text=other)] for other in others)
    return lines


def _line(parts: Sequence[_Fragment], page: int) -> Line | None:
    text = _LEADERS.sub(" ... ", "".join(part.text for part in parts).translate(_LIGATURES))
    if is_blank(text):
        return None
    visible = [part for part in parts if part.text.strip()] or list(parts)
    widths: dict[tuple[float, str], int] = {}
    for part in visible:
        kind = (round(part.size, 1), part.font)
        widths[kind] = widths.get(kind, 0) + len(part.text)
    size, font = max(widths, key=lambda kind: widths[kind])
    return Line(
        text=" ".join(text.split()) if not _is(font, _MONOSPACED) else text.rstrip(),
        page=page,
        x=visible[0].x,
        y=visible[0].y,
        size=size,
        bold=_is(font, _BOLD),
        monospaced=_is(font, _MONOSPACED),
    )


def _is(font: str, marks: Sequence[str]) -> bool:
    return any(mark in font for mark in marks)
