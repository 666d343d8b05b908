"""One question: retrieve, pack, answer in one streamed call, keep the answer. Remembering comes after (``remembering``)."""

from __future__ import annotations

import time
from collections.abc import Generator as Stream
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from thinkback.config import Preset
from thinkback.engine.budget import Meter
from thinkback.engine.cite import MarkerFilter, Quoted, cite_markers, cite_quotes, match_quotes
from thinkback.engine.events import AnswerEvent, Event, TextEvent
from thinkback.engine.excerpting import excerpts, whole_items
from thinkback.engine.parts import Parts
from thinkback.engine.shown import Shown, gather
from thinkback.errors import BadReply, InvalidInput
from thinkback.llm.structured import FieldStream, parse, schema_of
from thinkback.ports import Delta, Generator, Message, Reader, Reply, Request
from thinkback.retrieve.pack import Packed, pack
from thinkback.retrieve.search import search
from thinkback.text.prompts import Prompt, load_prompt, render_item
from thinkback.thought.cache import answer_key, born_from, evidence_hash
from thinkback.thought.confidence import is_abstention
from thinkback.thought.support import supports
from thinkback.types import Answer, Chunk, Citation, Filter, FloatVector, Hit, StoredAnswer, Usage

__all__ = ["Asked", "Delivered", "answer_events", "describe", "retrieve"]

NOTHING_FOUND = "The sources do not answer this question."
NOTHING_STORED = "There is nothing in memory that could answer this question."
_ITEM_OVERHEAD = 2  # the blank line between two blocks
_PROMPT_OVERHEAD = 64  # what a chat template adds, with room to spare
_REWRITE_TOKENS = 160
_SHORTEST_CONTEXT = 64
_CARRIED = 0.5  # share of an answer's words that its quotes must hold to pass without a warning


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
class Asked:
    """A question with everything that the caller chose."""

    question: str
    namespace: str
    where: Filter | None
    preset: Preset
    remember: bool
    turns: tuple[tuple[str, str], ...] = ()
    """Earlier questions and answers of the conversation, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What retrieval gave for one question."""

    shown: Shown
    packed: Packed
    key: str
    evidence: str
    kept: StoredAnswer | None
    revision: int


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


def answer_events(parts: Parts, asked: Asked, meter: Meter) -> Stream[Event, None, Delivered]:
    """Yield the events of one question up to the answer, and return what was delivered.

    Raises:
        ModelError, BudgetExceeded, StoreError
    """
    warnings: tuple[str, ...] = ()
    if asked.turns:
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
        yield TextEvent(text=found.kept.text)
        replied = Replied(text=found.kept.text, found=found.kept.found, citations=found.kept.citations)
    elif not found.shown.hits:
        yield TextEvent(text=NOTHING_STORED)
        replied = Replied(text=NOTHING_STORED, found=False, citations=())
    else:
        started = time.perf_counter()
        replied = yield from _reply(parts, asked, found.shown, meter)
        meter.note_seconds("answer", time.perf_counter() - started)
        _keep(parts, asked, found, replied)
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
    return Delivered(answer=answer, question=asked.question, shown=found.shown, worth_remembering=fresh)


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


