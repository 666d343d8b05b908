"""Characters that no later part should have to think about are replaced once, before any offset is taken."""

from __future__ import annotations

import re

__all__ = ["clean"]

_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x01-\x08\x0e-\x1b\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    r"""Return the text with line ends as ``\n``, NUL and lone surrogates as U+FFFD, other controls as spaces.

    Nothing is composed, decomposed or case-folded: a quote must be found in the file by eye.
    """
    text = _LINE_END.sub("\n", text)
    text = _UNSTORABLE.sub("\ufffd", text)
    return _CONTROL.sub(" ", text)
