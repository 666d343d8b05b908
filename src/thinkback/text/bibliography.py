"""Reference managers' exports → entries with their attached files; and back to BibTeX.

BibTeX is read by bibtexparser 2 (MIT; it goes on after a broken entry). RIS and CSL-JSON are a few lines each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinkback.errors import CorruptDocument, LoadError, TooLarge, UnsupportedFormat
from thinkback.text import bibtex
from thinkback.text.attachments import attached, resolve
from thinkback.text.clean import clean
from thinkback.text.decode import decode

__all__ = ["BibEntry", "read_bibliography", "to_bibtex"]

_MAX_BYTES = 50_000_000
_YEAR = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_KEPT = ("journal", "booktitle", "publisher", "volume", "number", "pages", "series", "school", "institution")
_RIS_LINE = re.compile(r"([A-Z][A-Z0-9])\s{1,2}-(?:\s(.*))?$")
_RIS_TYPES = {
    "JOUR": "article",
    "BOOK": "book",
    "CHAP": "incollection",
    "CONF": "inproceedings",
    "CPAPER": "inproceedings",
}
_RIS_TYPES |= {"THES": "phdthesis", "RPRT": "techreport", "UNPB": "unpublished"}
_CSL_TYPES = {
    "article-journal": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
}
_CSL_TYPES |= {
    "thesis": "phdthesis",
    "report": "techreport",
    "journalArticle": "article",
    "conferencePaper": "inproceedings",
}
_CSL_TYPES |= {"bookSection": "incollection"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BibEntry:
    """One reference."""

    key: str
    type: str = "misc"
    """As in BibTeX, in small letters: article, inproceedings, book, ..."""
    title: str = ""
    authors: tuple[str, ...] = ()
    """Given name first, as they are said."""
    year: int | None = None
    doi: str = ""
    """Without the address of the resolver."""
    url: str = ""
    files: tuple[Path, ...] = ()
    """Attached files of kinds that can be read, absolute; they may be missing."""
    raw_fields: Mapping[str, str] = field(default_factory=dict)
    """All fields as they were written."""
    error: str = ""
    """Why the entry could not be read; then only the key is sure."""


def read_bibliography(path: Path) -> tuple[BibEntry, ...]:
    """Return the entries of a BibTeX (.bib), RIS (.ris) or CSL-JSON (.json) file in their order.

    The kind is told by the content. Paths of attached files are taken as relative to the bibliography's folder.

    Raises:
        LoadError: the file cannot be read.
        CorruptDocument: nothing in it can be read.
        UnsupportedFormat: it is no bibliography.
        TooLarge: it has more than 50 MB.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= _MAX_BYTES else None
    except (OSError, ValueError) as error:
        raise LoadError(
            f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}."
        ) from error
    if data is None:
        raise TooLarge(f"{str(path)!r} has more than {_MAX_BYTES:,} bytes.")
    text = clean(decode(data).text)
    folder = path.absolute().parent
    if text.lstrip("\ufeff \n\t").startswith(("[", "{")):
        return tuple(_json_entries(text, folder))
    if re.search(r"^TY\s{1,2}-", text, re.MULTILINE):
        return tuple(_ris_entries(text, folder))
    if "@" in text or path.suffix.lower() == ".bib":
        return tuple(_bibtex_entries(text, folder))
    raise UnsupportedFormat(f"{str(path)!r} is no bibliography.", hint="BibTeX, RIS and CSL-JSON are read.")


def _bibtex_entries(text: str, folder: Path) -> Iterable[BibEntry]:
    entries = [
        BibEntry(
            key=each.key,
            type=each.type,
            title=bibtex.value(each.fields.get("title", "")),
            authors=bibtex.names(each.fields.get("author") or each.fields.get("editor", "")),
            year=_year(each.fields.get("year") or each.fields.get("date", "")),
            doi=_doi(each.fields.get("doi", "")),
            url=bibtex.address(each.fields.get("url", "")),
            files=attached(each.fields.get("file", ""), folder),
            raw_fields=each.fields,
            error=each.error,
        )
        for each in bibtex.parse(text)
    ]
    if text.strip() and not any(not entry.error for entry in entries):
        raise CorruptDocument("No entry of the bibliography can be read.")
    return entries


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found.group(1)) if found else None


def _doi(text: str) -> str:
    found = _DOI.search(text.replace("\\_", "_"))
    return found.group().rstrip(".,;}") if found else ""


