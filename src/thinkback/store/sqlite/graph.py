# ruff: noqa: D102, S608 - the port documents these methods; only names of our own go into statements, values never
"""Reading what stands on what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from thinkback.store.sqlite.decode import DERIVATION, derivation_of, evidence_of
from thinkback.store.sqlite.session import Session
from thinkback.store.sqlite.sql import integers, strings
from thinkback.types import Derivation, Evidence, Link, Root

__all__ = ["GraphReader"]

_LINKS = """
SELECT a.id, b.id, l.kind, l.created_at
FROM links l JOIN thoughts a ON a.thought = l.left_thought JOIN thoughts b ON b.thought = l.right_thought
"""


class GraphReader(Session):
    """The part of the Reader port that follows derivations and links."""

    def derivations(self, namespace: str, thought_ids: Sequence[str]) -> Mapping[str, tuple[Derivation, ...]]:
        space, wanted = self._space(namespace), strings(dict.fromkeys(thought_ids))
        if space is None or wanted is None:
            return {}
        rows = self._sql.rows(
            f"SELECT t.id, {DERIVATION} FROM carray(?) CROSS JOIN thoughts t ON t.space = ? AND t.id = value"
            " LEFT JOIN derivations d ON d.thought = t.thought ORDER BY d.created_at, d.id",
            (wanted, space.number),
        )
        numbers = [row[1] for row in rows if row[1] is not None]
        evidence, roots, shown = self._evidence(numbers), self._roots(numbers), self._shown(numbers)
        found: dict[str, list[Derivation]] = {row[0]: [] for row in rows}
        for thought_id, *row in rows:
            if row[0] is not None:
                parts = evidence[row[0]], roots[row[0]], shown[row[0]]
                found[thought_id].append(derivation_of(thought_id, row, *parts))
        return {thought_id: tuple(found[thought_id]) for thought_id in thought_ids if thought_id in found}

    def _parts(self, numbers: list[int], columns: str, table: str) -> list[tuple[Any, ...]]:
        if not numbers:
            return []
        return self._sql.rows(
            f"SELECT p.derivation, {columns} FROM carray(?) CROSS JOIN {table} p ON p.derivation = value"
            " ORDER BY p.derivation, p.position",
            (integers(np.array(numbers, np.int64)),),
        )

    def _evidence(self, numbers: list[int]) -> Mapping[int, list[Evidence]]:
        found: defaultdict[int, list[Evidence]] = defaultdict(list)
        for number, *row in self._parts(numbers, "item_kind, item_id, span_start, span_end, quote, score", "evidence"):
            found[number].append(evidence_of(row))
        return found

    def _roots(self, numbers: list[int]) -> Mapping[int, list[Root]]:
        found: defaultdict[int, list[Root]] = defaultdict(list)
        for number, kind, root_id in self._parts(numbers, "root_kind, root_id", "roots"):
            found[number].append(Root(kind=kind, id=root_id))
        return found

    def _shown(self, numbers: list[int]) -> Mapping[int, list[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for number, item_id in self._parts(numbers, "item_id", "shown"):
            found[number].append(item_id)
        return found

    def thoughts_on(self, namespace: str, item_ids: Iterable[str]) -> tuple[str, ...]:
        space, ids = self._space(namespace), tuple(dict.fromkeys(item_ids))
        if space is None or strings(ids) is None:
            return ()
        rows = self._sql.rows(
            """
            SELECT DISTINCT t.id FROM (
                SELECT e.derivation FROM carray(?1) CROSS JOIN evidence e ON e.space = ?3 AND e.item_id = value
                UNION
                SELECT r.derivation FROM carray(?2) CROSS JOIN roots r ON r.space = ?3 AND r.root_id = value
            ) x JOIN derivations d ON d.derivation = x.derivation JOIN thoughts t ON t.thought = d.thought
            """,
            (strings(ids), strings(ids), space.number),
        )
        return tuple(sorted(thought_id for (thought_id,) in rows))

    def live_roots(self, namespace: str, root_ids: Iterable[str]) -> frozenset[str]:
        space, ids = self._space(namespace), tuple(root_ids)
        if space is None or strings(ids) is None:
            return frozenset()
        rows = self._sql.rows(
            """
            SELECT id FROM carray(?1) CROSS JOIN chunks ON space = ?3 AND id = value
            UNION
            SELECT id FROM carray(?2) CROSS JOIN testimonies ON space = ?3 AND id = value
            """,
            (strings(ids), strings(ids), space.number),
        )
        return frozenset(root_id for (root_id,) in rows)

    def links(self, namespace: str, thought_ids: Sequence[str] | None = None) -> tuple[Link, ...]:
        space = self._space(namespace)
        if space is None:
            return ()
        if thought_ids is None:
            rows = self._sql.rows(f"{_LINKS} WHERE a.space = ?", (space.number,))
        elif strings(thought_ids) is None:
            rows = []
        else:
            rows = self._sql.rows(
                f"""
                WITH ends AS (SELECT thought FROM carray(?1) CROSS JOIN thoughts ON space = ?2 AND id = value)
                {_LINKS} WHERE l.left_thought IN ends OR l.right_thought IN ends
                """,
                (strings(thought_ids), space.number),
            )
        links = (Link(left=left, right=right, kind=kind, created_at=at) for left, right, kind, at in rows)
        return tuple(sorted(links, key=lambda link: (link.created_at, link.left, link.right, link.kind)))
