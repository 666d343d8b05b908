"""Count what a system spends on the model, whoever of its parts asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from thinkback.bench.ports import Cost
from thinkback.ports import Delta, Generator, Reply, Request

__all__ = ["MeteredGenerator"]


class MeteredGenerator:
    """A language model that keeps account of its calls. Safe to use from many threads.

    A reply that came from a file counts with the tokens and seconds that it took when it was made, so that a resumed or
    replayed run reports the same costs.

    Args:
        inner: the model.
    """

    def __init__(self, inner: Generator) -> None:
        self.id = inner.id
        self.traits = inner.traits
        self._inner = inner
        self._lock = threading.Lock()
        self._cost = Cost()
        self._waited = 0.0

    def generate(self, request: Request) -> Reply:
        """Return the inner model's reply.

        Raises:
            ModelError: as the inner model.
        """
        begun = time.perf_counter()
        reply = self._inner.generate(request)
        self._count(reply, time.perf_counter() - begun)
        return reply

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield what the inner model yields.

        Raises:
            ModelError: as the inner model.
        """
        begun = time.perf_counter()
        for piece in self._inner.stream(request):
            if isinstance(piece, Reply):
                self._count(piece, time.perf_counter() - begun)
            yield piece

    def count(self, text: str) -> int:
        """Return the inner model's count."""
        return self._inner.count(text)

    def close(self) -> None:
        """Do nothing: the model belongs to the run, not to the system."""

    def shut(self) -> None:
        """Close the model, at the end of the run."""
        self._inner.close()

    def take(self) -> tuple[Cost, float]:
        """Return what was spent since the last look, and the wall seconds that were really waited for it."""
        with self._lock:
            spent, waited = self._cost, self._waited
            self._cost, self._waited = Cost(), 0.0
        return spent, waited

    def _count(self, reply: Reply, waited: float) -> None:
        usage, traits = reply.usage, self.traits
        kept = usage.calls == 0 and "model" in usage.seconds
        money = usage.money or (
            usage.prompt_tokens * traits.money_per_million_prompt
            + usage.completion_tokens * traits.money_per_million_completion
        ) / 1e6  # fmt: skip
        spent = Cost(
            calls=max(1, usage.calls), prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens,
            money=money, seconds=usage.seconds["model"] if kept else waited, estimated=usage.estimated,
        )  # fmt: skip
        with self._lock:
            self._cost += spent
            self._waited += waited
