# ruff: noqa: S608 - only names of our own go into statements, values never
"""What a filter lets through, as numbers that the index knows: documents, and index rows of thoughts."""

from __future__ import annotations

from typing import Any

import numpy as np

from thinkback.store.rules import TRUST_ORDER, scalar_key
from thinkback.store.sqlite.sql import Sql, is_utf8, strings
from thinkback.types import Filter, Rows

__all__ = ["matching_documents", "matching_thoughts"]


def matching_documents(sql: Sql, space: int, where: Filter) -> Rows:
    """Return the numbers of the documents that fulfil all conditions, rising.

    Keys and values of metadata are parameters here, never part of a statement.
    """
    conditions, parameters = ["space = ?"], [space]
    numbers: list[Any] = parameters
    if where.document_ids is not None:
        ids = strings(where.document_ids)
        if ids is None:
            return np.zeros(0, np.int64)
        conditions.append("id IN (SELECT value FROM carray(?))")
        numbers.append(ids)
    if where.min_trust is not None:
        conditions.append("trust >= ?")
        numbers.append(TRUST_ORDER.index(where.min_trust))
    for key, value in where.metadata.items():
        text = scalar_key(value)
        if value != value or not is_utf8(key) or not is_utf8(text):  # noqa: PLR0124 - NaN equals nothing
            return np.zeros(0, np.int64)
        conditions.append(
            "document IN (SELECT document FROM document_metadata WHERE space = ? AND key = ? AND value = ?)"
        )
        numbers += [space, key, text]
    rows = sql.rows(f"SELECT document FROM documents WHERE {' AND '.join(conditions)} ORDER BY document", numbers)
    return np.fromiter((number for (number,) in rows), np.int64, len(rows))


_ROOTS = """
SELECT t.seq, r.derivation, r.root_kind, c.document, y.trust
FROM thoughts t
JOIN derivations v ON v.thought = t.thought
JOIN roots r ON r.derivation = v.derivation
LEFT JOIN chunks c ON r.root_kind = 'chunk' AND c.space = t.space AND c.id = r.root_id
LEFT JOIN testimonies y ON r.root_kind = 'testimony' AND y.space = t.space AND y.id = r.root_id
WHERE t.space = ? AND t.seq IS NOT NULL
ORDER BY t.seq, r.derivation
"""


def matching_thoughts(sql: Sql, space: int, where: Filter) -> Rows:
    """Return the index rows of the thoughts that pass, rising.

    A thought stands on its live derivations, those whose roots all exist; it passes if there is one and every root of all
    of them passes. A testimony has no document and no metadata, so a filter on either shuts it out.
    """
    documents = set(matching_documents(sql, space, where).tolist())
    limited = where.document_ids is not None or bool(where.metadata)
    least = 0 if where.min_trust is None else TRUST_ORDER.index(where.min_trust)
    derivations: dict[tuple[int, int], tuple[bool, bool]] = {}  # (row, derivation) -> (all live, all pass)
    for seq, derivation, kind, document, trust in sql.rows(_ROOTS, (space,)):
        live, passing = derivations.get((seq, derivation), (True, True))
        if kind == "chunk":
            live, passing = live and document is not None, passing and document in documents
        else:
            live, passing = live and trust is not None, passing and not limited and (trust or 0) >= least
        derivations[seq, derivation] = (live, passing)
    verdicts: dict[int, bool] = {}
    for (seq, _), (live, passing) in derivations.items():
        if live:
            verdicts[seq] = verdicts.get(seq, True) and passing
    return np.array(sorted(seq for seq, passes in verdicts.items() if passes), np.int64)
