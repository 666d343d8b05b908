"""How much text fits: the longest beginning or end of a text under a limit, and what a model's window leaves for items."""

from __future__ import annotations

from collections.abc import Callable

from thinkback.bench.kit import Kit
from thinkback.bench.ports import Query
from thinkback.text.prompts import Prompt

__all__ = ["longest_beginning", "longest_end", "room_for_items", "shortened"]

_FIRST_TRY = 1_024
_WHOLE_WORD = 60
"""Characters that are given up so that no word is cut; longer runs without a blank are cut where they must be."""
_TEMPLATE = 64
"""Tokens that a chat template adds, with room to spare."""


def longest_beginning(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest beginning that fits, of whole words, without blanks at its end.

    Counts some 2 log2(n) beginnings, none longer than twice the result, whatever the length of the text.

    Args:
        text: to be cut.
        fits: says whether a text is short enough: of two beginnings, the shorter one if the longer one is. Tokenizers
            break that rule by a token here and there, so what is returned has been tried itself.
    """
    end = _longest(len(text), lambda number: fits(text[:number]))
    if end < len(text) and not text[end].isspace():
        blank = next((place for place in range(end, max(0, end - _WHOLE_WORD), -1) if text[place - 1].isspace()), end)
        end = blank
    found = text[:end].rstrip()
    while found and not fits(found):
        found = found[: len(found) - 1 - len(found) // 100].rstrip()
    return found


def longest_end(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest end that fits, of whole words, without blanks at its beginning; else as ``longest_beginning``."""
    backwards = longest_beginning(text[::-1], lambda part: fits(part[::-1]))
    return backwards[::-1]


def shortened(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """Return the text, or its longest beginning of so many tokens."""
    return longest_beginning(text, lambda part: count(part) <= tokens)


def _longest(length: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to ``length`` that fits, by doubling and halving; 0 always fits."""
    low, high = 0, min(length, _FIRST_TRY)
    while high > low and fits(high):
        low, high = high, min(length, 2 * high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def room_for_items(kit: Kit, prompt: Prompt, query: Query, *, window: int, answer_tokens: int) -> int:
    """Return how many tokens of items the model's window leaves beside the prompt and the answer; 0 if none.

    Args:
        kit: with a model.
        prompt: that will be filled with the items.
        query: that will be asked.
        window: tokens of prompt and answer together.
        answer_tokens: kept free for the answer.
    """
    known = {"title": "", "abstract": "", **{name: str(value) for name, value in query.metadata.items()}}
    messages = prompt.fill(**{**known, "items": "", "question": query.text})
    return max(0, window - answer_tokens - _TEMPLATE - sum(kit.count(each.content) for each in messages))
