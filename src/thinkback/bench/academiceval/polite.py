"""Requests as a guest makes them: one at a time, with a pause between two, and longer ones where the host asks for them."""

from __future__ import annotations

import email.utils
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thinkback.errors import InvalidInput, LoadError, TooLarge

__all__ = ["Answer", "Manners", "PoliteClient"]

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_OK = 200
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How the host is treated. Times are in seconds.

    Raises:
        InvalidInput: a number is out of its range.
    """

    gap: float = 3.0
    """Least time from the end of one request to the beginning of the next; arXiv's terms of use ask for three seconds."""
    tries: int = 5
    """Of one request, in all."""
    first_wait: float = 5.0
    """Before the second try; doubled for each one after, unless the host names a time."""
    longest_wait: float = 300.0
    """Longer than this nobody waits: the build stops and can be gone on with."""
    timeout: float = 30.0
    """For each piece of an answer."""
    connect_timeout: float = 5.0
    agent: str = "thinkback (AcademicEval builder)"
    """The User-Agent header; a mail address in it is good manners."""
    max_bytes: int = 100_000_000

    def __post_init__(self) -> None:
        if self.gap < 0 or self.tries < 1 or self.first_wait < 0 or self.timeout <= 0 or self.connect_timeout <= 0:
            raise InvalidInput("Pauses must not be negative, and there must be at least one try.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the host sent."""

    status: int
    content: bytes
    media_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    answer: Answer | None = None
    fault: str = ""
    asked: float | None = None
    """Seconds that the host asks to wait."""


class PoliteClient:
    """Gets files over HTTP with good manners.

    Args:
        manners: how.
        clock: seconds, rising; for the pauses.
        sleep: waits for seconds.
        tell: is told of a wait that the host asked for: how many seconds, and why.
    """

    def __init__(
        self,
        manners: Manners,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[float, str], None] | None = None,
    ) -> None:
        self._manners, self._clock, self._sleep, self._tell = manners, clock, sleep, tell
        self._lock = threading.Lock()
        self._ready = clock()
        self._answered = False
        self._client: Any = None

    def get(self, url: str, *, complete: Callable[[bytes], bool] | None = None) -> Answer:
        """Return what is at an address, after as many tries as the manners allow; also an answer such as 404.

        A host that cannot be reached at all is not asked again before it has answered once: then there is no network.

        Args:
            url: http or https.
            complete: says of a content whether it is whole; what is not is asked for again.

        Raises:
            LoadError: the host cannot be reached, or keeps failing, or asks to wait for longer than anybody would.
            TooLarge: the file has too many bytes.
        """
        with self._lock:
            return self._get(url, complete)

    def _get(self, url: str, complete: Callable[[bytes], bool] | None) -> Answer:
        wait = self._manners.first_wait
        for left in range(self._manners.tries - 1, -1, -1):
            self._pause()
            tried = self._once(url, complete)
            self._ready = self._clock() + self._manners.gap
            if tried.answer is not None and not tried.fault:
                return tried.answer
            if tried.answer is None and not self._answered:
                raise LoadError(f"{_host(url)} {tried.fault}.", hint="Is there a network?")
            if left:
                self._wait(tried.asked if tried.asked is not None else wait, url, tried.fault)
                wait *= 2
        raise LoadError(f"{_host(url)} {tried.fault}, {self._manners.tries} times.", hint=_LATER)

    def close(self) -> None:
        """End the connections; calling it twice is fine."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _pause(self) -> None:
        left = self._ready - self._clock()
        if left > 0:
            self._sleep(left)

    def _wait(self, seconds: float, url: str, fault: str) -> None:
        if seconds > self._manners.longest_wait:
            raise LoadError(f"{_host(url)} {fault} and asks to be left alone for {seconds:.0f} seconds.", hint=_LATER)
        if self._tell is not None:
            self._tell(seconds, f"{_host(url)} {fault}")
        self._sleep(seconds)

    def _once(self, url: str, complete: Callable[[bytes], bool] | None) -> _Try:
        import httpx2

        if self._client is None:
            timeout = httpx2.Timeout(self._manners.timeout, connect=self._manners.connect_timeout)
            headers = {"User-Agent": self._manners.agent}
            self._client = httpx2.Client(timeout=timeout, headers=headers, follow_redirects=True)
        try:
            with self._client.stream("GET", url) as response:
                self._answered = True
                kind = response.headers.get("content-type", "")
                answer = Answer(status=response.status_code, content=self._receive(response), media_type=kind)
                asked = _seconds(response.headers.get("retry-after"))
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise InvalidInput(f"{url!r} is no address of a feed.") from error
        except (httpx2.RemoteProtocolError, httpx2.DecodingError, httpx2.ReadTimeout, httpx2.ReadError):
            self._answered = True
            return _Try(fault="broke off in the middle of an answer")
        except httpx2.HTTPError:
            return _Try(fault="cannot be reached")
        if answer.status in _RETRIED:
            return _Try(answer=answer, fault=f"answered with status {answer.status}", asked=asked)
        if answer.status == _OK and complete is not None and not complete(answer.content):
            return _Try(answer=answer, fault="sent an answer that was cut short or is not of the known form")
        return _Try(answer=answer)

    def _receive(self, response: Any) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes(_CHUNK):
            size += len(part)
            if size > self._manners.max_bytes:
                raise TooLarge(f"The file has more than {self._manners.max_bytes:,} bytes.")
            parts.append(part)
        return b"".join(parts)


_LATER = "Run the same command later: it goes on where it stopped."


def _seconds(header: str | None) -> float | None:
    """Return what a Retry-After header asks for: seconds, or a date (RFC 9110, 10.2.3)."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0] or "The feed"
