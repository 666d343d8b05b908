r"""LaTeX source → readable text: sections, paragraphs, lists, captions; formulas as written, citations as ``[key]``.

No TeX is run and no file but this one is read: ``\input`` is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from thinkback.text.formats import latex_commands as commands
from thinkback.text.formats.content import Content
from thinkback.text.formats.latex_commands import swallowed
from thinkback.text.formats.latex_macros import Arguments, expand, without_comments
from thinkback.text.formats.latex_symbols import ACCENTS, SYMBOLS, accented
from thinkback.text.formats.writer import Writer
from thinkback.types import Scalar

__all__ = ["plain", "read"]

_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\(?:title|icmltitle|Title)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_AUTHOR = re.compile(r"\\(?:author|icmlauthor|Author)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{\s*([^}]{1,200}?)\s*\}")
_NOT_NAME = re.compile(
    r"\\(?:thanks|footnote|inst|affil|email|orcid|textsuperscript|footnotemark)\s*(?:\[[^\]]*\])?\s*(?=[{\d])"
)
_BRACE = re.compile(r"\s*\{")
_OPTION = re.compile(r"\s*\[([^\]]{0,500})\]")
_TOKEN = re.compile(
    r"(?P<blank>\n[ \t]*\n\s*)|\\(?P<command>[A-Za-z]+)(?P<star>\*?)[ \t]*|\\(?P<sign>.)|(?P<math>\$\$?)|(?P<mark>[{}&~]|-{2,3}|``|'')"
    r"|(?P<text>[^\\${}&~`'\-\n]+|.)",
    re.DOTALL,
)
_MATH_NOISE = re.compile(r"\\(?:label\s*\{[^}]*\}|nonumber|notag|displaystyle|limits|begin\{split\}|end\{split\})")
_THEOREM = re.compile(r"\\newtheorem\*?\s*\{([A-Za-z*]+)\}\s*(?:\[[^\]]*\])?\s*\{([^}]{1,80})\}")
_LENGTH = re.compile(r"\s*-?[\d.]+\s*(?:pt|cm|mm|in|ex|em|bp|pc|sp|\\\w+)?(?:\s*(?:plus|minus)\s*[\d.]+\s*\w+)*")
_LONGEST_FORMULA = 10_000
_GROUPS = 10_000  # open at a time; more braces are no document


def read(text: str) -> Content:
    """Return the text of the document's body, headed by its title."""
    source = without_comments(text)
    theorems = dict(_THEOREM.findall(source))
    source = expand(source)
    arguments = Arguments(source)
    titled = _TITLE.search(source)
    title = plain(arguments.at(titled.end()).content) if titled else ""
    names = [name for match in _AUTHOR.finditer(source) for name in _names(arguments.at(match.end()).content)]
    body = _BODY.search(source)
    renderer = _Renderer(theorems)
    if title:
        renderer.out.heading(1)
        renderer.out.words(title)
        renderer.out.paragraph()
    renderer.run(body.group(1) if body else source)
    metadata: dict[str, Scalar] = {"authors": ", ".join(names)} if names else {}
    parts = [match.group(1) for match in _INPUT.finditer(source)]
    notes = (f"{len(parts)} included files were not followed: {', '.join(parts[:5])}.",) if parts else ()
    return Content(text=renderer.out.text(), title=title, metadata=metadata, warnings=notes)


def plain(source: str) -> str:
    """Return a short piece of LaTeX (a name, a title, a field of BibTeX) as one line of text."""
    renderer = _Renderer({})
    renderer.run(source)
    return " ".join(renderer.out.text().split())


def _names(source: str) -> list[str]:
    """Return the authors' names: of each, the first line, without notes and addresses."""
    parts, done = [], 0
    arguments = Arguments(source)
    for note in _NOT_NAME.finditer(source):
        if note.start() >= done:
            parts.append(source[done : note.start()])
            done = arguments.at(note.end()).end
    stripped = "".join((*parts, source[done:]))
    authors = re.split(r"\\(?:and|And|AND)\b", stripped)
    first_lines = (re.split(r"\\\\|\n\s*\n", author.strip())[0] for author in authors)
    names = (plain(re.sub(r"\$[^$]*\$", "", line)).strip(" ,") for line in first_lines)
    return [name for name in names if name]


