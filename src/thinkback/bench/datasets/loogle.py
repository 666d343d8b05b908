"""LooGLE (Li et al., ACL 2024): questions and summaries over documents of some ten to forty thousand words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from thinkback.bench.datasets.reading import json_lines, need_file, text_of
from thinkback.bench.records import Corpus, Dataset, Fault, Gold, SourceText, Task
from thinkback.errors import InvalidInput

__all__ = ["Part", "load_loogle", "load_loogle_summaries"]

Part = Literal["longdep_qa", "shortdep_qa"]
_LICENCE = "MIT (repository); texts of Wikipedia CC BY-SA, of arXiv each its own"
_SOURCE = "Li et al., LooGLE: Can Long-Context Language Models Understand Long Contexts?, ACL 2024"
_QUERY = "Summarise this paper in about 200 words: what is asked, what is done, what is found."
_CUTS = re.compile(r"(?:^|\s+)(?:\([^()]{1,20}\)\s|\d\.(?=[A-Za-z]))|\.{3,}|\u2026|\n+|(?<=[.;:?!])\s+|\?(?=\s)")
"""Where a quote may join what does not stand together: sentences, lines, dots, and labels such as "(Eixample)" or "2."."""
_NOTES = re.compile(r"\[(?:[a-z]|\d{1,3}|note \d+)\]")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LEAST_WORDS = 3


def load_loogle(
    folder: Path,
    *,
    parts: Sequence[Part] = ("longdep_qa", "shortdep_qa"),
    evidence: Literal["parts", "whole"] = "parts",
) -> Dataset:
    """Return a corpus a document, with the questions of all parts on it; the gold is the evidence that the data quotes.

    Quotes are found with white space, case, punctuation, reference marks and letters that became a question mark
    levelled. Many join sentences from several places: then each sentence is looked for. What is not found is a fault; a
    question stays if some of its evidence is found, and without gold otherwise.

    Args:
        folder: with PART.jsonl.
        parts: longdep_qa needs several places of a document, shortdep_qa one; the category says which, for longdep_qa
            with the data's own kind.
        evidence: ``whole`` takes a quote only in one piece, letter by letter.

    Raises:
        InvalidInput: a file is missing, or an option has another value.
    """
    if evidence not in {"parts", "whole"} or not set(parts) <= set(get_args(Part)):
        raise InvalidInput(f"evidence is parts or whole, and parts are of {', '.join(get_args(Part))}.")
    faults: list[Fault] = []
    texts: dict[str, str] = {}
    tasks: list[Task] = []
    for part in parts:
        for where, row in json_lines(need_file(folder, f"{part}.jsonl"), faults):
            title, text = text_of(row, "title"), str(row.get("input") or "")
            if not title or not text.strip() or texts.get(title, text) != text:
                reason = "another text of that title" if title in texts else "no title or no text"
                faults.append(Fault(where=where, reason=reason))
                continue
            texts[title] = text
            tasks += _tasks(part, title, text, where, row, faults, whole=evidence == "whole")
    return _dataset("loogle", texts, tasks, faults)


def load_loogle_summaries(folder: Path, *, limit: int | None = None) -> Dataset:
    """Return LooGLE's papers, each with its abstract as what is to be written.

    Args:
        folder: with longdep_summarization.jsonl.
        limit: most papers; None: all.

    Raises:
        InvalidInput: the file is missing.
    """
    faults: list[Fault] = []
    texts: dict[str, str] = {}
    tasks: list[Task] = []
    for where, row in json_lines(need_file(folder, "longdep_summarization.jsonl"), faults):
        if limit is not None and len(tasks) >= limit:
            break
        title, text, summary = text_of(row, "title"), text_of(row, "input"), text_of(row, "output")
        reason = "the same title again" if title in texts else ""
        reason = reason or next((f"no {name}" for name in ("title", "input", "output") if not text_of(row, name)), "")
        if reason:
            faults.append(Fault(where=f"{where} {title}".strip(), reason=reason))
            continue
        texts[title] = text
        tasks.append(
            Task(id=f"loogle-summaries/{title}", corpus_id=title, kind="summary", query=_QUERY, references=(summary,),
                 licence=_LICENCE)
        )  # fmt: skip
    return _dataset("loogle-summaries", texts, tasks, faults)


def _dataset(name: str, texts: dict[str, str], tasks: Iterable[Task], faults: Iterable[Fault]) -> Dataset:
    return Dataset(
        name=name,
        corpora=tuple(
            Corpus(id=title, documents=(SourceText(id=title, title=title, text=text),)) for title, text in texts.items()
        ),
        tasks=tuple(tasks),
        licence=_LICENCE,
        source=_SOURCE,
        faults=tuple(faults),
    )


def _tasks(
    part: Part, title: str, text: str, where: str, row: dict[str, Any], faults: list[Fault], *, whole: bool
) -> Iterator[Task]:
    seen: set[str] = set()
    for number, pair in enumerate(_pairs(where, row, faults), 1):
        place = f"{where} question {number}"
        query, answer = (text_of(pair, key) if isinstance(pair, dict) else "" for key in ("Q", "A"))
        reason = ("" if query else "no question") or ("" if answer else "no answer")
        reason = reason or ("the same question again" if query in seen else "")
        if reason:
            faults.append(Fault(where=place, reason=reason))
            continue
        seen.add(query)
        spans: list[tuple[int, int]] = []
        quotes = pair.get("S")
        for quote in [quotes] if isinstance(quotes, str) else quotes or ():
            found, missing = _find(str(quote), text, whole=whole)
            spans += found
            faults += [Fault(where=place, reason=f"evidence is not in the text: {each[:80]!r}") for each in missing]
        kind = text_of(pair, "type")
        yield Task(
            id=f"loogle/{part}/{title}/{number}", corpus_id=title, kind="question", query=query, references=(answer,),
            gold=tuple(Gold(document_id=title, start=start, end=end) for start, end in _disjoint(spans)),
            licence=_LICENCE, category=f"{part} {kind}".strip(),
        )  # fmt: skip


def _pairs(where: str, row: dict[str, Any], faults: list[Fault]) -> list[Any]:
    """Read the pairs, which are a list or Python's way to write one."""
    given = row.get("qa_pairs")
    try:
        found = ast.literal_eval(given) if isinstance(given, str) else given
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = None
    if isinstance(found, list):
        return found
    faults.append(Fault(where=where, reason="its questions cannot be read"))
    return []


