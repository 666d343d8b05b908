"""Every error that thinkback raises on purpose.

    ThinkbackError
    ├── InvalidInput            the caller's argument cannot mean anything (also a ValueError)
    ├── NotFound                no such document, thought or namespace (also a LookupError)
    ├── MissingExtra            an optional package is not installed
    ├── BudgetExceeded          a hard limit on tokens or money would be broken
    ├── BundleError             an export bundle cannot be read or does not fit
    ├── LoadError               a file cannot be turned into text
    │   ├── UnsupportedFormat
    │   ├── EncryptedDocument
    │   ├── CorruptDocument
    │   └── TooLarge
    ├── StoreError              the store cannot do what was asked
    │   ├── StoreClosed
    │   ├── StoreBusy           another writer held the file for longer than the time-out
    │   ├── StoreReadOnly
    │   ├── StoreFull           the disk is full; nothing of the last write was kept
    │   ├── StoreCorrupt
    │   ├── SchemaTooNew        written by a newer thinkback
    │   └── EmbedderMismatch    vectors of another embedder
    └── ModelError              a language model or embedder did not answer usably
        ├── NoModel             none is configured
        ├── ModelUnavailable    cannot be reached or loaded
        ├── ModelTimeout
        ├── RateLimited
        ├── ModelDenied         the key is missing or refused
        ├── ModelRejected       the request can never work (too long, bad parameter)
        └── BadReply            an answer came, but not of the asked form

Foreign exceptions are mapped to these in the one adapter that wraps their library, with ``raise ... from``.
No message carries a key, a vector or the text of a document.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BadReply",
    "BudgetExceeded",
    "BundleError",
    "CorruptDocument",
    "EmbedderMismatch",
    "EncryptedDocument",
    "InvalidInput",
    "LoadError",
    "MissingExtra",
    "ModelDenied",
    "ModelError",
    "ModelRejected",
    "ModelTimeout",
    "ModelUnavailable",
    "NoModel",
    "NotFound",
    "RateLimited",
    "SchemaTooNew",
    "StoreBusy",
    "StoreClosed",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "ThinkbackError",
    "TooLarge",
    "UnsupportedFormat",
]


class ThinkbackError(Exception):
    """Base of all errors; ``hint`` says what to do, ``retryable`` whether the same call may work later."""

    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InvalidInput(ThinkbackError, ValueError):
    """An argument that cannot mean anything."""


class NotFound(ThinkbackError, LookupError):
    """No such document, thought or namespace here."""


class MissingExtra(ThinkbackError, ImportError):
    """An optional package is not installed; the hint is the pip line."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the extra {extra!r}.",
            hint=f"Install it with: pip install 'thinkback[{extra}]'",
        )
        self.extra = extra


class BudgetExceeded(ThinkbackError):
    """A hard limit would be broken; what would have broken it was not sent.

    ``usage`` is the ``types.Usage`` of what was spent on the same call before, ``report`` the ``types.AddReport`` of what
    ``add`` or ``sync`` had done by then, where there is any.
    """

    usage: Any = None
    report: Any = None


class BundleError(ThinkbackError):
    """An export bundle cannot be read, or does not fit this store."""


class LoadError(ThinkbackError):
    """A file cannot be turned into text."""


class UnsupportedFormat(LoadError):
    """No loader reads this kind of file."""


class EncryptedDocument(LoadError):
    """The file is locked with a password."""


class CorruptDocument(LoadError):
    """The file is truncated or damaged."""


class TooLarge(LoadError):
    """The file is larger than the configured limit."""


class StoreError(ThinkbackError):
    """The store cannot do what was asked."""


class StoreClosed(StoreError):
    """The store was closed."""


class StoreBusy(StoreError):
    """Another writer held the file for longer than the time-out."""

    retryable = True


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""


class StoreFull(StoreError):
    """The disk is full; nothing of the last write was kept."""

    retryable = True


class StoreCorrupt(StoreError):
    """The file is not a thinkback store, or is damaged."""


class SchemaTooNew(StoreError):
    """The file was written by a newer thinkback."""


class EmbedderMismatch(StoreError):
    """The file holds vectors of another embedder."""


class ModelError(ThinkbackError):
    """A language model or an embedder did not answer usably."""

    usage: Any = None
    """The ``types.Usage`` of the attempts that failed, where the adapter knows it."""


class NoModel(ModelError):
    """No language model is configured or pulled."""


class ModelUnavailable(ModelError):
    """The model cannot be reached or loaded."""

    retryable = True


class ModelTimeout(ModelError):
    """The model took longer than the time-out."""

    retryable = True


class RateLimited(ModelError):
    """The endpoint asks us to slow down; ``retry_after`` is in seconds where it said so."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ModelDenied(ModelError):
    """The key is missing, wrong or not allowed to use the model."""


class ModelRejected(ModelError):
    """The request itself can never work: too long, or a parameter the model does not know."""


class BadReply(ModelError):
    """A reply came, but it is empty or not of the asked form."""

    retryable = True
