"""Async twins: the same methods in worker threads, usable from any event loop, twice, anywhere (ADR 0001)."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["iterate", "twin"]

Self = TypeVar("Self")
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_END = object()


def twin(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], Coroutine[Any, Any, R]]:
    """Return the async twin of a method."""

    @functools.wraps(method)
    async def run(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self, *args, **kwargs)

    run.__doc__ = f"Async twin of ``{method.__name__}``."
    run.__name__ = f"a{method.__name__}"
    run.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.a{method.__name__}"
    return run


async def iterate(make: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """Yield what an iterator gives, each step made in one thread of its own; leaving early closes the iterator there."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="thinkback-stream") as thread:
        stream = await loop.run_in_executor(thread, make)
        try:
            while (piece := await loop.run_in_executor(thread, next, stream, _END)) is not _END:
                yield piece  # type: ignore[misc] # the sentinel has been ruled out
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                await asyncio.shield(loop.run_in_executor(thread, close))
