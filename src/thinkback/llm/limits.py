"""Keep within what an endpoint allows: calls at a time, requests and tokens a minute. Waits, and never raises for it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final

from thinkback.errors import InvalidInput, RateLimited
from thinkback.ports import Delta, Reply, Request
from thinkback.ports import Generator as LanguageModel

__all__ = ["LimitedGenerator"]

_WINDOW: Final = 60.0
"""Seconds over which requests and tokens are summed."""
_DEFAULT_PAUSE: Final = 5.0
"""Seconds of rest after a refusal that does not say how long."""


@dataclass(slots=True)
class _Sent:
    at: float
    tokens: int


class LimitedGenerator:
    """A language model that is asked no faster than allowed. Safe to use from many threads; they are served in turn.

    Args:
        inner: the model.
        concurrency: calls at a time; a stream counts until its reply has come or it is closed.
        requests_per_minute: over any sixty seconds; None is no limit.
        tokens_per_minute: prompt and completion together; a request larger than that goes out alone.
        clock: monotonic seconds; replaced in tests.
        sleep: waits for that many seconds; replaced in tests.

    Raises:
        InvalidInput: a limit below 1.
    """

    def __init__(
        self,
        inner: LanguageModel,
        *,
        concurrency: int = 4,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if min(concurrency, requests_per_minute or 1, tokens_per_minute or 1) < 1 or 0 in {
            requests_per_minute,
            tokens_per_minute,
        }:
            raise InvalidInput("Limits of a model are at least 1.")
        self.id = inner.id
        self.traits = inner.traits
        self._inner = inner
        self._slots = threading.BoundedSemaphore(concurrency)
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._gate = threading.Lock()
        self._sent: deque[_Sent] = deque()
        self._not_before = 0.0

    def __repr__(self) -> str:
        return f"LimitedGenerator({self._inner!r})"

    def generate(self, request: Request) -> Reply:
        """Return the whole reply, after waiting as long as needed.

        Raises:
            ModelError: as the inner model; a refusal to be asked so often makes the next call wait, whoever makes it.
        """
        with self._slots:
            sent = self._wait(request)
            try:
                reply = self._inner.generate(request)
            except RateLimited as error:
                self._pause(error)
                raise
            sent.tokens = reply.usage.tokens
        return reply

    def stream(self, request: Request) -> Generator[Delta | Reply, None, None]:
        """Yield as the inner model does, after waiting as long as needed.

        Raises:
            ModelError: as the inner model.
        """
        reply: Reply | None = None
        with self._slots:
            sent = self._wait(request)
            pieces = iter(self._inner.stream(request))
            try:
                for piece in pieces:
                    if isinstance(piece, Reply):
                        reply = piece
                        sent.tokens = piece.usage.tokens
                        break
                    yield piece
            except RateLimited as error:
                self._pause(error)
                raise
            finally:
                if isinstance(pieces, Generator):
                    pieces.close()
        if reply is not None:
            yield reply  # without the slot: who has the reply does not always ask for more

    def count(self, text: str) -> int:
        """Return the inner model's count."""
        return self._inner.count(text)

    def close(self) -> None:
        """Close the inner model."""
        self._inner.close()

    def _wait(self, request: Request) -> _Sent:
        """Wait for our turn, and book it; the number of tokens is put right once it is known."""
        tokens = 0
        if self._tokens is not None:
            tokens = sum(self._inner.count(each.content) for each in request.messages) + request.max_tokens
        with self._gate:  # held while waiting: whoever came first goes first
            while (pause := self._missing(self._clock(), tokens)) > 0:
                self._sleep(pause)
            sent = _Sent(at=self._clock(), tokens=tokens)
            self._sent.append(sent)
        return sent

    def _missing(self, now: float, tokens: int) -> float:
        """Return the seconds until a request of that many tokens may go out; 0 or less is now."""
        while self._sent and self._sent[0].at <= now - _WINDOW:
            self._sent.popleft()
        wait = self._not_before - now
        if self._requests is not None and len(self._sent) >= self._requests:
            wait = max(wait, self._sent[-self._requests].at + _WINDOW - now)
        if self._tokens is not None:
            used = sum(each.tokens for each in self._sent)
            for each in self._sent:
                if used + tokens <= self._tokens:
                    break
                used -= each.tokens
                wait = max(wait, each.at + _WINDOW - now)
        return wait

    def _pause(self, error: RateLimited) -> None:
        seconds = _DEFAULT_PAUSE if error.retry_after is None else error.retry_after
        # Without the gate: its holder may be waiting, and must see this when it wakes.
        self._not_before = max(self._not_before, self._clock() + seconds)
