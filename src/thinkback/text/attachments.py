"""Where reference managers say that an entry's files are.

Zotero writes ``description:path:type`` parted by semicolons, JabRef ``:path:TYPE``, Better BibTeX often bare paths,
Mendeley absolute paths without their first slash; RIS has addresses with ``file:`` or ``internal-pdf:``.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from thinkback.text.sniff import SUFFIXES

__all__ = ["attached", "resolve"]

_FILES = re.compile(r"(?<!\\);")
_PARTS = re.compile(r"(?<!\\):")
_ESCAPED = re.compile(r"\\([:;\\{}_%&#$ ])")


def attached(field: str, folder: Path) -> tuple[Path, ...]:
    """Return the readable kinds of files that a BibTeX ``file`` field names, in order, each once."""
    found: list[Path] = []
    for part in _FILES.split(field.replace("$\\backslash$", "\\\\")):
        pieces = [_ESCAPED.sub(r"\1", piece).strip() for piece in _PARTS.split(part)]
        found.extend(resolve(_path(pieces), folder))
    return tuple(dict.fromkeys(found))


def _path(pieces: list[str]) -> str:
    """Pick the path out of description, path and type, any of which may be missing."""
    if len(pieces) >= 3:
        return ":".join(pieces[1:-1])  # a Windows drive has a colon of its own
    if len(pieces) == 2:
        return ":".join(pieces) if len(pieces[0]) == 1 else next((piece for piece in pieces if _readable(piece)), "")
    return pieces[0]


def _readable(path: str) -> bool:
    return PurePath(path).suffix.lower() in SUFFIXES


def resolve(path: str, folder: Path) -> tuple[Path, ...]:
    """Return a path or file address as an absolute path; nothing for an empty one or a kind of file not read here."""
    if path.startswith(("file:", "internal-pdf:")):
        parts = urlsplit(path)
        path = unquote(parts.path if parts.scheme == "file" else path.split("://", 1)[-1])
    if not _readable(path) or "\x00" in path:
        return ()
    candidate = folder / Path(path).expanduser() if path.startswith("~/") else folder / path
    rooted = Path("/" + path)
    if not candidate.exists() and not PurePath(path).is_absolute() and rooted.exists():
        return (rooted,)
    return (candidate,)
