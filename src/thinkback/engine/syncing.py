"""Keeping a folder and its namespace the same: new files come in, changed ones are updated, deleted ones go."""

from __future__ import annotations

import time
from pathlib import Path

from thinkback.engine.forgetting import delete_items
from thinkback.engine.ingesting import add_sources
from thinkback.engine.parts import Parts
from thinkback.engine.sources import Given, path_of, sources_of, storable
from thinkback.errors import InvalidInput
from thinkback.ports import Progress
from thinkback.types import AddReport, AddResult

__all__ = ["sync_folder"]


def sync_folder(
    parts: Parts, namespace: str, folder: Path, given: Given, *, progress: Progress | None = None
) -> AddReport:
    """Make the namespace hold what the folder holds. Documents from elsewhere are left alone.

    A renamed file keeps its document, with its thoughts: files are added before the missing ones are taken out.

    Raises:
        InvalidInput: no such folder. An empty folder where documents came from is refused too: it is more likely an
            unmounted disk than a wish to forget everything.
    """
    started = time.perf_counter()
    folder = folder.expanduser().resolve()
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r}.")
    sources = list(sources_of(folder, given, parts.limits))
    with parts.store.read() as reader:
        before = [document for document in reader.documents(namespace) if _inside(document.uri, folder)]
    if before and not sources:
        raise InvalidInput(
            f"The folder {str(folder)!r} is empty, but {len(before)} documents came from it.",
            hint="If they are to be forgotten, delete them by id.",
        )
    report = add_sources(parts, namespace, sources, progress=progress, total=len(sources))
    there = {source.uri for source in sources}
    with parts.store.read() as reader:
        after = [document for document in reader.documents(namespace) if _inside(document.uri, folder)]
    missing = [document for document in after if document.uri not in there and not path_of(document.uri).exists()]
    results = list(report.results)
    if missing:
        deleted = delete_items(parts, namespace, [document.id for document in missing])
        results += [
            AddResult(
                status="removed",
                uri=document.uri,
                document_id=document.id,
                title=document.title,
                reason=f"the file is gone ({deleted.purge.status})",
            )
            for document in missing
        ]
    return AddReport(results=tuple(results), seconds=time.perf_counter() - started)


def _inside(uri: str, folder: Path) -> bool:
    return Path(uri).is_absolute() and Path(uri).is_relative_to(storable(str(folder)))
