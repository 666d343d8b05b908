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

__all__ = ["asked_terms", "stems"]

# Kana (with the prolonged sound mark), ideographs with their extensions, Hangul syllables. Bopomofo and jamo are not in it.
_EAST_ASIAN = "\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(f"[{_EAST_ASIAN}]+")

_LONGEST = 100
"""Characters of a word that count: what is longer is no word of any language."""

_MOST_TERMS = 128
"""Different words of a question that count; the first ones, as they stand."""


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join(run[i : i + 2] for i in range(len(run) - 1)) + " "


class _Tokenizers(threading.local):
    """One tokenizer a thread: it belongs to a connection, and those are not shared."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self.cut = self._connection.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])


@cache
def _tokenizers() -> _Tokenizers:
    """Made on first use: an import must not open a connection, not even one in memory."""
    return _Tokenizers()


def stems(text: str) -> list[str]:
    """Return the stems of a text's words, in order, repeated as often as they stand there.

    They consist of letters and digits only, folded to lower case. Lone surrogates count as spaces: a question may come
    from anywhere.
    """
    if not text.isascii():
        text = _RUN.sub(_pairs, unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode("utf-8")))
    cut = _tokenizers().cut
    found = cast(  # the stubs know the union of all four shapes only
        list[str],
        cut(text.encode("utf-8"), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False),
    )
    if len(text) > _LONGEST and max(map(len, found), default=0) > _LONGEST:
        return [stem[:_LONGEST] for stem in found]
    return found


def asked_terms(text: str) -> list[str]:
    """Return the different stems of a question, in the order in which they first stand there, up to 128."""
    return list(dict.fromkeys(stems(text)))[:_MOST_TERMS]