def retrieve(parts: Parts, reader: Reader, asked: Asked, vector: FloatVector) -> Found:
    """Search, pack, and look whether a kept answer still holds."""
    llm, preset = parts.model(), asked.preset
    result = search(reader, asked.namespace, question=asked.question, vector=vector, preset=preset, where=asked.where)
    thought_ids = [hit.item.id for hit in result.hits if hit.kind == "thought"]
    ways = reader.derivations(asked.namespace, thought_ids)
    roots = {
        thought_id: frozenset(root.id for way in group for root in way.roots) for thought_id, group in ways.items()
    }
    budget = _context_budget(llm, preset, asked.question)
    if preset.excerpt_tokens_small is not None and _evidence_first(llm, preset):
        cut = excerpts(parts, asked.question, vector, result.hits, limit=preset.excerpt_tokens_small)
    else:
        cut = whole_items(result.hits)

    def packed_from(hits: Sequence[Hit]) -> Packed:
        return pack(
            hits,
            budget=budget,
            cost=lambda number, hit: llm.count(render_item(number, cut.text(hit), describe(hit))) + _ITEM_OVERHEAD,
            top_k=preset.top_k,
            raw_share=preset.raw_share,
            roots=roots if preset.sources == "earned" else None,  # the paper packs a thought beside its root
        )

    packed = packed_from(cut.hits)
    key = answer_key(asked.question, where=asked.where, preset=preset, model=llm.id, budget_tokens=budget)
    kept, evidence = None, ""
    if preset.answer_cache:
        own = born_from(asked.question, ways)
        foreign = packed_from([hit for hit in cut.hits if hit.item.id not in own]) if own else packed
        evidence = evidence_hash(foreign.hits)
        kept = reader.answer(asked.namespace, key)
        kept = kept if kept is not None and kept.evidence_hash == evidence else None
    return Found(
        shown=gather(reader, asked.namespace, packed.hits, [cut.text(hit) for hit in packed.hits]),
        packed=packed,
        key=key,
        evidence=evidence,
        kept=kept,
        revision=reader.revision(asked.namespace),
    )


def describe(hit: Hit) -> str:
    """Return the origin of an item as prompts show it."""
    if isinstance(hit.item, Chunk):
        page = f", p. {hit.item.page}" if hit.item.page is not None else ""
        return f"{hit.title}{page}"
    return "note"


def _context_budget(llm: Generator, preset: Preset, question: str) -> int:
    """Return how many tokens the items may take: the preset's, or what the model's window leaves."""
    wanted = preset.context_tokens_small if _evidence_first(llm, preset) else preset.context_tokens
    prompt = _answer_prompt(llm, preset)
    fixed = sum(llm.count(message.content) for message in prompt.fill(items="", question=question)) + _PROMPT_OVERHEAD
    room = llm.traits.context_window - preset.answer_tokens - fixed
    if room < min(_SHORTEST_CONTEXT, wanted):
        raise InvalidInput(
            f"The question leaves {max(room, 0)} tokens of the model's window of {llm.traits.context_window} for evidence.",
            hint="Ask a shorter question or use a model with a larger window.",
        )
    return min(wanted, room)


def _evidence_first(llm: Generator, preset: Preset) -> bool:
    return preset.answer_style == "evidence_first" or (preset.answer_style == "auto" and llm.traits.evidence_first)


def _answer_prompt(llm: Generator, preset: Preset) -> Prompt:
    return load_prompt("answer-evidence" if _evidence_first(llm, preset) else "answer-prose")


def _reply(parts: Parts, asked: Asked, shown: Shown, meter: Meter) -> Stream[Event, None, Replied]:
    """Yield texts as they come and return the finished reply."""
    llm = parts.model()
    items = "\n\n".join(
        render_item(number, text, describe(hit))
        for number, (hit, text) in enumerate(zip(shown.hits, shown.texts, strict=True), start=1)
    )
    evidence_first = _evidence_first(llm, asked.preset)
    messages = _answer_prompt(llm, asked.preset).fill(items=items, question=asked.question)
    request = Request(
        messages=messages,
        max_tokens=asked.preset.answer_tokens,
        purpose="answer",
        schema=schema_of(EvidenceReply) if evidence_first else None,
    )
    settle = meter.reserve(llm, request)
    spent = Usage(calls=1, failed_calls=1, prompt_tokens=_size(llm, messages), estimated=True)
    try:
        if evidence_first:
            reply, replied = yield from _stream_evidence(llm, request, shown)
        else:
            reply, replied = yield from _stream_prose(llm, request, shown)
        spent = reply.usage
    finally:
        settle(spent)
    if reply.finish == "length":
        replied = replace(replied, warnings=(*replied.warnings, "The answer was cut at its token limit."))
    return replied


