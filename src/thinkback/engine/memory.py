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
from thinkback.engine.sources import Given, text_source
from thinkback.errors import BundleError, InvalidInput, NotFound
from thinkback.ports import HistoryEvent, Progress, PurgeReport
from thinkback.types import AddResult, Document, Item, Outcome, Scalar, Status, StoredAnswer, Thought, Trust

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

    def get(self, item_id: str, *, namespace: str | None = None) -> Document | Item:
        """Return a document, chunk or thought.

        Raises:
            NotFound
        """
        name = self._where(namespace)
        with self._parts.store.read() as reader:
            found: Document | Item | None = reader.document(name, item_id)
            found = found or next(iter(reader.items(name, [item_id])), None)
        if found is None:
            raise NotFound(f"There is no document, chunk or thought {item_id!r} in namespace {name!r}.")
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

    def documents(self, *, namespace: str | None = None) -> tuple[Document, ...]:
        """Return the documents, oldest first."""
        with self._parts.store.read() as reader:
            return reader.documents(self._where(namespace))

    def text(self, document_id: str, *, namespace: str | None = None) -> str:
        """Return a document's whole text, in which offsets count.

        Raises:
            NotFound
        """
        name = self._where(namespace)
        with self._parts.store.read() as reader:
            found = reader.document_text(name, document_id)
        if found is None:
            raise NotFound(f"There is no document {document_id!r} in namespace {name!r}.")
        return found

    def namespaces(self) -> tuple[str, ...]:
        """Return the names of all memories of the store, sorted."""
        with self._parts.store.read() as reader:
            return reader.namespaces()

    def last_answer(self, *, namespace: str | None = None) -> StoredAnswer | None:
        """Return the answer that was kept last, for follow-up questions."""
        with self._parts.store.read() as reader:
            return next(reversed(reader.answers(self._where(namespace))), None)

    def update(
        self,
        item_id: str,
        text: str | None = None,
        *,
        metadata: Mapping[str, Scalar] | None = None,
        title: str | None = None,
        trust: Trust | None = None,
        namespace: str | None = None,
    ) -> AddResult | Outcome:
        """Change a document (text, metadata, title, trust) or the words of a thought.

        A document's unchanged chunks stay, with the thoughts on them; thoughts that lose their last derivation go stale. A
        thought's new words must be carried by the sources, and must not repeat another thought; else nothing changes.

        Raises:
            NotFound, InvalidInput
        """
        name = self._where(namespace)
        found = self.get(item_id, namespace=name)
        if isinstance(found, Thought):
            if text is None or metadata is not None or title is not None or trust is not None:
                raise InvalidInput("Of a thought only the text can be changed.")
            return edit_thought(self._parts, name, item_id, text)
        if not isinstance(found, Document):
            raise InvalidInput("A chunk is changed by changing its document.")
        return self._update_document(name, found, text, metadata, title, trust)

    def _update_document(
        self,
        name: str,
        document: Document,
        text: str | None,
        metadata: Mapping[str, Scalar] | None,
        title: str | None,
        trust: Trust | None,
    ) -> AddResult:
        changed = replace(
            document,
            metadata=check_metadata(metadata) if metadata is not None else document.metadata,
            title=title if title is not None else document.title,
            trust=check_trust(trust) if trust is not None else document.trust,
            updated_at=self._parts.clock(),
        )
        if text is None:
            with self._parts.store.write() as writer:
                writer.set_document(changed)
                if changed.trust != document.trust:
                    relabel(writer, name, document.id, self._parts.clock())
            return AddResult(
                status="updated",
                uri=document.uri,
                document_id=document.id,
                title=changed.title,
                chunks=document.chunk_count,
                chunks_kept=document.chunk_count,
            )
        given = Given(document_id=document.id, title=changed.title, metadata=changed.metadata, trust=changed.trust)
        source = text_source(check_text(text, "The text"), given, uri=document.uri)
        return next(iter(add_sources(self._parts, name, [source])))

    def delete(self, ids: str | Sequence[str], *, namespace: str | None = None) -> DeleteReport:
        """Delete documents, thoughts or testimonies, and everything derived from them alone, for good.

        Nothing in the store holds their text afterwards, nor text derived from it; ``purge`` in the report says whether the
        bytes are gone already. Bundles that were exported earlier are out of reach.

        Raises:
            NotFound: one of the ids names nothing; nothing is deleted then.
        """
        return delete_items(self._parts, self._where(namespace), [ids] if isinstance(ids, str) else list(ids))

    def delete_all(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> DeleteReport:
        """Delete everything in one namespace, and nothing in any other."""
        return delete_namespace(self._parts, self._where(namespace, user_id, agent_id, run_id))

    def purge(self) -> PurgeReport:
        """Finish a deletion that was pending because somebody still read the old state."""
        return self._parts.store.purge()

    def invalidate(self, thought_id: str, reason: str = "", *, namespace: str | None = None) -> tuple[str, ...]:
        """Take a thought out of use, and with it what rests on it; return the ids of all that went.

        Raises:
            NotFound, InvalidInput
        """
        return invalidate(self._parts, self._where(namespace), thought_id, reason or "invalidated")

    def restore(self, thought_id: str, *, namespace: str | None = None) -> tuple[str, ...]:
        """Bring a thought back into use, and with it what rested on it; return the ids of all that came back.

        Raises:
            NotFound
            InvalidInput: it is in use, or its sources are gone.
        """
        return restore(self._parts, self._where(namespace), thought_id)

    def refresh(
        self, ids: str | Sequence[str] | None = None, *, namespace: str | None = None
    ) -> tuple[RefreshResult, ...]:
        """Derive stale thoughts anew from the present sources; None: all stale ones.

        Raises:
            NotFound, InvalidInput, ModelError
        """
        wanted = [ids] if isinstance(ids, str) else ids
        return refresh(self._parts, self._where(namespace), wanted)

    def history(self, item_id: str | None = None, *, namespace: str | None = None) -> tuple[HistoryEvent, ...]:
        """Return what happened to an item, or to all, oldest first. It holds ids and numbers, never text."""
        with self._parts.store.read() as reader:
            return reader.history(self._where(namespace), item_id)

    def export(self, path: str | Path | None = None, *, namespace: str | None = None) -> Iterator[str]:
        """Write a namespace as a bundle of JSON lines (``docs/bundle.md``) and return its lines.

        Args:
            path: a file to write, replaced only once it is whole; None: only return the lines.
            namespace: which one.
        """
        name = self._where(namespace)
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
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Read a bundle into a namespace, all of it or nothing. Ids that are there already are skipped.

        Raises:
            BundleError: it cannot be read, or claims quotes that do not stand in its texts.
        """
        with _bundle_file(Path(path)) as lines:
            return import_lines(self._parts, self._where(namespace), lines, dry_run=dry_run, progress=progress)

    def reindex(self, *, progress: Progress | None = None) -> int:
        """Embed everything anew with this retriever's embedder, in all namespaces; return the number of vectors."""
        return reindex(self._parts, progress=progress)

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
    ahistory = twin(history)
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
