"""What the builder works on: how a feed lists a paper, and what is read from the paper itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar, get_args

from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["Listing", "Paper", "Reason", "Reference", "Section", "SectionKind", "file_name", "listing_of", "paper_of"]

SectionKind = Literal["abstract", "introduction", "related", "conclusion", "references", "back", "appendix", "body"]
"""``back``: acknowledgements, funding, statements; ``body``: every section of no other kind."""

Reason = Literal[
    "no source can be fetched",
    "the file cannot be read",
    "no title",
    "no abstract",
    "no sections were found",
    "no conclusion was found",
    "no introduction was found",
    "no related work section was found",
    "too short",
    "the title stands in the text",
    "the reference stands in the corpus",
    "the reference stands in a question asked before",
    "the section could not be taken out cleanly",
    "too few cited papers were found",
    "more cited papers than asked for",
    "too few papers of the field to fill up with",
    "last incomplete batch",
    "no reference: there is no model to write it",
    "no reference: the model did not write one",
    "too few questions asked before",
]
"""Why a paper, or an item of a set, was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Record):
    """A paper as a feed lists it."""

    id: str
    """Of arXiv, without version: 2404.01234, cs/0112017; in a folder, its name there."""
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    """ISO 8601, UTC, of the first version; as far as it is known. Orders papers in time."""
    updated: str = ""
    category: str = ""
    """The primary one."""
    categories: tuple[str, ...] = ()
    url: str = ""
    version: int = 0
    """0: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Record):
    """A section's own text, without that of the sections below it."""

    title: str
    """Without its number."""
    number: str
    """As printed (2.1, IV), or empty."""
    depth: int
    """1 for a section, 2 for one below it."""
    kind: SectionKind
    text: str

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{self.number} {self.title}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Record):
    """An entry of a paper's list of references."""

    key: str
    """In LaTeX the key, in a PDF the number or, of an unnumbered list, ``r`` and the entry's place."""
    text: str
    """The entry as one line."""
    title: str = ""
    authors: tuple[str, ...] = ()
    """Surnames as far as they were made out, the first author's first."""
    year: str = ""
    """With its letter, where it has one: 2019b."""
    arxiv_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper(Record):
    """A paper that was read."""

    listing: Listing
    sections: tuple[Section, ...]
    """In order; what stood before the first heading is left out."""
    references: tuple[Reference, ...] = ()
    cited: tuple[str, ...] = ()
    """Keys of the references that the related work cites, in order of their first mention."""
    source: Literal["latex", "pdf", "text"] = "text"
    """What it was read from."""

    @property
    def id(self) -> str:
        """The listing's."""
        return self.listing.id

    def text(self, *kinds: SectionKind) -> str:
        """Return the sections of some kinds with their headings, blank lines between; of one kind alone without its heading."""
        chosen = [each for each in self.sections if each.kind in kinds]
        first = len(kinds) == 1
        parts: list[str] = []
        for number, each in enumerate(chosen):
            bare = first and (number == 0 or each.depth == 1)
            parts += [part for part in ("" if bare else each.heading, each.text) if part]
        return "\n\n".join(parts)

    @property
    def main_content(self) -> str:
        """The paper without abstract, conclusion, references, appendix and acknowledgements."""
        return self.text("introduction", "related", "body")


T = TypeVar("T", Listing, Section, Reference)
_UNSAFE = re.compile(r"[^\w.()-]+", re.ASCII)


def file_name(paper_id: str) -> str:
    """Return an id as the name of a file: slashes and the like become underscores."""
    return _UNSAFE.sub("_", paper_id).strip("._") or "paper"


def listing_of(row: Mapping[str, Any]) -> Listing:
    """Return the listing that ``Listing.to_dict`` wrote.

    Raises:
        InvalidInput: fields are missing or of another form.
    """
    return _made(Listing, {**row, "authors": _texts(row, "authors"), "categories": _texts(row, "categories")})


def paper_of(row: Mapping[str, Any]) -> Paper:
    """Return the paper that ``Paper.to_dict`` wrote.

    Raises:
        InvalidInput: fields are missing or of another form.
    """
    try:
        sections = tuple(_made(Section, each) for each in row["sections"])
        references = tuple(_made(Reference, {**each, "authors": _texts(each, "authors")}) for each in row["references"])
        listing = listing_of(row["listing"])
    except (KeyError, TypeError) as error:
        raise InvalidInput("A paper of the checkpoint is not of the known form.") from error
    if any(each.kind not in get_args(SectionKind) for each in sections):
        raise InvalidInput("A paper of the checkpoint has a section of an unknown kind.")
    return Paper(
        listing=listing, sections=sections, references=references, cited=_texts(row, "cited"),
        source=row.get("source", "text"),
    )  # fmt: skip


def _made(kind: type[T], row: Mapping[str, Any]) -> T:
    try:
        return kind(**{each.name: row[each.name] for each in fields(kind) if each.name in row})
    except TypeError as error:
        raise InvalidInput(f"A {kind.__name__.lower()} of the checkpoint is not of the known form.") from error


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(map(str, row.get(name) or ()))
