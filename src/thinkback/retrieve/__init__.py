"""From rankings to a packed context: pure functions, and one search that asks a store for what they need."""

from __future__ import annotations

from thinkback.retrieve.diversify import diversify
from thinkback.retrieve.door import Door, door
from thinkback.retrieve.fuse import Fused, rrf
from thinkback.retrieve.gate import Coverable, admit_by_coverage, admit_by_roots, admit_by_similarity
from thinkback.retrieve.pack import Packed, pack
from thinkback.retrieve.search import SearchResult, search
from thinkback.retrieve.smooth import smooth_cosines

__all__ = [
    "Coverable",
    "Door",
    "Fused",
    "Packed",
    "SearchResult",
    "admit_by_coverage",
    "admit_by_roots",
    "admit_by_similarity",
    "diversify",
    "door",
    "pack",
    "rrf",
    "search",
    "smooth_cosines",
]
