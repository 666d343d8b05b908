"""HTML → what a reader sees: headings, paragraphs, lists, tables; no scripts, menus or forms.

The page is read as a stream with the standard library's parser. A tree (Beautiful Soup was tried: the same text) takes
70 bytes of memory for each byte of the page and three times as long, which a saved page of 50 MB does not forgive.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser

from thinkback.text.formats.content import Content
from thinkback.text.formats.writer import Writer
from thinkback.types import Scalar

__all__ = ["declared_encoding", "read"]

_HIDDEN = re.compile(  # not head and form: where their end is missing they hold the whole page
    "script|style|noscript|template|svg|title|iframe|object|canvas|audio|video|map|nav|button|select|textarea|datalist"
    "|dialog"
)
_HIDDEN_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "alert"})
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_PARAGRAPHS = re.compile(
    "address|article|aside|blockquote|body|center|dd|details|dl|div|dt|fieldset|figcaption|figure|footer|form|header|hgroup"
    "|hr|main|ol|p|pre|section|summary|table|ul"
)
_LINES = frozenset({"tr", "caption", "thead", "tbody", "tfoot"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ENDS = {  # elements whose beginning ends another one, unless a border lies between
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "p": (frozenset({"p"}), frozenset({"div", "td", "th", "li", "section", "article", "blockquote", "body", "main"})),
}
_LOOK_BACK = 32  # open elements that are looked through for one to end
_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE
)
_METADATA = {
    "author": "authors",
    "citation_author": "authors",
    "dc.creator": "authors",
    "citation_doi": "doi",
    "dc.identifier": "doi",
    "citation_publication_date": "date",
    "citation_date": "date",
    "article:published_time": "date",
    "dc.date": "date",
    "description": "description",
    "keywords": "keywords",
}
_LEAST_MAIN = 200  # characters: a smaller <main> is not where the text is


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that the head of an HTML or XML file names."""
    found = _CHARSET.search(data[:4096])
    return found.group(1).decode("ascii") if found else None


