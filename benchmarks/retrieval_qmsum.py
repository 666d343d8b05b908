"""Retrieval of the gold spans of QMSum's specific queries (test set, 35 meetings).

    THINKBACK_DATA=... python benchmarks/retrieval_qmsum.py

A meeting is one document, "speaker: words" a line; the gold of a query are the turns that the annotators marked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retrieval_common import data_folder
from retrieval_spans import Asked, Source, main


def load(path: Path) -> tuple[list[Source], int]:
    """Return the meetings, and how many queries were left out for want of a usable span."""
    sources, skipped = [], 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        meeting = json.loads(line)
        starts, lines, length = [], [], 0
        for turn in meeting["meeting_transcripts"]:
            lines.append(f"{turn['speaker']}: {turn['content']}")
            starts.append(length)
            length += len(lines[-1]) + 1
        ends = [start + len(text) for start, text in zip(starts, lines, strict=True)]
        questions = []
        for asked in meeting["specific_query_list"]:
            turns = _turns(asked, len(lines))
            if not turns:
                skipped += 1
                continue
            gold = tuple((starts[turn], ends[turn]) for turn in sorted(turns))
            questions.append(Asked(text=asked["query"], answer=asked["answer"], gold=gold))
        sources.append(Source(name=f"meeting {number}", text="\n".join(lines), questions=tuple(questions)))
    return sources, skipped


def _turns(asked: Mapping[str, Any], count: int) -> set[int]:
    spans = ((int(first), int(last)) for first, last in asked["relevant_text_span"])
    return {turn for first, last in spans for turn in range(first, last + 1) if 0 <= turn < count}


if __name__ == "__main__":
    file = data_folder() / "qmsum" / "test.jsonl"
    meetings, without = load(file)
    main("qmsum", meetings, [file], {"queries without a span": without})
