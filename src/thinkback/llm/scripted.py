"""A language model that says what it is told to: the public test double of the Generator port."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from thinkback.errors import ModelUnavailable
from thinkback.llm.thinking import strip_thinking
from thinkback.ports import Delta, ModelTraits, Reply, Request
from thinkback.types import Usage

__all__ = ["CutOff", "ScriptExhausted", "Scripted", "ScriptedGenerator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """A reply that breaks off: ``text`` is streamed, then ``error`` is raised (by ``generate`` at once)."""

    text: str
    error: Exception


class ScriptExhausted(AssertionError):  # not a ThinkbackError: no code under test may take it for a model's fault
    """More was asked than the script has replies."""


Scripted: TypeAlias = str | Reply | Exception | CutOff


class ScriptedGenerator:
    """Plays back replies, and records what it was asked.

    Args:
        replies: one per request, in order; or a function from the request to its reply. A text becomes a reply whose
            usage counts words; an exception is raised.
        traits: by default a model with a window of 32,768 words.
        id: the name it goes by.
    """

    def __init__(
        self,
        replies: Iterable[Scripted] | Callable[[Request], Scripted],
        *,
        traits: ModelTraits | None = None,
        id: str = "scripted",  # noqa: A002 - the port's name for it
    ) -> None:
        self.id = id
        self.traits = traits or ModelTraits(context_window=32_768)
        self.requests: list[Request] = []
        """Every request so far, in order."""
        self.streams_closed = 0
        """How many streams were closed before their end."""
        self._script = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)
        self._lock = threading.Lock()
        self._closed = False

    def __repr__(self) -> str:
        return f"ScriptedGenerator(id={self.id!r}, requests={len(self.requests)})"

    def _next(self, request: Request) -> Scripted:
        with self._lock:
            if self._closed:
                raise ModelUnavailable(f"The model {self.id!r} was closed.")
            self.requests.append(request)
            if self._script is None:
                try:
                    return next(self._replies)
                except StopIteration:
                    raise ScriptExhausted(
                        f"The script of {self.id!r} has no reply to request {len(self.requests)}"
                        f" (purpose {request.purpose!r})."
                    ) from None
        return self._script(request)

    def _reply(self, request: Request, said: str | Reply) -> Reply:
        if isinstance(said, Reply):
            return said
        text = strip_thinking(said)
        usage = Usage(
            calls=1,
            prompt_tokens=sum(self.count(message.content) for message in request.messages),
            completion_tokens=self.count(said),
        )
        return Reply(text=text, model=self.id, usage=replace(usage, money=self._money(usage)))

    def _money(self, usage: Usage) -> float:
        prompt = usage.prompt_tokens * self.traits.money_per_million_prompt
        return (prompt + usage.completion_tokens * self.traits.money_per_million_completion) / 1e6

    def generate(self, request: Request) -> Reply:
        """Return the next reply.

        Raises:
            ScriptExhausted: there is none left.
            Exception: the one that the script has here.
        """
        said = self._next(request)
        if isinstance(said, CutOff):
            raise said.error
        if isinstance(said, Exception):
            raise said
        return self._reply(request, said)

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield the next reply word by word (spaces stay with the word before), then the reply itself."""
        said = self._next(request)
        return self._play(request, said)

    def _play(self, request: Request, said: Scripted) -> Iterator[Delta | Reply]:
        if isinstance(said, Exception):
            raise said
        reply = None if isinstance(said, CutOff) else self._reply(request, said)
        try:
            for word in re.findall(r"\s*\S+\s*", reply.text if reply else strip_thinking(_text(said))):
                yield Delta(text=word)
        except GeneratorExit:
            self.streams_closed += 1
            raise
        if isinstance(said, CutOff):
            raise said.error
        if reply:
            yield reply

    def count(self, text: str) -> int:
        """Return the number of words."""
        return len(text.split())

    def close(self) -> None:
        """Refuse all further requests."""
        self._closed = True


def _text(said: Scripted) -> str:
    return said.text if isinstance(said, CutOff) else ""
