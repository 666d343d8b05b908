"""Export and import: one namespace as JSON lines, documented in ``docs/bundle.md``.

The same memory always gives the same bytes: records come in a fixed order, keys are sorted, nothing of the machine or the
moment is written. Vectors are not written; importing embeds anew, so that a bundle fits any embedder.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from thinkback.engine.budget import Meter, afford, on_account
from thinkback.engine.bundle_checks import check_graph, check_texts, labels
from thinkback.engine.parts import Parts
from thinkback.engine.standing import restand
from thinkback.errors import BundleError
from thinkback.ids import canonical_json
from thinkback.ports import HistoryEvent, Progress, Reader, Writer
from thinkback.thought.admit import lowest
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    FloatMatrix,
    Item,
    Link,
    Record,
    Status,
    StoredAnswer,
    Testimony,
    Thought,
    Trust,
)

__all__ = ["FORMAT", "ImportReport", "bundle_lines", "import_lines"]

FORMAT = 1
_STATUSES: tuple[Status, ...] = ("active", "stale", "superseded", "retracted")
_EMBED_BATCH = 64
_FORMS: dict[str, TypeAdapter[Any]] = {}
_TYPES: dict[str, type[Record]] = {
    "document": Document,
    "chunk": Chunk,
    "testimony": Testimony,
    "thought": Thought,
    "derivation": Derivation,
    "link": Link,
    "answer": StoredAnswer,
    "event": HistoryEvent,
}


def bundle_lines(reader: Reader, namespace: str) -> Iterator[str]:
    """Yield the lines of a bundle, without line ends: a header, then records by kind and id.

    The namespace's name is left out of the records, so that equal memories under other names are equal bundles.
    """
    yield canonical_json({"format": FORMAT, "record": "thinkback-bundle"})
    for document in sorted(reader.documents(namespace), key=lambda one: one.id):
        text = reader.document_text(namespace, document.id) or ""
        yield _line("document", document, text=text)
        for chunk in reader.chunks(namespace, document.id):
            yield _line("chunk", chunk)
    thoughts = sorted(reader.thoughts(namespace, _STATUSES), key=lambda one: one.id)
    ways = reader.derivations(namespace, [thought.id for thought in thoughts])
    answers = sorted(reader.answers(namespace), key=lambda one: one.key)
    roots = {root.id for group in ways.values() for way in group for root in way.roots if root.kind == "testimony"}
    roots |= {cited.root_id for answer in answers for cited in answer.citations if not cited.document_id}
    for said in sorted(reader.testimonies(namespace, sorted(roots)), key=lambda one: one.id):
        yield _line("testimony", said)
    for thought in thoughts:
        yield _line("thought", thought)
    for thought in thoughts:
        for way in sorted(ways.get(thought.id, ()), key=lambda one: one.id):
            yield _line("derivation", way)
    for link in sorted(reader.links(namespace), key=lambda one: (one.left, one.right, one.kind)):
        yield _line("link", link)
    for answer in answers:
        yield _line("answer", answer)
    for event in reader.history(namespace):
        yield _line("event", event)


def _line(kind: str, record: Record, **more: str) -> str:
    fields = {name: value for name, value in record.to_dict().items() if name != "namespace"}
    return canonical_json({"record": kind, **fields, **more})


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport(Record):
    """What an import brought in, or would bring in."""

    written: Mapping[str, int]
    """Record kind to count."""
    skipped: Mapping[str, int]
    """Records that were there already, with the same id."""
    unknown_fields: tuple[str, ...] = ()
    """Fields of a newer writer that this version does not keep."""
    stale: tuple[str, ...] = ()
    """Thoughts that the bundle calls active and that do not stand here: a document that is there already has other text."""
    dry_run: bool = False


@dataclass(slots=True)
class _Contents:
    records: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in _TYPES})
    texts: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


def import_lines(
    parts: Parts,
    namespace: str,
    lines: Iterable[str],
    *,
    trust: Trust | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Read a bundle into a namespace: all of it in one transaction, or nothing.

    Records whose id is there already are skipped, with everything below them. Offsets, quotes, hashes and the graph are
    checked first. How thoughts stand and whether they can be trusted is then worked out anew from what is in the store.

    Args:
        parts: the collaborators.
        namespace: where to.
        lines: the bundle.
        trust: label for all its documents and testimonies; None: as the bundle says.
        dry_run: check and count only.
        progress: told how much is embedded.

    Raises:
        BundleError: not a bundle, of a newer format, damaged, or it claims what its texts and sources do not bear out.
        BudgetExceeded: before anything is embedded.
    """
    contents = _read(lines, namespace)
    _label(contents, trust)
    check_texts(contents.records, contents.texts)
    with parts.store.read() as reader:
        check_graph(reader, namespace, contents.records, contents.texts)
        known = _known(reader, namespace, contents)
    new = {
        kind: [one for one in records if _id(kind, one) not in known[kind]]
        for kind, records in contents.records.items()
    }
    new["chunk"] = [one for one in new["chunk"] if one.document_id not in known["document"]]
    new["derivation"] = [one for one in new["derivation"] if one.thought_id not in known["thought"]]
    report = ImportReport(
        written={kind: len(records) for kind, records in new.items()},
        skipped={kind: len(contents.records[kind]) - len(records) for kind, records in new.items()},
        unknown_fields=tuple(sorted(contents.unknown)),
        dry_run=dry_run,
    )
    if not dry_run:
        active = [one for one in new["thought"] if one.status == "active"]
        parts = _paying(parts, namespace, [*new["chunk"], *active])
        chunk_vectors = _embed(parts, [chunk.text for chunk in new["chunk"]], progress)
        matrix = _embed(parts, [thought.text for thought in active], progress)
        thought_vectors = {thought.id: vector for thought, vector in zip(active, matrix, strict=True)}
        with parts.store.write() as writer:
            _write(writer, namespace, contents, new, chunk_vectors, thought_vectors)
            stale = _judge(writer, namespace, new["thought"], trust, parts.clock())
        report = dataclasses.replace(report, stale=stale)
    return report


