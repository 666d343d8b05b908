"""The whole Reader and the whole Writer of the embedded store."""

from __future__ import annotations

from thinkback.store.sqlite.document_writer import DocumentWriter
from thinkback.store.sqlite.graph import GraphReader
from thinkback.store.sqlite.ledger import LedgerReader
from thinkback.store.sqlite.ledger_writer import LedgerWriter
from thinkback.store.sqlite.records import RecordsReader
from thinkback.store.sqlite.reindex import Reindexer
from thinkback.store.sqlite.search import SearchReader
from thinkback.store.sqlite.session import Space
from thinkback.store.sqlite.thought_writer import ThoughtWriter

__all__ = ["SqliteReader", "SqliteWriter"]


class SqliteReader(RecordsReader, GraphReader, SearchReader, LedgerReader):
    """The Reader port over one snapshot."""


class SqliteWriter(DocumentWriter, ThoughtWriter, LedgerWriter, Reindexer, SqliteReader):
    """The Writer port over one transaction."""

    def _before_search(self, space: Space) -> None:
        self._flush_codes(space)
