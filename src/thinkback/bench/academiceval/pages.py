"""Pages for eyes: one of Markdown for each item, with what is to be written, what is given and what is asked before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thinkback.bench.academiceval.dataset import leaks_of, names_in, to_dataset
from thinkback.bench.academiceval.papers import file_name
from thinkback.bench.records import Corpus, Dataset, Task
from thinkback.errors import InvalidInput

__all__ = ["write_pages"]

_SHOWN = 250  # words of each document
_LISTED = 25  # documents of a corpus


def write_pages(folder: Path, to: Path, *, limit: int = 20) -> list[Path]:
    """Write pages of the first items of each set, and an index, and return the files.

    Args:
        folder: of a build, or of the AcademicEval repository.
        to: folder of the pages.
        limit: most items of each set.

    Raises:
        InvalidInput: there is no set in the folder.
    """
    names = names_in(folder)
    if not names:
        raise InvalidInput(f"There is no set of AcademicEval in {str(folder)!r}.")
    written: list[Path] = []
    index = ["# AcademicEval, built", ""]
    for name in names:
        dataset = to_dataset(folder, name)
        leaking = {task_id for task_id, _ in leaks_of(dataset)}
        index += [f"## {name}: {len(dataset.tasks)} items, {len(dataset.faults)} that could not be used", ""]
        for task in dataset.tasks[:limit]:
            file = to / name / f"{file_name(task.id.partition('/')[2])}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(
                "\n".join(_page(dataset, task, leaks=task.id in leaking)) + "\n", encoding="utf-8", errors="replace"
            )
            written.append(file)
            index.append(f"- [{_line(task.query)}]({name}/{file.name}) ({task.split})")
        index += [f"- {fault.where}: {fault.reason}" for fault in dataset.faults] + [""]
    to.mkdir(parents=True, exist_ok=True)
    (to / "index.md").write_text("\n".join(index), encoding="utf-8", errors="replace")
    return [to / "index.md", *written]


def _page(dataset: Dataset, task: Task, *, leaks: bool) -> Iterator[str]:
    corpus = dataset.corpus(task.corpus_id)
    yield f"# {_line(task.query)}"
    yield ""
    yield f"{task.id} · {task.split} · {task.category} · {len(corpus.documents)} documents, {_words(corpus):,} words"
    if leaks:
        yield "\n**Twelve words in a row of a reference stand in what may be read.**"
    for number, reference in enumerate(task.references, 1):
        yield f"\n## Reference {number} of {len(task.references)}\n\n{reference.strip()}"
    if task.pre_queries:
        yield "\n## Asked before\n"
        yield from (f"- {each}" for each in task.pre_queries)
    gold = {each.document_id for each in task.gold}
    yield "\n## Given"
    for document in corpus.documents[:_LISTED]:
        yield f"\n### {_line(document.title or document.id)}{' (cited)' if document.id in gold else ''}\n"
        words = document.text.split()
        yield " ".join(words[:_SHOWN]) + (f" … ({len(words):,} words)" if len(words) > _SHOWN else "")
    if len(corpus.documents) > _LISTED:
        yield f"\nand {len(corpus.documents) - _LISTED} more"
    if task.metadata.get("conclusion"):
        yield f"\n## Conclusion (never indexed)\n\n{str(task.metadata['conclusion']).strip()}"


def _words(corpus: Corpus) -> int:
    return sum(len(each.text.split()) for each in corpus.documents)


def _line(text: str) -> str:
    whole = " ".join(text.split()).replace("[", "(").replace("]", ")")
    return whole if len(whole) <= 120 else f"{whole[:117]}..."
