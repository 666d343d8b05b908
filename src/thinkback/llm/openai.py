"""Any OpenAI-compatible chat endpoint as a Generator, through the official SDK."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from thinkback.errors import ModelError, ModelUnavailable
from thinkback.llm.dialect import Dialect
from thinkback.llm.openai_errors import complaint_of, translate
from thinkback.llm.openai_reply import Received, read_chunk, read_completion
from thinkback.llm.thinking import ThinkingFilter
from thinkback.openai_api.connection import Connection
from thinkback.openai_api.estimate import estimate_prompt, estimate_tokens
from thinkback.ports import Delta, ModelTraits, Reply, Request
from thinkback.types import Usage

if TYPE_CHECKING:
    import httpx2
    from pydantic import SecretStr

__all__ = ["OpenAIGenerator"]

_THINKING_ROOM: Final = 4096
"""Least room, in tokens, for a model that used up its output on thinking."""
_CRASH: Final = 500


@dataclass(slots=True)
class _Spent:
    """What one request has cost besides the reply that is returned in the end."""

    usage: Usage = field(default_factory=Usage)
    probed: bool = False
    """Whether all reply forms were tried on a server that answers HTTP 500."""

    def failed(self) -> None:
        self.usage = replace(self.usage, failed_calls=self.usage.failed_calls + 1)


class OpenAIGenerator:
    """A model behind a chat completions endpoint.

    Args:
        model: its name there.
        base_url: up to and with ``/v1``; None is OpenAI's own.
        api_key: None for servers that want none.
        traits: window and prices; by default a window of 32,768 tokens and no price.
        timeout: seconds to wait for a connection, and between two pieces of a reply.
        attempts: how often one request is sent at most when the server is busy, fails or cannot be reached.
        first_wait: seconds before the second attempt, doubled for each further one; ``Retry-After`` goes before it.
        http_client: an ``httpx2.Client`` of the caller's, who also closes it.

    Raises:
        InvalidInput: the address is no HTTP address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | SecretStr | None = None,
        traits: ModelTraits | None = None,
        timeout: float = 120.0,
        attempts: int = 4,
        first_wait: float = 0.5,
        http_client: httpx2.Client | None = None,
    ) -> None:
        self._connection = Connection(
            "a model",
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            first_wait=first_wait,
            http_client=http_client,
        )
        self._server = self._connection.server
        self.id = f"openai:{model}" if self._connection.official else f"openai:{model}@{self._server}"
        self.traits = traits or ModelTraits(context_window=32_768)
        self._model = model
        self._dialect = Dialect(official=self._connection.official)

    def __repr__(self) -> str:
        return f"OpenAIGenerator(id={self.id!r})"

    # --- the port ------------------------------------------------------------------------------------------------
    def generate(self, request: Request) -> Reply:
        """Return the whole reply.

        Raises:
            ModelError: no usable reply came; ``usage`` says what the attempts cost.
        """
        spent = _Spent()
        try:
            received = self._complete(request, request.max_tokens, spent)
            if received.only_thought:
                room = self._more_room(request, received, spent)
                received = self._complete(request, room, spent)
            return self._reply(request, received, spent)
        except ModelError as error:
            error.usage = spent.usage
            raise

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield pieces as they come, then the Reply. Attempts are repeated only until the first piece is there.

        Raises:
            ModelError: also in mid-stream, when the connection is cut.
        """
        spent = _Spent()
        try:
            received = Received()
            yield from self._stream_once(request, request.max_tokens, received, spent)
            if received.only_thought:
                room = self._more_room(request, received, spent)
                received = Received()
                yield from self._stream_once(request, room, received, spent)
            yield self._reply(request, received, spent)
        except ModelError as error:
            error.usage = spent.usage
            raise

    def count(self, text: str) -> int:
        """Return an estimate that errs to the high side: the server's tokenizer is not known."""
        return estimate_tokens(text)

    def close(self) -> None:
        """Close the connections; those of a client that was given stay open."""
        self._connection.close()

    # --- one request ---------------------------------------------------------------------------------------------
    def _complete(self, request: Request, room: int, spent: _Spent) -> Received:
        for attempt in self._connection.retries():
            with attempt:
                return read_completion(self._send(request, room, spent, stream=False), server=self._server)
        raise AssertionError  # stamina raises after the last attempt

    def _stream_once(self, request: Request, room: int, received: Received, spent: _Spent) -> Iterator[Delta]:
        """Stream one reply; until the first visible piece a failure is retried."""
        with contextlib.ExitStack() as open_stream:
            first, rest = "", _nothing()
            for attempt in self._connection.retries():
                with attempt:
                    received.clear()
                    pieces = self._visible(self._send(request, room, spent, stream=True), received, spent)
                    open_stream.callback(pieces.close)
                    first, rest = next(pieces, ""), pieces
            if first:
                yield Delta(text=first)
            for text in rest:
                yield Delta(text=text)

    def _visible(self, chunks: Any, received: Received, spent: _Spent) -> Generator[str, None, None]:
        """Yield the text of a stream that may be shown; what is learned besides goes into ``received``."""
        inside = self._dialect.starts_thinking
        thinking = ThinkingFilter(inside=inside)
        shown = False
        try:
            for chunk in chunks:
                if text := thinking.feed(read_chunk(chunk, received)):
                    shown = True
                    yield text
            if text := thinking.finish():
                shown = True
                yield text
        except _foreign_errors() as error:
            spent.failed()
            self._raise(error)
        finally:
            chunks.close()
        if received.finish is None:
            spent.failed()
            raise ModelUnavailable(f"The connection to {self._server} was cut in the middle of a reply.")
        received.seal(inside=inside)
        if received.text and not shown:
            yield received.text  # it had not been thinking this time

    def _send(self, request: Request, room: int, spent: _Spent, *, stream: bool) -> Any:
        """Send until the server takes the form of the request, or refuses it for another reason."""
        client = self._connection.client(f"The model {self.id!r}")
        form = self._dialect.form
        while True:
            body = self._dialect.body(request, model=self._model, max_tokens=room, stream=stream)
            try:
                answer = client.chat.completions.create(**body)
            except _foreign_errors() as error:
                spent.failed()
                status = getattr(error, "status_code", 0)
                crashed = status >= _CRASH
                if not (crashed and spent.probed) and self._dialect.learn(status, complaint_of(error), body):
                    continue
                if crashed and request.schema is not None:
                    self._dialect.restart_forms(form)
                    spent.probed = True
                self._raise(error)
            else:
                return answer

    def _raise(self, error: Exception) -> None:
        key = self._connection.key.get_secret_value()
        cause = None if key and key in f"{error!r} {error}" else error
        raise translate(error, server=self._server) from cause

    def _more_room(self, request: Request, received: Received, spent: _Spent) -> int:
        """Return the output tokens of the second try of a model that used up its first ones on thinking.

        Raises:
            BudgetExceeded: whoever keeps the budgets does not allow it.
        """
        spent.usage += self._usage(request, received)
        prompt = estimate_prompt(request.messages)
        wanted = max(4 * request.max_tokens, request.max_tokens + _THINKING_ROOM)
        room = max(request.max_tokens, min(wanted, self.traits.context_window - prompt))
        if request.before_more is not None:
            request.before_more(spent.usage, room)
        return room

    # --- accounts ------------------------------------------------------------------------------------------------
    def _reply(self, request: Request, received: Received, spent: _Spent) -> Reply:
        spent.usage += self._usage(request, received)
        received.check(self._server)
        self._dialect.starts_thinking |= received.began_inside
        if request.schema is not None:
            self._dialect.replied(received.text)
        finish: Literal["stop", "length", "filter"] = received.finish or "stop"
        return Reply(text=received.text, model=received.model or self._model, usage=spent.usage, finish=finish)

    def _usage(self, request: Request, received: Received) -> Usage:
        prompt, completion = received.prompt_tokens, received.completion_tokens
        estimated = prompt is None or completion is None
        if prompt is None:
            prompt = estimate_prompt(request.messages)
        if completion is None:
            completion = estimate_tokens(received.raw) + estimate_tokens(received.reasoning)
        money = prompt * self.traits.money_per_million_prompt + completion * self.traits.money_per_million_completion
        return Usage(
            calls=1,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_prompt_tokens=min(received.cached_tokens, prompt),
            money=money / 1e6,
            estimated=estimated,
        )


def _nothing() -> Generator[str, None, None]:
    yield from ()


def _foreign_errors() -> tuple[type[Exception], ...]:
    """Return what the SDK and its HTTP client may raise; ValueError: a reply or a piece of a stream that is no JSON."""
    import httpx2  # noqa: PLC0415
    import openai  # noqa: PLC0415

    return (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ValueError)
