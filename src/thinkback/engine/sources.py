"""What ``add`` accepts: text, files, folders, URLs and bibliographies, turned into things that can be loaded one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from thinkback.engine.parts import Limits, check_text
from thinkback.errors import CorruptDocument, InvalidInput, LoadError, ThinkbackError
from thinkback.ids import content_hash
from thinkback.text.bibliography import BibEntry, read_bibliography
from thinkback.text.fetch import fetch
from thinkback.text.load import SUPPORTED, iter_files, load, load_bytes, load_text
from thinkback.thought.admit import lowest
from thinkback.types import Document, LoadedDocument, PageMark, Scalar, Trust

__all__ = ["Given", "Loaded", "Source", "as_said", "path_of", "sources_of", "still_holds", "storable", "text_source"]

_BIBLIOGRAPHIES = frozenset({".bib", ".ris", ".json"})
_LONGEST_PATH = 4096
_ESCAPED_BYTE = re.compile(r"\\udc([89a-f][0-9a-f])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the caller says about the sources of one call."""

    document_id: str | None = None
    title: str | None = None
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    trust: Trust | None = None
    whole_metadata: bool = False
    """True: the metadata replaces what the document had, instead of being added to it."""
    must_exist: bool = False
    """True: a document that was deleted meanwhile is not written anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A source as text, with what it says of itself and what the caller said about it."""

    text: str
    title: str
    """The caller's, or the source's own."""
    uri: str
    metadata: Mapping[str, Scalar]
    """The source's own; the caller's are in ``given``."""
    pages: tuple[PageMark, ...]
    warnings: tuple[str, ...]
    trust: Trust
    """What the source deserves where nobody says otherwise."""
    given: Given

    def page_at(self, offset: int) -> int | None:
        """Return the page that holds a character, or None where there are no pages."""
        page = None
        for mark in self.pages:
            if mark.start > offset:
                break
            page = mark.page
        return page


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that can be loaded; nothing is read before ``load``."""

    uri: str
    read: Callable[[], LoadedDocument]
    given: Given
    trust: Trust = "normal"
    """The label where neither the caller nor an earlier version of the document has one."""

    def load(self) -> Loaded:
        """Read it.

        Raises:
            LoadError: it cannot be read or is no text.
        """
        try:
            document = self.read()
        except InvalidInput as error:  # an address that may not be fetched: a fault of this source, not of the call
            raise LoadError(error.message, hint=error.hint) from error
        except OSError as error:
            raise CorruptDocument(f"{self.uri} cannot be read: {error.strerror or type(error).__name__}.") from error
        told = document.metadata
        return Loaded(
            text=document.text,
            title=storable(self.given.title or document.title),
            uri=document.uri,
            metadata={name: storable(value) if isinstance(value, str) else value for name, value in told.items()},
            pages=document.pages,
            warnings=document.warnings,
            trust=self.trust,
            given=self.given,
        )


def as_said(document: Document, loaded: Loaded) -> Document:
    """Return a document that is there with the title, metadata and label that it has once a source was added to it.

    The caller's word goes before what the document has, and that before what the source says of itself: a title,
    metadata or label that was set by hand outlives the next reading of the file. A text from another place does not
    inherit a higher label than it has by itself.
    """
    given = loaded.given
    kept = document.trust if document.uri == loaded.uri else lowest([document.trust, loaded.trust])
    merged = {**loaded.metadata, **document.metadata, **given.metadata}
    return replace(
        document,
        title=loaded.title if given.title else document.title,
        metadata=dict(given.metadata) if given.whole_metadata else merged,
        trust=given.trust or kept,
    )


def storable(text: str) -> str:
    r"""Return text with lone surrogates written as ``\udcXX``: how Python names the bytes of a path that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def path_of(uri: str) -> Path:
    """Return the path that a document's uri stands for: the reverse of ``storable``, where a file is so named."""
    path = Path(uri)
    real = Path(_ESCAPED_BYTE.sub(lambda match: chr(0xDC00 + int(match[1], 16)), uri))
    return real if not path.exists() and real.exists() else path


def still_holds(uri: str, hashed: str, limits: Limits) -> bool:
    """Tell whether the file that a document came from is there with the same text; True for what is not a file.

    A file that cannot be read just now is taken to hold it.
    """
    if not Path(uri).is_absolute():
        return True
    path = path_of(uri)
    if not path.is_file():  # a pipe or device of that name, which must not be read, is no sign of a move
        return path.exists()
    try:
        return content_hash(load(path, max_bytes=limits.max_file_bytes).text) == hashed
    except (ThinkbackError, OSError):
        return True


