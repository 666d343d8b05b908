"""One OpenAI-compatible endpoint: its address, its key, the SDK's client, and how often a request is tried."""

from __future__ import annotations

import logging
import threading
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import stamina
from pydantic import SecretStr

from thinkback.errors import InvalidInput, ModelDenied, ModelUnavailable
from thinkback.openai_api.errors import LONGEST_WAIT, wait_before_retry

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["Connection"]

_OFFICIAL: Final = "https://api.openai.com/v1"
_CONNECT: Final = 10.0
"""Seconds after which a server that does not take connections is given up."""


class Connection:
    """Where requests go. Nothing is imported or opened before the first one. Safe to use from many threads.

    Args:
        what: "a model" or "an embedder", for messages.
        base_url: up to and with ``/v1``; None is OpenAI's own.
        api_key: None for servers that want none.
        timeout: seconds to wait for a connection (ten at most), and for a reply or the next piece of one.
        attempts: how often one request is sent at most when the server is busy, fails or cannot be reached.
        first_wait: seconds before the second attempt, doubled for each further one; ``Retry-After`` goes before it.
        http_client: an ``httpx2.Client`` of the caller's, who also closes it.

    Raises:
        InvalidInput: the address is no HTTP address.
    """

    def __init__(
        self,
        what: str,
        *,
        base_url: str | None,
        api_key: str | SecretStr | None,
        timeout: float,
        attempts: int,
        first_wait: float,
        http_client: httpx2.Client | None,
    ) -> None:
        self._base_url = base_url or _OFFICIAL
        parts = urllib.parse.urlsplit(self._base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(f"The address of {what} must be a URL such as http://localhost:8080/v1.")
        self.host: str = parts.hostname
        self.server = self.host + (f":{parts.port}" if parts.port else "")
        """How to name the endpoint in messages: without what an address may hold of credentials."""
        self.official = self._base_url.rstrip("/") == _OFFICIAL
        self.key = api_key if isinstance(api_key, SecretStr) else SecretStr(api_key or "")
        self._timeout = timeout
        self._attempts = attempts
        self._first_wait = first_wait
        self._http_client = http_client
        self._lock = threading.Lock()
        self._sdk: openai.OpenAI | None = None
        self._closed = False

    def client(self, owner: str) -> openai.OpenAI:
        """Return the SDK's client, made at the first call.

        Args:
            owner: who asks, as the beginning of a sentence.

        Raises:
            ModelUnavailable: the connection was closed.
            ModelDenied: it is OpenAI's own, and there is no key.
        """
        import httpx2  # noqa: PLC0415 - half a second that only users of an endpoint should pay
        import openai  # noqa: PLC0415

        with self._lock:
            if self._closed:
                raise ModelUnavailable(f"{owner} was closed.")
            if self._sdk is None:
                # Retries are told to programs that listen; without this, Python prints them when nobody does.
                logging.getLogger("stamina").addHandler(logging.NullHandler())
                key = self.key.get_secret_value()
                if self.official and not key:
                    raise ModelDenied("There is no key for OpenAI.", hint="Set THINKBACK_API_KEY or OPENAI_API_KEY.")
                self._sdk = openai.OpenAI(
                    api_key=key or "none",  # the SDK insists; servers without keys do not look
                    base_url=self._base_url,
                    timeout=httpx2.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
                    max_retries=0,  # ours are counted and shown, and do not repeat what can never work
                    http_client=self._http_client,
                )
                if not self.official:  # what the environment says about OpenAI accounts is nobody else's business
                    self._sdk.organization = self._sdk.project = None
            return self._sdk

    def retries(self) -> Iterator[stamina.Attempt]:
        """Yield the attempts at one request; each is a context, and the last one lets its error through."""
        return iter(
            stamina.retry_context(
                on=wait_before_retry,
                attempts=self._attempts,
                timeout=None,
                wait_initial=self._first_wait,
                wait_max=LONGEST_WAIT,
                wait_jitter=self._first_wait,
            )
        )

    def close(self) -> None:
        """Close what was opened; those of a client that was given stay open. Calling it twice is fine."""
        with self._lock:
            self._closed = True
            if self._sdk is not None and self._http_client is None:
                self._sdk.close()
            self._sdk = None
