"""A paper's file → its sections and references, whatever kind of file it is; or the named reason why not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from thinkback.bench.academiceval.citations import cited, with_labels
from thinkback.bench.academiceval.headings import kind_of
from thinkback.bench.academiceval.latex_source import LatexSource, read_files, unpack
from thinkback.bench.academiceval.papers import Listing, Paper, Reason, Reference, Section
from thinkback.bench.academiceval.references import parse_bbl, parse_bibtex, parse_list
from thinkback.bench.academiceval.sections import Parsed, parse
from thinkback.errors import LoadError
from thinkback.text.clean import clean
from thinkback.text.formats.latex import read as read_latex
from thinkback.text.load import load_bytes
from thinkback.types import LoadedDocument

__all__ = ["Dropped", "SourceFile", "read_paper"]

_LEAST_SECTIONS = 2
_LEAST_WORDS = 300
"""Of the main content; less is an abstract, an erratum or a file that was not understood."""
_LONGEST_TITLE = 200
_LEAST_MARKED = 3
"""Marked headings from which on a Markdown file is taken to mark all that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """What a feed has of a paper."""

    name: str
    """Its suffix tells the kind where the content does not."""
    data: bytes = b""
    files: Mapping[str, bytes] | None = None
    """LaTeX sources that lie apart, by path; then ``data`` is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Why a paper, or an item, is not in a set."""

    reason: Reason
    detail: str = ""


def read_paper(listing: Listing, source: SourceFile) -> Paper | Dropped:
    """Return a paper in its sections.

    Title, abstract, authors and date are the listing's where it has them, else the file's own.
    """
    try:
        paper = _read(listing, source)
    except LoadError as error:
        return Dropped(reason="the file cannot be read", detail=error.message)
    if not paper.listing.title:
        return Dropped(reason="no title")
    if not paper.listing.abstract:
        return Dropped(reason="no abstract")
    if sum(each.kind in {"introduction", "related", "body", "conclusion"} for each in paper.sections) < _LEAST_SECTIONS:
        return Dropped(reason="no sections were found")
    words = len(paper.main_content.split())
    if words < _LEAST_WORDS:
        return Dropped(reason="too short", detail=f"{words} words")
    return paper


def _read(listing: Listing, source: SourceFile) -> Paper:
    if source.files is not None:
        return _from_latex(listing, read_files(source.files))
    if source.data[:4] != b"%PDF" and source.name.lower().endswith((".tex", ".ltx", ".latex", ".gz", ".tgz", ".tar")):
        return _from_latex(listing, read_files(unpack(source.data)))
    return _from_text(listing, load_bytes(source.data, name=source.name, uri=listing.id), source.name)


def _from_latex(listing: Listing, source: LatexSource) -> Paper:
    content = read_latex(clean(source.text))
    references = parse_bbl(source.bibliography) if source.bibliography else []
    known = {each.key for each in references}
    described = {each.key: each for each in parse_bibtex(source.bibtex)} if source.bibtex else {}
    references = [_completed(each, described.get(each.key)) for each in references]
    references += [each for key, each in described.items() if key not in known]
    parsed = parse(content.text, content.title)
    sections = [
        replace(each, text=with_labels(each.text, references, source.labels)) for each in parsed.sections
        if each.kind != "references"
    ]  # fmt: skip
    authors = str(content.metadata.get("authors", ""))
    return Paper(
        listing=_filled(
            listing, title=content.title, parsed=replace(parsed, sections=tuple(sections)), authors=authors
        ),
        sections=tuple(each for each in sections if each.kind != "abstract"),
        references=tuple(references),
        cited=cited(parsed.text("related"), references),
        source="latex",
    )


def _completed(reference: Reference, described: Reference | None) -> Reference:
    """Return an entry of a .bbl with what the .bib file knows better."""
    if described is None:
        return reference
    return replace(
        reference, title=described.title or reference.title, authors=described.authors or reference.authors,
        year=reference.year or described.year, arxiv_id=reference.arxiv_id or described.arxiv_id,
    )  # fmt: skip


def _from_text(listing: Listing, document: LoadedDocument, source_name: str) -> Paper:
    pdf = document.metadata.get("format") == "pdf"
    marked = len(re.findall(r"^#{1,4} ", document.text, re.MULTILINE)) >= _LEAST_MARKED
    title = listing.title or _own_title(document, source_name)
    parsed = parse(document.text, title, unmarked="paragraphs" if pdf else "none" if marked else "lines")
    references = parse_list(parsed.text("references"))
    authors = str(document.metadata.get("authors", ""))
    return Paper(
        listing=_filled(listing, title=title, parsed=parsed, authors=authors),
        sections=tuple(each for each in parsed.sections if each.kind not in {"references", "abstract"}),
        references=tuple(references),
        cited=cited(parsed.text("related"), references),
        source="pdf" if pdf else "text",
    )


def _own_title(document: LoadedDocument, name: str) -> str:
    """Return the title that the file itself states, not its name; of a plain text the first line."""
    if document.title != PurePath(name).stem:
        return document.title
    first = document.text.lstrip().partition("\n")[0].strip()
    plain = document.metadata.get("format") == "plain"
    return first if plain and len(first) <= _LONGEST_TITLE and kind_of(first) == "body" else ""


def _filled(listing: Listing, *, title: str, parsed: Parsed, authors: str) -> Listing:
    """Return the listing with what the file itself says where the listing is silent."""
    people = tuple(part.strip() for part in re.split(r",|;|\band\b", authors) if part.strip())
    return replace(
        listing, title=listing.title or title, abstract=listing.abstract or " ".join(_abstract(parsed.sections).split()),
        authors=listing.authors or people,
    )  # fmt: skip


def _abstract(sections: Sequence[Section]) -> str:
    """Return the abstract, without the line of keywords that may close it."""
    text = "\n\n".join(each.text for each in sections if each.kind == "abstract")
    return re.split(r"\n\s*(?:key ?words|index terms|ccs concepts)\b", text, maxsplit=1, flags=re.IGNORECASE)[0].strip()
