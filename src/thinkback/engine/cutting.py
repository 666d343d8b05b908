"""How documents are cut: the preset's rule, within what the embedder reads."""

from __future__ import annotations

from thinkback.engine.parts import Parts
from thinkback.engine.sources import Loaded
from thinkback.text.chunk import chunk
from thinkback.types import SpanText

__all__ = ["chunk_rule", "cut"]

_TOKENS_A_WORD = 1.4  # of English prose under a word-piece tokenizer


def chunk_rule(parts: Parts) -> tuple[int, str, str]:
    """Return size, unit and a warning: the preset's rule, or the embedder's limit where that is smaller."""
    preset, limit = parts.preset, parts.embedder.max_tokens
    if preset.chunk_unit == "words":
        if preset.chunk_size * _TOKENS_A_WORD <= limit:
            return preset.chunk_size, "words", ""
        return (
            limit,
            "tokens",
            f"Chunks hold {limit} tokens instead of {preset.chunk_size} words: the embedder reads no more.",
        )
    if preset.chunk_size <= limit:
        return preset.chunk_size, "tokens", ""
    return limit, "tokens", f"Chunks hold {limit} tokens instead of {preset.chunk_size}: the embedder reads no more."


def cut(parts: Parts, loaded: Loaded) -> tuple[tuple[SpanText, ...], str]:
    """Return the pieces of a text, and a warning where the rule could not be kept."""
    size, unit, warning = chunk_rule(parts)
    spans = chunk(
        loaded.text, parts.embedder.count, size=size, unit="words" if unit == "words" else "tokens", pages=loaded.pages
    )
    return spans, warning
