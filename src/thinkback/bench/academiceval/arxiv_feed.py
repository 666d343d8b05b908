"""arXiv as a feed: the ``arxiv`` client asks and reads, our own connection sees to the manners and to broken answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from thinkback.bench.academiceval.papers import Listing, file_name
from thinkback.bench.academiceval.polite import Answer, PoliteClient
from thinkback.bench.academiceval.reading import SourceFile
from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput, LoadError, MissingExtra

__all__ = ["BASE", "ArxivFeed", "bare_id"]

BASE = "https://export.arxiv.org"
"""arXiv's host for programs."""
_PAGE = 100
_CATEGORY = re.compile(r"[a-z-]+(?:\.[A-Za-z-]+)?")
_WITH_PARTS = frozenset(
    {"astro-ph", "cond-mat", "cs", "econ", "eess", "math", "nlin", "physics", "q-bio", "q-fin", "stat"}
)
_ARCHIVES = _WITH_PARTS | {
    "gr-qc",
    "hep-ex",
    "hep-lat",
    "hep-ph",
    "hep-th",
    "math-ph",
    "nucl-ex",
    "nucl-th",
    "quant-ph",
}
_ENTRY = re.compile(rb"<entry(?:\s[^>]*)?>.*?</entry>", re.DOTALL)
_DATE = re.compile(rb"\s*\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})\s*")
_PLACEHOLDER = "http://arxiv.org/abs/unreadable"
_STOP_WORDS = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "in", "into", "is", "its", "of", "on", "or", "the",
     "to", "via", "what", "with"}
)  # fmt: skip
_MOST_WORDS = 12
_OK = 200


class ArxivFeed:
    """Papers of arXiv.

    Args:
        client: makes the requests.
        base: address of the service, without a slash at the end.

    Raises:
        MissingExtra: the ``arxiv`` client is not installed.
    """

    def __init__(self, client: PoliteClient, *, base: str = BASE) -> None:
        try:
            import arxiv
        except ImportError as error:
            raise MissingExtra("Building AcademicEval from arXiv", "bench") from error
        self.name = "arxiv"
        self.faults: list[Fault] = []
        self._http, self._base, self._arxiv = client, base.rstrip("/"), arxiv
        # The pauses are our connection's, which also spans files; the client only asks again for empty pages.
        self._client = arxiv.Client(page_size=_PAGE, delay_seconds=0.0, num_retries=2)
        self._client.query_url_format = f"{self._base}/api/query?{{}}"
        self._client._session = _Session(client, self.faults)  # noqa: SLF001 - the one place where its connection can be set

    def fields(self) -> tuple[str, ...]:
        """Return nothing: every category and every phrase is a field."""
        return ()

    def newest(self, field: str, *, limit: int, since: str = "", skip: int = 0) -> Iterator[Listing]:
        """Yield the papers of a category (cs.CL, or a whole archive: math) or with the words of a phrase; see the port.

        Raises:
            LoadError: arXiv cannot be reached, or keeps failing.
            InvalidInput: the field is empty.
        """
        search = self._search(_query(field), limit=limit)
        for listing in self._run(search, offset=skip):
            if since and listing.published[: len(since)] < since:
                return
            yield listing

    def by_author(self, author: str, *, limit: int) -> Sequence[Listing]:
        """Return the papers that arXiv finds for a name and whose list of authors has it, newest first.

        Raises:
            LoadError: as ``newest``.
        """
        words = " ".join(re.sub(r'["()\\]', " ", author).split())
        found = self._run(self._search(f'au:"{words}"', limit=limit))
        wanted = author.casefold().split()
        return [each for each in found if any(name.casefold().split() == wanted for name in each.authors)]

    def by_title(self, title: str, *, limit: int = 5) -> Sequence[Listing]:
        """Return the papers that have all telling words of a title in theirs.

        Raises:
            LoadError: as ``newest``.
        """
        words = [word for word in re.findall(r"\w+", title) if word.casefold() not in _STOP_WORDS][:_MOST_WORDS]
        if not words:
            return []
        query = " AND ".join(f"ti:{word}" for word in words)
        search = self._arxiv.Search(query=query, max_results=limit)
        return list(self._run(search))

    def by_id(self, ids: Sequence[str]) -> Sequence[Listing]:
        """Return the papers of these ids.

        Raises:
            LoadError: as ``newest``.
        """
        found: list[Listing] = []
        for start in range(0, len(ids), _PAGE):
            found += self._run(self._arxiv.Search(id_list=list(ids[start : start + _PAGE]), max_results=_PAGE))
        return found

    def source(self, listing: Listing) -> SourceFile | None:
        """Return a paper's source as arXiv packs it, else its PDF; of papers that were sent in as PDF that one.

        Raises:
            LoadError: as ``newest``.
        """
        name = f"{quote(listing.id)}{f'v{listing.version}' if listing.version else ''}"
        stem = file_name(listing.id)
        source = self._file(f"{self._base}/src/{name}")
        if source is not None:
            kind = (
                "pdf"
                if source.content[:4] == b"%PDF"
                else "html"
                if b"<html" in source.content[:500].lower()
                else "tar"
            )
            if kind != "html":  # arXiv's page that says that there is no source
                return SourceFile(name=f"{stem}.{kind}", data=source.content)
        pdf = self._file(f"{self._base}/pdf/{name}")
        return (
            SourceFile(name=f"{stem}.pdf", data=pdf.content) if pdf is not None and pdf.content[:4] == b"%PDF" else None
        )

    def close(self) -> None:
        """End the connections."""
        self._http.close()

    def _file(self, url: str) -> Answer | None:
        answer = self._http.get(url)
        if answer.status in {403, 404, 410} or not answer.content:  # withdrawn, or not to be had by programs
            return None
        if answer.status != _OK:
            raise LoadError(f"arXiv answered with status {answer.status} to the request for a file.")
        return answer

    def _search(self, query: str, *, limit: int) -> Any:
        return self._arxiv.Search(
            query=query, max_results=limit, sort_by=self._arxiv.SortCriterion.SubmittedDate,
            sort_order=self._arxiv.SortOrder.Descending,
        )  # fmt: skip

    def _run(self, search: Any, *, offset: int = 0) -> Iterator[Listing]:
        seen: set[str] = set()
        if search.max_results is not None and offset >= search.max_results:
            return
        try:
            for result in self._client.results(search, offset=offset):
                if result.entry_id == _PLACEHOLDER:
                    continue
                if "/api/errors" in result.entry_id:
                    raise LoadError(f"arXiv does not understand the request: {' '.join(result.summary.split())[:200]}")
                listing = _listing(result)
                if listing.id not in seen:
                    seen.add(listing.id)
                    yield listing
        except self._arxiv.UnexpectedEmptyPageError as error:
            raise LoadError(
                "arXiv gave an empty page where there should be papers, three times.",
                hint="Run the same command later: it goes on where it stopped.",
            ) from error


