"""A folder of papers as a feed: PDFs, LaTeX sources (files, archives, folders), Markdown, HTML and text, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from thinkback.bench.academiceval.latex_source import USUAL, read_folder
from thinkback.bench.academiceval.papers import Listing
from thinkback.bench.academiceval.reading import Dropped, SourceFile, read_paper
from thinkback.bench.academiceval.titles import similarity
from thinkback.bench.records import Fault
from thinkback.errors import CorruptDocument, InvalidInput, LoadError

__all__ = ["ALL", "FolderFeed"]

ALL = "all"
"""The field of papers that lie in no folder of their own and name no category."""
_FILES = frozenset({".pdf", ".md", ".markdown", ".html", ".htm", ".txt", ".tex", ".ltx", ".tgz", ".tar"})
_ARXIV_NAME = re.compile(r"(?:arxiv[-_ ]?)?(\d{2})(\d{2})\.\d{4,5}(?:v\d+)?$", re.IGNORECASE)
_NEAR = 0.6  # of two titles; below it a paper is not even proposed


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    listing: Listing


class FolderFeed:
    """The papers below a folder.

    A file is a paper: a PDF, a LaTeX file or archive, a page of Markdown, HTML or text. A folder with LaTeX files, one of
    which begins a document, is a paper too, where no folder above it is. ``NAME.json`` beside a paper says what is known of
    it, in the field names of AcademicEval (title, abstract, authors, published, primary_cat, cats, url); what it does not
    say is read from the paper. The field of a paper is its primary category, else the folder that it lies in. Without a
    date, one is taken from an arXiv number in the name.

    Args:
        root: the folder.

    Raises:
        InvalidInput: there is no such folder, or no paper in it.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise InvalidInput(f"There is no folder {str(root)!r}.")
        self.name = "folder"
        self.faults: list[Fault] = []
        self._root = root
        self._papers: dict[str, _Found] = {}
        self._described = False
        for path in _papers(root):
            found = self._found(path)
            if found is None:
                continue
            if found.listing.id in self._papers:
                self._note(path, f"the same id again: {found.listing.id}")
                continue
            self._papers[found.listing.id] = found
        if not self._papers:
            raise InvalidInput(
                f"There is no paper in {str(root)!r}.", hint="PDF, LaTeX, Markdown, HTML and text are read."
            )

    def fields(self) -> tuple[str, ...]:
        """Return the categories and folders there are, sorted."""
        return tuple(sorted({found.listing.category for found in self._papers.values()}))

    def newest(self, field: str, *, limit: int, since: str = "", skip: int = 0) -> Iterator[Listing]:
        """Yield the papers of a field, newest first, those without a date last; see the port.

        Raises:
            InvalidInput: no paper is of that field.
        """
        if field not in self.fields():
            raise InvalidInput(f"There is no field {field!r} in the folder; there are {', '.join(self.fields())}.")
        known = (found.listing for found in self._papers.values())
        chosen = [each for each in known if field in {each.category, *each.categories}]
        for listing in _newest_first(chosen)[skip:limit]:
            if since and listing.published[: len(since)] < since:
                return
            yield listing

    def by_author(self, author: str, *, limit: int) -> Sequence[Listing]:
        """Return an author's papers, newest first."""
        wanted = author.casefold().split()
        found = [each for each in self._listings() if any(name.casefold().split() == wanted for name in each.authors)]
        return _newest_first(found)[:limit]

    def by_title(self, title: str, *, limit: int = 5) -> Sequence[Listing]:
        """Return the papers with the most similar titles, most similar first."""
        scored = [(similarity(title, each.title), each) for each in self._listings()]
        near = [pair for pair in scored if pair[0] >= _NEAR]
        return [each for _, each in sorted(near, key=lambda pair: -pair[0])[:limit]]

    def by_id(self, ids: Sequence[str]) -> Sequence[Listing]:
        """Return the papers whose names are these ids."""
        known = {each.id: each for each in self._listings()}
        return [known[each] for each in ids if each in known]

    def source(self, listing: Listing) -> SourceFile | None:
        """Return a paper's file.

        Raises:
            CorruptDocument: it cannot be read.
        """
        found = self._papers.get(listing.id)
        return self._read(found.path) if found is not None else None

    def close(self) -> None:
        """Do nothing."""

    def _found(self, path: Path) -> _Found | None:
        name = path.relative_to(self._root).as_posix() if path != self._root else path.resolve().name
        stem = name if path.is_dir() else name[: -len("".join(_suffixes(path)))]
        row = self._sidecar(path)
        if row is None:
            return None
        folder = name.rpartition("/")[0]
        category = str(row.get("primary_cat") or row.get("category") or "") or folder or ALL
        dated = _ARXIV_NAME.fullmatch(stem.rpartition("/")[2])
        guessed = f"20{dated[1]}-{dated[2]}" if dated else ""
        return _Found(
            path,
            Listing(
                id=str(row.get("id") or stem),
                title=" ".join(str(row.get("title") or "").split()),
                abstract=" ".join(str(row.get("abstract") or "").split()),
                authors=_names(row.get("authors")),
                published=str(row.get("published") or guessed),
                updated=str(row.get("updated") or ""),
                category=category,
                categories=_words(row.get("cats") or row.get("categories")) or (category,),
                url=str(row.get("url") or ""),
            ),
        )

    def _sidecar(self, path: Path) -> Mapping[str, Any] | None:
        """Return what NAME.json says; nothing where there is none; None (and a fault) where it cannot be used."""
        plain = path if path.is_dir() else path.with_name(path.name[: -len("".join(_suffixes(path)))])
        file = plain.with_name(f"{plain.name}.json")
        if not file.is_file():
            return {}
        try:
            row = json.loads(file.read_bytes())
        except (OSError, ValueError) as error:
            self._note(file, f"cannot be read: {type(error).__name__}")
            return None
        if not isinstance(row, dict):
            self._note(file, "is not one record")
            return None
        return row

    def _note(self, path: Path, reason: str) -> None:
        self.faults.append(Fault(where=path.relative_to(self._root).as_posix(), reason=reason))

    def _read(self, path: Path) -> SourceFile:
        try:
            if path.is_dir():
                return SourceFile(name=path.name, files=read_folder(path))
            if path.suffix.lower() in {".tex", ".ltx"}:  # with the bibliography beside it, and what it takes in
                return SourceFile(name=path.name, files=_with_companions(path))
            return SourceFile(name=path.name, data=path.read_bytes())
        except OSError as error:
            raise CorruptDocument(f"{str(path)!r} cannot be read: {error.strerror}.") from error

    def _listings(self) -> list[Listing]:
        """Return all papers, each with title, abstract and authors; what no sidecar says is read from the papers once."""
        if not self._described:
            for key, found in self._papers.items():
                listing = found.listing
                if not (listing.title and listing.authors):
                    self._papers[key] = replace(found, listing=self._described_by_itself(found))
            self._described = True
        return [found.listing for found in self._papers.values()]

    def _described_by_itself(self, found: _Found) -> Listing:
        try:
            paper = read_paper(found.listing, self._read(found.path))
        except LoadError:
            return found.listing
        return found.listing if isinstance(paper, Dropped) else paper.listing


