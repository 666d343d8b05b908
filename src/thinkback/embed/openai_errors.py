"""Exceptions of the openai SDK, as ours. Only the HTTP status gets into a message: servers echo inputs and keys."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping
from typing import Any, Final

from thinkback.errors import (
    BadReply,
    ModelDenied,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)

__all__ = ["MEANING", "retry_after_of", "translate"]

MEANING: Final[Mapping[str, type[ModelError]]] = {
    "OpenAIError": ModelUnavailable,
    "APIError": ModelUnavailable,
    "APIResponseValidationError": BadReply,
    "APIStatusError": ModelUnavailable,
    "APIConnectionError": ModelUnavailable,
    "APITimeoutError": ModelTimeout,
    "BadRequestError": ModelRejected,
    "AuthenticationError": ModelDenied,
    "OAuthError": ModelDenied,
    "SubjectTokenProviderError": ModelDenied,
    "PermissionDeniedError": ModelDenied,
    "NotFoundError": ModelRejected,
    "ConflictError": ModelUnavailable,
    "UnprocessableEntityError": ModelRejected,
    "RateLimitError": RateLimited,
    "InternalServerError": ModelUnavailable,
    "LengthFinishReasonError": BadReply,
    "ContentFilterFinishReasonError": BadReply,
    "InvalidWebhookSignatureError": BadReply,
    "WebSocketConnectionClosedError": ModelUnavailable,
    "WebSocketQueueFullError": ModelUnavailable,
}
"""Class name of the SDK to ours; a test fails when the SDK has one that is not here."""

_BY_STATUS: Final[Mapping[int, type[ModelError]]] = {
    402: ModelDenied,
    405: ModelRejected,
    408: ModelTimeout,
    410: ModelRejected,
    413: ModelRejected,
    415: ModelRejected,
}
_SAYS: Final[Mapping[type[ModelError], tuple[str, str]]] = {
    ModelDenied: ("refused access", "Check the key (THINKBACK_API_KEY or OPENAI_API_KEY) and what it may use."),
    ModelRejected: ("does not take this request", "Check the embedder's name, its limits and the address."),
    ModelTimeout: ("did not answer in time", "Raise THINKBACK_TIMEOUT if the model needs longer."),
    ModelUnavailable: ("could not be reached or failed", "Check that the server runs and the address is right."),
    BadReply: ("sent something that holds no embeddings", ""),
}
_OUT_OF_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low"})


def translate(error: Exception, *, server: str) -> ModelError:
    """Return our error for one of the SDK, of its HTTP client, or of a reply that is no JSON.

    Args:
        error: what was caught.
        server: how to name the endpoint, without credentials.
    """
    status = getattr(error, "status_code", None)
    detail = f" (HTTP {status})" if status else ""
    kind = _kind(error, status)
    if kind is RateLimited:
        return RateLimited(f"{server} asks to slow down{detail}.", retry_after=retry_after_of(error))
    verb, hint = _SAYS[kind]
    return kind(f"{server} {verb}{detail}.", hint=hint)


def _kind(error: Exception, status: Any) -> type[ModelError]:
    if {getattr(error, "code", None), getattr(error, "type", None)} & _OUT_OF_QUOTA:
        return ModelDenied  # sent as 429, but waiting does not help
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in MEANING and ancestor.__module__.startswith("openai"):
            return MEANING[ancestor.__name__]
    return BadReply if isinstance(error, ValueError | TypeError | AttributeError) else ModelUnavailable


def retry_after_of(error: BaseException | None) -> float | None:
    """Return the seconds that a refusal asks us to wait (``retry-after-ms``, or ``Retry-After`` in seconds or a date)."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        return max(0.0, email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time())
    except ValueError:
        return None
