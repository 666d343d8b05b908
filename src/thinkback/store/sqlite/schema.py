"""The tables, as numbered migrations. Each runs once, in a transaction that also records it in the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thinkback.errors import SchemaTooNew, StoreCorrupt
from thinkback.store.sqlite.sql import Sql

__all__ = ["APPLICATION_ID", "MIGRATIONS", "Migration", "migrate", "refuse_newer", "schema_version"]

APPLICATION_ID = 0x74686B62
"""``thkb``, in the file's header, so that it is known for what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """A step from one version of the tables to the next."""

    version: int
    name: str
    apply: Callable[[Sql], None]


MIGRATIONS: list[Migration] = []


def migration(version: int, name: str) -> Callable[[Callable[[Sql], None]], Callable[[Sql], None]]:
    """Register a function as the step to a version."""

    def register(apply: Callable[[Sql], None]) -> Callable[[Sql], None]:
        MIGRATIONS.append(Migration(version=version, name=name, apply=apply))
        return apply

    return register


def schema_version(sql: Sql) -> int:
    """Return the version of the tables in the file; 0 for an empty file.

    Raises:
        StoreCorrupt: the file is a database of something else.
    """
    if not sql.value("SELECT count(*) FROM sqlite_schema"):
        return 0
    if sql.value("PRAGMA application_id") != APPLICATION_ID:
        raise StoreCorrupt("The file is a database, but not a thinkback store.")
    tables = {name for (name,) in sql.rows("SELECT name FROM sqlite_schema")}
    if not tables >= {"migrations", "meta", "namespaces", "segments"}:
        raise StoreCorrupt("The file is a thinkback store, but some of its tables are missing.")
    return int(sql.value("SELECT max(version) FROM migrations"))


def refuse_newer(version: int) -> None:
    """Raise if this code does not know the version.

    Raises:
        SchemaTooNew: it does not.
    """
    newest = MIGRATIONS[-1].version
    if version > newest:
        raise SchemaTooNew(
            f"The store has schema {version}; this thinkback reads up to {newest}.", hint="Use a newer thinkback."
        )


def migrate(sql: Sql, *, at: float) -> None:
    """Bring the file to the newest version, inside the caller's transaction.

    Raises:
        SchemaTooNew: it is newer than this code.
        StoreCorrupt: it is not a store.
    """
    version = schema_version(sql)
    refuse_newer(version)
    for step in MIGRATIONS:
        if step.version > version:
            step.apply(sql)
            sql.run("INSERT INTO migrations(version, name, applied_at) VALUES(?,?,?)", (step.version, step.name, at))


@migration(1, "first tables")
def _first(sql: Sql) -> None:
    sql.run(f"PRAGMA application_id = {APPLICATION_ID}")
    for part in (_GENERAL, _DOCUMENTS, _THOUGHTS, _KEPT, _INDEX):
        for statement in part.split(";\n"):
            if statement.strip():
                sql.run(statement)


@migration(2, "neighbours without reading texts")
def _places(sql: Sql) -> None:
    """Where a chunk stands, two hundred to a page; its row holds its text, three to a page."""
    sql.run("CREATE INDEX chunks_by_place ON chunks(seq, document, ordinal, space)")


_GENERAL = """
CREATE TABLE migrations(version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at REAL NOT NULL) STRICT;
CREATE TABLE meta(name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE namespaces(
    space INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    reset_at INTEGER NOT NULL,      -- the revision at which its index was emptied as a whole
    chunk_rows INTEGER NOT NULL,    -- live rows of the index
    thought_rows INTEGER NOT NULL,
    has_words INTEGER NOT NULL,     -- whether its table of words was made
    words INTEGER NOT NULL          -- words of all indexed rows together
) STRICT;
"""

_DOCUMENTS = """
CREATE TABLE documents(
    document INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL REFERENCES namespaces,
    id TEXT NOT NULL,
    uri TEXT NOT NULL,
    title TEXT NOT NULL,
    metadata TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    trust INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    chunk_count INTEGER NOT NULL,
    UNIQUE(space, id)
) STRICT;
CREATE INDEX documents_by_uri ON documents(space, uri);
CREATE INDEX documents_by_hash ON documents(space, content_hash);
CREATE TABLE document_texts(
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE document_metadata(
    space INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    PRIMARY KEY(space, key, value, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_by_document ON document_metadata(document);
CREATE TABLE chunks(
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    document INTEGER NOT NULL REFERENCES documents,
    ordinal INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    page INTEGER,
    id TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE(space, id)
) STRICT;
CREATE INDEX chunks_by_document ON chunks(document, ordinal);
"""

