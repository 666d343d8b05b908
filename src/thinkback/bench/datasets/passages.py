"""Join pieces into one text and remember where each of them is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from thinkback.bench.records import SourceText

__all__ = ["Joined", "iso_date", "joined", "one_passage"]


@dataclass(frozen=True, slots=True)
class Joined:
    """A text made of pieces."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Of the pieces in the text, in their order."""


def joined(pieces: Iterable[str], between: str = "\n") -> Joined:
    """Return the pieces as one text."""
    texts = list(pieces)
    spans, at = [], 0
    for text in texts:
        spans.append((at, at + len(text)))
        at += len(text) + len(between)
    return Joined(between.join(texts), tuple(spans))


def one_passage(document_id: str, title: str, text: str, *, date: str = "") -> SourceText:
    """Return a document of title and text that is one chunk. The title is part of the text: it names the subject."""
    whole = f"{title}\n{text}".strip()
    return SourceText(id=document_id, title=title, text=whole, date=date, passages=((0, len(whole)),))


def iso_date(text: str, *forms: str) -> str:
    """Return a date in one of some forms (as ``strptime`` has them) as ISO 8601; empty if it is in none of them.

    The time of day is given where the form has one.
    """
    for form in forms:
        try:
            found = dt.datetime.strptime(text.strip(), form)  # noqa: DTZ007 - the data sets name no time zone
        except ValueError:
            continue
        timed = "%H" in form or "%I" in form
        return found.isoformat(timespec="minutes") if timed else found.date().isoformat()
    return ""