def sources_of(what: object, given: Given, limits: Limits) -> Iterator[Source]:
    """Yield the sources that an argument of ``add`` names.

    A ``Path`` is a file or folder. A string is a URL if it begins with http(s)://, a file or folder if one of that name is
    there, else text. A list is each of its parts. Bibliographies give the files that are attached to their entries.

    Raises:
        InvalidInput: nothing of the kind, a missing file, or blank text.
    """
    if isinstance(what, Path):
        yield from _path(what, given, limits)
    elif isinstance(what, str):
        check_text(what, "The text")
        if what.startswith(("http://", "https://")) and not any(character.isspace() for character in what.strip()):
            yield _url(what.strip(), given, limits)
        elif (path := _as_path(what)) is not None:
            yield from _path(path, given, limits)
        else:
            yield text_source(check_text(what, "The text"), given)
    elif isinstance(what, Iterable) and not isinstance(what, bytes | Mapping):
        parts = list(what)
        if given.document_id and len(parts) > 1:
            raise InvalidInput("doc_id names one document; several sources were given.")
        for part in parts:
            yield from sources_of(part, given, limits)
    else:
        raise InvalidInput(f"A source is text, a path, a URL or a list of these, not {type(what).__name__}.")


def _as_path(text: str) -> Path | None:
    """Return a string as a path if it names one.

    Raises:
        InvalidInput: it looks like the name of a file that is not there.
    """
    if len(text) > _LONGEST_PATH or "\n" in text or "\x00" in text:
        return None
    path = Path(text).expanduser()
    try:
        if path.exists():
            return path
    except OSError:
        return None
    looks_like_a_file = path.suffix.lower() in SUPPORTED | _BIBLIOGRAPHIES and len(text.split()) == 1
    if looks_like_a_file or text.startswith(("/", "./", "../", "~/")):
        raise InvalidInput(f"There is no file or folder {text!r}.")
    return None


def text_source(text: str, given: Given, *, uri: str | None = None) -> Source:
    """Return text that was given directly as a source; without a title its first line stands in, without a uri its hash."""
    uri = uri or f"text:{given.document_id or content_hash(text)[:16]}"
    first_line = text.strip().splitlines()[0]
    title = given.title or (first_line if len(first_line) <= 80 else f"{first_line[:79]}…")
    return Source(uri=uri, read=lambda: load_text(text, uri=uri, title=title), given=given)


def _url(url: str, given: Given, limits: Limits) -> Source:
    def read() -> LoadedDocument:
        got = fetch(url, allow=limits.allow_urls, max_bytes=limits.max_file_bytes, timeout=30.0)
        return load_bytes(got.data, name=got.name, uri=url, media_type=got.media_type, max_bytes=limits.max_file_bytes)

    return Source(uri=url, read=read, given=given, trust="untrusted")


def _path(path: Path, given: Given, limits: Limits) -> Iterator[Source]:
    path = path.expanduser().resolve()
    if path.is_dir():
        if given.document_id:
            raise InvalidInput("doc_id names one document; a folder was given.")
        for inner in iter_files(path):
            yield _file(inner, given, limits)
    elif not path.exists():
        raise InvalidInput(f"There is no file or folder {str(path)!r}.")
    elif path.suffix.lower() in _BIBLIOGRAPHIES:
        yield from _bibliography(path, given, limits)
    else:
        yield _file(path, given, limits)


def _file(path: Path, given: Given, limits: Limits) -> Source:
    uri = storable(str(path))

    def read() -> LoadedDocument:
        loaded = load(path, max_bytes=limits.max_file_bytes)
        return LoadedDocument(
            text=loaded.text,
            title=loaded.title or path.stem,
            uri=uri,
            metadata=loaded.metadata,
            pages=loaded.pages,
            warnings=loaded.warnings,
        )

    return Source(uri=uri, read=read, given=given)


def _bibliography(path: Path, given: Given, limits: Limits) -> Iterator[Source]:
    for entry in read_bibliography(path):
        files = [file for file in entry.files if file.exists()]
        said = Given(
            title=given.title or entry.title or None, metadata={**_facts(entry), **given.metadata}, trust=given.trust
        )
        if not files:
            yield _missing(storable(f"{path}#{entry.key}"), entry, said)
        for file in files:
            yield _file(file.resolve(), said, limits)


def _missing(uri: str, entry: BibEntry, given: Given) -> Source:
    def read() -> LoadedDocument:
        named = ", ".join(str(file) for file in entry.files)
        reason = entry.error or (f"{named} is not there." if named else "The entry has no attached file.")
        raise LoadError(reason)

    return Source(uri=uri, read=read, given=given)


def _facts(entry: BibEntry) -> dict[str, Scalar]:
    facts: dict[str, Scalar | None] = {
        "bib_key": entry.key,
        "authors": "; ".join(entry.authors),
        "year": entry.year,
        "doi": entry.doi,
        "url": entry.url,
    }
    return {name: value for name, value in facts.items() if value}
