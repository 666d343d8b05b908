"""Any OpenAI-compatible embeddings endpoint as an Embedder, through the official SDK."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinkback.embed.openai_errors import translate
from thinkback.embed.rows import embed_content, has_content, unit_rows, without_surrogates
from thinkback.errors import BadReply, InvalidInput, ModelError, ModelRejected
from thinkback.ids import content_hash
from thinkback.openai_api.connection import Connection
from thinkback.openai_api.estimate import estimate_word_pieces
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix, Usage

if TYPE_CHECKING:
    import httpx2
    from pydantic import SecretStr

__all__ = ["OpenAIEmbedder"]

_PROBE: Final = "How long is a vector?"


class OpenAIEmbedder:
    """A model behind an embeddings endpoint. Safe to use from many threads.

    Args:
        model: its name there.
        base_url: up to and with ``/v1``; None is OpenAI's own.
        api_key: None for servers that want none.
        dimension: components to ask for. None: what the model gives, seen at its first reply.
        query_prefix: set before each query, for models that were trained with one.
        document_prefix: set before each document.
        max_tokens: tokens that the model reads at most.
        count: counts tokens as the model does; None: an estimate that errs to the high side.
        money_per_million: price of a million tokens.
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
        money_per_million: float = 0.0,
        batch_tokens: int = 64_000,
        batch_texts: int = 256,
        timeout: float = 120.0,
        attempts: int = 4,
        first_wait: float = 0.5,
        http_client: httpx2.Client | None = None,
    ) -> None:
        self._connection = Connection(
            "an embedder",
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            first_wait=first_wait,
            http_client=http_client,
        )
        if min(batch_tokens, batch_texts, attempts, max_tokens, 1 if dimension is None else dimension) < 1:
            raise InvalidInput("The limits of an embedder and its dimension must be at least 1.")
        self._model = model
        self._prefix = {"query": query_prefix, "document": document_prefix}
        self.id = self._name(dimension)
        self.max_tokens = max_tokens
        self._dimension = dimension
        self._ask_dimension = dimension is not None
        self._count = count or estimate_word_pieces
        self._price = money_per_million
        self._batch_tokens = batch_tokens
        self._batch_texts = batch_texts
        self._lock = threading.Lock()
        self._uncounted = Usage()
        """What looking for the dimension cost; the next counted call takes it along."""

    def _name(self, dimension: int | None) -> str:
        """Return the id. The port is left out: a local server that moves to another one gives the same vectors."""
        here = self._connection
        name = f"openai:{self._model}" if here.official else f"openai:{self._model}@{here.host}"
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
        """Components of a vector; asks the server with a short text, if nothing has been embedded yet.

        Raises:
            ModelError: the server did not answer usably.
        """
        if self._dimension is None:
            vectors, usage = self._request([_PROBE])
            with self._lock:
                self._uncounted += usage
            if len(vectors) != 1:
                raise self._no_embeddings()
            return self._width_of(vectors)
        return self._dimension

    def expect(self, dimension: int) -> None:
        """Take a dimension that is known from earlier, so that it need not be asked for; vectors of another one are refused."""
        if self._dimension is None:
            self._dimension = dimension

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return shape (len(texts), dimension), float32, rows of norm 1 (0 for a text without content), in order.

        Texts without content are not sent.

        Raises:
            ModelError: the server gave NaN, too few vectors, vectors of another dimension, or did not answer.
        """
        return self.embed_counted(texts, kind=kind)[0]

    def worst(self, texts: Sequence[str], *, kind: InputKind) -> Usage:
        """Return the most that embedding the texts can cost; nothing where none has content."""
        prefix = self._prefix[kind]
        tokens = [self._count(prefix + without_surrogates(text)) for text in texts if has_content(text)]
        return self._cost(sum(tokens), calls=0)

    def embed_counted(self, texts: Sequence[str], *, kind: InputKind) -> tuple[FloatMatrix, Usage]:
        """Return what ``embed`` does, and what it cost.

        Raises:
            ModelError: as ``embed``; its ``usage`` says what the requests before the failed one cost.
        """
        with self._lock:
            spent, self._uncounted = self._uncounted, Usage()

        def send(kept: list[str]) -> FloatMatrix:
            nonlocal spent
            parts = []
            for batch in self._batches([self._prefix[kind] + text for text in kept]):
                vectors, usage = self._request(batch)
                spent += usage
                width = self._dimension or self._width_of(vectors)
                parts.append(unit_rows(vectors, count=len(batch), dimension=width, model=self.id))
            return np.concatenate(parts)

        try:
            return embed_content(texts, dimension=lambda: self.dimension, embed=send), spent
        except ModelError as error:
            error.usage = spent
            raise

    def count(self, text: str) -> int:
        """Return the number of tokens by the counter that was given, else an estimate to the high side."""
        return self._count(text)

    def close(self) -> None:
        """Close the connections; those of a client that was given stay open. A later ``embed`` raises."""
        self._connection.close()

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

    def _request(self, texts: list[str]) -> tuple[list[Any], Usage]:
        """Return one vector per text in order, as the server sent them, unchecked, and what they cost."""
        for attempt in self._connection.retries():
            with attempt:
                return self._send_once(texts)
        raise AssertionError  # stamina raises after the last attempt

    def _send_once(self, texts: list[str]) -> tuple[list[Any], Usage]:
        try:
            return self._send(texts, dimensions=self._dimension if self._ask_dimension else None)
        except ModelRejected as error:
            if not (self._ask_dimension and "dimension" in str(error.__cause__).lower()):
                raise
            # The model has one dimension only and its server will not even hear of it: if it is another one than
            # was asked for, the check of the vectors says so.
            self._ask_dimension = False
            return self._send(texts, dimensions=None)

    def _send(self, texts: list[str], *, dimensions: int | None) -> tuple[list[Any], Usage]:
        import httpx2  # noqa: PLC0415 - half a second that only users of an endpoint should pay
        import openai  # noqa: PLC0415

        try:
            reply = self._connection.client(f"The embedder {self.id!r}").embeddings.create(
                input=texts,
                model=self._model,
                dimensions=openai.omit if dimensions is None else dimensions,
                # Left out, the SDK asks for base64, a third of the bytes, which not every other server knows.
                encoding_format=openai.omit if self._connection.official else "float",
            )
            return _in_order(reply.data), self._usage(reply, texts)
        # ValueError, TypeError, AttributeError: a reply that is no JSON, or JSON of another form
        except (
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:
            raise translate(error, server=self._connection.server) from error

    def _width_of(self, vectors: Sequence[Any]) -> int:
        """Return the dimension that a reply shows, and keep it."""
        width = len(vectors[0]) if vectors and isinstance(vectors[0], list) else 0
        if not width:
            raise self._no_embeddings()
        self._dimension = width
        return width

    def _no_embeddings(self) -> BadReply:
        return BadReply(f"{self._connection.server} sent something that holds no embeddings.")

    # --- accounts ------------------------------------------------------------------------------------------------
    def _usage(self, reply: Any, texts: Sequence[str]) -> Usage:
        """Return what a request cost: as the server counts, or by our count where it says nothing."""
        said = getattr(reply, "usage", None)
        counts = [getattr(said, name, None) for name in ("prompt_tokens", "total_tokens")]
        known = next((count for count in counts if isinstance(count, int) and count > 0), None)
        if known is None:
            return self._cost(sum(map(self._count, texts)), calls=1, estimated=True)
        return self._cost(known, calls=1)

    def _cost(self, tokens: int, *, calls: int, estimated: bool = False) -> Usage:
        return Usage(
            embedding_calls=calls, embedded_tokens=tokens, money=tokens * self._price / 1e6, estimated=estimated
        )


def _in_order(data: Sequence[Any]) -> list[Any]:
    """Return the vectors by their ``index``. Servers that number all 0, or not at all, are taken to keep the order."""
    places = [getattr(entry, "index", None) for entry in data]
    if any(places):
        if sorted(place for place in places if isinstance(place, int)) != list(range(len(data))):
            raise BadReply("The embedder's reply numbers its vectors in a way that fits no order.")
        data = sorted(data, key=lambda entry: entry.index)
    return [entry.embedding for entry in data]