def _find(quote: str, text: str, *, whole: bool) -> tuple[list[tuple[int, int]], list[str]]:
    """Return where a quote is, and what of it is nowhere."""
    span = _locate(quote, text, _exact)
    if span is not None:
        return [span], []
    if whole:
        return [], [quote]
    span = _locate(_NOTES.sub(" ", quote), text, _lenient)
    if span is not None:
        return [span], []
    pieces = [piece for piece in _CUTS.split(_NOTES.sub(" ", quote)) if len(_LETTERS.findall(piece)) >= _LEAST_WORDS]
    places = {piece: _locate(piece, text, _lenient) for piece in pieces}
    return [found for found in places.values() if found], [piece for piece, found in places.items() if not found] or (
        [] if pieces else [quote]
    )


def _locate(quote: str, text: str, form: Any) -> tuple[int, int] | None:
    pattern = form(quote)
    match = re.search(pattern, text, re.IGNORECASE) if pattern else None
    return match.span() if match else None


def _exact(quote: str) -> str:
    words = re.findall(r"\w+", quote)
    return r"\W+".join(map(re.escape, words)) if len(words) >= _LEAST_WORDS else ""


def _lenient(quote: str) -> str:
    """A question mark inside a word stands for any letter, and reference marks may stand between words."""
    words = [word for word in re.findall(r"[\w?]+", quote) if word.strip("?")]
    letters = [re.escape(word.rstrip("?") if word.endswith("?") else word).replace(r"\?", r"\w") for word in words]
    between = rf"(?:{_NOTES.pattern}|[^\w\[]|\[(?!\w{{1,3}}\]))+"
    return between.join(letters) if len(words) >= _LEAST_WORDS else ""


def _disjoint(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
