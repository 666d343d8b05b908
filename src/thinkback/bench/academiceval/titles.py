"""References → papers of the feed: by arXiv number or by title, and only where the two titles are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from thinkback.bench.academiceval.feed import PaperFeed
from thinkback.bench.academiceval.papers import Listing, Reference

__all__ = ["SAME", "plain_title", "resolve", "similarity"]

SAME = 0.9
"""Similarity of two titles above which they name one paper, as in AcademicEval."""
_LEAST_WORDS = 4
"""Of a title that counts as found when it stands as a whole in a reference whose own title could not be made out."""


def plain_title(title: str) -> str:
    """Return a title's words: small letters without accents, no punctuation, no TeX."""
    text = unicodedata.normalize("NFKD", re.sub(r"\\[A-Za-z]+|[${}]", "", title))
    return " ".join(re.findall(r"\w+", "".join(each for each in text if not unicodedata.combining(each)).casefold()))


def similarity(left: str, right: str) -> float:
    """Return how similar two titles are, 0 to 1: twice the common characters over all (Ratcliff and Obershelp, 1988)."""
    first, second = plain_title(left), plain_title(right)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() <= SAME or matcher.quick_ratio() <= SAME:
        return min(matcher.real_quick_ratio(), matcher.quick_ratio())
    return matcher.ratio()


def resolve(references: Sequence[Reference], feed: PaperFeed) -> dict[str, Listing]:
    """Return reference key to paper, in the order of the references; those that are not found are left out.

    References with an arXiv number are asked for together, the others by title, one by one. Two references to one paper
    both lead to it.

    Raises:
        LoadError: the feed cannot be reached, or keeps failing.
    """
    numbered = list(dict.fromkeys(each.arxiv_id for each in references if each.arxiv_id))
    by_id = {each.id: each for each in feed.by_id(numbered)} if numbered else {}
    found: dict[str, Listing] = {}
    for reference in references:
        listing = by_id.get(reference.arxiv_id)
        if listing is None or not _same(reference, listing):
            listing = _by_title(reference, feed)
        if listing is not None and listing.abstract:
            found[reference.key] = listing
    return found


def _by_title(reference: Reference, feed: PaperFeed) -> Listing | None:
    if not reference.title:
        return None
    near = [each for each in feed.by_title(reference.title) if _same(reference, each)]
    return max(near, key=lambda each: similarity(reference.title, each.title), default=None)


def _same(reference: Reference, listing: Listing) -> bool:
    if reference.title and similarity(reference.title, listing.title) > SAME:
        return True
    title = plain_title(listing.title)
    return len(title.split()) >= _LEAST_WORDS and f" {title} " in f" {plain_title(reference.text)} "