def _papers(root: Path) -> Iterator[Path]:
    """Yield what is a paper in a folder and below it, sorted."""
    if _is_source(root):
        yield root
        return
    for path in sorted(root.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from _papers(path)
        elif _suffixes(path) and path.is_file():
            yield path


def _suffixes(path: Path) -> list[str]:
    """Return the endings that make a file a paper: one, or .tar.gz and .tex.gz as a whole."""
    endings = path.suffixes[-2:]
    if len(endings) == 2 and endings[1].lower() == ".gz" and endings[0].lower() in {".tar", ".tex"}:
        return endings
    return [path.suffix] if path.suffix.lower() in _FILES else []


def _is_source(folder: Path) -> bool:
    """Say whether a folder is one paper's source: one of the LaTeX files right in it begins a document, or one of usual name."""
    begun = [
        path.stem.lower() for path in folder.iterdir()
        if path.suffix.lower() in {".tex", ".ltx"} and path.is_file() and b"\\begin{document}" in path.read_bytes()
    ]  # fmt: skip
    return len(begun) == 1 or (bool(begun) and bool(USUAL & set(begun)))


def _with_companions(path: Path) -> dict[str, bytes]:
    files = {path.name: path.read_bytes()}
    for other in (path.with_name(f"{path.stem}.bbl"), *sorted(path.parent.glob("*.bib"))):
        if other.is_file():
            files[other.name] = other.read_bytes()
    return files


def _newest_first(listings: Sequence[Listing]) -> list[Listing]:
    return sorted(sorted(listings, key=lambda each: each.id), key=lambda each: each.published, reverse=True)


def _names(value: Any) -> tuple[str, ...]:
    """Return people, given as a list or as one text."""
    parts = re.split(r",|;|\band\b", value) if isinstance(value, str) else list(value or ())
    return tuple(str(part).strip() for part in parts if str(part).strip())


def _words(value: Any) -> tuple[str, ...]:
    """Return categories, given as a list or as one text."""
    parts = re.split(r"[\s,;]+", value) if isinstance(value, str) else list(value or ())
    return tuple(str(part).strip() for part in parts if str(part).strip())
