"""Where the store changes from one way of doing a thing to another. No result depends on it, only what it costs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tuning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Numbers that were measured (ADR 3); tests use small ones, so that few rows go all ways."""

    exact_rows: int = 20_000
    """Up to so many rows of a kind in a namespace, a search multiplies all vectors; above, codes choose candidates."""
    exact_bytes: int = 64_000_000
    """Held by all such vectors together: two namespaces of 20,000 rows of 384 dimensions."""
    spare_candidates: int = 150
    """Vectors that are read for a search by codes beyond those asked for."""
    filtered_candidates: int = 800
    """As many at least where a filter holds: what it leaves may lie far away, where codes tell less."""
    postings: int = 2_000
    """Entries of the index of words that the rare words of a question may read."""
    least_shortlist: int = 300
    """Rows whose words are scored when common words were left out, at least."""
    scored_whole: int = 1_000
    """Where a filter leaves at most so many rows, the words of each are scored."""
    full_segment: int = 1_024
    """Rows of a full segment: 60 kB for 384 dimensions, which is what deleting one of its rows writes anew."""
    small_segment: int = 32
    """As many segments of fewer rows than this one after another become one; and so do those that are not full."""
    least_recall: float = 0.95
    """Of ten, on a sample. MiniLM's signs reach .999; vectors whose signs are all alike reach next to nothing."""

    def candidates(self, k: int, *, filtered: bool) -> int:
        """Return how many vectors to read for the k best."""
        wanted = k + self.spare_candidates
        return max(2 * wanted, self.filtered_candidates) if filtered else wanted

    def shortlist(self, k: int) -> int:
        """Return how many rows the rare words of a question choose for its k best."""
        return max(self.least_shortlist, 2 * k)
