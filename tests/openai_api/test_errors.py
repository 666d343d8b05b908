"""How exceptions of the SDK and waits are read, for chat and embeddings alike."""

from __future__ import annotations

import email.utils
import inspect
import time

import httpx2
import openai
import pytest

from thinkback.errors import BadReply, ModelDenied, ModelRejected, ModelUnavailable, RateLimited
from thinkback.openai_api.errors import MEANING, kind_of, retry_after_of, wait_before_retry


def test_every_exception_of_the_sdk_has_a_meaning() -> None:
    theirs = {
        name
        for module in (openai, openai._exceptions)
        for name, value in list(vars(module).items())  # the package loads its parts on demand
        if inspect.isclass(value) and issubclass(value, Exception) and not name.startswith("_")
    }
    assert theirs == set(MEANING)


@pytest.mark.parametrize("name", ["code", "type"])
def test_an_empty_purse_is_denied_wherever_it_is_said(name: str) -> None:
    error = openai.RateLimitError("x", response=_response(429), body={name: "insufficient_quota"})
    assert kind_of(error) is ModelDenied


@pytest.mark.parametrize(
    ("status", "kind"), [(402, ModelDenied), (414, ModelRejected), (418, ModelUnavailable), (599, ModelUnavailable)]
)
def test_a_status_without_a_class_of_its_own(status: int, kind: type[Exception]) -> None:
    assert kind_of(openai.APIStatusError("x", response=_response(status), body=None)) is kind


def test_what_may_pass_is_waited_for_as_long_as_asked() -> None:
    assert wait_before_retry(RateLimited("x", retry_after=3.0)) == 3.0
    assert wait_before_retry(RateLimited("x", retry_after=3600.0)) is False
    assert wait_before_retry(ModelUnavailable("x")) is True
    assert wait_before_retry(BadReply("x")) is False
    assert wait_before_retry(ModelDenied("x")) is False
    assert wait_before_retry(KeyError("x")) is False


def test_retry_after_may_be_a_date() -> None:
    error = openai.APIStatusError(
        "x", response=_response(503, {"retry-after": email.utils.formatdate(1000, usegmt=True)}), body=None
    )
    assert retry_after_of(error, now=990) == 10
    assert retry_after_of(error, now=2000) == 0
    odd = openai.APIStatusError("x", response=_response(503, {"retry-after": "soon"}), body=None)
    assert retry_after_of(odd) is None
    assert retry_after_of(ValueError()) is None


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5, 1.5),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0, 0),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], low: float, high: float) -> None:
    seconds = retry_after_of(_slow(headers))
    assert seconds is not None
    assert low <= seconds <= high


def test_a_date_to_wait_for_becomes_seconds() -> None:
    seconds = retry_after_of(_slow({"retry-after": email.utils.formatdate(time.time() + 100, usegmt=True)}))
    assert seconds is not None
    assert 60 < seconds <= 100


@pytest.mark.parametrize("headers", [{}, {"retry-after": "soon"}, {"retry-after": "nan"}, {"retry-after": "-3"}])
def test_nonsense_is_no_time_to_wait(headers: dict[str, str]) -> None:
    assert retry_after_of(_slow(headers)) is None
    assert retry_after_of(None) is None


def _response(status: int, headers: dict[str, str] | None = None) -> httpx2.Response:
    return httpx2.Response(status, headers=headers, request=httpx2.Request("POST", "http://models.test/v1"))


def _slow(headers: dict[str, str]) -> openai.RateLimitError:
    return openai.RateLimitError("slow", response=_response(429, headers), body=None)
