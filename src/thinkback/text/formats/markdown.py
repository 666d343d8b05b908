"""Markdown → readable text: marks of emphasis and links go, headings, lists, tables, code and formulas stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from thinkback.text.formats import html
from thinkback.text.formats.content import Content
from thinkback.text.formats.frontmatter import split_front_matter
from thinkback.text.formats.writer import Writer

__all__ = ["read"]

_FENCE_OR_HEADING = re.compile(r"^(?:(```|~~~)|#{1,6} )", re.MULTILINE)
_PORTION = 500_000  # characters
_LONGEST_FORMULA = 2000  # characters: a lone dollar sign must not swallow the rest of a file


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    parser.inline.ruler.before("escape", "formula", _formula)
    return parser


def _formula(state: StateInline, silent: bool) -> bool:  # the parser passes both by position
    """Take ``$...$`` and ``$$...$$`` as they stand, so that their stars and underscores are not emphasis.

    As in Pandoc, the opening mark is followed and the closing one preceded by a character that is not a space, and no
    digit follows the closing mark: "$5 and $6" is money.
    """
    source, at = state.src, state.pos
    if source[at] != "$":
        return False
    mark = "$$" if source.startswith("$$", at) else "$"
    close = source.find(mark, at + len(mark), at + _LONGEST_FORMULA)
    inner = source[at + len(mark) : close]
    end = close + len(mark)
    if close < 0 or not inner.strip():
        return False
    if mark == "$" and (inner[0].isspace() or inner[-1].isspace() or source[end : end + 1].isdigit()):
        return False
    if not silent:
        state.push("formula", "", 0).content = source[at:end]
    state.pos = end
    return True


def read(text: str) -> Content:
    """Return the readable text; the title is the front matter's, else the first heading of level 1."""
    front = split_front_matter(text)
    renderer = _Renderer()
    for portion in _portions(front.body):
        renderer.blocks(_parser().parse(portion))
        renderer.out.paragraph()
    return Content(text=renderer.out.text(), title=front.title or renderer.title, metadata=front.metadata)


def _portions(text: str) -> Iterator[str]:
    """Cut a large file before headings: the parser takes a hundred bytes of memory for each byte that it is given.

    A link's address may then be in another portion than the link, which then shows as it is written.
    """
    start = 0
    fenced = False
    for line in _FENCE_OR_HEADING.finditer(text):
        if line.group(1):
            fenced = not fenced
        elif not fenced and line.start() - start >= _PORTION:
            yield text[start : line.start()]
            start = line.start()
    yield text[start:]


class _Renderer:
    """Walks the parser's flat list of tokens."""

    def __init__(self) -> None:
        self.out = Writer()
        self.title = ""
        self._lists: list[int | None] = []  # of each open list: the number of its next item, None for bullets
        self._first_cell = True

    def blocks(self, tokens: Sequence[Token]) -> None:
        for number, token in enumerate(tokens):
            if token.type == "inline":
                if not self.title and number and tokens[number - 1].tag == "h1":
                    self.title = _plain(token)
                self._inline(token)
            elif token.type in {"fence", "code_block"}:
                self.out.paragraph()
                self.out.verbatim(token.content.rstrip("\n"))
                self.out.paragraph()
            elif token.type == "html_block":
                self._html(token.content)
            else:
                self._structure(token)

    def _structure(self, token: Token) -> None:
        kind, _, step = token.type.rpartition("_")
        if kind == "heading" and step == "open":
            self.out.heading(int(token.tag[1]))
        elif kind in {"bullet_list", "ordered_list"}:
            self._list(token, opening=step == "open")
        elif kind == "list_item":
            self._item(opening=step == "open")
        elif kind in {"tr", "thead", "tbody"} or (kind == "paragraph" and self._lists):
            self.out.newline()
            self._first_cell = True
        elif kind in {"td", "th"}:
            if step == "open" and not self._first_cell:
                self.out.words(" | ")
            self._first_cell = False
        elif step in {"open", "close"}:
            self.out.paragraph()

    def _list(self, token: Token, *, opening: bool) -> None:
        if opening:
            self._lists.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None)
        else:
            self._lists.pop()
        if len(self._lists) == opening:  # an outermost one begins or ends
            self.out.paragraph()

    def _item(self, *, opening: bool) -> None:
        if not opening:
            self.out.release()
            return
        number = self._lists[-1]
        self.out.mark("  " * (len(self._lists) - 1) + ("-" if number is None else f"{number}."))
        if number is not None:
            self._lists[-1] = number + 1

    def _inline(self, token: Token) -> None:
        for child in token.children or ():
            match child.type:
                case "text":
                    self.out.words(child.content)
                case "code_inline" | "formula":
                    self.out.verbatim(child.content)
                case "softbreak":
                    self.out.soft_break()
                case "hardbreak":
                    self.out.newline()
                case "image":
                    self.out.words(child.content)
                case "html_inline" if child.content.lower().startswith("<br"):
                    self.out.newline()
                case _:
                    pass

    def _html(self, source: str) -> None:
        inner = html.read(source).text
        if inner.strip():
            self.out.paragraph()
            self.out.verbatim(inner)
            self.out.paragraph()


def _plain(token: Token) -> str:
    kept = {"text", "code_inline", "formula", "image"}
    return "".join(
        child.content if child.type in kept else " " * ("break" in child.type) for child in token.children or ()
    ).strip()
