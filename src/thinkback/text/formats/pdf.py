"""PDF → text with pages: lines in reading order, without running heads, joined to paragraphs, words made whole."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from io import BytesIO

from pypdf import PasswordType, PdfReader, apply_configuration
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

from thinkback.errors import CorruptDocument, EncryptedDocument, TooLarge
from thinkback.text.formats.content import Content
from thinkback.text.formats.pdf_furniture import without_furniture
from thinkback.text.formats.pdf_lines import Line, read_lines
from thinkback.text.formats.pdf_paragraphs import Paragraph, body_type, joiner, paragraphs, title_of
from thinkback.types import PageMark, Scalar

__all__ = ["read"]

_STREAM_LIMIT = 75_000_000  # bytes that one compressed stream may unpack to; pypdf's own, fixed here
_USELESS_TITLE = re.compile(
    r"untitled.*|microsoft (?:word|powerpoint).*|.*\.(?:docx?|dvi|tex|pdf|indd|ps|pptx?)|\W*|\d+", re.IGNORECASE
)
_END = b"%%EOF"
_MISSING_END = b"\nendstream\nendobj\nstartxref\n0\n%%EOF\n"
_FAULTS_SHOWN = 8


def read(data: bytes, *, max_characters: int) -> Content:
    """Return the text of all pages and where each begins.

    Raises:
        EncryptedDocument: it needs a password. (Those that only restrict printing are read.)
        CorruptDocument: no page can be read.
        TooLarge: more than ``max_characters`` of text, or a stream that unpacks to far more than it should.
    """
    # A library is not to print: where no logging is set up, Python would show the parser's complaints on stderr.
    logger = logging.getLogger("pypdf")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    with apply_configuration(zlib_maximum_output_length=_STREAM_LIMIT, lzw_maximum_output_length=_STREAM_LIMIT):
        reader = _open(data)
        pages, faults = _read_pages(reader, max_characters)
        notes = _notes(data, pages, faults)
        metadata = _metadata(reader)
    kept = without_furniture(pages)
    flat = [line for lines in kept for line in lines]
    body = body_type(flat)
    text, marks = _compose(paragraphs(flat, body), flat, len(pages))
    named = metadata.pop("title", "")
    title = str(named) if named else title_of(kept[0], body)
    return Content(text=text, title=title, metadata=metadata, pages=marks, warnings=notes)


def _open(data: bytes) -> PdfReader:
    if _END not in data[-2048:]:
        data += _MISSING_END  # cut short: the parser finds the objects by itself, but wants an end
    try:
        reader = PdfReader(BytesIO(data))
        locked = reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED
        number = 0 if locked else len(reader.pages)
    except (DependencyError, FileNotDecryptedError, NotImplementedError) as error:
        raise EncryptedDocument("The PDF is encrypted in a way that cannot be read.") from error
    except LimitReachedError as error:
        raise TooLarge("The PDF unpacks to more than is safe to read.") from error
    except Exception as error:  # the parser raises all kinds of errors on damaged files
        raise CorruptDocument("The PDF is damaged or cut short: it cannot be opened.") from error
    if locked:
        raise EncryptedDocument("The PDF is locked with a password.", hint="Save it without one, then add it again.")
    if not number:
        raise CorruptDocument("The PDF is damaged or cut short: it has no pages.")
    return reader


def _read_pages(reader: PdfReader, limit: int) -> tuple[list[list[Line]], list[int]]:
    """Return the lines of each page, and the numbers (from 1) of the pages that could not be read."""
    pages: list[list[Line]] = []
    faults: list[int] = []
    total = 0
    for number in range(len(reader.pages)):
        lines: list[Line] = []
        try:
            lines = read_lines(reader.pages[number], number)
        except MemoryError:
            raise
        except LimitReachedError as error:
            raise TooLarge(f"Page {number + 1} of the PDF unpacks to more than is safe to read.") from error
        except Exception:  # noqa: BLE001 - one damaged page, of whatever kind, must not cost the others
            faults.append(number + 1)
        pages.append(lines)
        total += sum(len(line.text) for line in lines)
        if total > limit:
            raise TooLarge(f"The PDF holds more than {limit:,} characters of text.")
    if len(faults) == len(pages):
        raise CorruptDocument("The PDF is damaged: none of its pages can be read.")
    return pages, faults


def _notes(data: bytes, pages: Sequence[Sequence[Line]], faults: Sequence[int]) -> tuple[str, ...]:
    notes = []
    if _END not in data[-2048:]:
        notes.append("The PDF ends too early; what was found in it was read.")
    if faults:
        notes.append(f"Could not be read: {_list(faults)}.")
    blank = [number for number, lines in enumerate(pages, 1) if not lines and number not in faults]
    if len(blank) == len(pages) - len(faults):
        notes.append("The PDF has no text, only images perhaps (a scan?); run it through text recognition (OCR) first.")
    elif blank:
        notes.append(f"Without text (blank, or scanned): {_list(blank)}.")
    return tuple(notes)


def _list(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_FAULTS_SHOWN]))
    more = len(numbers) - _FAULTS_SHOWN
    return f"page {shown}" if len(numbers) == 1 else f"pages {shown}" + (f" and {more} more" if more > 0 else "")


def _metadata(reader: PdfReader) -> dict[str, Scalar]:
    try:
        info = dict(reader.metadata or {})
    except Exception:  # noqa: BLE001 - see _open; a title is not worth a document
        return {}
    found = {
        key: " ".join(str(info.get(f"/{key}") or "").replace("\x00", " ").split())
        for key in ("Title", "Author", "Keywords")
    }
    metadata: dict[str, Scalar] = {}
    if not _USELESS_TITLE.fullmatch(found["Title"]):
        metadata["title"] = found["Title"]
    if found["Author"]:
        metadata["authors"] = found["Author"]
    if found["Keywords"]:
        metadata["keywords"] = found["Keywords"]
    return metadata


def _compose(groups: Sequence[Paragraph], lines: Sequence[Line], page_count: int) -> tuple[str, tuple[PageMark, ...]]:
    """Return the text of the paragraphs and the offset at which each page begins in it."""
    join = joiner(lines)
    parts: list[str] = []
    starts: dict[int, int] = {}
    length = 0
    for group in groups:
        paragraph = "#" * group.level + " " if group.level else ""
        base = length + (2 if parts else 0)
        for above, line in zip((None, *group.lines), group.lines, strict=False):
            if above is not None:
                seam = join(above.text, line)
                paragraph = paragraph[: len(paragraph) - seam.dropped] + seam.glue
            # A paragraph that goes on over the page's end: its part on the new page begins here.
            starts.setdefault(line.page, base + (len(paragraph) if above is not None else 0))
            paragraph += line.text
        parts.append(paragraph)
        length = base + len(paragraph)
    return "\n\n".join(parts), _marks(starts, page_count, length)


def _marks(starts: Mapping[int, int], page_count: int, length: int) -> tuple[PageMark, ...]:
    """Return one mark a page; a page without text begins where the next one does."""
    marks: list[PageMark] = []
    following = length
    for page in range(page_count - 1, -1, -1):
        following = starts.get(page, following) if page else 0
        marks.append(PageMark(page=page + 1, start=following))
    return tuple(reversed(marks))
