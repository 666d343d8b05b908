"""What kind of file is it? Its content is asked first, then what a server said, then its name."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Literal

from thinkback.errors import UnsupportedFormat

__all__ = ["SUFFIXES", "Format", "sniff"]

Format = Literal["plain", "markdown", "html", "latex", "pdf"]

SUFFIXES: dict[str, Format] = {
    ".txt": "plain",
    ".text": "plain",
    ".rst": "plain",
    ".org": "plain",
    ".adoc": "plain",
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mkd": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".tex": "latex",
    ".ltx": "latex",
    ".latex": "latex",
    ".pdf": "pdf",
}
_MEDIA_TYPES: dict[str, Format] = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/x-tex": "latex",
    "application/x-latex": "latex",
    "text/x-tex": "latex",
}
_OTHER_FILES = (  # beginnings of files that are often added by mistake
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "an image, sound or film"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ\x00", "a compressed file"),
    (b"7z\xbc\xaf", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"GGUF", "a language model"),
    (b"ID3", "a sound"),
    (b"OggS", "a sound or film"),
    (b"%!PS", "a PostScript file"),
    (b"{\\rtf", "an RTF document"),
)
_HEAD = 1024  # bytes before which "%PDF-" must come, by the format's own rule (ISO 32000-1, annex H)
_HTML = re.compile(
    rb"\A(?:\xef\xbb\xbf|\s|<!--.*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_LATEX = re.compile(rb"\A(?:\xef\xbb\xbf|\s|%[^\n]*\n|\\[A-Za-z]+[^\n]*\n){0,200}?\\document(?:class|style)\b")


def sniff(data: bytes, *, name: str = "", media_type: str | None = None) -> Format:
    """Return the format of a file.

    Args:
        data: the file, or its first kilobytes at least.
        name: its name or path; only the suffix is looked at.
        media_type: as a server gave it, with or without parameters.

    Raises:
        UnsupportedFormat: it begins as a kind of file does that is not read here, whatever its name says.
    """
    head = data[:4096]
    if b"%PDF-" in head[:_HEAD]:
        return "pdf"
    for beginning, kind in _OTHER_FILES:
        if head.startswith(beginning):
            raise UnsupportedFormat(
                f"This is {kind}.",
                hint="Text, Markdown, HTML, LaTeX source and PDF are read; convert it to one of them.",
            )
    named = SUFFIXES.get(PurePath(name).suffix.lower())
    if _HTML.match(head) and named != "markdown":
        return "html"
    served = _MEDIA_TYPES.get((media_type or "").split(";")[0].strip().lower())
    known = served or named
    if known in {None, "plain"} and _LATEX.match(head):
        return "latex"
    return known or "plain"