def _paying(parts: Parts, namespace: str, items: Sequence[Item]) -> Parts:
    """Return the parts with an embedder on the namespace's account, which has room for all of the items."""
    parts = on_account(parts, Meter(parts, namespace, what="other"))
    afford(parts.embedder, [item.text for item in items])
    return parts


def _label(contents: _Contents, trust: Trust | None) -> None:
    """Give documents and testimonies the label that the caller wants, and chunks that of their document."""
    if trust is not None:
        for kind in ("document", "testimony"):
            contents.records[kind] = [dataclasses.replace(one, trust=trust) for one in contents.records[kind]]
    labelled = {document.id: document.trust for document in contents.records["document"]}
    contents.records["chunk"] = [
        dataclasses.replace(chunk, trust=labelled.get(chunk.document_id, "untrusted"))
        for chunk in contents.records["chunk"]
    ]


def _judge(
    writer: Writer, namespace: str, thoughts: Sequence[Thought], trust: Trust | None, now: float
) -> tuple[str, ...]:
    """Let thoughts that were just written stand and be trusted as their sources allow; return those that went stale."""
    ids = [thought.id for thought in thoughts]
    found = labels(writer, namespace, ids)
    for thought in thoughts:
        earned = found.get(thought.id, thought.trust)
        label = lowest([earned, thought.trust if trust is None else trust])
        if label != thought.trust:
            writer.put_thought(dataclasses.replace(thought, trust=label), None)
    return tuple(standing.thought_id for standing in restand(writer, namespace, ids, now).stale)


