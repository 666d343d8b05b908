"""Abstract-multi: five papers of one category, one abstract over all of them, written by a model from the five abstracts."""

from __future__ import annotations

from collections.abc import Sequence

from thinkback.bench.academiceval.items import MultiItem, PaperText
from thinkback.bench.academiceval.leakage import find_leaks, without_runs_of
from thinkback.bench.academiceval.papers import Paper, file_name
from thinkback.bench.academiceval.queries import QueryFormer, Sources
from thinkback.bench.academiceval.reading import Dropped
from thinkback.bench.academiceval.single import Leaks
from thinkback.bench.kit import PROMPTS
from thinkback.errors import BadReply, InvalidInput
from thinkback.ports import Generator, Request
from thinkback.text.prompts import load_prompt

__all__ = ["BATCH", "MOST_REFERENCES", "batches", "make_multi", "write_references"]

BATCH = 5
MOST_REFERENCES = 10
_LEAST_WORDS = 50
_TOKENS = 500
_TEMPERATURE = 0.7  # of all references but the first


def batches(
    papers: Sequence[Paper], taken: frozenset[str] = frozenset()
) -> tuple[list[tuple[Paper, ...]], list[Paper]]:
    """Return batches of five papers of one category, the oldest first, and the papers that made no full batch.

    Args:
        papers: of any categories, in any order; each stands in one batch at most.
        taken: ids of papers that are in batches already.
    """
    by_category: dict[str, list[Paper]] = {}
    for paper in sorted(papers, key=lambda each: (each.listing.published, each.id)):
        if paper.id not in taken:
            by_category.setdefault(paper.listing.category, []).append(paper)
    found: list[tuple[Paper, ...]] = []
    left: list[Paper] = []
    for _, group in sorted(by_category.items()):
        whole = len(group) - len(group) % BATCH
        found += [tuple(group[start : start + BATCH]) for start in range(0, whole, BATCH)]
        left += group[whole:]
    return found, left


def write_references(llm: Generator, abstracts: Sequence[str], count: int, seed: int) -> tuple[str, ...]:
    """Return up to ``count`` different abstracts over several, written by a model; the first one at temperature 0.

    A reply that is empty, or of fewer than fifty words, is none.

    Raises:
        InvalidInput: ``count`` is not from 1 to 10.
        ModelError: the model does not answer.
    """
    if not 1 <= count <= MOST_REFERENCES:
        raise InvalidInput(f"An item may have 1 to {MOST_REFERENCES} references, not {count}.")
    prompt = load_prompt("reference-multi", package=PROMPTS)
    listed = "\n\n".join(f"Paper {number}: {' '.join(each.split())}" for number, each in enumerate(abstracts, 1))
    messages = prompt.fill(abstracts=listed, count=str(len(abstracts)))
    found: list[str] = []
    for number in range(count):
        request = Request(
            messages=messages, max_tokens=_TOKENS, purpose="answer", temperature=_TEMPERATURE if number else 0.0, seed=seed + number
        )  # fmt: skip
        try:
            text = " ".join(llm.generate(request).text.split())
        except BadReply:
            continue
        if len(text.split()) >= _LEAST_WORDS and text not in found:
            found.append(text)
    return tuple(found)


def make_multi(
    batch: Sequence[Paper], references: Sequence[str], former: QueryFormer, *, leaks: Leaks = "drop"
) -> MultiItem | Dropped:
    """Return the item of a batch. No body may repeat a reference, nor any of the abstracts that these were made from.

    Questions come from a passage of the bodies alone: there is no title that stands for all.

    Raises:
        ModelError: the model that forms the questions does not answer.
    """
    secrets = [*references, *(each.listing.abstract for each in batch)]
    texts: list[PaperText] = []
    for paper in batch:
        body = without_runs_of(secrets, paper.main_content) if leaks == "cut" else paper.main_content
        found = find_leaks(secrets, [(paper.id, body)])
        if found:
            return Dropped(reason="the reference stands in the corpus", detail=f"{found[0].where}: {found[0].words}")
        texts.append(PaperText(listing=paper.listing, main_content=body, conclusion=paper.text("conclusion")))
    item = batch_id(batch)
    asked = former.questions(
        f"abstract_multi/{item}", Sources(body="\n\n".join(each.main_content for each in texts)), secrets
    )
    return MultiItem(id=item, papers=tuple(texts), references=tuple(references), pre_questions=asked.questions)


def batch_id(batch: Sequence[Paper]) -> str:
    """Return the category and the oldest paper's id: it stays the same when newer batches are added."""
    return f"{batch[0].listing.category}-{file_name(batch[0].id)}".replace("/", "_")
