"""How people name documents and thoughts: short handles to read, and anything unambiguous to write.

An id is a kind and 26 characters that begin alike for things made together, so that its end tells them apart:
``tht_01hf…k3f9x2`` is shown as ``tht_k3f9x2``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from thinkback.app.cli.screen import line
from thinkback.errors import InvalidInput, NotFound

if TYPE_CHECKING:  # the engine imports numpy and pydantic
    from thinkback.engine.face import Engine
    from thinkback.types import Document

__all__ = ["ALL_STATUSES", "document_id", "file_name", "handle", "handles", "item_id", "thought_id"]

ALL_STATUSES: Final = ("active", "stale", "superseded", "retracted")

_MADE = re.compile(r"^([a-z]{3})_([0-9a-z]{26})$")
_SHORTEST = 6
_SHORTEST_TITLE = 3


def handle(item: str) -> str:
    """Return the handle of one id; an id that a user chose is its own."""
    return handles([item])[item]


def handles(items: Iterable[str]) -> Mapping[str, str]:
    """Return id to handle, as long as needed to tell these ids apart."""
    all_of = list(dict.fromkeys(items))
    ends = [match[2] for one in all_of if (match := _MADE.match(one))]
    length = _SHORTEST
    while length < 26 and len({end[-length:] for end in ends}) < len(ends):
        length += 1
    return {one: f"{match[1]}_{match[2][-length:]}" if (match := _MADE.match(one)) else one for one in all_of}


def file_name(uri: str) -> str:
    """Return the last part of a path or URL, for people; for text that was given directly, nothing."""
    if uri.startswith("text:"):
        return ""
    path = urlsplit(uri).path if uri.startswith(("http://", "https://")) else uri
    return PurePath(path.partition("#")[0]).name or uri


def _by_id(given: str, ids: Iterable[str]) -> list[str]:
    """Return the ids that a text names: whole, by its beginning, or by kind and end (what ``handles`` shows)."""
    known = list(dict.fromkeys(ids))
    if given in known:
        return [given]
    kind, _, end = given.rpartition("_")
    return [
        one
        for one in known
        if one.startswith(given)
        or (len(end) >= 4 and (match := _MADE.match(one)) and match[2].endswith(end) and kind in {"", match[1]})
    ]


def _by_name(given: str, documents: Sequence[Document], *, loose: bool) -> list[str]:
    """Return the documents of a title or file name; where ``loose``, also those that hold it."""
    wanted = given.casefold().strip()
    names = {document.id: _names(document) for document in documents}
    exact = [key for key, known in names.items() if wanted in known]
    if exact or not loose or len(wanted) < _SHORTEST_TITLE:
        return exact
    return [key for key, known in names.items() if any(wanted in name for name in known)]


def _names(document: Document) -> set[str]:
    name = file_name(document.uri)
    known = {document.title, document.uri, name, PurePath(name).stem if name else ""}
    return {" ".join(one.casefold().split()) for one in known if one}


def _only(given: str, found: Sequence[str], what: str, titles: Mapping[str, str]) -> str:
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f"There is no {what} {line(given, 60)!r} in this namespace.")
    shown = handles(found)
    listed = ", ".join(
        f"{shown[one]} ({line(titles[one], 40)})" if titles.get(one) else shown[one] for one in found[:5]
    )
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    raise InvalidInput(f"{line(given, 60)!r} names {len(found)} {what}s: {listed}{more}.", hint="Give more of the id.")


def document_id(engine: Engine, given: str, *, loose: bool = True) -> str:
    """Return the id of a document that is named by id, beginning or end of an id, title or file name.

    Args:
        engine: the memory.
        given: what the user wrote.
        loose: a part of a title or file name will do, where it names one document only.

    Raises:
        NotFound: nothing of the kind.
        InvalidInput: more than one.
    """
    documents = engine.documents()
    titles = {document.id: document.title for document in documents}
    found = _by_id(given, titles) or _by_name(given, documents, loose=loose)
    return _only(given, found, "document", titles)


def thought_id(engine: Engine, given: str) -> str:
    """Return the id of a thought of any status.

    Raises:
        NotFound, InvalidInput: as for documents.
    """
    texts = {thought.id: thought.text for thought in engine.get_all(statuses=ALL_STATUSES)}
    return _only(given, _by_id(given, texts), "thought", texts)


def item_id(engine: Engine, given: str) -> str:
    """Return the id of whatever is named: a document, a thought, or by its whole id a chunk or testimony.

    Raises:
        NotFound, InvalidInput: as for documents.
    """
    if _MADE.match(given) and given[:3] in {"chk", "tst"}:
        return given
    documents = engine.documents()
    titles = {document.id: document.title for document in documents}
    texts = {thought.id: thought.text for thought in engine.get_all(statuses=ALL_STATUSES)}
    found = _by_id(given, [*titles, *texts]) or _by_name(given, documents, loose=False)
    return _only(given, found, "document or thought", titles | texts)
