"""Every exception of the openai SDK, as one of ours. Nothing of a server's own words gets into a message.

Servers echo prompts and even keys in their error texts; what is passed on is the status and the short codes beside it.
"""

from __future__ import annotations

import email.utils
import math
import re
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
from thinkback.llm.dialect import Dialect

__all__ = ["MEANING", "complaint_of", "retry_after_of", "translate"]

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
_HINTS: Final[Mapping[type[ModelError], str]] = {
    ModelDenied: "Check the key (THINKBACK_API_KEY or OPENAI_API_KEY) and what it may use.",
    ModelRejected: "Check the model's name and the address (THINKBACK_BASE_URL).",
    ModelUnavailable: "Check that the server runs and the address (THINKBACK_BASE_URL) is right.",
    ModelTimeout: "Raise THINKBACK_TIMEOUT if the model needs longer.",
}
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,47}")
_OUT_OF_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "credit_balance_too_low"})


def complaint_of(error: Exception) -> str:
    """Return all that the server said, to look for parameter names in; never to be shown."""
    return " ".join(str(part) for part in (getattr(error, "param", ""), getattr(error, "code", ""), error) if part)


def retry_after_of(error: BaseException | None, *, now: float | None = None) -> float | None:
    """Return the seconds that a refusal asks us to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or date)."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None)
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


def translate(error: Exception, *, server: str) -> ModelError:
    """Return our error for one of the SDK, of its HTTP client, or of a reply that is no JSON.

    Args:
        error: what was caught.
        server: how to name the endpoint, without credentials.
    """
    status = getattr(error, "status_code", None)
    kind = _kind(error, status)
    code = _safe_code(error)
    said = " ".join(filter(None, (f"HTTP {status}" if status else "", f"({code})" if code else "")))
    detail = f": {said}" if said else ""
    if kind is RateLimited:
        return RateLimited(
            f"{server} asks to slow down{detail}.",
            hint="Lower THINKBACK_REQUESTS_PER_MINUTE or THINKBACK_CONCURRENCY.",
            retry_after=retry_after_of(error),
        )
    if kind is ModelRejected and Dialect.too_long(complaint_of(error)):
        return ModelRejected(
            f"The prompt is too long for the model at {server}{detail}.", hint="Use a smaller context."
        )
    verbs: Mapping[type[ModelError], str] = {
        ModelDenied: "refused access",
        ModelRejected: "does not take this request",
        ModelTimeout: "did not answer in time",
        BadReply: "sent something that is no chat completion",
    }
    return kind(f"{server} {verbs.get(kind, 'could not be reached or failed')}{detail}.", hint=_HINTS.get(kind, ""))


def _kind(error: Exception, status: Any) -> type[ModelError]:
    if str(getattr(error, "code", None) or getattr(error, "type", None)) in _OUT_OF_QUOTA:
        return ModelDenied  # sent as 429, but waiting does not help
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    for ancestor in type(error).__mro__:
        if ancestor.__name__ in MEANING and ancestor.__module__.startswith("openai"):
            return MEANING[ancestor.__name__]
    return BadReply if isinstance(error, ValueError) else ModelUnavailable


def _safe_code(error: Exception) -> str:
    """Return the short machine-readable code of an error; whatever looks like prose or a key is left out."""
    for name in ("code", "type"):
        value = getattr(error, name, None)
        if isinstance(value, str) and _CODE.fullmatch(value) and not value.lower().startswith(("sk-", "sk_", "key")):
            return value
    return ""
