"""What is said of an endpoint of language models that failed. Nothing of a server's own words gets into a message.

Servers echo prompts and even keys in their error texts; what is passed on is the status and the short codes beside it.
"""

from __future__ import annotations

import re
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
from thinkback.llm.dialect import Dialect
from thinkback.openai_api.errors import kind_of, retry_after_of

__all__ = ["complaint_of", "translate"]

_HINTS: Final[Mapping[type[ModelError], str]] = {
    ModelDenied: "Check the key (THINKBACK_API_KEY or OPENAI_API_KEY) and what it may use.",
    ModelRejected: "Check the model's name and the address (THINKBACK_BASE_URL).",
    ModelUnavailable: "Check that the server runs and the address (THINKBACK_BASE_URL) is right.",
    ModelTimeout: "Raise THINKBACK_TIMEOUT if the model needs longer.",
}
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,47}")


def complaint_of(error: Exception) -> str:
    """Return all that the server said, to look for parameter names in; never to be shown."""
    return " ".join(str(part) for part in (getattr(error, "param", ""), getattr(error, "code", ""), error) if part)


def translate(error: Exception, *, server: str) -> ModelError:
    """Return our error for one of the SDK, of its HTTP client, or of a reply that is no JSON.

    Args:
        error: what was caught.
        server: how to name the endpoint, without credentials.
    """
    status = getattr(error, "status_code", None)
    kind = kind_of(error)
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


def _safe_code(error: Exception) -> str:
    """Return the short machine-readable code of an error; whatever looks like prose or a key is left out."""
    for name in ("code", "type"):
        value = getattr(error, name, None)
        if isinstance(value, str) and _CODE.fullmatch(value) and not value.lower().startswith(("sk-", "sk_", "key")):
            return value
    return ""