class _Renderer:
    """Reads the source from left to right. What a brace must end is kept on a stack; nothing is recursive."""

    def __init__(self, theorems: dict[str, str]) -> None:
        self.out = Writer()
        self._theorems = theorems
        self._groups: list[Callable[[], None] | None] = []
        self._source = ""
        self._arguments = Arguments("")
        self._at = 0
        self._table = 0
        self._lists: list[int | None] = []

    def run(self, source: str) -> None:
        self._source, self._at = source, 0
        self._arguments = Arguments(source)
        while self._at < len(source):
            token = _TOKEN.match(source, self._at)
            assert token is not None  # noqa: S101 - the last alternative takes any character
            self._at = token.end()
            if token["text"] is not None:
                self.out.words(token["text"])
            elif token["command"] is not None:
                self._command(token["command"])
            elif token["sign"] is not None:
                self._sign(token["sign"])
            elif token["math"] is not None:
                self._formula(token["math"], token["math"])
            elif token["blank"] is not None:
                self.out.paragraph()
            else:
                self._mark(token["mark"])

    def _mark(self, mark: str) -> None:
        if mark == "{":
            if len(self._groups) < _GROUPS:
                self._groups.append(None)
        elif mark == "}":
            at_end = self._groups.pop() if self._groups else None
            if at_end:
                at_end()
        elif mark == "&":
            self.out.words(" | " if self._table else "&")
        else:
            self.out.words({"~": " ", "--": "\u2013", "---": "\u2014", "``": "\u201c", "''": "\u201d"}[mark])

    def _sign(self, sign: str) -> None:
        if sign == "\\":
            self._skip_options()
            self.out.newline()
        elif sign == "(":
            self._formula("$", r"\)")
        elif sign == "[":
            self._formula("$$", r"\]")
        elif sign in ACCENTS:
            self._accent(sign)
        else:
            self.out.words(SYMBOLS.get(sign, ""))

    def _accent(self, accent: str) -> None:
        base = self._argument().strip().removeprefix("\\")
        self.out.words(accented(accent, base))

    def _formula(self, mark: str, close: str) -> None:
        end = self._source.find(close, self._at, self._at + _LONGEST_FORMULA)
        if end < 0:
            self.out.words("$")
            return
        inner = self._source[self._at : end]
        self._at = end + len(close)
        self._write_formula(inner, mark)

    def _write_formula(self, inner: str, mark: str) -> None:
        inner = " ".join(_MATH_NOISE.sub("", inner).split())
        if mark == "$$":
            self.out.newline()
        self.out.words(f"{mark}{inner}{mark}" if inner else "")
        if mark == "$$":
            self.out.newline()

    def _command(self, name: str) -> None:
        if name in commands.SECTIONS:
            self._skip_options()
            self.out.heading(commands.SECTIONS[name])
            self._open(self.out.paragraph)
        elif name in {"begin", "end"}:
            self._environment(name)
        elif commands.CITE.fullmatch(name):
            self._cite()
        elif commands.REF.fullmatch(name):
            self.out.words(f"[{self._argument()}]")
        elif name in SYMBOLS:
            self.out.words(SYMBOLS[name])
        elif name in ACCENTS:
            self._accent(name)
        elif (arguments := swallowed(name)) is not None:
            self._skip_options()
            for _ in range(arguments):
                self._argument()
        else:
            self._special(name)

    def _special(self, name: str) -> None:
        """Handle the commands that need a few words each; of all others only the name is dropped."""
        match name:
            case "footnote" | "footnotetext":
                self._skip_options()
                self.out.words(" (")
                self._open(lambda: self.out.words(")"))
            case "caption" | "captionof":
                self._skip_options()
                self.out.paragraph()
                self._open(self.out.paragraph)
            case "item":
                self._item()
            case "bibitem":
                self._skip_options()
                self.out.newline()
                self.out.words(f"[{self._argument()}] ")
            case "url" | "path" | "nolinkurl":
                self.out.words(self._argument())
            case "verb" | "lstinline":
                self._inline_verbatim()
            case "par" | "newline" | "linebreak" | "tabularnewline":
                (self.out.paragraph if name == "par" else self.out.newline)()
            case "vskip" | "hskip" | "kern":
                length = _LENGTH.match(self._source, self._at)
                self._at = length.end() if length else self._at
            case _:
                self._skip_options()

    def _inline_verbatim(self) -> None:
        mark = self._source[self._at : self._at + 1]
        end = self._source.find("}" if mark == "{" else mark, self._at + 1) if mark else -1
        if end > 0:
            self.out.verbatim(self._source[self._at + 1 : end])
            self._at = end + 1

    def _item(self) -> None:
        option = _OPTION.match(self._source, self._at)
        if option:
            self._at = option.end()
        if self._lists and self._lists[-1] is not None:
            self._lists[-1] += 1
        number = self._lists[-1] if self._lists else None
        self.out.mark("  " * min(len(self._lists) - 1, 8) + ("-" if number is None else f"{number}."))
        if option:
            self.out.words(plain(option.group(1)) + " ")

    def _cite(self) -> None:
        options: list[str] = []
        while (option := _OPTION.match(self._source, self._at)) and len(options) < 2:
            options.append(plain(option.group(1)))
            self._at = option.end()
        keys = ", ".join(key.strip() for key in self._argument().split(","))
        before = options[0] + " " if len(options) == 2 and options[0] else ""
        after = ", " + options[-1] if options and options[-1] else ""
        self.out.words(f"[{before}{keys}{after}]")

    def _environment(self, step: str) -> None:
        name = self._argument().strip()
        if step == "end":
            self._end(name)
            return
        if commands.MATH.fullmatch(name) or commands.VERBATIM.fullmatch(name) or commands.DROPPED.fullmatch(name):
            self._raw(name)
            return
        self._skip_options()
        if commands.LISTS.fullmatch(name):
            (self.out.newline if self._lists else self.out.paragraph)()
            self._lists.append(0 if "enum" in name else None)
            return
        self.out.paragraph()
        if commands.TABLES.fullmatch(name):
            self._table += 1
            for _ in range(1 if name in {"tabular", "longtable", "array"} else 2):
                self._argument()
        elif commands.WITH_ARGUMENT.fullmatch(name):
            self._argument()
        self._entitle(name)

    def _entitle(self, name: str) -> None:
        """Write the heading that an environment brings with it."""
        if name in {"abstract", "thebibliography"}:
            self.out.heading(2)
            self.out.words("Abstract" if name == "abstract" else "References")
            self.out.paragraph()
        elif name in self._theorems or name == "proof":
            self.out.words(f"{self._theorems.get(name, 'Proof')}. ")

    def _end(self, name: str) -> None:
        if commands.LISTS.fullmatch(name) and self._lists:
            self._lists.pop()
            self.out.release()
            if self._lists:
                return
        elif commands.TABLES.fullmatch(name):
            self._table = max(0, self._table - 1)
        self.out.paragraph()

    def _raw(self, name: str) -> None:
        """Take an environment as it stands, up to its end."""
        close = f"\\end{{{name}}}"
        end = self._source.find(close, self._at)
        inner = self._source[self._at : end if end >= 0 else len(self._source)]
        self._at = end + len(close) if end >= 0 else len(self._source)
        if commands.MATH.fullmatch(name):
            self._write_formula(inner, "$$")
        elif commands.VERBATIM.fullmatch(name):
            self.out.paragraph()
            self.out.verbatim(inner.strip("\n"))
            self.out.paragraph()

    def _open(self, at_end: Callable[[], None]) -> None:
        """Enter the argument that follows; ``at_end`` is called at its closing brace."""
        start = _BRACE.match(self._source, self._at)
        if start and len(self._groups) < _GROUPS:
            self._at = start.end()
            self._groups.append(at_end)

    def _argument(self) -> str:
        found = self._arguments.at(self._at)
        self._at = found.end
        return found.content

    def _skip_options(self) -> None:
        while option := _OPTION.match(self._source, self._at):
            self._at = option.end()
