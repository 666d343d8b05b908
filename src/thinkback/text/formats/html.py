"""HTML → what a reader sees: headings, paragraphs, lists, tables; no scripts, menus or forms."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from bs4 import BeautifulSoup, MarkupResemblesLocatorWarning, XMLParsedAsHTMLWarning
from bs4.element import CData, PageElement, PreformattedString, Tag

from thinkback.text.formats.content import Content
from thinkback.text.formats.writer import Writer
from thinkback.types import Scalar

__all__ = ["declared_encoding", "read"]

_HIDDEN = re.compile(  # not head and form: where their end is missing they hold the whole page
    "script|style|noscript|template|svg|title|iframe|object|embed|canvas|audio|video|map|nav|button|select|input|textarea"
    "|datalist|dialog"
)
_HIDDEN_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "alert"})
_PARAGRAPHS = re.compile(
    "address|article|aside|blockquote|body|center|dd|details|dl|div|dt|fieldset|figcaption|figure|footer|form|header|hgroup"
    "|hr|main|ol|p|pre|section|summary|table|ul"
)
_LINES = frozenset({"tr", "caption", "thead", "tbody", "tfoot"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
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
    with warnings.catch_warnings():
        # A short or an XHTML file is no mistake of the caller's.
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        soup = BeautifulSoup(text, "html.parser")
    page = _Page()
    page.write(_main(soup))
    return Content(text=page.out.text(), title=_title(soup), metadata=_metadata(soup))


def _main(soup: BeautifulSoup) -> Tag:
    """Return the element that holds the page's own text where it is marked, else the whole page."""
    marked = soup.find_all("main") or soup.find_all("article")
    if len(marked) == 1 and len(marked[0].get_text()) >= _LEAST_MAIN:
        return marked[0]
    return soup


def _title(soup: BeautifulSoup) -> str:
    headings = soup.find_all("h1")
    heading = _flat(headings[0]) if len(headings) == 1 else ""
    named = soup.find("title")
    return heading or (_flat(named) if named else "") or (_flat(headings[0]) if headings else "")


def _flat(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def _metadata(soup: BeautifulSoup) -> dict[str, Scalar]:
    found: dict[str, list[str]] = {}
    for tag in soup.find_all("meta"):
        key = _METADATA.get(str(tag.get("name") or tag.get("property") or "").lower())
        value = " ".join(str(tag.get("content") or "").split())
        if key and value and value not in found.setdefault(key, []):
            found[key].append(value)
    if "doi" in found:
        found["doi"] = [value for value in found["doi"] if value.startswith("10.")][:1]
    metadata: dict[str, Scalar] = {
        key: ", ".join(values) if key == "authors" else values[0] for key, values in found.items() if values
    }
    root = soup.find("html")
    if root and root.get("lang"):
        metadata["language"] = str(root["lang"])
    return metadata


def _steps(root: Tag) -> Iterator[tuple[PageElement, bool]]:
    """Yield each node on entering it (True) and each element also on leaving it, in order.

    Not recursive, as pages nest tens of thousands deep by mistake.
    """
    stack: list[tuple[PageElement, bool]] = [(root, True)]
    while stack:
        node, entering = stack.pop()
        if isinstance(node, Tag) and entering:
            if _is_hidden(node):
                continue
            stack.append((node, False))
            if node.name != "math":
                stack.extend((child, True) for child in reversed(node.contents))
        yield node, entering


def _is_hidden(tag: Tag) -> bool:
    if _HIDDEN.fullmatch(tag.name) or "hidden" in tag.attrs or tag.get("aria-hidden") == "true":
        return True
    return tag.get("role") in _HIDDEN_ROLES or bool(_INVISIBLE.search(str(tag.get("style") or "")))


class _Page:
    """Turns the steps of the walk into text."""

    def __init__(self) -> None:
        self.out = Writer()
        self._preformatted = 0
        self._cells = 0  # begun in this row of a table

    def write(self, root: Tag) -> None:
        for node, entering in _steps(root):
            if isinstance(node, Tag):
                self._preformatted += (node.name == "pre") * (1 if entering else -1)
                self._block(node, entering=entering)
                if entering:
                    self._inline(node)
            elif isinstance(node, CData) or not isinstance(node, PreformattedString):  # comments are preformatted
                (self.out.verbatim if self._preformatted else self.out.words)(str(node))

    def _block(self, tag: Tag, *, entering: bool) -> None:
        name = tag.name
        if name in _HEADINGS and entering:
            self.out.heading(_HEADINGS[name])
        elif name == "li":
            if entering:
                self.out.mark("-")
            else:
                self.out.release()
        elif name in _LINES or (name in {"ul", "ol"} and tag.find_parent("li")):
            self.out.newline()  # a list within a list goes on without a blank line
            self._cells = 0
        elif name in _HEADINGS or _PARAGRAPHS.fullmatch(name):
            self.out.paragraph()

    def _inline(self, tag: Tag) -> None:
        match tag.name:
            case "br":
                self.out.newline()
            case "td" | "th":
                if self._cells:
                    self.out.words(" | ")
                self._cells += 1
            case "math":
                self.out.words(f"${tag['alttext']}$" if tag.get("alttext") else _flat(tag))
            case "img":
                self.out.words(f" {tag.get('alt') or ''} ")
            case _:
                pass