def _ris_entries(text: str, folder: Path) -> Iterable[BibEntry]:
    tags: dict[str, list[str]] = {}
    last: str | None = None
    number = 0
    for line in text.split("\n"):
        match = _RIS_LINE.match(line.strip("\ufeff").rstrip())
        if match is None:
            if last and line.strip():  # a long value goes on without a tag
                tags[last][-1] += " " + line.strip()
            continue
        last = match.group(1)
        if last == "ER":
            number += 1
            yield _ris_entry(tags, number, folder)
            tags, last = {}, None
        else:
            tags.setdefault(last, []).append((match.group(2) or "").strip())
    if tags:
        yield _ris_entry(tags, number + 1, folder)


def _ris_entry(tags: Mapping[str, Sequence[str]], number: int, folder: Path) -> BibEntry:
    def first(*names: str) -> str:
        return next((value for name in names for value in tags.get(name, ()) if value), "")

    links = [value for name in ("L1", "L2", "L4") for value in tags.get(name, ())]
    files = [path for link in links if not link.startswith(("http:", "https:")) for path in resolve(link, folder)]
    return BibEntry(
        key=first("ID", "LB") or f"entry{number}",
        type=_RIS_TYPES.get(first("TY"), "misc"),
        title=first("TI", "T1", "CT"),
        authors=tuple(_turned(name) for tag in ("AU", "A1") for name in tags.get(tag, ()) if name),
        year=_year(first("PY", "Y1", "DA")),
        doi=_doi(first("DO")),
        url=first("UR"),
        files=tuple(dict.fromkeys(files)),
        raw_fields={name: "; ".join(values) for name, values in tags.items()},
    )


def _turned(name: str) -> str:
    """Return "Last, First" as "First Last"."""
    parts = [part.strip() for part in name.split(",")]
    return " ".join([*parts[1:2], parts[0], *parts[2:]]).strip()


def _json_entries(text: str, folder: Path) -> Iterable[BibEntry]:
    try:
        loaded = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise CorruptDocument("The bibliography is not valid JSON.") from error
    items = loaded.get("items") if isinstance(loaded, dict) else loaded
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise UnsupportedFormat("The JSON file is no bibliography.", hint="CSL-JSON is a list of references.")
    return [_json_entry(item, number, folder) for number, item in enumerate(items, 1)]


def _json_entry(item: Mapping[str, Any], number: int, folder: Path) -> BibEntry:
    """Return a reference of CSL-JSON, or of Better BibTeX's own JSON, which knows the attached files."""

    def text(*names: str) -> str:
        return next(
            (str(item[name]) for name in names if isinstance(item.get(name), str | int) and item[name] != ""), ""
        )

    people = item.get("author") or item.get("creators") or []
    issued = item.get("issued")
    dates = issued.get("date-parts") if isinstance(issued, dict) else None
    attachments = [each for each in item.get("attachments") or [] if isinstance(each, dict)]
    paths = [path for each in attachments for path in resolve(str(each.get("path") or ""), folder)]
    return BibEntry(
        key=text("citation-key", "citationKey", "citekey", "id") or f"entry{number}",
        type=_CSL_TYPES.get(text("type", "itemType"), "misc"),
        title=text("title"),
        authors=tuple(name for person in people if isinstance(person, dict) and (name := _person(person))),
        year=_year(json.dumps(dates) if dates else text("date", "year")),
        doi=_doi(text("DOI", "doi")),
        url=text("URL", "url"),
        files=tuple(dict.fromkeys(paths)),
        raw_fields={
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in item.items()
        },
    )


def _person(person: Mapping[str, Any]) -> str:
    names = ("given", "firstName", "non-dropping-particle", "family", "lastName", "literal", "name", "suffix")
    return " ".join(str(person[name]) for name in names if person.get(name))


def to_bibtex(entries: Iterable[BibEntry]) -> str:
    """Return the entries as BibTeX in their order, keys made unique; empty for none.

    Reading it again gives the same titles, authors, years, DOIs and addresses. Attached files are left out: they are
    paths on this machine.
    """
    written: list[str] = []
    taken: set[str] = set()
    for entry in entries:
        key = bibtex.unique_key(entry.key, taken)
        taken.add(key)
        fields = {
            "title": bibtex.escaped(entry.title),
            "author": bibtex.escaped_names(entry.authors),
            "year": str(entry.year or ""),
            "doi": entry.doi,
            "url": entry.url,
        }
        fields |= {
            name: bibtex.escaped(bibtex.value(entry.raw_fields[name])) for name in _KEPT if entry.raw_fields.get(name)
        }
        written.append(bibtex.entry(entry.type, key, fields))
    return "\n".join(written)
