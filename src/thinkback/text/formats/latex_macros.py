r"""LaTeX source → the same without comments and with the author's own commands written out.

Only commands that text can be made of are known: ``\newcommand``, ``\def`` with plain parameters,
``\DeclareMathOperator``. What goes on for ever, or grows beyond all measure, is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Argument", "argument", "expand", "without_comments"]

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(\n[ \t]*(?!\n)|\n|\Z)?")
_RAW = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted|Verbatim)\}.*?\\end\{\1\}|\\verb\*?([^A-Za-z\s*]).*?\2"
    r"|\\(?:url|path|nolinkurl|href)\s*\{[^{}\n]*\}",
    re.DOTALL,
)
_DROPPED = re.compile(r"\\begin\{comment\}.*?\\end\{comment\}|\\iffalse\b.*?(?:\\else\b|\\fi\b)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))"
    r"\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?\s*(?=\{)"
)
_DEF = re.compile(r"\\(?:def|gdef|edef)\s*\\([A-Za-z]+)\s*((?:#\d)*)\s*(?=\{)")
_OPERATOR = re.compile(r"\\DeclareMathOperator\*?\s*\{\s*\\([A-Za-z]+)\s*\}\s*(?=\{)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_PARAMETER = re.compile(r"#(\d)")
_LONGEST_ARGUMENT = 20_000  # characters
_DEPTH = 12  # commands within commands
_GROWTH = 4  # times the source's length, and
_FREE_GROWTH = 100_000  # characters: what a document may grow to


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands between braces (or the one character that needs none), and where it ends."""

    content: str
    end: int


@dataclass(frozen=True, slots=True)
class _Macro:
    body: str
    arguments: int = 0
    default: str | None = None
    """Of the first argument, which is then optional."""


def argument(text: str, position: int, *, limit: int = _LONGEST_ARGUMENT) -> Argument:
    """Return the argument that begins at a position, or an empty one where there is none."""
    while position < len(text) and text[position] in " \t\n":
        position += 1
    if position >= len(text):
        return Argument("", position)
    if text[position] != "{":
        command = _COMMAND.match(text, position)
        end = command.end() if command else position + 1
        return Argument(text[position:end], end)
    depth = 0
    for match in _BRACE.finditer(text, position, position + limit):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if depth == 0:
            return Argument(text[position + 1 : match.start()], match.end())
    return Argument("", position + 1)  # never closed


def without_comments(text: str) -> str:
    """Return the source without comments, which end the line they stand on, and without what is switched off."""
    raw: list[str] = []

    def keep(match: re.Match[str]) -> str:
        raw.append(match.group())
        return f"\x00{len(raw) - 1}\x00"

    text = _RAW.sub(keep, text)
    text = _COMMENT.sub(_comment, text)
    text = _DROPPED.sub("", text)
    return re.sub(r"\x00(\d+)\x00", lambda match: raw[int(match.group(1))], text)


def _comment(match: re.Match[str]) -> str:
    # A comment takes its line's end with it; a blank line after it still ends the paragraph.
    return match.group(1) + ("\n" if (match.group(2) or "").rstrip(" \t") == "\n" and match.group(2) == "\n" else "")


def expand(text: str) -> str:
    """Return the source without the definitions it makes, and with their commands written out."""
    macros: dict[str, _Macro] = {}
    text = _collect(text, macros)
    if not macros:
        return text
    budget = _GROWTH * len(text) + _FREE_GROWTH
    for _ in range(_DEPTH):
        written = _write_out(text, macros, budget)
        if written == text:
            break
        text = written
    return text


def _collect(text: str, macros: dict[str, _Macro]) -> str:
    """Take the definitions out of the text, into ``macros``."""
    parts, done = [], 0
    found = sorted(
        (match for pattern in (_DEFINITION, _DEF, _OPERATOR) for match in pattern.finditer(text)),
        key=lambda match: match.start(),
    )
    for match in found:
        if match.start() < done:
            continue
        body = argument(text, match.end())
        if match.re is _DEFINITION:
            name = match.group(1) or match.group(2)
            macros[name] = _Macro(body.content, int(match.group(3) or 0), match.group(4))
        elif match.re is _DEF:
            macros[match.group(1)] = _Macro(body.content, len(match.group(2)) // 2)
        else:
            macros[match.group(1)] = _Macro(rf"\operatorname{{{body.content}}}")
        parts.append(text[done : match.start()])
        done = body.end
    return "".join((*parts, text[done:]))


def _write_out(text: str, macros: Mapping[str, _Macro], budget: int) -> str:
    """Replace each of the commands once."""
    parts: list[str] = []
    done = length = 0
    for match in _COMMAND.finditer(text):
        macro = macros.get(match.group(1))
        if macro is None or match.start() < done or length > budget:
            continue
        written, end = _apply(text, match.end(), macro)
        parts += (text[done : match.start()], written)
        length += match.start() - done + len(written)
        done = end
    return "".join((*parts, text[done:]))


def _apply(text: str, position: int, macro: _Macro) -> tuple[str, int]:
    given: list[str] = []
    if macro.arguments and macro.default is not None:
        close = text.find("]", position, position + 1000) if text.startswith("[", position) else -1
        given.append(text[position + 1 : close] if close >= 0 else macro.default)
        position = close + 1 if close >= 0 else position
    while len(given) < macro.arguments:
        found = argument(text, position)
        given.append(found.content)
        position = found.end
    if not macro.arguments and text[position : position + 1] == " ":
        position += 1  # a space ends the command's name, and is no more than that
    written = _PARAMETER.sub(
        lambda match: given[int(match.group(1)) - 1] if int(match.group(1)) <= len(given) else "", macro.body
    )
    # A command at the body's end must not swallow the letter that follows.
    return written + (" " if re.search(r"\\[A-Za-z]+$", written) else ""), position
