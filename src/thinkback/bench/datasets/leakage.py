"""Keep what is to be written out of what may be read: runs of words that a text shares with a reference."""

from __future__ import annotations

import re
from collections.abc import Iterable

from thinkback.text.sentences import sentences

__all__ = ["SHINGLE", "Secret", "shingles"]

SHINGLE = 12
"""Words in a row that hardly occur twice by chance."""
_WORD = re.compile(r"\w+")


def shingles(text: str, size: int = SHINGLE) -> set[tuple[str, ...]]:
    """Return the runs of ``size`` words of a text, in lower case and without punctuation."""
    words = [word.lower() for word in _WORD.findall(text)]
    return {tuple(words[place : place + size]) for place in range(len(words) - size + 1)}


class Secret:
    """Texts that must not be read.

    Args:
        texts: references.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            self._runs |= shingles(text)

    def kept_out_of(self, text: str) -> str:
        """Return a text without the sentences that take part in twelve words in a row of a secret.

        A run over the border of two sentences costs both. The rest of the text is as it was.
        """
        while not self._runs.isdisjoint(shingles(text)):  # a sentence that goes makes neighbours of others
            text = _once(text, self._runs)
        return text


def _once(text: str, taken: set[tuple[str, ...]]) -> str:
    words = list(_WORD.finditer(text))
    plain = [word.group().lower() for word in words]
    shared = bytearray(len(text) + 1)
    for place in range(len(plain) - SHINGLE + 1):
        if tuple(plain[place : place + SHINGLE]) in taken:
            start, end = words[place].start(), words[place + SHINGLE - 1].end()
            shared[start:end] = b"\x01" * (end - start)
    kept, last = [], 0
    for sentence in sentences(text):
        if any(shared[sentence.start : sentence.end]):
            kept.append(text[last : sentence.start])
            last = sentence.end
    return "".join([*kept, text[last:]])
