"""How text becomes words, the same for every store and for both sides of a search.

Words are those of SQLite's ``unicode61`` tokenizer without diacritics, stemmed by ``porter`` (Porter, Program 14(3), 1980).
That tokenizer takes a run of Chinese, Japanese or Korean for a single word, so that nothing inside it could be found: such
runs are cut into overlapping pairs first.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache
from typing import cast

import apsw

__all__ = ["TOKENIZER", "Word", "spread", "words"]

TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2")
"""As FTS5 is told; ``words`` uses the same one."""

Word = tuple[str, str]
"""(the stem, as the index has it; the piece of text that it came from, free of anything that FTS5 reads as syntax)"""

# Kana (with the prolonged sound mark), ideographs with their extensions, Hangul syllables. Bopomofo and jamo are not in it.
_EAST_ASIAN = "\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(f"[{_EAST_ASIAN}]+")


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join(run[i : i + 2] for i in range(len(run) - 1)) + " "


def spread(text: str) -> str:
    """Return the text as it goes into the index: NFKC, East Asian runs as overlapping pairs, a lone character alone."""
    if text.isascii():
        return text
    return _RUN.sub(_pairs, unicodedata.normalize("NFKC", text))


class _Tokenizers(threading.local):
    """One tokenizer a thread: it belongs to a connection, and those are not shared."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self.cut = self._connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))


@cache
def _tokenizers() -> _Tokenizers:
    """Made on first use: an import must not open a connection, not even one in memory."""
    return _Tokenizers()


def words(text: str) -> list[Word]:
    """Return the words of a text, in order, repeated as often as they stand there.

    Lone surrogates count as spaces: a question may come from anywhere.
    """
    data = spread(text.encode("utf-8", "replace").decode("utf-8")).encode("utf-8")
    found = cast(  # the stubs know the union of all four shapes only
        list[tuple[int, int, str]],
        _tokenizers().cut(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=True, include_colocated=False),
    )
    return [(stem, data[start:end].decode("utf-8", "replace")) for start, end, stem in found]
