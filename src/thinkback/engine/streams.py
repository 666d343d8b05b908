"""The streaming answer: events one by one, and the whole answer at the end."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Self

from thinkback.engine.events import AnswerEvent, DoneEvent, Event
from thinkback.errors import InvalidInput
from thinkback.types import Answer

__all__ = ["AnswerStream"]


class AnswerStream:
    """Iterate over it for the events; ``answer`` is there once the answer stands, with outcomes once it is done.

    Closing it early, also by leaving a ``with`` block, stops the model.
    """

    def __init__(self, events: Generator[Event, None, None]) -> None:
        self._events = events
        self._answer: Answer | None = None

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        event = next(self._events)
        if isinstance(event, AnswerEvent | DoneEvent):
            self._answer = event.answer
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def answer(self) -> Answer:
        """The answer as far as it stands.

        Raises:
            InvalidInput: asked for before the model has answered.
        """
        if self._answer is None:
            raise InvalidInput("The answer does not stand yet; iterate over the stream first.")
        return self._answer

    def close(self) -> None:
        """Stop; calling it twice is fine."""
        self._events.close()
