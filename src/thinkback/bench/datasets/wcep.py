"""WCEP (Ghalandari et al., ACL 2020): clusters of news articles, each with the line that Wikipedia's editors wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thinkback.bench.datasets.reading import json_lines, need_one, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, SourceText, Split, Task

__all__ = ["load_wcep"]

_LICENCE = "summaries CC BY-SA 3.0 (Wikipedia); articles belong to their publishers, for research"
_FILES = {"train": "train", "dev": "val", "test": "test"}
_QUERY = "Summarise in one or two sentences the event that these news articles report."


def load_wcep(folder: Path, *, split: Split = "test", limit: int | None = None, articles: int | None = 10) -> Dataset:
    """Return a task an event: its summary, to be written from the articles on it.

    Args:
        folder: with test.jsonl.gz (or .jsonl), val and train in the same way, as the authors publish them.
        split: dev is their val.
        limit: most events, the first; None: all.
        articles: most articles of an event, the first; ten make WCEP-10. None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    faults: list[Fault] = []
    corpora: dict[str, Corpus] = {}
    tasks: list[Task] = []
    name = _FILES[split]
    for where, row in json_lines(need_one(folder, [f"{name}.jsonl.gz", f"{name}.jsonl"]), faults):
        if limit is not None and len(tasks) >= limit:
            break
        key, summary = text_of(row, "id") or where.rpartition(":")[2], text_of(row, "summary")
        documents = _documents(key, where, row, articles, faults)
        reason = "the same id again" if key in corpora else "" if summary else "no summary"
        reason = reason or ("" if documents else "no article with a text")
        if reason:
            faults.append(Fault(where=f"{where} {key}", reason=reason))
            continue
        corpora[key] = Corpus(id=key, documents=tuple(documents))
        tasks.append(
            Task(id=f"wcep/{key}", corpus_id=key, kind="summary", query=_QUERY, references=(summary,), split=split,
                 licence=_LICENCE, category=text_of(row, "category"), metadata={"date": text_of(row, "date")[:10]})
        )  # fmt: skip
    return Dataset(
        name="wcep",
        corpora=tuple(corpora.values()),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source="Ghalandari et al., A Large-Scale Multi-Document Summarization Dataset from the Wikipedia Current Events"
        " Portal, ACL 2020",
        faults=tuple(faults),
    )


def _documents(key: str, where: str, row: dict[str, Any], most: int | None, faults: list[Fault]) -> list[SourceText]:
    given = row.get("articles")
    found: dict[tuple[str, str], SourceText] = {}
    for number, article in enumerate(given if isinstance(given, list) else [], 1):
        if most is not None and len(found) >= most:
            break
        title, text = (text_of(article, name) if isinstance(article, dict) else "" for name in ("title", "text"))
        if not text or (title, text) in found:
            reason = "the same article again" if text else "an article without a text"
            faults.append(Fault(where=f"{where} {key} article {number}", reason=reason))
            continue
        found[title, text] = SourceText(
            id=f"{key}/{number}", title=title, text=f"{title}\n\n{text}".strip(),
            date=(text_of(article, "time") or text_of(article, "date"))[:10],
        )  # fmt: skip
    return list(found.values())
