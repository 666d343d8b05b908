"""Which of our errors an exception of the openai SDK is. The words are each adapter's own.

Servers echo prompts and even keys in their error texts, so nothing of them may be passed on.
"""

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

__all__ = ["LONGEST_WAIT", "MEANING", "kind_of", "retry_after_of", "wait_before_retry"]

LONGEST_WAIT: Final = 60.0
"""Seconds; a server that asks for more is not waited for, the caller is told."""

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
    414: ModelRejected,
    415: ModelRejected,
}
_OUT_OF_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low"})


def kind_of(error: Exception) -> type[ModelError]:
    """Return the class of ours for an exception of the SDK, of its HTTP client, or of a reply of another form."""
    if {str(getattr(error, name, None)) for name in ("code", "type")} & _OUT_OF_QUOTA:
        return ModelDenied  # sent as 429, but waiting does not help
    status: Any = getattr(error, "status_code", None)
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in MEANING and ancestor.__module__.startswith("openai"):
            return MEANING[ancestor.__name__]
    return BadReply if isinstance(error, ValueError | TypeError | AttributeError) else ModelUnavailable


def retry_after_of(error: BaseException | None, *, now: float | None = None) -> float | None:
    """Return the seconds that a refusal asks us to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or date)."""
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
        at = email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp()
    except ValueError:
        return None
    return max(0.0, at - (time.time() if now is None else now))


def wait_before_retry(error: Exception) -> bool | float:
    """Tell stamina whether to try again: False, True (back-off), or the seconds that the server asked for."""
    if not isinstance(error, ModelError) or not error.retryable or isinstance(error, BadReply):
        return False
    after = error.retry_after if isinstance(error, RateLimited) else retry_after_of(error.__cause__)
    if after is None:
        return True
    return after if after <= LONGEST_WAIT else False
