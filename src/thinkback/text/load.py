"""Files → documents: what a file is, how it is written, and what of it is text."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePath

from thinkback.errors import CorruptDocument, InvalidInput, LoadError, TooLarge, UnsupportedFormat
from thinkback.text.blank import is_blank
from thinkback.text.clean import clean
from thinkback.text.decode import Decoded, decode
from thinkback.text.formats.content import Content
from thinkback.text.sniff import SUFFIXES, Format, sniff
from thinkback.types import LoadedDocument

__all__ = ["SUPPORTED", "iter_files", "load", "load_bytes", "load_text"]

SUPPORTED: frozenset[str] = frozenset(SUFFIXES)
"""Suffixes, in small letters with their dot, of the files that ``iter_files`` yields."""

_MAX_BYTES = 200_000_000
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_LINE = re.compile(r"[^\n]+")
_LONGEST_TITLE = 200  # characters


def load(path: Path, *, max_bytes: int = _MAX_BYTES) -> LoadedDocument:
    """Return the text of a file; its ``uri`` is the absolute path, links not followed.

    A file without readable text (empty, blank, scanned pages) gives blank text and a warning that says why.

    Raises:
        TooLarge: the file has more than ``max_bytes``, or unpacks to far more.
        EncryptedDocument: it is locked with a password.
        CorruptDocument: it is truncated or damaged.
        UnsupportedFormat: it is no kind of file that is read here.
        LoadError: it is missing, no regular file, or may not be read.
    """
    shown = _printable(path)
    try:
        # Without waiting: opening a named pipe that nobody writes to would block for ever.
        with os.fdopen(os.open(path, os.O_RDONLY | _NO_WAIT), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise LoadError(f"{shown!r} is not a file.")
            if status.st_size > max_bytes:
                raise _too_large(shown, status.st_size, max_bytes)
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise LoadError(f"{shown!r} cannot be read: {error.strerror or type(error).__name__}.") from error
    except ValueError as error:  # a NUL in the path
        raise InvalidInput(f"{shown!r} is not a path.") from error
    return load_bytes(data, name=path.name, uri=_printable(Path(os.path.abspath(path))), max_bytes=max_bytes)  # noqa: PTH100 - resolve() would follow links


def _printable(path: PurePath) -> str:
    """Return the path as text that can be stored, also where its bytes are not valid UTF-8."""
    return os.fspath(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _too_large(shown: str, size: int, limit: int) -> TooLarge:
    return TooLarge(f"{shown!r} has {size:,} bytes; the limit is {limit:,}.", hint="Split it, or raise max_file_bytes.")


def load_bytes(
    data: bytes,
    *,
    name: str,
    uri: str,
    media_type: str | None = None,
    max_bytes: int = _MAX_BYTES,
) -> LoadedDocument:
    """Return the text of a file's content.

    Args:
        data: the content.
        name: the file's name; tells the format where the content does not, and the title where nothing else does.
        uri: where it came from; kept as it is.
        media_type: as a server gave it; its charset is used where the content agrees.
        max_bytes: most bytes, and most characters that they may unpack to.

    Raises:
        TooLarge, EncryptedDocument, CorruptDocument, UnsupportedFormat: see ``load``.
    """
    if len(data) > max_bytes:
        raise _too_large(name or uri, len(data), max_bytes)
    stem = _printable(PurePath(PurePath(name).stem)) if name else ""
    if not data:
        return LoadedDocument(text="", title=stem, uri=uri, warnings=("The file is empty.",))
    kind = sniff(data, name=name, media_type=media_type)
    content = _read(data, kind, media_type, max_bytes)
    return _finish(content, kind, title=stem, uri=uri)


def _read(data: bytes, kind: Format, media_type: str | None, max_bytes: int) -> Content:
    if kind == "pdf":
        from thinkback.text.formats.pdf import read as read_pdf  # noqa: PLC0415 - the parser is large, and most adds need no PDF

        if b"%PDF-" not in data[:1024]:
            raise CorruptDocument("The file is named as a PDF but does not begin as one.")
        return read_pdf(data, max_characters=max_bytes)
    decoded = decode(data, declared=_declared(data, kind, media_type))
    _refuse_binary(decoded.text)
    content = _reader(kind)(clean(decoded.text))
    content = replace(content, text=clean(content.text))  # entities and escapes may name controls too
    return _with_decoding(content, decoded)


def _reader(kind: Format) -> Callable[[str], Content]:
    """Return the format's ``read``, imported when it is first needed."""
    read: Callable[[str], Content] = import_module(f"thinkback.text.formats.{kind}").read
    return read


