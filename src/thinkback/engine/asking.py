"""One question: retrieve, pack, answer in one streamed call, keep the answer. Remembering comes after (``remembering``)."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator as Stream
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from thinkback.engine.budget import Meter, spent_on
from thinkback.engine.checking import check_quotes
from thinkback.engine.cite import MarkerFilter, Quoted, cite_markers, cite_quotes, match_quotes
from thinkback.engine.events import AnswerEvent, Event, TextEvent
from thinkback.engine.parts import Parts
from thinkback.engine.retrieving import Asked, Found, answer_prompt, describe, evidence_first, retrieve
from thinkback.engine.shown import Shown
from thinkback.errors import BadReply, BudgetExceeded, ModelError, StoreError
from thinkback.llm.structured import FieldStream, parse, schema_of
from thinkback.ports import Delta, Generator, Message, Reply, Request
from thinkback.text.prompts import load_prompt, render_item
from thinkback.thought.confidence import is_abstention
from thinkback.types import Answer, Citation, Root, StoredAnswer, Usage

__all__ = ["Delivered", "answer_events"]

_log = logging.getLogger(__name__)
NOTHING_FOUND = "The sources do not answer this question."
NOTHING_STORED = "There is nothing in memory that could answer this question."
_REWRITE_TOKENS = 160


class EvidenceReply(BaseModel):
    """What the prompt ``answer-evidence`` asks for; the order of the fields is the order in which they are written."""

    model_config = ConfigDict(extra="ignore")

    class Piece(BaseModel):
        """A quote and the number of the item that it is from."""

        item: int
        quote: str

    evidence: list[Piece]
    found: bool
    answer: str


class RewriteReply(BaseModel):
    """What the prompt ``rewrite`` asks for."""

    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """A finished reply of the model, with what it stands on."""

    text: str
    found: bool
    citations: tuple[Citation, ...]
    dropped: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """An answer that has been delivered, with what remembering it will need."""

    answer: Answer
    question: str
    """As it was searched: a follow-up question rewritten."""
    shown: Shown
    worth_remembering: bool
    """False for a kept answer, and where there was nothing to answer from."""
    also_shown: tuple[str, ...] = ()
    """Raw items below the answers of the conversation, from which a rewritten question has its words."""


def answer_events(parts: Parts, asked: Asked, meter: Meter) -> Stream[Event, None, Delivered]:
    """Yield the events of one question up to the answer, and return what was delivered.

    Raises:
        ModelError, BudgetExceeded, StoreError
    """
    warnings: tuple[str, ...] = ()
    said, behind = asked.question, _Behind(roots=(), known=True)
    if asked.turns:
        behind = _behind_turns(parts, asked)
        question, warnings = _standalone(parts, asked, meter)
        asked = replace(asked, question=question)
    started = time.perf_counter()
    vector = parts.embed_query(asked.question)
    meter.note_seconds("embed", time.perf_counter() - started)
    started = time.perf_counter()
    with parts.store.read() as reader:
        found = retrieve(parts, reader, asked, vector)
    meter.note_seconds("search", time.perf_counter() - started)

    fresh = found.kept is None and bool(found.shown.hits)
    if found.kept is not None:
        _count_use(parts, asked.namespace, found.kept, found.shown)
        yield TextEvent(text=found.kept.text)
        replied = Replied(
            text=found.kept.text, found=found.kept.found, citations=_retitled(found.kept.citations, found.shown)
        )
    elif not found.shown.hits:
        yield TextEvent(text=NOTHING_STORED)
        replied = Replied(text=NOTHING_STORED, found=False, citations=())
    else:
        started = time.perf_counter()
        replied = yield from _reply(parts, asked, found.shown, meter)
        meter.note_seconds("answer", time.perf_counter() - started)
        warnings = (*warnings, *_keep(parts, asked, found, replied, behind))
    answer = Answer(
        question=asked.question,
        text=replied.text,
        found=replied.found,
        citations=replied.citations,
        hits=found.shown.hits,
        outcomes=(),
        cached=found.kept is not None,
        usage=meter.usage,
        namespace=asked.namespace,
        model=found.kept.model if found.kept else parts.model().id,
        dropped_markers=replied.dropped,
        warnings=(*warnings, *replied.warnings),
    )
    yield AnswerEvent(answer=answer)
    return Delivered(
        answer=answer,
        question=asked.question if behind.known else said,
        shown=found.shown,
        worth_remembering=fresh,
        also_shown=tuple(root.id for root in behind.roots),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Behind:
    """What the earlier answers of a conversation rested on."""

    roots: tuple[Root, ...]
    known: bool
    """False if a turn is no answer of ours: a question rewritten by it may hold words of anything, and is not kept."""


def _behind_turns(parts: Parts, asked: Asked) -> _Behind:
    """Find the kept answers that the turns of a conversation are, so that deletion can follow their words."""
    with parts.store.read() as reader:
        kept = {answer.text: answer for answer in reader.answers(asked.namespace)}
    found = [kept[answer] for _, answer in asked.turns if answer in kept]
    roots = sorted({(root.kind, root.id) for answer in found for root in answer.roots})
    return _Behind(
        roots=tuple(Root(kind=kind, id=root_id) for kind, root_id in roots), known=len(found) == len(asked.turns)
    )


def _standalone(parts: Parts, asked: Asked, meter: Meter) -> tuple[str, tuple[str, ...]]:
    """Return the follow-up question rewritten to stand alone; where the model fails at that, the two questions joined."""
    turns = "\n".join(f"Question: {question}\nAnswer: {answer}" for question, answer in asked.turns[-3:])
    messages = load_prompt("rewrite").fill(turns=turns, question=asked.question)
    request = Request(messages=messages, max_tokens=_REWRITE_TOKENS, purpose="rewrite", schema=schema_of(RewriteReply))
    try:
        rewritten = parse(meter.call(parts.model(), request).text, RewriteReply).question.strip()
    except BadReply:
        rewritten = ""
    if rewritten:
        return rewritten, ()
    return f"{asked.turns[-1][0]} {asked.question}", (
        "The follow-up question could not be rewritten; both were searched.",
    )


def _reply(parts: Parts, asked: Asked, shown: Shown, meter: Meter) -> Stream[Event, None, Replied]:
    """Yield texts as they come and return the finished reply."""
    llm = parts.model()
    items = "\n\n".join(
        render_item(number, text, describe(hit), trust=hit.item.trust)
        for number, (hit, text) in enumerate(zip(shown.hits, shown.texts, strict=True), start=1)
    )
    quotes_first = evidence_first(llm, asked.preset)
    messages = answer_prompt(llm, asked.preset).fill(items=items, question=asked.question)
    request = Request(
        messages=messages,
        max_tokens=asked.preset.answer_tokens,
        purpose="answer",
        schema=schema_of(EvidenceReply) if quotes_first else None,
    )
    claim, request = meter.reserve(llm, request)
    streamed: list[str] = []
    spent = Usage(calls=1, failed_calls=1, prompt_tokens=_size(llm, messages), estimated=True)
    try:
        pieces = _cleaned(llm.stream(request), streamed)
        if quotes_first:
            reply, replied = yield from _stream_evidence(pieces, shown, asked.question)
        else:
            reply, replied = yield from _stream_prose(pieces, shown)
        spent = reply.usage
    except (ModelError, BudgetExceeded) as error:
        spent = spent_on(error, replace(spent, completion_tokens=llm.count("".join(streamed))))
        raise
    except GeneratorExit:
        spent = replace(spent, failed_calls=0, completion_tokens=llm.count("".join(streamed)))
        raise
    finally:
        claim.settle(spent)
    if reply.finish == "length":
        replied = replace(replied, warnings=(*replied.warnings, "The answer was cut at its token limit."))
    return replied


def _size(llm: Generator, messages: Sequence[Message]) -> int:
    return sum(llm.count(message.content) for message in messages)


def _cleaned(pieces: Iterator[Delta | Reply], streamed: list[str]) -> Stream[Delta | Reply, None, None]:
    """Yield the pieces without lone surrogates, which nothing can store, and note what was streamed. Closes the stream."""
    try:
        for piece in pieces:
            text = piece.text.encode("utf-8", "replace").decode("utf-8")
            if isinstance(piece, Delta):
                streamed.append(text)
            yield replace(piece, text=text)
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            close()


def _stream_prose(pieces: Iterator[Delta | Reply], shown: Shown) -> Stream[Event, None, tuple[Reply, Replied]]:
    markers = MarkerFilter(len(shown.hits))
    texts: list[str] = []
    reply: Reply | None = None
    for piece in pieces:
        if isinstance(piece, Delta):
            text = markers.feed(piece.text)
            texts.append(text)
            if text:
                yield TextEvent(text=text)
        else:
            reply = piece
    rest = markers.finish()
    if rest:
        texts.append(rest)
        yield TextEvent(text=rest)
    text = "".join(texts).strip()
    if reply is None or not text:
        raise BadReply("The model's answer is empty.")
    if is_abstention(text):
        return reply, Replied(text=text, found=False, citations=(), dropped=markers.dropped)
    citations = cite_markers(text, shown)
    warnings = () if citations else ("The answer names no source.",)
    return reply, Replied(text=text, found=True, citations=citations, dropped=markers.dropped, warnings=warnings)


def _stream_evidence(
    pieces: Iterator[Delta | Reply], shown: Shown, question: str
) -> Stream[Event, None, tuple[Reply, Replied]]:
    """Hold the answer field back until a quote of the evidence field is found in its item."""
    fields = FieldStream("answer")
    quoted: tuple[Quoted, ...] = ()
    said: list[str] = []
    open_for_text = False
    reply: Reply | None = None
    for piece in pieces:
        if not isinstance(piece, Delta):
            reply = piece
            continue
        text = fields.feed(piece.text)
        if not open_for_text and "evidence" in fields.fields and "found" in fields.fields:
            quoted = quoted or match_quotes(_claimed(fields.fields["evidence"]), shown)
            open_for_text = bool(quoted) and fields.fields["found"] is True
            text = fields.text if open_for_text else ""
        if open_for_text and text:
            said.append(text)
            yield TextEvent(text=text)
    if reply is None:
        raise BadReply("The model's reply ended before it was complete.")
    replied = _judge_evidence(reply, fields, quoted, shown, "".join(said), question)
    tail = replied.text.removeprefix("".join(said).rstrip())
    if tail:
        yield TextEvent(text=tail)
    return reply, replied


def _claimed(evidence: object) -> list[tuple[int, str]]:
    """Return the (number, quote) pairs of an evidence field; pieces of another form are left out."""
    pieces = evidence if isinstance(evidence, list) else []
    pairs = [(piece.get("item"), piece.get("quote")) for piece in pieces if isinstance(piece, dict)]
    return [(number, quote) for number, quote in pairs if isinstance(number, int) and isinstance(quote, str)]


def _judge_evidence(
    reply: Reply, fields: FieldStream, quoted: tuple[Quoted, ...], shown: Shown, said: str, question: str
) -> Replied:
    """Return the reply's verdict. What was streamed already stands; an unreadable reply fails closed."""
    if said and is_abstention(said):
        return Replied(text=said.strip(), found=False, citations=())
    if said:
        return _cited(fields.text if fields.text.startswith(said) else said, question, quoted, shown)
    try:
        whole = parse(reply.text, EvidenceReply)
    except BadReply:
        return Replied(text=NOTHING_FOUND, found=False, citations=(), warnings=("The model's reply was not readable.",))
    quoted = match_quotes([(piece.item, piece.quote) for piece in whole.evidence], shown)
    if not whole.found or not whole.answer.strip() or is_abstention(whole.answer):
        return Replied(text=NOTHING_FOUND, found=False, citations=())
    if not quoted:
        return Replied(
            text=NOTHING_FOUND, found=False, citations=(), warnings=("No quote of the model stands in the sources.",)
        )
    return _cited(whole.answer, question, quoted, shown)