class _Session:
    """Stands where the client expects a ``requests`` session: gets pages with our manners, and mends them.

    The client skips an entry without id or dates in silence, loses a whole page over a date of the wrong form, and takes an
    error page for the end of the list. Here such an entry is named in ``faults`` and replaced by one that we skip ourselves,
    so that the count of the page stays right; and what is no feed, or only the beginning of one, is asked for again.
    """

    def __init__(self, http: PoliteClient, faults: list[Fault]) -> None:
        self._http, self._faults = http, faults

    def get(self, url: str, headers: Any = None) -> Any:  # noqa: ARG002 - the client's own User-Agent is not used
        """Return an answer with ``status_code`` and ``content``."""
        answer = self._http.get(url, complete=lambda content: b"<feed" in content and b"</feed>" in content[-200:])
        if answer.status != _OK:
            raise LoadError(f"arXiv answered with status {answer.status} to a search.")
        return _Page(answer.status, _ENTRY.sub(self._checked, answer.content))

    def _checked(self, match: re.Match[bytes]) -> bytes:
        entry = match[0]
        fault = _fault(entry)
        if not fault:
            return entry
        named = re.search(rb"<id>\s*([^<]{1,200}?)\s*</id>", entry) or re.search(rb"<title>\s*([^<]{1,80})", entry)
        where = named[1].decode("utf-8", "replace").strip() if named else "an entry without id"
        note = Fault(where=f"arXiv feed: {where}", reason=fault)
        if note not in self._faults:
            self._faults.append(note)
        epoch = b"1970-01-01T00:00:00Z"
        return b"<entry><id>%s</id><updated>%s</updated><published>%s</published></entry>" % (
            _PLACEHOLDER.encode(), epoch, epoch,
        )  # fmt: skip


class _Page:
    def __init__(self, status_code: int, content: bytes) -> None:
        self.status_code, self.content = status_code, content


def _fault(entry: bytes) -> str:
    if b"/api/errors" in entry:
        return ""
    if not re.search(rb"<id>\s*\S[^<]*</id>", entry):
        return "the entry has no id"
    for name in (b"published", b"updated"):
        found = re.search(rb"<%s>([^<]*)</%s>" % (name, name), entry)
        if found is None:
            return f"the entry has no date ({name.decode()})"
        if not _DATE.fullmatch(found[1]):
            return f"the entry's date ({name.decode()}) is of no known form"
    return "" if re.search(rb"<title>\s*\S", entry) else "the entry has no title"


def _query(field: str) -> str:
    words = " ".join(field.split())
    if not words:
        raise InvalidInput("A field is a category of arXiv (cs.CL) or a phrase.")
    archive = words.partition(".")[0]
    if _CATEGORY.fullmatch(words) and archive in _ARCHIVES:
        return f"cat:{words}.*" if words in _WITH_PARTS else f"cat:{words}"
    plain = " ".join(re.findall(r"[\w-]+", words))
    if not plain:
        raise InvalidInput(f"{field!r} is no field: it has no words.")
    return f'all:"{plain}"' if " " in plain else f"all:{plain}"


def _listing(result: Any) -> Listing:
    short = result.entry_id.partition("/abs/")[2] or result.entry_id
    version = re.search(r"v(\d+)$", short)
    return Listing(
        id=bare_id(short),
        title=" ".join(result.title.split()),
        abstract=" ".join(result.summary.split()),
        authors=tuple(" ".join(author.name.split()) for author in result.authors if author.name.strip()),
        published=_iso(result.published),
        updated=_iso(result.updated),
        category=result.primary_category or (result.categories[0] if result.categories else ""),
        categories=tuple(result.categories),
        url=f"http://arxiv.org/abs/{short}",
        version=int(version[1]) if version else 0,
    )


def bare_id(short: str) -> str:
    """Return an id without its version."""
    return re.sub(r"v\d+$", "", short)


def _iso(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
