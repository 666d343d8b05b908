"""From a question to what is shown for it: search, cut, pack, and look whether a kept answer still holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from thinkback.config import Preset
from thinkback.engine.excerpting import excerpts, whole_items
from thinkback.engine.parts import Parts
from thinkback.engine.shown import Shown, gather
from thinkback.errors import InvalidInput
from thinkback.ports import Generator, Reader
from thinkback.retrieve.pack import Packed, pack
from thinkback.retrieve.search import search
from thinkback.text.prompts import Prompt, load_prompt, render_item
from thinkback.thought.cache import answer_key, born_from, evidence_hash
from thinkback.types import Chunk, Filter, FloatVector, Hit, StoredAnswer, Trust

__all__ = ["Asked", "Found", "answer_prompt", "describe", "evidence_first", "retrieve"]

_ITEM_OVERHEAD = 2  # the blank line between two blocks
_PROMPT_OVERHEAD = 64  # what a chat template adds, with room to spare
_SHORTEST_CONTEXT = 64


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
    key: str
    evidence: str
    kept: StoredAnswer | None


def retrieve(parts: Parts, reader: Reader, asked: Asked, vector: FloatVector) -> Found:
    """Search, pack, and look whether a kept answer still holds."""
    llm, preset = parts.model(), asked.preset
    result = search(reader, asked.namespace, question=asked.question, vector=vector, preset=preset, where=asked.where)
    if not result.hits:  # a local model is not loaded for this
        return Found(shown=gather(reader, asked.namespace, ()), key="", evidence="", kept=None)
    thought_ids = [hit.item.id for hit in result.hits if hit.kind == "thought"]
    ways = reader.derivations(asked.namespace, thought_ids)
    roots = {
        thought_id: frozenset(root.id for way in group for root in way.roots) for thought_id, group in ways.items()
    }
    budget = context_budget(llm, preset, asked.question)
    if preset.excerpt_tokens_small is not None and evidence_first(llm, preset):
        cut = excerpts(parts, asked.question, vector, result.hits, limit=preset.excerpt_tokens_small)
    else:
        cut = whole_items(result.hits)

    @cache
    def size(text: str, origin: str, trust: Trust, digits: int) -> int:
        """Return the tokens of a rendered item; its number counts by its digits."""
        return llm.count(render_item(10**digits - 1, text, origin, trust=trust)) + _ITEM_OVERHEAD

    def packed_from(hits: Sequence[Hit]) -> Packed:
        return pack(
            hits,
            budget=budget,
            cost=lambda number, hit: size(cut.text(hit), describe(hit), hit.item.trust, len(str(number))),
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
        key=key,
        evidence=evidence,
        kept=kept,
    )


def describe(hit: Hit) -> str:
    """Return the origin of an item as prompts show it."""
    if isinstance(hit.item, Chunk):
        page = f", p. {hit.item.page}" if hit.item.page is not None else ""
        return f"{hit.title}{page}"
    return "note"


def context_budget(llm: Generator, preset: Preset, question: str) -> int:
    """Return how many tokens the items may take: the preset's, or what the model's window leaves."""
    wanted = preset.context_tokens_small if evidence_first(llm, preset) else preset.context_tokens
    prompt = answer_prompt(llm, preset)
    fixed = sum(llm.count(message.content) for message in prompt.fill(items="", question=question)) + _PROMPT_OVERHEAD
    room = llm.traits.context_window - preset.answer_tokens - fixed
    if room < min(_SHORTEST_CONTEXT, wanted):
        raise InvalidInput(
            f"The question leaves {max(room, 0)} tokens of the model's window of {llm.traits.context_window} for evidence.",
            hint="Ask a shorter question or use a model with a larger window.",
        )
    return min(wanted, room)


def evidence_first(llm: Generator, preset: Preset) -> bool:
    """Return whether the model has to quote before it answers."""
    return preset.answer_style == "evidence_first" or (preset.answer_style == "auto" and llm.traits.evidence_first)


def answer_prompt(llm: Generator, preset: Preset) -> Prompt:
    """Return the prompt that fits the model."""
    return load_prompt("answer-evidence" if evidence_first(llm, preset) else "answer-prose")