def _size(llm: Generator, messages: Sequence[Message]) -> int:
    return sum(llm.count(message.content) for message in messages)


def _stream_prose(llm: Generator, request: Request, shown: Shown) -> Stream[Event, None, tuple[Reply, Replied]]:
    markers = MarkerFilter(len(shown.hits))
    pieces: list[str] = []
    reply: Reply | None = None
    for piece in llm.stream(request):
        if isinstance(piece, Delta):
            text = markers.feed(piece.text)
            pieces.append(text)
            if text:
                yield TextEvent(text=text)
        else:
            reply = piece
    rest = markers.finish()
    if rest:
        pieces.append(rest)
        yield TextEvent(text=rest)
    text = "".join(pieces).strip()
    if reply is None or not text:
        raise BadReply("The model's answer is empty.")
    if is_abstention(text):
        return reply, Replied(text=text, found=False, citations=(), dropped=markers.dropped)
    citations = cite_markers(text, shown)
    warnings = () if citations else ("The answer names no source.",)
    return reply, Replied(text=text, found=True, citations=citations, dropped=markers.dropped, warnings=warnings)


def _stream_evidence(llm: Generator, request: Request, shown: Shown) -> Stream[Event, None, tuple[Reply, Replied]]:
    """Hold the answer field back until a quote of the evidence field is found in its item."""
    fields = FieldStream("answer")
    quoted: tuple[Quoted, ...] = ()
    said: list[str] = []
    open_for_text = False
    reply: Reply | None = None
    for piece in llm.stream(request):
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
    replied = _judge_evidence(reply, fields, quoted, shown, "".join(said))
    tail = replied.text.removeprefix("".join(said))
    if tail:
        yield TextEvent(text=tail)
    return reply, replied


def _claimed(evidence: object) -> list[tuple[int, str]]:
    """Return the (number, quote) pairs of an evidence field; pieces of another form are left out."""
    pieces = evidence if isinstance(evidence, list) else []
    pairs = [(piece.get("item"), piece.get("quote")) for piece in pieces if isinstance(piece, dict)]
    return [(number, quote) for number, quote in pairs if isinstance(number, int) and isinstance(quote, str)]


def _judge_evidence(reply: Reply, fields: FieldStream, quoted: tuple[Quoted, ...], shown: Shown, said: str) -> Replied:
    """Return the reply's verdict. What was streamed already stands; an unreadable reply fails closed."""
    if said:
        return _cited(fields.text if fields.text.startswith(said) else said, quoted, shown)
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
    return _cited(whole.answer, quoted, shown)


def _cited(text: str, quoted: tuple[Quoted, ...], shown: Shown) -> Replied:
    """Return the answer with the numbers of its quotes behind it, and a warning where they do not carry it."""
    numbers = "".join(f"[{number}]" for number in sorted({place.number for place in quoted}))
    carried = supports(text, " ".join(place.quote for place in quoted), threshold=_CARRIED)
    return Replied(
        text=f"{text.rstrip()} {numbers}",
        found=True,
        citations=cite_quotes(quoted, shown),
        warnings=() if carried.ok else ("The quotes stand in the sources, but do not carry all of the answer.",),
    )


def _keep(parts: Parts, asked: Asked, found: Found, replied: Replied) -> None:
    """Write the answer for the next time, and count the thoughts as used."""
    now = parts.clock()
    used = [hit.item.id for hit in found.shown.hits if hit.kind == "thought"]
    roots = found.shown.roots
    with parts.store.write() as writer:
        writer.touch(asked.namespace, used, now)
        live = writer.live_roots(asked.namespace, [root.id for root in roots])
        if asked.preset.answer_cache and all(
            root.id in live for root in roots
        ):  # a source deleted meanwhile takes it along
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