def _read(lines: Iterable[str], namespace: str) -> _Contents:
    contents = _Contents()
    number = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            raise BundleError(f"Line {number} is not JSON; the bundle is damaged or cut off.") from None
        if number == 1:
            _check_header(record)
            continue
        kind = record.pop("record", None) if isinstance(record, dict) else None
        if kind not in _TYPES:
            raise BundleError(f"Line {number} holds a record of the unknown kind {kind!r}.")
        if kind == "document":
            contents.texts[str(record.get("id"))] = str(record.pop("text", ""))
        fields = {one.name for one in dataclasses.fields(_TYPES[kind])}  # type: ignore[arg-type] # every Record is a dataclass
        contents.unknown.update(f"{kind}.{name}" for name in record.keys() - fields)
        known = {name: value for name, value in record.items() if name in fields}
        if "namespace" in fields:
            known["namespace"] = namespace
        try:
            contents.records[kind].append(_form(kind).validate_python(known))
        except ValidationError as error:
            where = ".".join(map(str, error.errors(include_input=False)[0]["loc"]))
            raise BundleError(f"Line {number} is no valid {kind}: {where}.") from None
    if number == 0:
        raise BundleError("The bundle is empty.")
    return contents


def _form(kind: str) -> TypeAdapter[Any]:
    if kind not in _FORMS:
        _FORMS[kind] = TypeAdapter(_TYPES[kind])
    return _FORMS[kind]


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("record") != "thinkback-bundle":
        raise BundleError("This is no thinkback bundle: its first line says nothing of the kind.")
    if header.get("format") != FORMAT:
        raise BundleError(f"The bundle has format {header.get('format')!r}; this version reads {FORMAT}.")


def _known(reader: Reader, namespace: str, contents: _Contents) -> dict[str, set[str]]:
    thought_ids = [thought.id for thought in contents.records["thought"]]
    there = {item.id for item in reader.items(namespace, thought_ids)}
    return {
        "document": {one.id for one in contents.records["document"] if reader.document(namespace, one.id)},
        "chunk": {item.id for item in reader.items(namespace, [one.id for one in contents.records["chunk"]])},
        "testimony": {
            said.id for said in reader.testimonies(namespace, [one.id for one in contents.records["testimony"]])
        },
        "thought": there,
        "derivation": set(),
        "link": {_id("link", link) for link in reader.links(namespace)},
        "answer": {answer.key for answer in reader.answers(namespace)},
        "event": {_id("event", event) for event in reader.history(namespace)},
    }


def _id(kind: str, record: Any) -> str:
    if kind == "link":
        return f"{record.left} {record.right} {record.kind}"
    if kind == "event":
        return f"{record.item_id} {record.event} {record.at}"
    return str(record.key if kind == "answer" else record.id)


def _embed(parts: Parts, texts: list[str], progress: Progress | None) -> FloatMatrix:
    batches = []
    for start in range(0, len(texts), _EMBED_BATCH):
        batches.append(parts.embedder.embed(texts[start : start + _EMBED_BATCH], kind="document"))
        if progress:
            progress("embed", min(start + _EMBED_BATCH, len(texts)), len(texts))
    if not batches:
        return parts.embedder.embed([], kind="document")
    return np.concatenate(batches)


def _write(
    writer: Writer,
    namespace: str,
    contents: _Contents,
    new: Mapping[str, list[Any]],
    chunk_vectors: FloatMatrix,
    thought_vectors: Mapping[str, Any],
) -> None:
    place = {chunk.id: number for number, chunk in enumerate(new["chunk"])}
    for document in new["document"]:
        chunks = [chunk for chunk in new["chunk"] if chunk.document_id == document.id]
        chunks.sort(key=lambda chunk: chunk.ordinal)
        rows = [place[chunk.id] for chunk in chunks]
        writer.put_document(document, contents.texts[document.id], chunks, chunk_vectors[rows])
    for said in new["testimony"]:
        writer.put_testimony(said)
    for thought in new["thought"]:  # all thoughts before any derivation: one may stand on another
        writer.put_thought(thought, thought_vectors.get(thought.id))
    ways: dict[str, list[Derivation]] = {}
    for way in new["derivation"]:
        ways.setdefault(way.thought_id, []).append(way)
    for thought in new["thought"]:
        if thought.id in ways:
            writer.put_thought(thought, None, ways[thought.id])
    for link in new["link"]:
        writer.put_link(namespace, link)
    for answer in new["answer"]:
        writer.put_answer(namespace, answer)
    writer.add_history(new["event"])
