"""Items ↔ JSON: in the layout of the AcademicEval repository, and under the documented field names of the paper's Table 4.

Repository: ``abstract_single`` one record a file; ``abstract_multi`` a list, first what holds for all, then the papers;
``related_multi`` a list, first the paper, then the candidates, those that are cited labelled so. Documented: ``title``,
``abstract``, ``main_content``, with a number after a blank for each of several papers. What we add (``id``, ``conclusion``) others
do not miss. Both are read back, whoever wrote them, as is the older form whose first record is labelled ``target``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thinkback.bench.academiceval.items import Candidate, Item, MultiItem, PaperText, RelatedItem, SetName, SingleItem
from thinkback.bench.academiceval.papers import Listing
from thinkback.errors import InvalidInput

__all__ = ["candidate_row", "from_json", "listing_from", "listing_row", "paper_from", "to_documented", "to_repository"]

ORIGINAL, CITED, DRAWN = "Original Paper", "Related Work", "Random Paper"
_NUMBERED = re.compile(r"(title|abstract|main_content) (\d+)")
_ABS = re.compile(r"/abs/(.+?)(?:v\d+)?/?$")


def to_repository(item: Item) -> dict[str, Any] | list[dict[str, Any]]:
    """Return an item in the layout of the AcademicEval repository."""
    if isinstance(item, SingleItem):
        row = _paper_row(item.paper)
        return {**row, "gt": item.paper.listing.abstract, "pre_questions": list(item.pre_questions)}
    if isinstance(item, MultiItem):
        head = {
            "id": item.id, "published": item.published, "gt": list(item.references), "pre_questions": list(item.pre_questions)
        }  # fmt: skip
        return [head, *(_paper_row(each) for each in item.papers)]
    first = {
        **_paper_row(item.paper), "paper_cat": item.paper.listing.category, "gt": item.reference,
        "pre_questions": list(item.pre_questions),
    }  # fmt: skip
    return [first, *(candidate_row(each) for each in item.candidates)]


def to_documented(item: Item) -> dict[str, Any]:
    """Return an item under the documented field names."""
    extra: dict[str, Any] = {"id": item.id, "published": item.published, "pre_questions": list(item.pre_questions)}
    if isinstance(item, SingleItem):
        listing = item.paper.listing
        return {
            "title": listing.title, "abstract": listing.abstract, "main_content": item.paper.main_content,
            "conclusion": item.paper.conclusion, "category": listing.category, **extra,
        }  # fmt: skip
    if isinstance(item, MultiItem):
        row: dict[str, Any] = {}
        for number, each in enumerate(item.papers, 1):
            row |= {f"title {number}": each.listing.title, f"abstract {number}": each.listing.abstract,
                    f"main_content {number}": each.main_content, f"conclusion {number}": each.conclusion,
                    f"id {number}": each.listing.id, f"published {number}": each.listing.published,
                    f"category {number}": each.listing.category}  # fmt: skip
        return {**row, "gt": list(item.references), **extra}
    listing = item.paper.listing
    row = {"title": listing.title, "abstract": listing.abstract, "main_content": item.paper.main_content,
           "conclusion": item.paper.conclusion, "category": listing.category, "gt": item.reference}  # fmt: skip
    for number, candidate in enumerate(item.candidates, 1):
        row |= {f"title {number}": candidate.listing.title, f"abstract {number}": candidate.listing.abstract,
                f"label {number}": CITED if candidate.gold else DRAWN, f"id {number}": candidate.listing.id,
                f"category {number}": candidate.listing.category}  # fmt: skip
    return {**row, **extra}


def from_json(value: Any, kind: SetName, name: str = "") -> Item:
    """Return the item that a file holds, in whichever of the layouts.

    Args:
        value: of the file, parsed.
        kind: which set it is of.
        name: of the file, for items that say no id.

    Raises:
        InvalidInput: it is of none of the layouts, or lacks what the set needs.
    """
    readers: dict[SetName, Callable[[Any, str], Item]] = {
        "abstract_single": _single, "abstract_multi": _multi, "related_multi": _related,
    }  # fmt: skip
    try:
        return readers[kind](value, name)
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"not an item of {kind}: {type(error).__name__} {error}") from error


def listing_row(listing: Listing) -> dict[str, Any]:
    """Return a paper's own fields as the repository names them."""
    return {
        "url": listing.url, "title": listing.title, "abstract": listing.abstract, "authors": list(listing.authors),
        "published": listing.published, "updated": listing.updated, "primary_cat": listing.category,
        "cats": list(listing.categories), "id": listing.id,
    }  # fmt: skip


