"""What is asked: the request of each writing task, and questions that fit many papers and are asked before it.

The wording is ours. A question asked before carries no title: with it, every such question retrieves the same few chunks
that look like the title.
"""

from __future__ import annotations

__all__ = ["PRE_QUERIES", "abstract", "abstract_multi", "introduction", "related_work", "title"]

PRE_QUERIES = (
    "What problem does this work address, and why does it matter?",
    "What method or approach do the authors propose?",
    "How was the approach evaluated, and on which data?",
    "What are the main results, with their numbers?",
    "What are the limitations of this work?",
    "How does the work differ from earlier approaches?",
    "Which assumptions does the approach rest on?",
    "Which terms or notions does the work introduce, and what do they mean?",
    "What is each part of the approach good for, as far as it was tested?",
    "What does the approach cost in time, memory or data?",
    "Who can use the results, and what for?",
    "What do the authors say should be done next?",
    "Which baselines is the approach compared with?",
    "What surprised the authors, or went against expectation?",
)
"""Questions before the request, the most general first: whoever asks five takes the first five."""


def abstract(of: str) -> str:
    """Return the request for the abstract of a paper with a title."""
    return f"Write the abstract of the paper with the title: {of}"


def abstract_multi(of: list[str]) -> str:
    """Return the request for one abstract over papers with these titles."""
    return f"Write one abstract over these {len(of)} papers: {'; '.join(of)}"


def related_work(of: str, summary: str) -> str:
    """Return the request for the related work section of a paper with a title and an abstract."""
    return f"Write the related work section that introduces this paper: {of}. {summary}"


def introduction(of: str) -> str:
    """Return the request for the introduction of a paper with a title."""
    return f"Write the introduction of the paper with the title: {of}"


def title() -> str:
    """Return the request for a paper's title."""
    return "Give this paper its title."
