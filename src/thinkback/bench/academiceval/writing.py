"""The four writing tasks: title, abstract, introduction and related work, each to be written from all other sections.

The section that is to be written is first replaced by a marker, which must then stand in the text exactly once, and is taken
out at the end: a section that was found twice, or not at all, would otherwise go unnoticed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from thinkback.bench.academiceval.graph import AuthorGraph
from thinkback.bench.academiceval.items import GraphInfo, PaperText, Setting, WritingItem, WritingTask
from thinkback.bench.academiceval.leakage import find_leaks, without_runs_of
from thinkback.bench.academiceval.papers import Listing, Paper, Reason, SectionKind
from thinkback.bench.academiceval.reading import Dropped
from thinkback.bench.academiceval.single import Leaks

__all__ = [
    "EXAMPLES_STORED",
    "EXAMPLES_USED",
    "MARKER",
    "examples_for",
    "make_writing",
    "neighbourhood",
    "with_context",
]

MARKER = "\u2e28section left out\u2e29"
EXAMPLES_STORED = 5
EXAMPLES_USED = 2
"""Of the stored ones, the first: that many are put before a model."""
_LEAST_WORDS = 20
_SECRET: Mapping[WritingTask, SectionKind | None] = {
    "title": None, "abstract": None, "introduction": "introduction", "related": "related"
}  # fmt: skip
_MISSING: Mapping[WritingTask, Reason] = {
    "title": "no title", "abstract": "no abstract", "introduction": "no introduction was found",
    "related": "no related work section was found",
}  # fmt: skip


def make_writing(
    paper: Paper, task: WritingTask, *, cited: Sequence[Listing] = (), leaks: Leaks = "drop"
) -> WritingItem | Dropped:
    """Return the item of a paper for one task, without examples.

    Title is written from abstract and body, the abstract from title and body without the conclusion, introduction and related
    work from title, abstract and the rest of the body; the related work also from the papers that it cites. Nothing of that
    may repeat what is to be written.

    Args:
        paper: the paper.
        task: what is to be written.
        cited: for the related work: papers that it cites and the feed has.
        leaks: what is done with a body that repeats it.
    """
    reference = _reference(paper, task)
    if len(reference.split()) < (_LEAST_WORDS if task != "title" else 2):
        return Dropped(reason=_MISSING[task])
    if task == "abstract" and not any(each.kind == "conclusion" for each in paper.sections):
        return Dropped(reason="no conclusion was found")
    if task == "related" and not cited:
        return Dropped(reason="too few cited papers were found", detail="0")
    body = _body(paper, task)
    if body.count(MARKER) != (1 if _SECRET[task] else 0):
        return Dropped(reason="the section could not be taken out cleanly", detail=f"{body.count(MARKER)} times")
    body = "\n\n".join(part for part in (each.strip() for each in body.split(MARKER)) if part)
    if leaks == "cut":
        body = without_runs_of([reference], body)
    found = find_leaks([reference], _places(paper, task, body, cited))
    if found:
        reason: Reason = "the title stands in the text" if task == "title" else "the reference stands in the corpus"
        return Dropped(reason=reason, detail=f"{found[0].where}: {found[0].words}")
    return WritingItem(
        task=task, listing=paper.listing, reference=reference, main_content=body,
        cited=tuple(cited) if task == "related" else (),
    )  # fmt: skip


def _reference(paper: Paper, task: WritingTask) -> str:
    if task == "title":
        return paper.listing.title
    if task == "abstract":
        return paper.listing.abstract
    return paper.text("introduction" if task == "introduction" else "related").strip()


def _body(paper: Paper, task: WritingTask) -> str:
    """Return the sections with the marker for the one that is to be written, subsections and all."""
    kept: list[SectionKind] = ["introduction", "related", "body"]
    if task != "abstract":
        kept.append("conclusion")
    secret = _SECRET[task]
    parts: list[str] = []
    within = False
    for each in paper.sections:
        if each.kind not in kept:
            within = False
            continue
        if each.kind == secret:
            parts += [] if within else [MARKER]
            within = True
            continue
        within = False
        parts += [part for part in (each.heading, each.text) if part]
    return "\n\n".join(parts)


def _places(paper: Paper, task: WritingTask, body: str, cited: Sequence[Listing]) -> list[tuple[str, str]]:
    places = [("main_content", body)]
    if task != "abstract":
        places.append(("abstract", paper.listing.abstract))
    if task == "related":
        places += [(each.id, f"{each.title}\n{each.abstract}") for each in cited]
    return places


def examples_for(paper: Paper, papers: Sequence[Paper], *, seed: int = 42) -> tuple[PaperText, ...]:
    """Return up to five papers of the same category that show what such a section looks like, drawn at random.

    None is newer than the paper, so that a later update does not change the examples of what is there; none repeats its
    abstract or has its title.
    """
    listing = paper.listing
    possible = sorted(
        (
            each
            for each in papers
            if each.id != paper.id
            and each.listing.category == listing.category
            and (each.listing.published, each.id) < (listing.published, paper.id)
        ),
        key=lambda each: each.id,
    )
    random.Random(f"{seed}/{paper.id}").shuffle(possible)
    return tuple(_text(each) for each in possible[:EXAMPLES_STORED])


def neighbourhood(paper: Paper, graph: AuthorGraph, papers: Mapping[str, Paper]) -> GraphInfo | None:
    """Return the co-authors of a paper's first author with their papers; None where the graph does not know the author.

    Args:
        paper: the paper; it is not among those returned, nor is any newer one.
        graph: refined.
        papers: those that were read, by id.
    """
    author = paper.listing.authors[0] if paper.listing.authors else ""
    if author not in graph.papers:
        return None
    near = {author, *(other for edge in graph.edges if author in edge for other in edge)}
    edges = tuple(edge for edge in graph.edges if set(edge) <= near)
    shown: dict[str, tuple[PaperText, ...]] = {}
    for name in sorted(near):
        own = [
            papers[key] for key in graph.papers.get(name, ())
            if key in papers and key != paper.id and papers[key].listing.published <= paper.listing.published
        ]  # fmt: skip
        shown[name] = tuple(_text(each) for each in own)
    return GraphInfo(edges=edges, papers=shown)


def with_context(
    item: WritingItem, setting: Setting, examples: Sequence[PaperText], graph: GraphInfo | None
) -> WritingItem | Dropped:
    """Return an item as a setting has it; what is added must not repeat the reference either."""
    added = replace(item, examples=tuple(examples) if setting.examples else (), graph=graph if setting.graph else None)
    near = added.graph.papers.values() if added.graph else ()
    texts = [*added.examples, *(each for group in near for each in group)]
    places = [
        (each.listing.id, f"{each.listing.title}\n{each.listing.abstract}\n{each.main_content}") for each in texts
    ]
    found = find_leaks([item.reference], places)
    if found:
        return Dropped(reason="the reference stands in the corpus", detail=f"{found[0].where}: {found[0].words}")
    return added


def _text(paper: Paper) -> PaperText:
    return PaperText(listing=paper.listing, main_content=paper.main_content, conclusion=paper.text("conclusion"))
