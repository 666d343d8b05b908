"""The part of the face that looks after what is there: get, change, take back, carry over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from thinkback.engine.asynchronous import twin
from thinkback.engine.bundle import ImportReport, bundle_lines, import_lines
from thinkback.engine.forgetting import DeleteReport, delete_items, delete_namespace, invalidate, restore
from thinkback.engine.ingesting import add_sources
from thinkback.engine.parts import Parts, check_text, check_trust
from thinkback.engine.reindexing import reindex
from thinkback.engine.relabelling import relabel
from thinkback.engine.reviving import RefreshResult, edit_thought, refresh
from thinkback.engine.scope import check_metadata, resolve_namespace
from thinkback.engine.sources import Given, storable, text_source
from thinkback.errors import BundleError, InvalidInput, NotFound
from thinkback.ports import Progress, PurgeReport
from thinkback.types import AddReport, AddResult, Document, Item, Outcome, Scalar, Status, Testimony, Thought, Trust

__all__ = ["MemoryFace"]


class MemoryFace:
    """What can be done with documents and thoughts that are there."""

    def __init__(self, parts: Parts, namespace: str) -> None:
        self._parts = parts
        self.namespace = namespace
        """Where methods work that are given none."""

    def _where(
        self, namespace: str | None, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> str:
        return resolve_namespace(namespace, self.namespace, user_id=user_id, agent_id=agent_id, run_id=run_id)

    def add_text(
        self,
        text: str,
        *,
        title: str | None = None,
        doc_id: str | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        trust: Trust | None = None,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Add a text as it stands: never read as a path or URL, whatever it says.

        Servers, agents and whoever passes on text that others wrote must use this, and not ``add``, which opens the
        files that a string names; and they should say what the text is worth: ``trust="untrusted"``.

        Args:
            text: the document's text.
            title: else its first line.
            doc_id: an id of your own; adding under it again replaces the document's text.
            metadata: kept with the document, to filter by.
            trust: untrusted, normal or trusted; by default what the document had, or normal.
            namespace, user_id, agent_id, run_id: whose memory.
            progress: is told how far it is.

        Raises:
            InvalidInput: the text is blank or no string.
        """
        given = Given(
            document_id=check_text(doc_id, "doc_id") if doc_id is not None else None,
            title=title,
            metadata=check_metadata(metadata),
            trust=check_trust(trust) if trust is not None else None,
        )
        source = text_source(check_text(text, "The text"), given)
        name = self._where(namespace, user_id, agent_id, run_id)
        return add_sources(self._parts, name, [source], progress=progress, total=1)

    def get(
        self,
        item_id: str,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Document | Item | Testimony:
        """Return a document, chunk, thought or testimony.

        Raises:
            NotFound
        """
        name = self._where(namespace, user_id, agent_id, run_id)
        with self._parts.store.read() as reader:
            found: Document | Item | Testimony | None = reader.document(name, item_id)
            found = found or next(iter(reader.items(name, [item_id])), None)
            found = found or next(iter(reader.testimonies(name, [item_id])), None)
        if found is None:
            raise NotFound(f"There is no document, chunk, thought or testimony {item_id!r} in namespace {name!r}.")
        return found

    def get_all(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        statuses: Sequence[Status] = ("active",),
    ) -> tuple[Thought, ...]:
        """Return the thoughts, oldest first."""
        with self._parts.store.read() as reader:
            return reader.thoughts(self._where(namespace, user_id, agent_id, run_id), statuses)

    def documents(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[Document, ...]:
        """Return the documents, oldest first."""
        with self._parts.store.read() as reader:
            return reader.documents(self._where(namespace, user_id, agent_id, run_id))

    def update(
        self,
        item_id: str,
        text: str | None = None,
        *,
        metadata: Mapping[str, Scalar] | None = None,
        title: str | None = None,
        trust: Trust | None = None,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> AddResult | Outcome:
        """Change a document (text, metadata, title, trust) or the words of a thought.

        A document's unchanged chunks stay, with the thoughts on them; thoughts that lose their last derivation go stale. A
        thought's new words must be carried by the sources, and must not repeat another thought; else nothing changes.

        Raises:
            NotFound, InvalidInput
        """
        name = self._where(namespace, user_id, agent_id, run_id)
        found = self.get(item_id, namespace=name)
        if isinstance(found, Thought):
            if text is None or metadata is not None or title is not None or trust is not None:
                raise InvalidInput("Of a thought only the text can be changed.")
            return edit_thought(self._parts, name, item_id, text)
        if not isinstance(found, Document):
            what = "A testimony cannot be changed." if isinstance(found, Testimony) else ""
            raise InvalidInput(what or "A chunk is changed by changing its document.")
        given = Given(
            document_id=item_id,
            title=title,
            metadata=check_metadata(metadata),
            trust=check_trust(trust) if trust is not None else None,
            whole_metadata=metadata is not None,
            must_exist=True,
        )
        if text is None:
            return self._set_document(name, item_id, given)
        source = text_source(check_text(text, "The text"), given, uri=found.uri)
        return next(iter(add_sources(self._parts, name, [source])))

    def _set_document(self, name: str, document_id: str, given: Given) -> AddResult:
        now = self._parts.clock()
        with self._parts.store.write() as writer:
            document = writer.document(name, document_id)  # as it is now: only what was asked for changes
            if document is None:
                raise NotFound(f"There is no document {document_id!r} in namespace {name!r}.")
            changed = replace(
                document,
                metadata=given.metadata if given.whole_metadata else document.metadata,
                title=storable(given.title) if given.title is not None else document.title,
                trust=given.trust or document.trust,
                updated_at=now,
            )
            writer.set_document(changed)
            if changed.trust != document.trust:
                relabel(writer, name, document_id, now)
        return AddResult(
            status="updated",
            uri=document.uri,
            document_id=document_id,
            title=changed.title,
            chunks=document.chunk_count,
            chunks_kept=document.chunk_count,
        )

    def delete(
        self,
        ids: str | Sequence[str],
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> DeleteReport:
        """Delete documents, thoughts or testimonies, and everything derived from them alone, for good.

        Nothing in the store holds their text afterwards, nor text derived from it; ``purge`` in the report says whether the
        bytes are gone already. Bundles that were exported earlier are out of reach.

        Raises:
            NotFound: one of the ids names nothing; nothing is deleted then.
        """
        return delete_items(
            self._parts, self._where(namespace, user_id, agent_id, run_id), [ids] if isinstance(ids, str) else list(ids)
        )

    def delete_all(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> DeleteReport:
        """Delete everything in one namespace, and nothing in any other.

        Raises:
            InvalidInput: neither a namespace nor an id was given: an id that was left unset must not empty the rest.
        """
        if namespace is None and user_id is None and agent_id is None and run_id is None:
            raise InvalidInput(
                "delete_all needs to be told whose memory is to be emptied.",
                hint="Give namespace=..., user_id=..., agent_id=... or run_id=... (none of these is None).",
            )
        return delete_namespace(self._parts, self._where(namespace, user_id, agent_id, run_id))

    def purge(self) -> PurgeReport:
        """Finish a deletion that was pending because somebody still read the old state."""
        return self._parts.store.purge()

    def invalidate(
        self,
        thought_id: str,
        reason: str = "",
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[str, ...]:
        """Take a thought out of use, and with it what rests on it; return the ids of all that went.

        Raises:
            NotFound, InvalidInput
        """
        return invalidate(
            self._parts, self._where(namespace, user_id, agent_id, run_id), thought_id, reason or "invalidated"
        )

    def restore(
        self,
        thought_id: str,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[str, ...]:
        """Bring a thought back into use, and with it what rested on it; return the ids of all that came back.

        Raises:
            NotFound
            InvalidInput: it is in use, or its sources are gone.
        """
        return restore(self._parts, self._where(namespace, user_id, agent_id, run_id), thought_id)

    def refresh(
        self,
        ids: str | Sequence[str] | None = None,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[RefreshResult, ...]:
        """Derive stale thoughts anew from the present sources; None: all stale ones.

        Raises:
            NotFound, InvalidInput, ModelError
        """
        wanted = [ids] if isinstance(ids, str) else ids
        return refresh(self._parts, self._where(namespace, user_id, agent_id, run_id), wanted)

    def export(
        self,
        path: str | Path | None = None,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Iterator[str]:
        """Write a namespace as a bundle of JSON lines (``docs/bundle.md``) and return its lines.

        Args:
            path: a file to write, replaced only once it is whole; None: only return the lines.
            namespace: which one.
        """
        name = self._where(namespace, user_id, agent_id, run_id)
        with self._parts.store.read() as reader:
            lines = list(bundle_lines(reader, name))
        if path is not None:
            _replace_file(Path(path), lines)
        return iter(lines)

    def import_(
        self,
        path: str | Path,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        dry_run: bool = False,
        trust: Trust | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Read a bundle into a namespace, all of it or nothing. Ids that are there already are skipped.

        ``trust`` labels all that comes in, whatever the bundle says of itself.

        Raises:
            BundleError: it cannot be read, or claims quotes that do not stand in its texts.
        """
        with _bundle_file(Path(path)) as lines:
            return import_lines(
                self._parts,
                self._where(namespace, user_id, agent_id, run_id),
                lines,
                trust=trust,
                dry_run=dry_run,
                progress=progress,
            )

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Embed everything anew with this retriever's embedder, in all namespaces; return the number of vectors."""
        return reindex(self._parts, progress=progress)

    aadd_text = twin(add_text)
    aget = twin(get)
    aget_all = twin(get_all)
    adocuments = twin(documents)
    aupdate = twin(update)
    adelete = twin(delete)
    adelete_all = twin(delete_all)
    apurge = twin(purge)
    ainvalidate = twin(invalidate)
    arestore = twin(restore)
    arefresh = twin(refresh)
    aexport = twin(export)
    aimport_ = twin(import_)
    areindex = twin(reindex)


@contextmanager
def _bundle_file(path: Path) -> Iterator[Iterator[str]]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield lines
    except (OSError, UnicodeDecodeError) as error:
        raise BundleError(
            f"The bundle {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}."
        ) from error


def _replace_file(path: Path, lines: Sequence[str]) -> None:
    """Write lines to a file that is either the old or the new one, never half."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BundleError(f"The bundle {str(path)!r} cannot be written: {error.strerror}.") from error
