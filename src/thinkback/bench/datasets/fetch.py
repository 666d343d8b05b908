"""Fetch the files of a data set into the cache, after the user agreed to licence and size.

A broken download goes on where it was. A file gets its name when its checksum is right; where none is known, that of the
first download is kept beside it (``NAME.sha256``) and holds for every later one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Final

from thinkback.bench.datasets.catalogue import RemoteFile, Source, place_in_cache
from thinkback.errors import InvalidInput, LoadError
from thinkback.llm.fetch import one_at_a_time
from thinkback.ports import Progress

if TYPE_CHECKING:
    import httpx2

__all__ = ["Consent", "fetch", "missing", "notice"]

Consent = Callable[[str], bool]
"""Is shown a notice of licence, size and origin; says whether to fetch."""

_BLOCK: Final = 1 << 20
_MOST: Final = 4 << 30
"""Bytes; no file of the catalogue comes near."""
_TIMEOUT: Final = 60.0
_AGAIN: Final = "What was fetched is kept; fetch again to go on."


def notice(source: Source) -> str:
    """Return what a user has to know before the files are fetched."""
    size = f"{source.size / 1e6:.1f} MB" if source.size is not None else "size not known"
    hosts = sorted({file.url.split("/")[2] for file in source.files})
    return "\n".join(
        [
            f"{source.title}: {source.about}",
            f"Licence: {source.licence}",
            f"Please cite: {source.citation}",
            f"From: {', '.join(hosts)} ({len(source.files)} files, {size}); homepage {source.homepage}",
        ]
    )


def fetch(
    source: Source, cache: Path, *, consent: Consent, progress: Progress, client: httpx2.Client | None = None
) -> Path:
    """Fetch what is missing of a source into the cache; return its folder. What is there is not fetched again.

    Args:
        source: of the catalogue.
        cache: the user's cache folder.
        consent: asked once, and only if something is missing.
        progress: told bytes in the stage ``fetch``, per file.
        client: of the caller's; None makes one.

    Raises:
        InvalidInput: nothing of the source can be fetched, or the user did not agree.
        LoadError: a server cannot be reached or breaks off, the disk is full, or a file is not the promised one.
        ModelUnavailable: another process fetches it at this moment.
    """
    if not source.files:
        raise InvalidInput(f"{source.title} cannot be fetched by a program.", hint=f"{source.how} {source.homepage}")
    folder = place_in_cache(source, cache)
    wanted = missing(source, cache)
    if not wanted:
        return folder
    if not consent(notice(source)):
        raise InvalidInput(f"{source.title} was not fetched: its licence was not agreed to.")
    import httpx2

    own = client is None
    client = client or httpx2.Client(timeout=_TIMEOUT)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(folder / ".lock", source.title):
            for file in wanted:
                target = folder / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                _one(client, file, target, progress)
                if file.unpack:
                    _unpack(file, target, folder)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        reason = "the disk is full" if full else f"the file cannot be written ({type(error).__name__})"
        raise LoadError(f"{source.title} was not fetched: {reason}.", hint=_AGAIN) from error
    except httpx2.HTTPError as error:
        raise LoadError(f"{source.title}: the connection failed ({type(error).__name__}).", hint=_AGAIN) from error
    finally:
        if own:
            client.close()
    return folder


def missing(source: Source, cache: Path) -> tuple[RemoteFile, ...]:
    """Return the files of a source that the cache lacks."""
    folder = place_in_cache(source, cache)
    return tuple(file for file in source.files if not _is_there(file, folder))


def _is_there(file: RemoteFile, folder: Path) -> bool:
    target = folder / file.path
    if file.unpack:  # the archive itself is not kept
        return _note(target).is_file()
    return target.is_file() and (not file.size or target.stat().st_size == file.size)


def _note(target: Path) -> Path:
    return target.with_name(target.name + ".sha256")


def _one(client: httpx2.Client, file: RemoteFile, target: Path, progress: Progress) -> None:
    partial = target.with_name(target.name + ".partial")
    _download(client, file, partial, progress)
    with partial.open("rb") as stream:
        actual = hashlib.file_digest(stream, "sha256").hexdigest()
    note = _note(target)
    promised = file.sha256 or (note.read_text(encoding="ascii").split()[0] if note.is_file() else "")
    if promised and actual != promised:
        partial.unlink()
        why = (
            "its checksum differs"
            if file.sha256
            else f"it changed since it was first fetched; delete {note} to take it"
        )
        raise LoadError(f"{file.path} is not the promised file: {why}. It was deleted.")
    if not file.sha256:
        note.write_text(f"{actual}  {target.name}\n", encoding="ascii")
    partial.replace(target)


def _download(client: httpx2.Client, file: RemoteFile, partial: Path, progress: Progress) -> None:
    """Fetch a file, behind what is there of it if that can only be of the same file."""
    tag = partial.with_name(partial.name + ".tag")
    have = partial.stat().st_size if partial.is_file() else 0
    known = tag.read_text(encoding="utf-8") if tag.is_file() else ""
    if have and not (known or file.sha256):
        have = 0
    headers = {"Range": f"bytes={have}-", **({"If-Range": known} if known else {})} if have else {}
    # packed on the way, a file would have other bytes to count and to go on from
    headers["Accept-Encoding"] = "identity"
    with client.stream("GET", file.url, headers=headers, follow_redirects=True) as answer:
        if answer.status_code == 416:  # nothing is behind what we have; the checksum says whether it is all
            tag.unlink(missing_ok=True)
            return
        if answer.status_code == 206 and not answer.headers.get("content-range", "").startswith(f"bytes {have}-"):
            raise LoadError(f"{file.url} sent another part than it was asked for.")
        if answer.status_code not in {200, 206}:
            raise LoadError(f"{file.url} answered with status {answer.status_code}.")
        if answer.status_code == 200:  # it does not know ranges, or has another file now: from the beginning
            have = 0
        tag.write_text(answer.headers.get("etag", ""), encoding="utf-8")
        length = answer.headers.get("content-length", "")
        total = have + int(length) if length.isdigit() else file.size or None
        with partial.open("r+b" if have else "wb") as out:
            out.seek(have)
            for block in answer.iter_bytes():
                out.write(block)
                if out.tell() > (file.size or _MOST):
                    out.truncate(0)
                    raise LoadError(f"{file.url} sent more than the {file.size or _MOST:,} bytes that were expected.")
                progress("fetch", out.tell(), total, file.path)
            out.truncate()
            os.fsync(out.fileno())
    tag.unlink(missing_ok=True)


def _unpack(file: RemoteFile, archive: Path, folder: Path) -> None:
    """Take the files out of an archive, without the top folder if it has one, and delete it; links are left out.

    Raises:
        LoadError: it is no such archive, or is damaged, or a name leads out of the folder.
    """
    try:
        with zipfile.ZipFile(archive) if file.unpack == "zip" else tarfile.open(archive) as opened:
            members = dict(_members(opened))
            paths = {name: PurePosixPath(name) for name in members}
            if any(path.is_absolute() or ".." in path.parts for path in paths.values()):
                raise LoadError(f"{file.path} holds a file that would lie outside its folder; nothing was taken out.")
            tops = {path.parts[0] for path in paths.values()}
            strip = len(tops) == 1 and all(len(path.parts) > 1 for path in paths.values())
            for name, open_member in members.items():
                target = folder.joinpath(*paths[name].parts[1 if strip else 0 :])
                target.parent.mkdir(parents=True, exist_ok=True)
                partial = target.with_name(target.name + ".partial")
                with open_member() as source, partial.open("wb") as out:
                    shutil.copyfileobj(source, out, _BLOCK)
                partial.replace(target)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        _note(archive).unlink(missing_ok=True)
        archive.unlink()
        raise LoadError(f"{file.path} is damaged ({type(error).__name__}); it was deleted.") from error
    archive.unlink()
    if file.sha256:  # says that the archive was taken out
        _note(archive).write_text(f"{file.sha256}  {archive.name}\n", encoding="ascii")


def _members(opened: zipfile.ZipFile | tarfile.TarFile) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    if isinstance(opened, zipfile.ZipFile):
        for entry in opened.infolist():
            if not entry.is_dir():
                yield entry.filename, lambda entry=entry: opened.open(entry)  # type: ignore[misc]
        return
    for member in opened:
        if member.isfile():
            yield member.name, lambda member=member: opened.extractfile(member)  # type: ignore[misc]
