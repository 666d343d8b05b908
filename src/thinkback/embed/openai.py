"""Any OpenAI-compatible embeddings endpoint as an Embedder, through the official SDK."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import stamina
from pydantic import SecretStr

from thinkback.embed.estimate import estimate_tokens
from thinkback.embed.openai_errors import retry_after_of, translate
from thinkback.embed.rows import embed_content, unit_rows
from thinkback.errors import BadReply, InvalidInput, ModelDenied, ModelError, ModelRejected, ModelUnavailable
from thinkback.ids import content_hash
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["OpenAIEmbedder"]

_OFFICIAL: Final = "https://api.openai.com/v1"
_LONGEST_WAIT: Final = 60.0
"""Seconds; a server that asks for more is not waited for, the caller is told."""
_CONNECT: Final = 10.0
"""Seconds after which a server that does not take connections is given up."""
_PROBE: Final = "How long is a vector?"


class OpenAIEmbedder:
    """A model behind an embeddings endpoint. Safe to use from many threads.

    Args:
        model: its name there.
        base_url: up to and with ``/v1``; None is OpenAI's own.
        api_key: None for servers that want none.
        dimension: components to ask for. None: what the model gives, found by one short request at first use.
        query_prefix: set before each query, for models that were trained with one.
        document_prefix: set before each document.
        max_tokens: tokens that the model reads at most.
        count: counts tokens as the model does; None: an estimate that errs to the high side.
        batch_tokens: most tokens of one request (OpenAI takes 300,000); a single larger text goes alone.
        batch_texts: most texts of one request (OpenAI takes 2,048).
        timeout: seconds to wait for a reply.
        attempts: how often one request is sent at most when the server is busy, fails or cannot be reached.
        first_wait: seconds before the second attempt, doubled for each further one; ``Retry-After`` goes before it.
        http_client: an ``httpx2.Client`` of the caller's, who also closes it.

    Raises:
        InvalidInput: the address is no HTTP address, or a limit is below 1.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | SecretStr | None = None,
        dimension: int | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        max_tokens: int = 8191,
        count: Callable[[str], int] | None = None,
        batch_tokens: int = 64_000,
        batch_texts: int = 256,
        timeout: float = 120.0,
        attempts: int = 4,
        first_wait: float = 0.5,
        http_client: httpx2.Client | None = None,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url or _OFFICIAL)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput("The address of an embedder must be a URL such as http://localhost:8080/v1.")
        if min(batch_tokens, batch_texts, attempts, max_tokens, 1 if dimension is None else dimension) < 1:
            raise InvalidInput("The limits of an embedder and its dimension must be at least 1.")
        self._official = (base_url or _OFFICIAL).rstrip("/") == _OFFICIAL
        self._base_url = base_url or _OFFICIAL
        self._server = parts.hostname + (f":{parts.port}" if parts.port else "")
        self._model = model
        self._prefix = {"query": query_prefix, "document": document_prefix}
        self.id = self._name(parts.hostname, dimension)
        self.max_tokens = max_tokens
        self._key = api_key if isinstance(api_key, SecretStr) else SecretStr(api_key or "")
        self._dimension = dimension
        self._ask_dimension = dimension is not None
        self._count = count or estimate_tokens
        self._batch_tokens = batch_tokens
        self._batch_texts = batch_texts
        self._timeout = timeout
        self._attempts = attempts
        self._first_wait = first_wait
        self._http_client = http_client
        self._lock = threading.Lock()
        self._sdk: openai.OpenAI | None = None
        self._closed = False

    def _name(self, host: str, dimension: int | None) -> str:
        """Return the id. The port is left out: a local server that moves to another one gives the same vectors."""
        name = f"openai:{self._model}" if self._official else f"openai:{self._model}@{host}"
        if dimension is not None:
            name += f"/{dimension}"
        if any(self._prefix.values()):
            name += f"/{content_hash(self._prefix['query'], self._prefix['document'])[:8]}"
        return name

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(id={self.id!r})"

    # --- the port ------------------------------------------------------------------------------------------------
    @property
    def dimension(self) -> int:
        """Components of a vector; asks the server at the first look, if it was not given.

        Raises:
            ModelError: the server did not answer usably.
        """
        if self._dimension is None:
            vectors = self._request([_PROBE])
            width = len(vectors[0]) if len(vectors) == 1 and isinstance(vectors[0], list) else 0
            if not width:
                raise BadReply(f"{self._server} sent something that holds no embeddings.")
            self._dimension = width
        return self._dimension

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return shape (len(texts), dimension), float32, rows of norm 1 (0 for a text without content), in order.

        Texts without content are not sent.

        Raises:
            ModelError: the server gave NaN, too few vectors, vectors of another dimension, or did not answer.
        """
        prefix = self._prefix[kind]
        dimension = self.dimension

        def send(kept: list[str]) -> FloatMatrix:
            prepared = [prefix + text for text in kept]
            parts = [
                unit_rows(self._request(batch), count=len(batch), dimension=dimension, model=self.id)
                for batch in self._batches(prepared)
            ]
            return np.concatenate(parts)

        return embed_content(texts, dimension=dimension, embed=send)

    def count(self, text: str) -> int:
        """Return the number of tokens by the counter that was given, else an estimate to the high side."""
        return self._count(text)

    def close(self) -> None:
        """Close the connections; those of a client that was given stay open. A later ``embed`` raises."""
        with self._lock:
            self._closed = True
            if self._sdk is not None and self._http_client is None:
                self._sdk.close()
            self._sdk = None

    # --- requests ------------------------------------------------------------------------------------------------
    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Yield the texts in order, in batches within both limits."""
        batch: list[str] = []
        tokens = 0
        for text in texts:
            size = self._count(text)
            if batch and (tokens + size > self._batch_tokens or len(batch) == self._batch_texts):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += size
        if batch:
            yield batch

    def _request(self, texts: list[str]) -> list[Any]:
        """Return one vector per text in order, as the server sent them, unchecked."""
        retries = stamina.retry_context(
            on=_wait_before_retry,
            attempts=self._attempts,
            timeout=None,
            wait_initial=self._first_wait,
            wait_max=_LONGEST_WAIT,
            wait_jitter=self._first_wait,
        )
        for attempt in retries:
            with attempt:
                return self._send_once(texts)
        raise AssertionError  # stamina raises after the last attempt

    def _send_once(self, texts: list[str]) -> list[Any]:
        try:
            return self._send(texts, dimensions=self._dimension if self._ask_dimension else None)
        except ModelRejected as error:
            if not (self._ask_dimension and "dimension" in str(error.__cause__).lower()):
                raise
            # The model has one dimension only and its server will not even hear of it: if it is another one than
            # was asked for, the check of the vectors says so.
            self._ask_dimension = False
            return self._send(texts, dimensions=None)

    def _send(self, texts: list[str], *, dimensions: int | None) -> list[Any]:
        import httpx2  # noqa: PLC0415 - half a second that only users of an endpoint should pay
        import openai  # noqa: PLC0415

        try:
            reply = self._client().embeddings.create(
                input=texts,
                model=self._model,
                dimensions=openai.omit if dimensions is None else dimensions,
                # Left out, the SDK asks for base64, a third of the bytes, which not every other server knows.
                encoding_format=openai.omit if self._official else "float",
            )
            return _in_order(reply.data)
        # ValueError, TypeError, AttributeError: a reply that is no JSON, or JSON of another form
        except (
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:
            raise translate(error, server=self._server) from error

    def _client(self) -> openai.OpenAI:
        import httpx2  # noqa: PLC0415
        import openai  # noqa: PLC0415

        with self._lock:
            if self._closed:
                raise ModelUnavailable(f"The embedder {self.id!r} was closed.")
            if self._sdk is None:
                key = self._key.get_secret_value()
                if self._official and not key:
                    raise ModelDenied("There is no key for OpenAI.", hint="Set THINKBACK_API_KEY or OPENAI_API_KEY.")
                self._sdk = openai.OpenAI(
                    api_key=key or "none",  # the SDK insists; servers without keys do not look
                    base_url=self._base_url,
                    timeout=httpx2.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
                    max_retries=0,  # ours honour long waits, and do not repeat what can never work
                    http_client=self._http_client,
                )
                if not self._official:  # what the environment says about OpenAI accounts is nobody else's business
                    self._sdk.organization = self._sdk.project = None
            return self._sdk


def _in_order(data: Sequence[Any]) -> list[Any]:
    """Return the vectors by their ``index``. Servers that number all 0, or not at all, are taken to keep the order."""
    places = [getattr(entry, "index", None) for entry in data]
    if any(places):
        if sorted(place for place in places if isinstance(place, int)) != list(range(len(data))):
            raise BadReply("The embedder's reply numbers its vectors in a way that fits no order.")
        data = sorted(data, key=lambda entry: entry.index)
    return [entry.embedding for entry in data]


def _wait_before_retry(error: Exception) -> bool | float:
    """Tell stamina whether to try again: False, True (back-off), or the seconds that the server asked for."""
    if not isinstance(error, ModelError) or not error.retryable or isinstance(error, BadReply):
        return False
    after = retry_after_of(error.__cause__)
    if after is None:
        return True
    return after if after <= _LONGEST_WAIT else False
