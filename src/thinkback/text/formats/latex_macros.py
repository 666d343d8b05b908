r"""LaTeX source → the same without comments and with the author's own commands written out.

Only commands that text can be made of are known: ``\newcommand``, ``\def`` with plain parameters,
``\DeclareMathOperator``. What goes on for ever, or grows beyond all measure, is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Argument", "Arguments", "expand", "without_comments"]

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*+(?=[^\n]|\Z))?")
_RAW = re.compile(
    r"\\begin\{(?P<name>verbatim\*?|lstlisting|minted|Verbatim)\}|\\verb\*?(?P<mark>[^A-Za-z\s*])"
    r"|\\(?:url|path|nolinkurl|href)\s*\{[^{}\n]*\}"
)
_OFF = (
    (re.compile(r"\\begin\{comment\}"), re.compile(r"\\end\{comment\}")),
    (re.compile(r"\\iffalse\b"), re.compile(r"\\else\b|\\fi\b")),
)
_LONGEST_VERB = 1000  # characters
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*(?:\{\s*\\([A-Za-z]+)\s*\}|\\([A-Za-z]+))"
    r"\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?\s*(?=\{)"
)
_DEF = re.compile(r"\\(?:def|gdef|edef)\s*\\([A-Za-z]+)\s*((?:#\d)*)\s*(?=\{)")
_OPERATOR = re.compile(r"\\DeclareMathOperator\*?\s*\{\s*\\([A-Za-z]+)\s*\}\s*(?=\{)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_PARAMETER = re.compile(r"#(\d)")
_SPACES = re.compile(r"[ \t\n]*")
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


class Arguments:
    """Finds the arguments of commands in a text. Braces are paired once, so that no text makes it slow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing: dict[int, int] | None = None

    def at(self, position: int) -> Argument:
        """Return the argument that begins at a position or after spaces, or an empty one where there is none."""
        text = self._text
        start = _SPACES.match(text, position).end()  # type: ignore[union-attr] # matches everywhere, if only nothing
        if start >= len(text):
            return Argument("", start)
        if text[start] != "{":
            command = _COMMAND.match(text, start)
            end = command.end() if command else start + 1
            return Argument(text[start:end], end)
        if self._closing is None:
            self._closing = _pairs(text)
        closing = self._closing.get(start)
        if closing is None or closing - start > _LONGEST_ARGUMENT:
            return Argument("", start + 1)  # never closed
        return Argument(text[start + 1 : closing], closing + 1)


def _pairs(text: str) -> dict[int, int]:
    """Return the position of each opening brace's closing one."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(text):
        if match.group() == "{":
            opened.append(match.start())
        elif match.group() == "}" and opened:
            pairs[opened.pop()] = match.start()
    return pairs


def without_comments(text: str) -> str:
    """Return the source without comments, which end the line they stand on, and without what is switched off."""
    parts: list[str] = []
    done = 0
    for start, end in _raw_spans(text):
        parts += (_COMMENT.sub(r"\1", text[done:start]), text[start:end])
        done = end
    # A comment takes its line's end with it, unless a blank line comes after, which still ends the paragraph.
    text = "".join((*parts, _COMMENT.sub(r"\1", text[done:])))
    for opening, closing in _OFF:
        text = _without(text, opening, closing)
    return text


def _raw_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans in which a percent sign is one."""
    at = 0
    unclosed: set[str] = set()  # what has no end is not looked for again: that would take for ever
    for match in _RAW.finditer(text):
        if match.start() < at or match["name"] in unclosed:
            continue
        at = match.end()
        if match["name"]:
            close = text.find(f"\\end{{{match['name']}}}", at)
            if close < 0:
                unclosed.add(match["name"])
                continue
            at = close
        elif match["mark"]:
            at = max(at, text.find(match["mark"], at, at + _LONGEST_VERB) + 1)
        yield match.start(), at


def _without(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    parts, done = [], 0
    for start in opening.finditer(text):
        if start.start() < done:
            continue
        end = closing.search(text, start.end())
        if end is None:
            break
        parts.append(text[done : start.start()])
        done = end.end()
    return "".join((*parts, text[done:]))


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
    arguments = Arguments(text)
    found = sorted(
        (match for pattern in (_DEFINITION, _DEF, _OPERATOR) for match in pattern.finditer(text)),
        key=lambda match: match.start(),
    )
    for match in found:
        if match.start() < done:
            continue
        body = arguments.at(match.end())
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
    arguments = Arguments(text)
    done = length = 0
    for match in _COMMAND.finditer(text):
        macro = macros.get(match.group(1))
        if macro is None or match.start() < done or length > budget:
            continue
        written, end = _apply(text, arguments, match.end(), macro)
        parts += (text[done : match.start()], written)
        length += match.start() - done + len(written)
        done = end
    return "".join((*parts, text[done:]))


def _apply(text: str, arguments: Arguments, position: int, macro: _Macro) -> tuple[str, int]:
    given: list[str] = []
    if macro.arguments and macro.default is not None:
        close = text.find("]", position, position + 1000) if text.startswith("[", position) else -1
        given.append(text[position + 1 : close] if close >= 0 else macro.default)
        position = close + 1 if close >= 0 else position
    while len(given) < macro.arguments:
        found = arguments.at(position)
        given.append(found.content)
        position = found.end
    if not macro.arguments and text[position : position + 1] == " ":
        position += 1  # a space ends the command's name, and is no more than that
    written = _PARAMETER.sub(
        lambda match: given[int(match.group(1)) - 1] if int(match.group(1)) <= len(given) else "", macro.body
    )
    # A command at the body's end must not swallow the letter that follows.
    return written + (" " if re.search(r"\\[A-Za-z]+$", written) else ""), position
