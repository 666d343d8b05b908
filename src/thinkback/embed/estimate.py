"""Guess token counts of embedders whose tokenizer cannot be had, to the high side."""

from __future__ import annotations

import re

__all__ = ["estimate_tokens"]

_PIECE = re.compile(r"[A-Za-z][a-z]*|\n+|\S")


def estimate_tokens(text: str) -> int:
    """Return an upper guess at the tokens of a text; 0 for the empty one.

    A Latin word costs a token for each three letters begun, a capital inside it begins another, everything else in
    ASCII costs one, and a character beyond it its UTF-8 length less one (Cyrillic 1, Chinese 2, emoji 3).
    """
    total = 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0].isascii():
            total += -(-len(piece) // 3) if piece[0].isalpha() else 1
        else:
            total += len(piece.encode("utf-8", "surrogatepass")) - 1
    return total
