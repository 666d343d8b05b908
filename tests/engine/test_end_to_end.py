"""The whole loop with a real, small local model and the built-in embedder. Its answers are poor: structure is asserted only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from thinkback import ThoughtRetriever

OUTCOMES = {"stored", "linked", "conflict", "abstained", "unsupported", "unreadable", "error"}


@pytest.mark.model
def test_real_papers_a_real_model_and_a_real_store(tmp_path):
    samples = Path(__import__("thinkback").__file__).parent / "samples"
    papers = sorted(path for path in samples.glob("*.md") if path.name != "README.md")[:2]
    os.environ["THINKBACK_THREADS"] = "2"
    with ThoughtRetriever(tmp_path / "memory.sqlite", llm="smollm2-135m-instruct", embedder="minilm") as memory:
        report = memory.add(papers)
        assert [result.status for result in report] == ["added", "added"]
        question = f"What is proposed in {report.results[0].title}?"
        first = memory.ask(question)
        assert first.usage.prompt_tokens > 100
        assert first.usage.completion_tokens > 0
        assert first.hits
        assert first.text
        assert first.found == bool(first.citations)
        for citation in first.citations:
            assert memory.text(citation.document_id)[citation.start : citation.end] == citation.quote
        assert {outcome.status for outcome in first.outcomes} <= OUTCOMES
        for thought in memory.get_all():
            leaves = [piece for way in memory.why(thought.id).children for piece in way.children]
            assert leaves
            assert all(leaf.kind == "chunk" for leaf in leaves)
        stored = list(memory.export())
    with ThoughtRetriever(tmp_path / "memory.sqlite", llm="smollm2-135m-instruct", embedder="minilm") as memory:
        assert list(memory.export()) == stored
        again = memory.ask(question)
        assert again.cached == (first.text == again.text)
        memory.delete(report.results[0].document_id)
        assert memory._parts.store.check() == ()