def _cited(text: str, question: str, quoted: tuple[Quoted, ...], shown: Shown) -> Replied:
    """Return the answer with the numbers of its quotes behind it, and a warning where they do not carry it."""
    numbers = "".join(f"[{number}]" for number in sorted({place.number for place in quoted}))
    citations, warnings = check_quotes(text, question, cite_quotes(quoted, shown), shown)
    return Replied(text=f"{text.rstrip()} {numbers}", found=True, citations=citations, warnings=warnings)


def _keep(parts: Parts, asked: Asked, found: Found, replied: Replied, behind: _Behind) -> tuple[str, ...]:
    """Write the answer for the next time and count the thoughts as used; return a warning if the store cannot."""
    now = parts.clock()
    used = [hit.item.id for hit in found.shown.hits if hit.kind == "thought"]
    roots = tuple(dict.fromkeys((*found.shown.roots, *behind.roots)))
    try:
        with parts.store.write() as writer:
            writer.touch(asked.namespace, used, now)
            live = writer.live_roots(asked.namespace, [root.id for root in roots])
            whole = all(root.id in live for root in roots)  # a source deleted meanwhile takes the answer along
            if asked.preset.answer_cache and whole and behind.known:
                writer.put_answer(
                    asked.namespace,
                    StoredAnswer(
                        key=found.key,
                        evidence_hash=found.evidence,
                        question=asked.question,
                        text=replied.text,
                        found=replied.found,
                        item_ids=tuple(hit.item.id for hit in found.shown.hits),
                        roots=roots,
                        citations=replied.citations,
                        model=parts.model().id,
                        created_at=now,
                    ),
                )
    except StoreError as error:
        return (f"The answer was not kept: {error.message}",)
    return ()


