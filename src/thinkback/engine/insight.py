"""The part of the face that looks and learns: search, text, why, history, audit, stats, learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from thinkback.engine.asynchronous import twin
from thinkback.engine.auditing import AuditReport, audit
from thinkback.engine.budget import Meter, on_account, tune
from thinkback.engine.citing_list import cited
from thinkback.engine.explaining import WhyNode, explain
from thinkback.engine.learning import Expert, LearnReport, learn, learn_from
from thinkback.engine.memory import MemoryFace
from thinkback.engine.parts import check_text, check_trust
from thinkback.engine.scope import where_of
from thinkback.engine.statistics import Stats, statistics
from thinkback.errors import InvalidInput, NotFound
from thinkback.ports import HistoryEvent
from thinkback.retrieve.search import SearchResult, search
from thinkback.types import Document, Filter, Hit, Scalar, StoredAnswer, Trust

__all__ = ["InsightFace"]

Kind = Literal["all", "chunks", "thoughts"]

_KINDS: Mapping[str, frozenset[Literal["chunk", "thought"]]] = {
    "all": frozenset({"chunk", "thought"}),
    "chunks": frozenset({"chunk"}),
    "thoughts": frozenset({"thought"}),
}


class InsightFace(MemoryFace):
    """What can be asked of a memory without answering a question."""

    def search(
        self,
        query: str,
        *,
        kind: Kind = "all",
        top_k: int = 10,
        min_score: float | None = None,
        documents: str | Sequence[str] | None = None,
        filters: Mapping[str, Scalar] | Filter | None = None,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[Hit, ...]:
        """Return the best items for a query, best first; no language model is asked.

        Args:
            query: any text.
            kind: all, chunks or thoughts.
            top_k: most hits.
            min_score: least cosine; None: no limit. ``Hit.score`` is a fused rank score and compares only within one search.
            documents: ids that hits are limited to.
            filters: metadata that documents must have.
            namespace, user_id, agent_id, run_id: whose memory.

        Raises:
            InvalidInput
        """
        result = self.search_result(
            query,
            kind=kind,
            top_k=top_k,
            where=where_of(documents, filters),
            namespace=self._where(namespace, user_id, agent_id, run_id),
        )
        return tuple(hit for hit in result.hits if min_score is None or hit.cosine >= min_score)

    def search_result(
        self,
        query: str,
        *,
        kind: Kind = "all",
        top_k: int = 10,
        where: Filter | None = None,
        namespace: str | None = None,
    ) -> SearchResult:
        """Return the hits with what was held back and how many were considered."""
        if kind not in _KINDS:
            raise InvalidInput(f"kind is all, chunks or thoughts, not {kind!r}.")
        if top_k < 1:
            raise InvalidInput(f"top_k must be at least 1, not {top_k}.")
        check_text(query, "The query")
        name = self._where(namespace)
        tune(self._parts, name)
        vector = on_account(self._parts, Meter(self._parts, name, what="other")).embed_query(query)
        with self._parts.store.read() as reader:
            return search(
                reader,
                name,
                question=query,
                vector=vector,
                preset=self._parts.preset,
                where=where,
                kinds=_KINDS[kind],
                limit=top_k,
            )

    def why(
        self,
        item_id: str,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> WhyNode:
        """Return the provenance of a thought as a tree down to quoted spans.

        Raises:
            NotFound
        """
        with self._parts.store.read() as reader:
            return explain(reader, self._where(namespace, user_id, agent_id, run_id), item_id)

    def text(
        self,
        document_id: str,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> str:
        """Return a document's whole text, in which offsets count.

        Raises:
            NotFound
        """
        name = self._where(namespace, user_id, agent_id, run_id)
        with self._parts.store.read() as reader:
            found = reader.document_text(name, document_id)
        if found is None:
            raise NotFound(f"There is no document {document_id!r} in namespace {name!r}.")
        return found

    def namespaces(self) -> tuple[str, ...]:
        """Return the names of all memories of the store, sorted."""
        with self._parts.store.read() as reader:
            return reader.namespaces()

    def history(
        self,
        item_id: str | None = None,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[HistoryEvent, ...]:
        """Return what happened to an item, or to all, oldest first. It holds ids and numbers, never text."""
        with self._parts.store.read() as reader:
            return reader.history(self._where(namespace, user_id, agent_id, run_id), item_id)

    def last_answer(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> StoredAnswer | None:
        """Return the answer that was kept last, for follow-up questions."""
        with self._parts.store.read() as reader:
            return next(reversed(reader.answers(self._where(namespace, user_id, agent_id, run_id))), None)

    def learn(
        self,
        question: str,
        answer: str,
        *,
        source: str,
        trust: Trust = "untrusted",
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> LearnReport:
        """Remember what somebody else answered, rooted in that testimony and its trust label.

        Raises:
            InvalidInput
        """
        return learn(
            self._parts,
            self._where(namespace, user_id, agent_id, run_id),
            check_text(question, "The question").strip(),
            check_text(answer, "The answer").strip(),
            source=check_text(source, "The source").strip(),
            trust=check_trust(trust),
        )

    def learn_from(
        self,
        experts: Mapping[str, Expert],
        questions: Sequence[str],
        *,
        trust: Trust = "untrusted",
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> tuple[LearnReport, ...]:
        """Ask other models (or functions from question to answer) and learn from what they say; one report each.

        Raises:
            InvalidInput
        """
        asked = [check_text(question, "A question").strip() for question in questions]
        return learn_from(
            self._parts, self._where(namespace, user_id, agent_id, run_id), experts, asked, trust=check_trust(trust)
        )

    def audit(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> AuditReport:
        """Look for duplicates, conflicts, unsupported, stale and unused thoughts, loops, secrets and steering text; offline."""
        return audit(self._parts, self._where(namespace, user_id, agent_id, run_id))

    def stats(
        self,
        *,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Stats:
        """Return counts, levels, use, outcomes and cost of a namespace."""
        return statistics(self._parts, self._where(namespace, user_id, agent_id, run_id))

    def cited(self, *, namespace: str | None = None) -> tuple[Document, ...]:
        """Return the documents that kept answers and thoughts in use stand on, by title: the bibliography."""
        with self._parts.store.read() as reader:
            return cited(reader, self._where(namespace))

    acited = twin(cited)
    asearch = twin(search)
    awhy = twin(why)
    atext = twin(text)
    anamespaces = twin(namespaces)
    ahistory = twin(history)
    alast_answer = twin(last_answer)
    alearn = twin(learn)
    alearn_from = twin(learn_from)
    aaudit = twin(audit)
    astats = twin(stats)
