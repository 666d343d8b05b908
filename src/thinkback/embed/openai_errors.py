"""What is said of an endpoint of embedders that failed. Only the HTTP status gets into a message: servers echo inputs and keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from thinkback.errors import (
    BadReply,
    ModelDenied,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from thinkback.openai_api.errors import kind_of, retry_after_of

__all__ = ["translate"]

_SAYS: Final[Mapping[type[ModelError], tuple[str, str]]] = {
    ModelDenied: ("refused access", "Check the key (THINKBACK_API_KEY or OPENAI_API_KEY) and what it may use."),
    ModelRejected: ("does not take this request", "Check the embedder's name, its limits and the address."),
    ModelTimeout: ("did not answer in time", "Raise THINKBACK_TIMEOUT if the model needs longer."),
    ModelUnavailable: ("could not be reached or failed", "Check that the server runs and the address is right."),
    BadReply: ("sent something that holds no embeddings", ""),
}


def translate(error: Exception, *, server: str) -> ModelError:
    """Return our error for one of the SDK, of its HTTP client, or of a reply of another form.

    Args:
        error: what was caught.
        server: how to name the endpoint, without credentials.
    """
    status = getattr(error, "status_code", None)
    detail = f" (HTTP {status})" if status else ""
    kind = kind_of(error)
    if kind is RateLimited:
        return RateLimited(f"{server} asks to slow down{detail}.", retry_after=retry_after_of(error))
    verb, hint = _SAYS[kind]
    return kind(f"{server} {verb}{detail}.", hint=hint)