def read(text: str) -> Content:
    """Return the visible text; the title is the first ``h1``'s if there is only one, else ``<title>``'s."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end()
    return Content(text=page.main(), title=page.title(), metadata=page.metadata())


class _Page(HTMLParser):
    """Turns the parser's events into text. Knows which elements are open, and which of them hides what is inside."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out = Writer()
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._hidden_from: int | None = None  # number of open elements where the hidden one began
        self._cells = 0  # begun in this row of a table
        self._named: list[str] = []  # pieces of <title>
        self._h1: list[list[str]] = []  # pieces of each <h1>
        self._regions: dict[str, list[list[int]]] = {"main": [], "article": []}  # where in the output each one lies
        self._said: dict[str, list[str]] = {}

    # --- the parser's events ---

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element."""
        given = {name: value or "" for name, value in attrs}
        if tag == "meta":
            self._meta(given)
        elif tag == "html" and given.get("lang"):
            self._said["language"] = [given["lang"]]
        self._end_others(tag)
        void = _VOID.fullmatch(tag) is not None
        if self._hidden_from is None:
            if not void and _is_hidden(tag, given):
                self._hidden_from = len(self._open)
            else:
                self._block(tag, entering=True)
                self._inline(tag, given)
        if not void:
            self._open.append(tag)
            self._counts[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Leave an element and those in it that were not ended; an end without a beginning is passed over."""
        if tag == "br":
            self.out.newline()
        while self._counts[tag]:
            last = self._open.pop()
            self._counts[last] -= 1
            if self._hidden_from is None:
                self._block(last, entering=False)
            elif self._hidden_from == len(self._open):
                self._hidden_from = None
            if last == tag:
                break

    def handle_data(self, data: str) -> None:
        """Take text."""
        if self._hidden_from is not None:
            if self._open[-1] == "title" and not self._counts["svg"]:
                self._named.append(data)
            return
        if self._counts["h1"]:
            self._h1[-1].append(data)
        if self._counts["pre"]:
            self.out.verbatim(data)
        else:
            self.out.words(data)

    def unknown_decl(self, data: str) -> None:
        """Take the text of a CDATA section, as XHTML has them."""
        if data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    # --- what they mean ---

    def _end_others(self, tag: str) -> None:
        """End what the beginning of this element ends by the rules of HTML, such as the list item before."""
        others, borders = (
            _ENDS["p"] if _PARAGRAPHS.fullmatch(tag) and tag not in _ENDS else _ENDS.get(tag, (None, None))
        )
        if others is None or borders is None:
            return
        for name in self._open[: -_LOOK_BACK - 1 : -1]:
            if name in others:
                self.handle_endtag(name)
                return
            if name in borders:
                return

    def _block(self, tag: str, *, entering: bool) -> None:
        if tag in self._regions:
            self._region(self._regions[tag], tag, entering=entering)
        if tag in _HEADINGS and entering:
            self.out.heading(_HEADINGS[tag])
            if tag == "h1":
                self._h1.append([])
        elif tag == "li":
            if entering:
                self.out.mark("-")
            else:
                self.out.release()
        elif tag in _LINES or (tag in {"ul", "ol"} and self._counts["li"]):
            self.out.newline()  # a list within a list goes on without a blank line
            self._cells = 0
        elif tag in _HEADINGS or _PARAGRAPHS.fullmatch(tag):
            self.out.paragraph()

    def _region(self, regions: list[list[int]], tag: str, *, entering: bool) -> None:
        if entering and not self._counts[tag]:
            self.out.paragraph()
            regions.append([self.out.position])
        elif not entering and not self._counts[tag]:
            regions[-1].append(self.out.position)

    def _inline(self, tag: str, given: Mapping[str, str]) -> None:
        match tag:
            case "br":
                self.out.newline()
            case "td" | "th":
                if self._cells:
                    self.out.words(" | ")
                self._cells += 1
            case "math" if given.get("alttext"):
                self.out.words(f"${given['alttext']}$")
                self._hidden_from = len(self._open)
            case "img":
                self.out.words(f" {given.get('alt', '')} ")
            case _:
                pass

    def _meta(self, given: Mapping[str, str]) -> None:
        key = _METADATA.get((given.get("name") or given.get("property") or "").lower())
        value = " ".join(given.get("content", "").split())
        if key and value and value not in self._said.setdefault(key, []):
            self._said[key].append(value)

    # --- the result ---

    def end(self) -> None:
        """Leave all elements that were never ended."""
        while self._open:
            self.handle_endtag(self._open[-1])

    def main(self) -> str:
        """Return the text of the one element that is marked as the page's own, else of the whole page."""
        regions = self._regions["main"] or self._regions["article"]
        if len(regions) == 1:
            marked = self.out.text(*regions[0]).strip("\n")
            if len(marked) >= _LEAST_MAIN:
                return marked
        return self.out.text()

    def title(self) -> str:
        """Return the page's title, as one line."""
        headings = [" ".join("".join(pieces).split()) for pieces in self._h1]
        named = " ".join("".join(self._named).split())
        if len(headings) == 1 and headings[0]:
            return headings[0]
        return named or next(iter(headings), "")

    def metadata(self) -> dict[str, Scalar]:
        """Return what the page's ``<meta>`` elements say of it."""
        said = {key: values for key, values in self._said.items() if values}
        if "doi" in said:
            said["doi"] = [value for value in said["doi"] if value.startswith("10.")] or [""]
        found: dict[str, Scalar] = {
            key: ", ".join(values) if key == "authors" else values[0] for key, values in said.items()
        }
        return {key: value for key, value in found.items() if value}


def _is_hidden(tag: str, given: Mapping[str, str]) -> bool:
    if _HIDDEN.fullmatch(tag) or "hidden" in given or given.get("aria-hidden") == "true":
        return True
    return given.get("role") in _HIDDEN_ROLES or bool(_INVISIBLE.search(given.get("style", "")))
