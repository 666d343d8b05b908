"""Retrieval of the evidence sentences of LooGLE's questions (the sample of short and long dependency, 10 documents).

    THINKBACK_DATA=... python benchmarks/retrieval_loogle.py

Evidence is quoted in the data; a quote is found in its document with white space, case and quotation marks levelled, and one
that is not found is left out and counted.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path

from retrieval_common import data_folder
from retrieval_spans import Asked, Source, Span, main


def load(paths: Iterable[Path]) -> tuple[list[Source], dict[str, int]]:
    """Return the documents with the questions of all files, and what was left out."""
    texts: dict[str, str] = {}
    questions: dict[str, dict[str, Asked]] = {}
    counts = {"quotes": 0, "quotes not found": 0, "questions without a quote that is found": 0}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            title = entry["title"]
            text = texts.setdefault(title, entry["input"])
            for pair in ast.literal_eval(entry["qa_pairs"]):
                quotes = [pair["S"]] if isinstance(pair["S"], str) else pair["S"]
                spans = [span for quote in quotes if (span := _find(quote, text)) is not None]
                counts["quotes"] += len(quotes)
                counts["quotes not found"] += len(quotes) - len(spans)
                if spans:
                    asked = Asked(text=pair["Q"], answer=str(pair["A"]), gold=_disjoint(spans))
                    questions.setdefault(title, {})[pair["Q"]] = asked
                else:
                    counts["questions without a quote that is found"] += 1
    sources = [
        Source(name=title, text=text, questions=tuple(questions.get(title, {}).values()))
        for title, text in texts.items()
    ]
    return [source for source in sources if source.questions], counts


def _find(quote: str, text: str) -> Span | None:
    words = re.findall(r"\w+", quote)
    if len(words) < 3:
        return None
    match = re.search(r"\W+".join(map(re.escape, words)), text, re.IGNORECASE)
    return match.span() if match else None


def _disjoint(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


if __name__ == "__main__":
    folder = data_folder() / "loogle_sample"
    files = [folder / "shortdep_qa.jsonl", folder / "longdep_qa.jsonl"]
    documents, left_out = load(files)
    main("loogle", documents, files, left_out)
