"""The engine's face: add, ask, search, learn, why and the rest, each with an async twin."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Literal, Self, overload

from thinkback.config import Budget
from thinkback.engine.asking import Delivered, answer_events
from thinkback.engine.asynchronous import iterate, twin
from thinkback.engine.budget import Meter, on_account, tighter, tune
from thinkback.engine.checking import quotes_of
from thinkback.engine.events import DoneEvent, Event, OutcomeEvent
from thinkback.engine.ingesting import add_sources
from thinkback.engine.insight import InsightFace
from thinkback.engine.parts import Parts, check_text, check_trust
from thinkback.engine.remembering import Told, remember
from thinkback.engine.retrieving import Asked
from thinkback.engine.scope import check_metadata, where_of
from thinkback.engine.sources import Given, sources_of
from thinkback.engine.streams import AnswerStream
from thinkback.engine.syncing import sync_folder
from thinkback.errors import InvalidInput
from thinkback.ports import Progress
from thinkback.types import AddReport, Answer, Filter, Outcome, Scalar, Trust

__all__ = ["Engine"]

Turns = Sequence[tuple[str, str]]
"""Questions and answers of a conversation so far, oldest first."""


class Engine(InsightFace):
    """The loop over collaborators that are given ready made; ``thinkback.ThoughtRetriever`` finds them by name."""

    def __init__(self, parts: Parts, namespace: str = "default") -> None:
        super().__init__(parts, namespace)
        self._background: ThreadPoolExecutor | None = None
        self._background_lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        source: str | Path | Sequence[str | Path],
        *,
        doc_id: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        trust: Trust | None = None,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Add text, files, folders, allowed URLs or bibliographies; no model is asked. Adding again what is there is no work.

        Args:
            source: a path or URL as a string or ``Path``; a string that is neither is taken as text; or a list of these. A
                program that passes on other people's text uses ``add_text``, which opens no file.
            doc_id: an id of your own for a single document; adding under it again replaces the document's text.
            title: for a single document; else the file's own.
            metadata: kept with each document, to filter by.
            trust: untrusted, normal or trusted; by default what it was, else normal, but untrusted for URLs.
            namespace, user_id, agent_id, run_id: whose memory.
            progress: is told how far it is.

        Raises:
            InvalidInput: nothing that can be added. A file that cannot be read is reported in the result instead.
            BudgetExceeded: an embedder that is paid could break a limit. What was done before is kept and stands, with what
                was not, in the error's ``report``.
        """
        name = self._where(namespace, user_id, agent_id, run_id)
        if doc_id is not None:
            doc_id = check_text(doc_id, "doc_id")
        given = Given(
            document_id=doc_id,
            title=title,
            metadata=check_metadata(metadata),
            trust=check_trust(trust) if trust is not None else None,
        )
        sources = list(sources_of(source, given, self._parts.limits))
        return add_sources(self._parts, name, sources, progress=progress, total=len(sources))

    def sync(
        self,
        folder: str | Path,
        *,
        metadata: Mapping[str, Scalar] | None = None,
        trust: Trust | None = None,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Make the memory hold what a folder holds: new, changed, renamed and deleted files.

        Raises:
            InvalidInput: no such folder, or an empty one that documents came from.
        """
        given = Given(metadata=check_metadata(metadata), trust=check_trust(trust) if trust is not None else None)
        name = self._where(namespace, user_id, agent_id, run_id)
        return sync_folder(self._parts, name, Path(folder), given, progress=progress)

    @overload
    def ask(
        self,
        question: str,
        *,
        stream: Literal[False] = False,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        documents: str | Sequence[str] | None = None,
        filters: Mapping[str, Scalar] | Filter | None = None,
        remember: bool = True,
        conversation: Turns = (),
        budget: Budget | None = None,
    ) -> Answer: ...

    @overload
    def ask(
        self,
        question: str,
        *,
        stream: Literal[True],
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        documents: str | Sequence[str] | None = None,
        filters: Mapping[str, Scalar] | Filter | None = None,
        remember: bool = True,
        conversation: Turns = (),
        budget: Budget | None = None,
    ) -> AnswerStream: ...

    def ask(
        self,
        question: str,
        *,
        stream: bool = False,
        namespace: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        documents: str | Sequence[str] | None = None,
        filters: Mapping[str, Scalar] | Filter | None = None,
        remember: bool = True,
        conversation: Turns = (),
        budget: Budget | None = None,
    ) -> Answer | AnswerStream:
        """Answer a question from documents and thoughts, with citations that end at raw text, and remember what was learned.

        Args:
            question: in any language; the answer comes in the same.
            stream: return an ``AnswerStream`` of events instead of waiting for the whole.
            namespace, user_id, agent_id, run_id: whose memory.
            documents: ids that the answer is limited to.
            filters: metadata that documents must have.
            remember: whether thoughts may be made of the answer.
            conversation: earlier questions and answers; a follow-up is then rewritten to stand alone, in a second call.
            budget: limits for this question; of these and the retriever's the lower ones hold.

        Raises:
            NoModel: there is no language model.
            ModelError: it did not answer usably.
            BudgetExceeded: before anything is sent.
            InvalidInput: an empty or too long question, or a filter that cannot be.
        """
        self._parts.model()
        text = check_text(question, "The question").strip()
        name = self._where(namespace, user_id, agent_id, run_id)
        tune(self._parts, name)
        asked = Asked(
            question=text,
            namespace=name,
            where=where_of(documents, filters),
            preset=self._parts.preset,
            remember=remember,
            turns=check_turns(conversation),
        )
        parts = self._parts if budget is None else replace(self._parts, budget=tighter(self._parts.budget, budget))
        answers = AnswerStream(self._events(parts, asked))
        if stream:
            return answers
        for _ in answers:
            pass
        return answers.answer

    def _events(self, parts: Parts, asked: Asked) -> Generator[Event, None, None]:
        meter = Meter(parts, asked.namespace)
        parts = on_account(parts, meter)
        delivered = yield from answer_events(parts, asked, meter)
        outcomes: tuple[Outcome, ...] = ()
        if delivered.worth_remembering and not asked.remember:
            outcomes = (Outcome(status="off", reason="the caller asked not to remember"),)
        elif delivered.worth_remembering and parts.preset.distil_when == "background":
            self._later().submit(_remember, parts, asked, delivered, meter)
        elif delivered.worth_remembering:
            outcomes = _remember(parts, asked, delivered, meter)
        for outcome in outcomes:
            yield OutcomeEvent(outcome=outcome)
        yield DoneEvent(answer=replace(delivered.answer, outcomes=outcomes, usage=meter.usage))

    def _later(self) -> ThreadPoolExecutor:
        with self._background_lock:
            if self._background is None:
                self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="thinkback-remember")
            return self._background

    def wait(self) -> None:
        """Wait until everything that is being remembered in the background is written."""
        if self._background is not None:
            self._later().submit(lambda: None).result()

    def close(self) -> None:
        """Finish what is being remembered and release the store and the models; calling it twice is fine."""
        if self._background is not None:
            self._background.shutdown(wait=True)
            self._background = None
        self._parts.store.close()
        self._parts.embedder.close()
        if self._parts.llm is not None:
            self._parts.llm.close()

    async def astream(self, question: str, **arguments: object) -> AsyncIterator[Event]:
        """Yield the events of ``ask(question, stream=True, ...)``; leaving the loop stops the model."""
        async for event in iterate(lambda: self.ask(question, stream=True, **arguments)):  # type: ignore[call-overload]
            yield event

    async def aask(self, question: str, **arguments: object) -> Answer:
        """Async twin of ``ask``; for a stream use ``astream``."""
        return await twin(Engine._whole_answer)(self, question, arguments)

    def _whole_answer(self, question: str, arguments: Mapping[str, object]) -> Answer:
        if "stream" in arguments:
            raise TypeError("aask() takes no 'stream'; use astream()")
        return self.ask(question, **arguments)  # type: ignore[call-overload, no-any-return] # checked by ask itself

    aadd = twin(add)
    async_ = twin(sync)  # the twin of sync: "async" itself is a word of the language
    aclose = twin(close)


def check_turns(conversation: Turns) -> tuple[tuple[str, str], ...]:
    """Return the turns of a conversation, each text cut to its first 4,000 characters: more is not needed to rewrite.

    Raises:
        InvalidInput: a turn is no pair of texts.
    """
    turns = []
    for turn in conversation:
        if isinstance(turn, str) or len(turn) != 2 or not all(isinstance(text, str) for text in turn):
            raise InvalidInput("A turn of a conversation is a pair: a question and its answer.")
        turns.append((turn[0][:4000], turn[1][:4000]))
    return tuple(turns)


def _remember(parts: Parts, asked: Asked, delivered: Delivered, meter: Meter) -> tuple[Outcome, ...]:
    answer = delivered.answer
    told = Told(
        namespace=asked.namespace,
        question=delivered.question,
        answer=answer.text,
        found=answer.found,
        cited=tuple(dict.fromkeys(citation.via or citation.root_id for citation in answer.citations)),
        shown=delivered.shown,
        also_shown=delivered.also_shown,
        quotes=quotes_of(answer.citations),
    )
    started = time.perf_counter()
    outcomes = remember(parts, told, meter)
    meter.note_seconds("remember", time.perf_counter() - started)
    return outcomes
