"""How fast the models are here: a measurement of ten seconds at the most."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinkback.types import Record

if TYPE_CHECKING:
    from thinkback.ports import Embedder, Generator

__all__ = ["EmbedderSpeed", "GeneratorSpeed", "embedder_speed", "generator_speed"]

_EMBEDDER_SECONDS: Final = 2.0
_GENERATOR_SECONDS: Final = 6.0
_LOCAL_REPLY: Final = 48
_REMOTE_REPLY: Final = 16
_PASSAGE: Final = (
    "The harbour authority keeps a daily record of arriving and departing ships, of their cargo and of the state of the"
    " tide. In winter the record is closed at four in the afternoon; in summer it stays open until the last pilot has"
    " come ashore. Whoever wants to know why a ship waited outside the bar will find the reason in its last column, in"
    " the hand of the officer who was on duty, together with the depth of the water at that hour and the force of the"
    " wind. Entries are never crossed out: a mistake is put right by a second entry that names the first. The books of"
    " earlier years stand in the reading room and may be copied by anybody who asks for them at the desk."
)
"""Some 120 words, as a chunk has; ours, so that no document of the user is sent anywhere for a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpeed(Record):
    """How fast an embedder is."""

    texts_per_second: float
    """Texts of some 120 words."""
    first_seconds: float
    """Until the first vector, with loading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorSpeed(Record):
    """How fast a language model is."""

    first_token_seconds: float
    """Until the first piece of the reply, with loading and reading of a prompt of some 190 tokens."""
    reply_tokens_per_second: float | None
    """None where the reply was over at once."""


def embedder_speed(embedder: Embedder) -> EmbedderSpeed:
    """Embed passages for two seconds.

    Raises:
        ModelError: it does not work.
    """
    started = time.perf_counter()
    embedder.embed([_PASSAGE], kind="document")
    first = time.perf_counter() - started
    done, started = 0, time.perf_counter()
    while (spent := time.perf_counter() - started) < _EMBEDDER_SECONDS:
        batch = [
            f"{number} {_PASSAGE}" for number in range(done, done + 8)
        ]  # no two alike, for a cache may stand before it
        embedder.embed(batch, kind="document")
        done += len(batch)
    return EmbedderSpeed(texts_per_second=done / spent, first_seconds=first)


def generator_speed(llm: Generator) -> GeneratorSpeed:
    """Let a model read a passage and write a little, for six seconds at the most once it has begun to write.

    Raises:
        ModelError: it does not work.
    """
    from thinkback.ports import Delta, Message, Request

    request = Request(
        messages=(Message(role="user", content=f"{_PASSAGE}\n\nSay this in other words."),),
        max_tokens=_LOCAL_REPLY if llm.traits.local else _REMOTE_REPLY,
        purpose="expert",
    )
    started = time.perf_counter()
    first: float | None = None
    text = ""
    stream = llm.stream(request)
    for piece in stream:
        now = time.perf_counter()
        if isinstance(piece, Delta):
            first = first if first is not None else now
            text += piece.text
        if now - started > _GENERATOR_SECONDS and first is not None:
            break
    close = getattr(stream, "close", None)  # a port's stream is an Iterator; generators can be stopped
    if close is not None:
        close()
    ended = time.perf_counter()
    begun = first if first is not None else ended
    writing = ended - begun
    rate = llm.count(text) / writing if text and writing > 0.05 else None
    return GeneratorSpeed(first_token_seconds=begun - started, reply_tokens_per_second=rate)
