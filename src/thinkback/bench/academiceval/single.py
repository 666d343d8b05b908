"""Abstract-single: one paper, the abstract to be written from the rest without the conclusion."""

from __future__ import annotations

from typing import Literal

from thinkback.bench.academiceval.items import PaperText, SingleItem
from thinkback.bench.academiceval.leakage import find_leaks, without_runs_of
from thinkback.bench.academiceval.papers import Paper
from thinkback.bench.academiceval.queries import QueryFormer, Sources
from thinkback.bench.academiceval.reading import Dropped

__all__ = ["Leaks", "make_single", "paper_text"]

Leaks = Literal["drop", "cut"]
"""What is done with a paper whose text repeats the reference: it is left out, or its sentences that do so are."""


def paper_text(paper: Paper, leaks: Leaks, *secrets: str) -> PaperText | Dropped:
    """Return a paper's text without its conclusion, if nothing in it repeats what must stay secret."""
    if not any(each.kind == "conclusion" for each in paper.sections):
        return Dropped(reason="no conclusion was found")
    text = paper.main_content
    if leaks == "cut":
        text = without_runs_of(secrets, text)
    found = find_leaks(secrets, [("main_content", text)])
    if found:
        return Dropped(reason="the reference stands in the corpus", detail=found[0].words)
    return PaperText(listing=paper.listing, main_content=text, conclusion=paper.text("conclusion"))


def make_single(paper: Paper, former: QueryFormer, *, leaks: Leaks = "drop") -> SingleItem | Dropped:
    """Return the item of a paper; questions come from the title and the body, never from the abstract.

    Raises:
        ModelError: the model that forms the questions does not answer.
    """
    text = paper_text(paper, leaks, paper.listing.abstract)
    if isinstance(text, Dropped):
        return text
    sources = Sources(title=paper.listing.title, body=text.main_content)
    asked = former.questions(f"abstract_single/{paper.id}", sources, [paper.listing.abstract])
    if not asked.questions:
        return Dropped(reason="too few questions asked before")
    return SingleItem(paper=text, pre_questions=asked.questions)
