"""The block of settings at the head of a Markdown file, as site generators, note apps and notebooks write it.

Only what a document says about itself is taken, and only in the plain forms (``key: value``, ``[a, b]``, ``- a``): a
full YAML reader would be a dependency and a way in for surprises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from thinkback.types import Scalar

__all__ = ["FrontMatter", "split_front_matter"]

_BLOCK = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)(?:^|\n)(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LONGEST = 20_000  # characters; what is longer is no front matter
_PAIR = re.compile(r"([A-Za-z][\w-]*)\s*[:=]\s*(.*)")
_ITEM = re.compile(r"\s*-\s+(?:name:\s*)?(.+)")
_KEYS = {
    "title": "title",
    "author": "authors",
    "authors": "authors",
    "date": "date",
    "year": "year",
    "doi": "doi",
    "url": "url",
    "tags": "keywords",
    "keywords": "keywords",
    "categories": "keywords",
    "lang": "language",
    "language": "language",
    "description": "description",
    "summary": "description",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """A document without the block at its head, and what that says."""

    body: str
    title: str = ""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


def split_front_matter(text: str) -> FrontMatter:
    """Return the body and the title and metadata of the block between ``---`` or ``+++`` lines, if there is one."""
    block = _BLOCK.match(text[:_LONGEST])
    if block is None or not any(_PAIR.match(line) for line in block.group(2).splitlines()):
        return FrontMatter(body=text)
    found: dict[str, str] = {}
    key: str | None = None
    for line in block.group(2).splitlines():
        pair = _PAIR.match(line)
        if pair:
            key = _KEYS.get(pair.group(1).lower())
            value = _values(pair.group(2))
        else:
            item = _ITEM.match(line)
            value = _unquoted(item.group(1)) if item else ""
        if key and value:
            found[key] = f"{found[key]}, {value}" if key in found else value
    title = found.pop("title", "")
    metadata: dict[str, Scalar] = dict(found)
    if found.get("year", "").isdecimal():
        metadata["year"] = int(found["year"])
    return FrontMatter(body=text[block.end() :], title=title, metadata=metadata)


def _values(raw: str) -> str:
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return ", ".join(filter(None, (_unquoted(part) for part in raw[1:-1].split(","))))
    return "" if raw in {"|", ">", "|-", ">-"} else _unquoted(raw)


def _unquoted(raw: str) -> str:
    raw = raw.strip()
    if len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "\"'":
        return raw[1:-1].strip()
    return raw.split(" #", 1)[0].strip()