def candidate_row(candidate: Candidate) -> dict[str, Any]:
    """Return a candidate: cited ones are labelled, drawn ones carry the category that they were drawn from."""
    row = listing_row(candidate.listing)
    if candidate.gold:
        return {**row, "label": CITED}
    return {**row, "label": DRAWN, "category": candidate.listing.category}


def listing_from(row: Mapping[str, Any], name: str = "") -> Listing:
    """Return the listing of a record of any layout.

    Raises:
        InvalidInput: it has no title.
    """
    title = " ".join(str(row.get("title") or "").split())
    url = str(row.get("url") or "")
    found = _ABS.search(url)
    if not title:
        raise InvalidInput("no title")
    return Listing(
        id=str(row.get("id") or (found[1] if found else "") or name or title), title=title,
        abstract=" ".join(str(row.get("abstract") or "").split()), authors=_texts(row.get("authors")),
        published=str(row.get("published") or row.get("year") or ""), updated=str(row.get("updated") or ""),
        category=str(row.get("primary_cat") or row.get("paper_cat") or row.get("category") or ""),
        categories=_categories(row.get("cats")), url=url,
    )  # fmt: skip


def paper_from(row: Mapping[str, Any], name: str = "", *, need_text: bool = True) -> PaperText:
    """Return the paper of a record.

    Raises:
        InvalidInput: it has no title, or no main content where it must have one.
    """
    text = str(row.get("main_content") or "")
    if need_text and not text.strip():
        raise InvalidInput("no main_content")
    return PaperText(listing=listing_from(row, name), main_content=text, conclusion=str(row.get("conclusion") or ""))


def _paper_row(paper: PaperText) -> dict[str, Any]:
    return {
        **listing_row(paper.listing), "label": ORIGINAL, "main_content": paper.main_content, "conclusion": paper.conclusion
    }  # fmt: skip


def _single(value: Any, name: str) -> SingleItem:
    row = value[0] if isinstance(value, list) and len(value) == 1 else value
    reference = _texts(row.get("gt")) or _texts(row.get("abstract"))
    if not reference:
        raise InvalidInput("no abstract")
    return SingleItem(
        paper=paper_from({**row, "abstract": reference[0]}, name), pre_questions=_texts(row.get("pre_questions"))
    )


def _multi(value: Any, name: str) -> MultiItem:
    if isinstance(value, list):
        head, *rows = value
    else:
        head, rows = value, _numbered(value)
    papers = tuple(paper_from(row, f"{name}/{number}") for number, row in enumerate(rows, 1))
    if len(papers) < 2:
        raise InvalidInput("fewer than two papers")
    return MultiItem(
        id=str(head.get("id") or name), papers=papers, references=_texts(head.get("gt")),
        pre_questions=_texts(head.get("pre_questions")),
    )  # fmt: skip


def _related(value: Any, name: str) -> RelatedItem:
    if isinstance(value, list):
        first, *rows = value
    else:
        first, rows = value, _numbered(value)
    reference = str(first.get("gt") or first.get("related_work") or "").strip()
    if not reference:
        raise InvalidInput("no related work to compare with")
    candidates = tuple(
        Candidate(listing=listing_from(row, f"{name}/{number}"), gold=str(row.get("label", "")).casefold() == "related work")
        for number, row in enumerate(rows, 1)
    )  # fmt: skip
    if not any(each.gold for each in candidates):
        raise InvalidInput("none of the candidates is cited")
    return RelatedItem(
        paper=paper_from(first, name, need_text=False), reference=reference, candidates=candidates,
        pre_questions=_texts(first.get("pre_questions")),
    )  # fmt: skip


def _numbered(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the papers of a record whose fields carry numbers, in the order of these."""
    numbers = sorted({int(found[2]) for name in value if (found := _NUMBERED.fullmatch(name))})
    names = ("title", "abstract", "main_content", "conclusion", "label", "id", "published", "category")
    return [
        {name: value[f"{name} {number}"] for name in names if f"{name} {number}" in value} for number in numbers
    ]  # fmt: skip


def _categories(value: Any) -> tuple[str, ...]:
    return tuple(value.split()) if isinstance(value, str) else _texts(value)


def _texts(value: Any) -> tuple[str, ...]:
    parts: Sequence[Any] = [value] if isinstance(value, str) else list(value or ())
    return tuple(" ".join(str(part).split()) for part in parts if str(part).strip())
