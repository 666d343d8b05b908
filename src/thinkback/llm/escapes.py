r"""Read the inside of a JSON string as a language model meant it, piece by piece.

Models that write about mathematics forget to double the backslash: ``"\text{loss}"`` is, by the letter of JSON, a tab
and ``ext{loss}``, and ``"\alpha"`` is not JSON at all. Both come out here as the LaTeX that was meant. A decision looks
only at what came before in the same string and at the few characters after, so that a streamed string and the whole
one decode alike.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["StringDecoder", "decode_string"]

_WHITESPACE: Final = {"n": "\n", "t": "\t"}
_CONTROL: Final = {"b": "\b", "f": "\f", "r": "\r"}
_SELF: Final = {'"': '"', "\\": "\\", "/": "/", "'": "'"}
r"""``\'`` is no JSON escape, but what models trained on Python write in "it\'s"."""

_CERTAIN: Final = re.compile(
    # After a tab or a newline, the rest of these is no word of any language.
    r"table|tabular|tbinom|text(?:bf|it|normal|rm|sc|sf|style|tt|up)?|tfrac|thanks|therefore|theta|thickapprox|thicksim"
    r"|thinspace|tilde|times|tiny|title|toprule|triangle(?:left|q|right)?|twoheadrightarrow"
    r"|nabla|natural|ncong|nearrow|neg|neq|newcommand|newline|newpage|nexists|ngeq|ngtr|nleftarrow|nleq|noindent"
    r"|nolimits|nonumber|norm|normalsize|not|notin|nsim|nsubseteq|nsupseteq|nwarrow"
)
_UNCERTAIN: Final = re.compile(
    # The rest is a word somewhere ("an", "au", "e", "less"): LaTeX only beside other signs of LaTeX.
    r"tag|tanh?|tau|to|top|ne|ni|nless|nmid|nparallel|nrightarrow|nu"
)
_LONGEST_RUN: Final = 24
"""Longer runs of letters are no LaTeX command, and nobody need wait for their end."""

_LETTERS: Final = re.compile(r"[A-Za-z]*")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{0,4}")
_LATEX_NEXT: Final = frozenset("_^{}$\\")


class StringDecoder:
    """Decodes the raw text between the quotes of one JSON string, fed in any pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._latex = False

    def feed(self, raw: str, *, last: bool = False) -> str:
        """Return the text that is certain by now.

        Args:
            raw: the next piece; the pieces may break anywhere, also inside an escape.
            last: no more will come; whatever was held back is decided now.
        """
        raw = self._held + raw
        out: list[str] = []
        at = 0
        while True:
            slash = raw.find("\\", at)
            if slash < 0:
                out.append(raw[at:])
                self._held = ""
                break
            out.append(raw[at:slash])
            step = self._escape(raw, slash, last=last)
            if step is None:
                self._held = raw[slash:]
                break
            text, at = step
            out.append(text)
        return "".join(out).replace("\0", "")

    def _escape(self, raw: str, at: int, *, last: bool) -> tuple[str, int] | None:
        """Decode the escape at ``at``; return its text and where it ends, or None while that cannot be told."""
        if at + 1 == len(raw):
            return ("\\", at + 1) if last else None
        letter = raw[at + 1]
        if letter in _SELF:
            return _SELF[letter], at + 2
        if letter == "u":
            return self._unicode(raw, at, last=last)
        if letter in _WHITESPACE or letter in _CONTROL:
            return self._command(raw, at, last=last)
        self._latex |= letter.isalpha()
        return "\\" + letter, at + 2

    def _command(self, raw: str, at: int, *, last: bool) -> tuple[str, int] | None:
        match = _LETTERS.match(raw, at + 1)
        run = match.group() if match else ""
        end = at + 1 + len(run)
        if end == len(raw) and not last and len(run) <= _LONGEST_RUN:
            return None
        if self._is_latex(run, raw[end : end + 1]):
            self._latex = True
            return "\\" + run, end
        letter = run[0]
        return _WHITESPACE.get(letter) or _CONTROL[letter], at + 2

    def _is_latex(self, run: str, following: str) -> bool:
        if run[0] in _CONTROL:
            # Nobody writes backspaces, form feeds or bare carriage returns before a word.
            return len(run) > 1 and (run[1].islower() or run == "rVert")
        if _UNCERTAIN.fullmatch(run):
            return self._latex or following in _LATEX_NEXT
        return _CERTAIN.fullmatch(run) is not None

    def _unicode(self, raw: str, at: int, *, last: bool) -> tuple[str, int] | None:
        code = _code_unit(raw, at)
        if code is None:
            if not last and _may_become_code(raw, at):
                return None
            self._latex = True  # \upsilon, \underline
            return "\\u", at + 2
        end = at + 6
        if 0xD800 <= code < 0xDC00:
            low = _code_unit(raw, end)
            if low is not None and 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + low - 0xDC00), end + 6
            if low is None and not last and _may_become_code(raw, end):
                return None
        if 0xD800 <= code < 0xE000:
            return "\ufffd", end  # half a pair: no text, and no database takes it
        return chr(code), end


def _code_unit(raw: str, at: int) -> int | None:
    digits = raw[at + 2 : at + 6]
    if raw[at : at + 2] != "\\u" or len(digits) < 4 or not _HEX.fullmatch(digits):
        return None
    return int(digits, 16)


def _may_become_code(raw: str, at: int) -> bool:
    r"""Tell whether what stands from ``at`` to the end is the beginning of ``\uXXXX``."""
    rest = raw[at:]
    return len(rest) < 6 and (rest in {"", "\\"} or (rest.startswith("\\u") and _HEX.fullmatch(rest[2:]) is not None))


def decode_string(raw: str) -> str:
    """Return the text of a JSON string, given what stands between its quotes."""
    return StringDecoder().feed(raw, last=True)