_THOUGHTS = """
CREATE TABLE thoughts(
    thought INTEGER PRIMARY KEY,
    seq INTEGER UNIQUE,             -- its index row; NULL for one that is not indexed
    space INTEGER NOT NULL REFERENCES namespaces,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    text_hash TEXT NOT NULL,        -- of the normalised text
    level REAL NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    trust INTEGER NOT NULL,
    support INTEGER NOT NULL,
    created_at REAL NOT NULL,
    last_used_at REAL,
    use_count INTEGER NOT NULL,
    UNIQUE(space, id)
) STRICT;
CREATE INDEX thoughts_by_text ON thoughts(space, text_hash);
CREATE INDEX thoughts_by_status ON thoughts(space, status);
CREATE TABLE derivations(
    derivation INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    thought INTEGER NOT NULL REFERENCES thoughts ON DELETE CASCADE,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    confidence REAL NOT NULL,
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,
    created_at REAL NOT NULL,
    level REAL NOT NULL,
    UNIQUE(space, id)
) STRICT;
CREATE INDEX derivations_by_thought ON derivations(thought);
CREATE TABLE evidence(
    derivation INTEGER NOT NULL REFERENCES derivations ON DELETE CASCADE,
    position INTEGER NOT NULL,
    space INTEGER NOT NULL,
    item_kind TEXT NOT NULL,
    item_id TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    quote TEXT NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY(derivation, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_item ON evidence(space, item_id);
CREATE TABLE roots(
    derivation INTEGER NOT NULL REFERENCES derivations ON DELETE CASCADE,
    position INTEGER NOT NULL,
    space INTEGER NOT NULL,
    root_kind TEXT NOT NULL,
    root_id TEXT NOT NULL,
    PRIMARY KEY(derivation, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX roots_by_item ON roots(space, root_id);
CREATE TABLE shown(
    derivation INTEGER NOT NULL REFERENCES derivations ON DELETE CASCADE,
    position INTEGER NOT NULL,
    space INTEGER NOT NULL,
    item_id TEXT NOT NULL,
    PRIMARY KEY(derivation, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX shown_by_item ON shown(space, item_id);
CREATE TABLE links(
    left_thought INTEGER NOT NULL REFERENCES thoughts ON DELETE CASCADE,
    right_thought INTEGER NOT NULL REFERENCES thoughts ON DELETE CASCADE,
    kind TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY(left_thought, right_thought, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_right ON links(right_thought);
"""

_KEPT = """
CREATE TABLE testimonies(
    testimony INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES namespaces,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    trust INTEGER NOT NULL,
    created_at REAL NOT NULL,
    UNIQUE(space, id)
) STRICT;
CREATE TABLE answers(
    answer INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES namespaces,
    key TEXT NOT NULL,
    evidence_hash TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT NOT NULL,
    found INTEGER NOT NULL,
    item_ids TEXT NOT NULL,
    roots TEXT NOT NULL,
    citations TEXT NOT NULL,
    model TEXT NOT NULL,
    created_at REAL NOT NULL,
    UNIQUE(space, key)
) STRICT;
CREATE TABLE answer_items(
    space INTEGER NOT NULL,
    item_id TEXT NOT NULL,
    answer INTEGER NOT NULL REFERENCES answers ON DELETE CASCADE,
    PRIMARY KEY(space, item_id, answer)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_items_by_answer ON answer_items(answer);
CREATE TABLE history(
    event INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES namespaces,
    item_id TEXT NOT NULL,
    what TEXT NOT NULL,
    at REAL NOT NULL,
    detail TEXT NOT NULL
) STRICT;
CREATE INDEX history_by_item ON history(space, item_id);
CREATE TABLE usage(
    entry INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES namespaces,
    at REAL NOT NULL,
    purpose TEXT NOT NULL,
    numbers TEXT NOT NULL
) STRICT;
CREATE INDEX usage_by_time ON usage(space, at);
CREATE TABLE usage_totals(space INTEGER PRIMARY KEY REFERENCES namespaces, numbers TEXT NOT NULL) STRICT;
CREATE TABLE outcomes(
    space INTEGER NOT NULL REFERENCES namespaces,
    status TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY(space, status)
) STRICT, WITHOUT ROWID;
"""

_INDEX = """
CREATE TABLE vectors(seq INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TABLE bags(seq INTEGER PRIMARY KEY, bag BLOB NOT NULL) STRICT;
CREATE TABLE segments(
    segment INTEGER PRIMARY KEY,
    space INTEGER NOT NULL REFERENCES namespaces,
    kind TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    changed INTEGER NOT NULL,       -- the namespace's revision when it was last written
    seqs BLOB NOT NULL,
    owners BLOB NOT NULL,
    codes BLOB NOT NULL
) STRICT;
CREATE INDEX segments_by_place ON segments(space, kind, last_seq, first_seq, rows);
CREATE INDEX segments_by_change ON segments(space, kind, changed);
"""
