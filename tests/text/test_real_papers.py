"""The promises of chunking on real papers, with the real tokenizer."""

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from thinkback.text.blank import is_blank
from thinkback.text.chunk import chunk
from thinkback.text.load import load_bytes

PAPERS = Path(os.environ.get("THINKBACK_DATA", "missing")) / "academic_unarxive" / "papers.jsonl"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not PAPERS.exists(), reason="THINKBACK_DATA does not hold academic_unarxive"),
]


@pytest.fixture(scope="module")
def papers():
    with PAPERS.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_papers_are_chunked_whole_and_well_filled(papers, minilm_count):
    fills = []
    for paper in papers[:15]:
        document = load_bytes(paper["main_content"].encode(), name=f"{paper['id']}.txt", uri=paper["id"])
        spans = chunk(document.text, minilm_count, size=250)
        for span in spans:
            assert document.text[span.start : span.end] == span.text
            assert span.tokens <= 250
        edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(document.text)]
        assert all(is_blank(document.text[start:end]) for start, end in list(pairwise(edges))[::2])
        fills += [span.tokens / 250 for span in spans]
    assert 0.70 <= sum(fills) / len(fills) <= 0.80  # measured: .75


def test_an_edit_in_a_paper_leaves_its_other_chunks(papers, minilm_count):
    lost = []
    for paper in papers[:8]:
        text = paper["main_content"]
        before = chunk(text, minilm_count, size=250)
        at = text.index(" ", len(text) // 2)
        after = {span.text for span in chunk(f"{text[:at]} surprisingly{text[at:]}", minilm_count, size=250)}
        lost.append(sum(span.text not in after for span in before))
    assert sum(lost) / len(lost) <= 2  # measured: 1.1
    assert max(lost) <= 10
