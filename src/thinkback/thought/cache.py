"""The keys of the answer cache: when is a question the same, and when is its evidence unchanged.

A kept answer is returned only if retrieval, run again, would show the model the same evidence. Thoughts that were
distilled from this very question do not count as evidence here: else the first answer would always spoil the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thinkback.config import Preset
from thinkback.ids import canonical_json, content_hash, normalise
from thinkback.types import Derivation, Filter, Hit

__all__ = ["answer_key", "born_from", "evidence_hash"]


def answer_key(question: str, *, where: Filter | None, preset: Preset, model: str, budget_tokens: int) -> str:
    """Return the key of a kept answer: everything but the evidence that could change the reply (faults 63, 64)."""
    parts = {
        "question": normalise(question),
        "where": (where or Filter()).to_dict(),
        "preset": preset.model_dump(mode="json"),
        "model": model,
        "context": budget_tokens,
    }
    return content_hash(canonical_json(parts))


def evidence_hash(hits: Iterable[Hit]) -> str:
    """Return a hash of the shown items' ids and texts, whatever their order."""
    return content_hash(*sorted(f"{hit.item.id} {hit.item.text}" for hit in hits))


def born_from(question: str, derivations: Mapping[str, Sequence[Derivation]]) -> frozenset[str]:
    """Return the thoughts that stand on this question alone."""
    asked = normalise(question)
    return frozenset(
        thought_id
        for thought_id, ways in derivations.items()
        if ways and all(normalise(way.question) == asked for way in ways)
    )
