"""Related-multi: write the related work of a paper from a pool of candidates, of which the section cites some."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thinkback.bench.academiceval.feed import PaperFeed
from thinkback.bench.academiceval.items import Candidate, PaperText, RelatedItem
from thinkback.bench.academiceval.leakage import find_leaks, without_runs_of
from thinkback.bench.academiceval.papers import Listing, Paper
from thinkback.bench.academiceval.queries import QueryFormer, Sources
from thinkback.bench.academiceval.reading import Dropped
from thinkback.bench.academiceval.single import Leaks
from thinkback.bench.academiceval.titles import plain_title, resolve
from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["Pool", "PoolPlan", "cited_papers", "make_related", "pooled"]

_LEAST_WORDS = 60
"""Of a related work section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPlan(Record):
    """How many candidates an item has.

    Raises:
        InvalidInput: the numbers contradict one another.
    """

    least: int = 5
    """Cited papers that must have been found."""
    most: int | None = None
    """Cited papers that there may be; 15 to 20 is the range of the paper's narrower set."""
    size: int = 100
    """Candidates in all, cited and drawn."""

    def __post_init__(self) -> None:
        if not 1 <= self.least <= (self.most if self.most is not None else self.size) <= self.size:
            raise InvalidInput(
                f"A pool of {self.size} candidates cannot have {self.least} to {self.most or self.size} cited papers."
            )


def cited_papers(paper: Paper, feed: PaperFeed) -> list[Listing]:
    """Return the papers that the related work cites and the feed has, in order of mention, each once, not the paper itself.

    Raises:
        LoadError: the feed cannot be reached, or keeps failing.
    """
    known = {each.key: each for each in paper.references}
    found = resolve([known[key] for key in paper.cited if key in known], feed)
    own = plain_title(paper.listing.title)
    unique = {each.id: each for each in found.values() if each.id != paper.id and plain_title(each.title) != own}
    return list(unique.values())


def make_related(
    paper: Paper,
    gold: Sequence[Listing],
    field: Iterable[Listing],
    former: QueryFormer,
    *,
    plan: PoolPlan | None = None,
    leaks: Leaks = "drop",
    seed: int = 42,
) -> RelatedItem | Dropped:
    """Return the item of a paper: its candidates are the cited ones, in order of mention, then those that were drawn.

    Args:
        paper: with a related work section.
        gold: what that cites; see ``cited_papers``.
        field: papers of the same field, from which the pool is filled up.
        former: forms questions from title, abstract and one passage of the candidates.
        plan: sizes of the pool.
        leaks: for the paper's own text; a candidate that the section repeats always drops the item.
        seed: of the drawing and the order, with the paper's id.

    Raises:
        ModelError: the model that forms the questions does not answer.
    """
    plan = plan or PoolPlan()
    reference = paper.text("related").strip()
    if len(reference.split()) < _LEAST_WORDS:
        return Dropped(reason="no related work section was found")
    if len(gold) < plan.least:
        return Dropped(reason="too few cited papers were found", detail=str(len(gold)))
    if len(gold) > (plan.most if plan.most is not None else plan.size):
        return Dropped(reason="more cited papers than asked for", detail=str(len(gold)))
    drawn = _drawn(paper, gold, field, plan.size - len(gold), seed)
    if len(gold) + len(drawn) < plan.size:
        return Dropped(reason="too few papers of the field to fill up with", detail=str(len(gold) + len(drawn)))
    # The repository puts the cited ones first, and its scripts count on it; the loader for the bench mixes them.
    candidates = [
        *(Candidate(listing=each, gold=True) for each in gold),
        *(Candidate(listing=each, gold=False) for each in drawn),
    ]
    return _checked(paper, reference, candidates, former, leaks)


def _drawn(paper: Paper, gold: Sequence[Listing], field: Iterable[Listing], count: int, seed: int) -> list[Listing]:
    taken = {paper.id, *(each.id for each in gold)}
    titles = {plain_title(paper.listing.title), *(plain_title(each.title) for each in gold)}
    possible: dict[str, Listing] = {}
    for each in field:
        title = plain_title(each.title)
        if each.id not in taken and title not in titles and each.title and each.abstract:
            possible[each.id] = each
            titles.add(title)
    ordered = [possible[key] for key in sorted(possible)]
    return random.Random(f"{seed}/{paper.id}").sample(ordered, min(count, len(ordered)))


def _checked(
    paper: Paper, reference: str, candidates: Sequence[Candidate], former: QueryFormer, leaks: Leaks
) -> RelatedItem | Dropped:
    body = paper.text("introduction", "body")
    if leaks == "cut":
        body = without_runs_of([reference], body)
    abstract = paper.listing.abstract
    places = [("abstract", abstract), ("main_content", body)]
    texts = [(each.listing.id, f"{each.listing.title}\n{each.listing.abstract}") for each in candidates]
    found = find_leaks([reference], [*places, *texts])
    if found:
        return Dropped(reason="the reference stands in the corpus", detail=f"{found[0].where}: {found[0].words}")
    sources = Sources(title=paper.listing.title, abstract=abstract, body="\n\n".join(text for _, text in texts))
    asked = former.questions(f"related_multi/{paper.id}", sources, [reference])
    return RelatedItem(
        paper=PaperText(listing=paper.listing, main_content=body, conclusion=paper.text("conclusion")), reference=reference,
        candidates=tuple(candidates), pre_questions=asked.questions,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Several items over one corpus."""

    items: tuple[RelatedItem, ...]
    candidates: tuple[Listing, ...]
    """Of all items and, where these share some, drawn ones beside; each once."""


def pooled(
    items: Sequence[RelatedItem], field: Iterable[Listing] = (), *, each: int = 10, seed: int = 42
) -> list[Pool]:
    """Return one pool for each ``each`` items, in order; the last incomplete one is left out.

    A candidate of several items is in the pool once. What is then missing to the sum of the items' candidates is drawn from
    the field, as far as that goes.
    """
    spare = {listing.id: listing for listing in field if listing.title and listing.abstract}
    pools = []
    for start in range(0, len(items) - len(items) % each, each):
        chosen = tuple(items[start : start + each])
        union = {candidate.listing.id: candidate.listing for item in chosen for candidate in item.candidates}
        wanted = sum(len(item.candidates) for item in chosen)
        own = {item.id for item in chosen}
        rest = [spare[key] for key in sorted(spare) if key not in union and key not in own]
        extra = random.Random(f"{seed}/{chosen[0].id}").sample(rest, min(wanted - len(union), len(rest)))
        pools.append(Pool(items=chosen, candidates=(*union.values(), *extra)))
    return pools