def _count_use(parts: Parts, namespace: str, kept: StoredAnswer, shown: Shown) -> None:
    """Count a kept answer as one more use of the thoughts that it was made of."""
    behind = dict.fromkeys((*kept.item_ids, *(place.via for place in kept.citations if place.via)))
    thoughts = [item_id for item_id in behind if item_id not in shown.chunks]
    if not thoughts:
        return
    try:
        with parts.store.write() as writer:
            writer.touch(namespace, thoughts, parts.clock())
    except StoreError as error:  # the answer stands whether its use is counted or not
        _log.warning("the use of thoughts was not counted: %s", type(error).__name__)


def _retitled(citations: Sequence[Citation], shown: Shown) -> tuple[Citation, ...]:
    """Return kept citations with the titles and places that they have now: text before an unchanged chunk moves it."""
    return tuple(_brought_up_to_date(one, shown) for one in citations)


def _brought_up_to_date(one: Citation, shown: Shown) -> Citation:
    document, chunk = shown.documents.get(one.document_id), shown.chunks.get(one.root_id)
    if document is None or chunk is None or one.quote not in chunk.text:
        return one
    start = chunk.start + chunk.text.index(one.quote)
    return replace(
        one, title=document.title, uri=document.uri, page=chunk.page, start=start, end=start + len(one.quote)
    )
