"""Replies that must follow a schema: read them strictly, whatever stands around them, whole or while they stream.

Example, with a reply that is still being written::

    stream = FieldStream("answer")
    for piece in generator.stream(request):
        if isinstance(piece, Delta):
            text = stream.feed(piece.text)
            if "evidence" in stream.fields:  # complete before the first character of the answer
                ...
            show(text)
        else:
            reply = parse(piece.text, AnswerReply)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from thinkback.errors import BadReply
from thinkback.llm.jsontext import JsonFault, JsonReader
from thinkback.llm.schema import schema_of
from thinkback.llm.thinking import ThinkingFilter, split_unclosed, strip_thinking

__all__ = ["FieldStream", "parse", "schema_of", "strip_thinking"]

T = TypeVar("T", bound=BaseModel)

_START: Final = re.compile(r'\{[ \t\r\n]*["}]')
_MOST_TRIES: Final = 30
"""A reply with more beginnings of objects than this is noise; it also bounds the work on a hostile one."""


def parse(text: str, model: type[T]) -> T:
    """Return the first JSON object in a reply that fits the model.

    Thinking blocks, code fences and prose around the object are skipped. An object inside an object that is broken or
    cut off is never taken for the reply.

    Raises:
        BadReply: there is none: empty, no JSON, cut off, or not of the asked form. The message has no text of the reply.
    """
    reply, unclosed = split_unclosed(text)
    if unclosed:
        # The model never said that it had stopped thinking. An object that ends the text is its reply; any other is a
        # draft.
        return _parse_tail(unclosed, model)
    if not reply:
        raise BadReply("The model's reply is empty.")
    return _first_that_fits(reply, model)


def _parse_tail(text: str, model: type[T]) -> T:
    fault = BadReply("The model's reply ends inside its thinking.")
    tail = re.sub(r"[\s`]+\Z", "", text)
    starts = [found.start() for found in _START.finditer(tail)]
    for start in starts[:_MOST_TRIES]:
        reader = JsonReader()
        try:
            reader.feed(tail[start:])
        except JsonFault:
            continue
        if not reader.done:
            break
        if not reader.rest:
            return _fit(reader.root, model, fault)
    raise fault


def _first_that_fits(text: str, model: type[T]) -> T:
    fault = BadReply("The model's reply holds no JSON object.")
    at = 0
    for _ in range(_MOST_TRIES):
        found = _START.search(text, at)
        if found is None:
            raise fault
        reader = JsonReader()
        try:
            reader.feed(text[found.start() :])
        except JsonFault as error:
            fault = BadReply(f"The model's reply is not JSON from character {found.start() + error.offset} on.")
            end = _end_of_broken(text, found.start())
            if end is None and error.depth > 1:
                raise fault from None  # whatever follows is a part of the broken object
            at = end or found.start() + max(error.offset, 1)
            continue
        if not reader.done:
            raise BadReply("The model's reply ends inside its JSON object.")
        try:
            return _fit(reader.root, model, fault)
        except BadReply as error:
            fault = error
            at = len(text) - len(reader.rest)
    raise fault


_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}]', re.DOTALL)


def _end_of_broken(text: str, start: int) -> int | None:
    """Return where the braces that open at ``start`` balance, strings left aside; None if they never do."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return None


def _fit(value: Any, model: type[T], fault: BadReply) -> T:
    names = set(model.model_fields) | {info.alias for info in model.model_fields.values() if info.alias}
    if not isinstance(value, dict) or (names and names.isdisjoint(value)):
        # A model whose fields all have defaults would accept this, and an unrelated object would pass as "nothing".
        raise fault if not isinstance(value, dict) else BadReply("The model's reply has none of the asked fields.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, each['loc'])) or 'object'}: {each['type']}"
            for each in error.errors(include_input=False, include_url=False, include_context=False)[:5]
        )
        raise BadReply(f"The model's reply does not have the asked form: {wrong}.") from None


class FieldStream:
    """Reads a JSON reply while it streams: the text of one string field as it grows, the other fields once complete.

    Attributes:
        field: the top-level string field that is followed.
    """

    def __init__(self, field: str) -> None:
        self.field = field
        self._thinking = ThinkingFilter()
        self._reader = JsonReader(follow=field)
        self._before: str | None = ""
        self._failed = False
        self._returned = 0

    def feed(self, text: str) -> str:
        """Take the next piece of the reply and return what is new of the field's text (empty: nothing yet)."""
        if self._failed or self.done:
            return ""
        text = self._thinking.feed(text)
        if self._before is not None:
            self._before += text
            start = _START.search(self._before)
            if start is None:
                return ""
            text, self._before = self._before[start.start() :], None
        try:
            self._reader.feed(text)
        except JsonFault:
            self._failed = True
        pieces = self._reader.followed or []
        new = "".join(pieces[self._returned :])
        self._returned = len(pieces)
        return new

    @property
    def fields(self) -> Mapping[str, Any]:
        """The top-level fields that are complete, as plain JSON values, in the order in which they came."""
        whole = dict(self._reader.root or {})
        if self._reader.depth > 1:
            del whole[self._reader.key]  # its list or object is still open
        return whole

    @property
    def started(self) -> bool:
        """Whether the field has begun."""
        return self._reader.followed is not None

    @property
    def text(self) -> str:
        """The field's text so far."""
        return "".join(self._reader.followed or [])

    @property
    def done(self) -> bool:
        """Whether the object is complete."""
        return self._reader.done

    @property
    def failed(self) -> bool:
        """Whether the reply turned out not to be JSON; what was returned until then stands as it was."""
        return self._failed
