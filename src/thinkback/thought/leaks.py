"""Words that a note has from a text which it does not stand on. Deletion can only follow what is recorded as a ground."""

from __future__ import annotations

from collections.abc import Iterable

from thinkback.thought.words import words

__all__ = ["borrowed_words"]


def borrowed_words(claim: str, ground: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    """Return the content words of a claim, as written, that stand in ``other`` texts and in none of its own ``ground``.

    Compared by stem; each word once, in order.
    """
    own, foreign = _stems(ground), _stems(other)
    return tuple(dict.fromkeys(word.text for word in words(claim) if word.content and word.stem in foreign - own))


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word.stem for text in texts for word in words(text) if word.content)