def _declared(data: bytes, kind: Format, media_type: str | None) -> str | None:
    _, _, charset = (media_type or "").lower().partition("charset=")
    served = charset.split(";")[0].strip(" \"'")
    if served or kind != "html":
        return served or None
    from thinkback.text.formats.html import declared_encoding  # noqa: PLC0415 - only needed for HTML

    return declared_encoding(data)


def _refuse_binary(text: str) -> None:
    """Raise for what is no text in any encoding: many control characters, or mostly unreadable places."""
    sample = text[:65_536]
    controls = sum(character < " " and character not in "\t\n\r\f\x0b\x1b\x08" for character in sample)
    controls += sum("\x7f" <= character <= "\x9f" and character != "\x85" for character in sample)
    if (controls * 10 > len(sample) and controls > 4) or sample.count("\ufffd") * 4 > len(sample):
        raise UnsupportedFormat(
            "The file is not text: many of its bytes are no characters.",
            hint="Text, Markdown, HTML, LaTeX source and PDF are read.",
        )


def _with_decoding(content: Content, decoded: Decoded) -> Content:
    metadata = {**content.metadata}
    if decoded.encoding != "utf-8":
        metadata["encoding"] = decoded.encoding
    notes = content.warnings
    if decoded.replaced:
        notes = (*notes, f"{decoded.replaced} places could not be read as {decoded.encoding} and were replaced.")
    return replace(content, metadata=metadata, warnings=notes)


def _finish(content: Content, kind: Format, *, title: str, uri: str) -> LoadedDocument:
    notes = content.warnings
    if is_blank(content.text) and not notes:
        notes = ("The file has no readable text.",)
    found = " ".join(clean(content.title).split())[:_LONGEST_TITLE]
    return LoadedDocument(
        text=content.text,
        title=found or title or _first_line(content.text),
        uri=uri,
        metadata={"format": kind, **{key: _clean_value(value) for key, value in content.metadata.items()}},
        pages=content.pages,
        warnings=notes,
    )


def _clean_value(value: str | float | bool) -> str | int | float | bool:
    return clean(value) if isinstance(value, str) else value


def load_text(text: str, *, uri: str, title: str = "") -> LoadedDocument:
    """Return text that was given directly, cleaned as a file's would be; without a title its first line is it."""
    cleaned = clean(text)
    if is_blank(cleaned):
        return LoadedDocument(text=cleaned, title=title, uri=uri, warnings=("The text is blank.",))
    return LoadedDocument(text=cleaned, title=title or _first_line(cleaned), uri=uri)


def _first_line(text: str) -> str:
    """Return the beginning of the first line that is not blank, for a text without a title or name."""
    for line in _LINE.finditer(text):
        if not is_blank(line.group()):
            return line.group().lstrip("#").strip()[:80].strip()
    return ""


def iter_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that can be read, sorted by path, folders and files of a level together.

    Left out: names that begin with a dot, other kinds of files, and links that lead back into a folder above them.

    Raises:
        LoadError: the folder is missing or may not be read. Folders below that may not be read are passed over.
    """
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names that are not UTF-8 must sort too
    except OSError as error:
        raise LoadError(f"{_printable(folder)!r} cannot be read: {error.strerror}.") from error
    yield from _walk(folder, names, (_identity(folder),))


def _walk(folder: Path, names: list[str], above: tuple[tuple[int, int], ...]) -> Iterator[Path]:
    for name in names:
        path = folder / name
        if name.startswith("."):
            continue
        if path.is_dir():
            identity = _identity(path)
            if identity in above:
                continue
            try:
                inner = sorted(os.listdir(path))  # noqa: PTH208
            except OSError:
                continue
            yield from _walk(path, inner, (*above, identity))
        elif path.suffix.lower() in SUPPORTED and path.is_file():
            yield path


def _identity(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino
