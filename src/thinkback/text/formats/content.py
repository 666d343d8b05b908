"""What a format module returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from thinkback.types import PageMark, Scalar

__all__ = ["Content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The readable text of a file. Headings are lines that begin with ``#``; paragraphs are parted by blank lines."""

    text: str
    title: str = ""
    """Empty where the file names none."""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    """Of authors, date, year, doi, url, keywords, language, description: what the file says about itself."""
    pages: tuple[PageMark, ...] = ()
    warnings: tuple[str, ...] = ()
