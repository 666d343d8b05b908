"""What one OpenAI-compatible server takes, learned from what it refuses.

Servers agree on the name of the endpoint and little else: one knows ``json_schema``, another answers HTTP 500 to it but
takes ``json_object`` with a ``schema``; one insists on ``max_completion_tokens``, another has never heard of it. What was
refused once is not sent again by the same instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from thinkback.ports import Message, Request

__all__ = ["Dialect", "ReplyForm"]

ReplyForm = Literal["json_schema", "json_object_schema", "json_object", "words"]
"""Ways to ask for a reply that follows a schema, from the strictest to the one that any model takes."""

_FORMS: Final[tuple[ReplyForm, ...]] = ("json_schema", "json_object_schema", "json_object", "words")
_OPTIONAL: Final = ("temperature", "seed", "stop", "stream_options")
_LIMITS: Final = ("max_tokens", "max_completion_tokens")
_ABOUT_FORM: Final = re.compile(
    r"response_format|json_schema|json_object|schema|grammar|structured|guided", re.IGNORECASE
)
_ABOUT_LENGTH: Final = re.compile(
    r"context[ _](length|window|size)|maximum context|prompt is too long|input is too long|too many tokens",
    re.IGNORECASE,
)
_UNKNOWN_REQUEST: Final = frozenset({400, 422})
_CRASH: Final = frozenset({500, 501})


class Dialect:
    """The request body for one server, and what to change when it is refused.

    Args:
        official: the server is OpenAI's own, whose current models want ``max_completion_tokens``.
    """

    def __init__(self, *, official: bool) -> None:
        self._limit = _LIMITS[1] if official else _LIMITS[0]
        self._refused: set[str] = set()
        self._form = 0
        self._proven: set[ReplyForm] = set()
        self.starts_thinking = False
        """Its prompts end inside a thinking block, so replies begin in mid-thought."""

    @property
    def form(self) -> ReplyForm:
        """How schemas are asked for at present."""
        return _FORMS[self._form]

    def body(self, request: Request, *, model: str, max_tokens: int, stream: bool) -> dict[str, Any]:
        """Return the keyword arguments for ``chat.completions.create``."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": each.role, "content": each.content} for each in self._messages(request)],
            self._limit: max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if stream:
            body["stream"] = True
            body["stream_options"] = {"include_usage": True}
        for name in self._refused:
            body.pop(name, None)
        if request.schema is not None:
            body |= _response_format(self.form, request.schema)
        return body

    def _messages(self, request: Request) -> tuple[Message, ...]:
        if request.schema is None or self.form == "json_schema":
            return request.messages
        # Behind the question, so that the stable beginning of the prompt stays what prefix caches know.
        asked = "\n\nReply with one JSON object only, following this JSON schema:\n" + json.dumps(
            dict(request.schema), ensure_ascii=False
        )
        *before, last = request.messages
        if last.role != "user":
            return (*request.messages, Message(role="user", content=asked.strip()))
        return (*before, Message(role="user", content=last.content + asked))

    def replied(self, text: str) -> None:
        """Take in a reply to a request with a schema: a server may take the schema and then not follow it."""
        if "{" in text:
            self._proven.add(self.form)
        elif self.form not in self._proven:
            self._form = len(_FORMS) - 1

    def learn(self, status: int, complaint: str, body: Mapping[str, Any]) -> bool:
        """Take in a refusal; return whether the request has changed and is worth sending again.

        Args:
            status: the HTTP status.
            complaint: the server's own words with the name of the parameter, if it gave one.
            body: what was sent.
        """
        if status in _CRASH:
            return "response_format" in body and self._next_form()
        if status not in _UNKNOWN_REQUEST or self.too_long(complaint):
            return False
        for name in _OPTIONAL:
            if name in body and re.search(rf"\b{name}\b", complaint):
                self._refused.add(name)
                return True
        if "response_format" in body and _ABOUT_FORM.search(complaint) and self._next_form():
            return True
        if self._limit in body and "max_" in complaint and self._other_limit():
            return True
        return "response_format" in body and self._next_form()

    @staticmethod
    def too_long(complaint: str) -> bool:
        """Return whether the server says that the prompt does not fit its context window."""
        return _ABOUT_LENGTH.search(complaint) is not None

    def restart_forms(self, form: ReplyForm) -> None:
        """Go back to a form: the server fails whatever the form, so the form was not why."""
        self._form = _FORMS.index(form)

    def _next_form(self) -> bool:
        if self.form in self._proven or self.form == "words":
            return False
        self._form += 1
        return True

    def _other_limit(self) -> bool:
        if self._limit in self._refused:
            return False
        self._refused.add(self._limit)
        other = _LIMITS[1 - _LIMITS.index(self._limit)]
        if other in self._refused:
            self._refused.discard(self._limit)
            return False
        self._limit = other
        return True


def _response_format(form: ReplyForm, schema: Mapping[str, Any]) -> dict[str, Any]:
    if form == "json_schema":
        named = {"name": "reply", "strict": True, "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if form == "json_object_schema":
        return {"response_format": {"type": "json_object", "schema": dict(schema)}}
    if form == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {}
