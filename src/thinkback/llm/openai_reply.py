"""Read chat completions, whole or in pieces, from servers that fill in the form each in its own way."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from thinkback.errors import BadReply
from thinkback.llm.thinking import split_unclosed

__all__ = ["Received", "read_chunk", "read_completion"]

_FINISH: Final[dict[str, Literal["stop", "length", "filter"]]] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
    "safety": "filter",
}


@dataclass(slots=True)
class Received:
    """What has come of one reply."""

    raw: str = ""
    """All content, thinking blocks included."""
    text: str = ""
    """Without them; empty until the reply is whole."""
    reasoning: str = ""
    """What came in a field of its own for it."""
    began_inside: bool = False
    """Whether it began in mid-thought: the server's prompt had the opening tag."""
    refusal: bool = False
    finish: Literal["stop", "length", "filter"] | None = None
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def clear(self) -> None:
        """Forget everything, for another attempt."""
        blank = Received()
        for each in fields(self):
            setattr(self, each.name, getattr(blank, each.name))

    def seal(self, *, inside: bool) -> None:
        """Take the thinking off the raw text once it is whole.

        Args:
            inside: replies of this server are known to begin in mid-thought.
        """
        before, close, _ = self.raw.partition("</think")
        unopened = bool(close) and "<think" not in before
        self.began_inside = unopened and not self.raw.lstrip().startswith("{")
        self.text, unclosed = split_unclosed(self.raw)
        if inside and not unopened and self.finish == "length":
            self.text, unclosed = "", self.raw
        self.reasoning = self.reasoning or unclosed

    @property
    def only_thought(self) -> bool:
        """Whether the output was used up by thinking, with nothing said."""
        thought = bool(self.reasoning) or self.reasoning_tokens > 0 or self.raw.strip() != ""
        return not self.text and not self.refusal and self.finish != "filter" and thought

    def check(self, server: str) -> None:
        """Make sure that something was said.

        Raises:
            BadReply: it is empty, a refusal, or was filtered away.
        """
        if self.refusal and not self.text:
            raise BadReply(f"The model at {server} refused to answer.")
        if self.text:
            return
        if self.finish == "filter":
            raise BadReply(f"The content filter of {server} took the whole reply away.")
        if self.only_thought:
            raise BadReply(f"The model at {server} thought until its output was used up and said nothing.")
        raise BadReply(f"The model at {server} sent an empty reply.")


def read_completion(answer: Any, *, server: str) -> Received:
    """Return what a whole completion says.

    Raises:
        BadReply: it is no chat completion.
    """
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list) or not choices or getattr(choices[0], "message", None) is None:
        raise BadReply(
            f"{server} sent something that is no chat completion.", hint="Check the address (THINKBACK_BASE_URL)."
        )
    received = Received()
    message = choices[0].message
    _read_text(message, received)
    _read_frame(answer, received)
    received.finish = _finish(choices[0]) or "stop"
    received.seal(inside=False)
    return received


def read_chunk(chunk: Any, received: Received) -> str:
    """Add a piece of a stream to ``received`` and return its new content."""
    before = len(received.raw)
    _read_frame(chunk, received)
    for choice in (getattr(chunk, "choices", None) or [])[:1]:
        if getattr(choice, "delta", None) is not None:
            _read_text(choice.delta, received)
        received.finish = _finish(choice) or received.finish
    return received.raw[before:]


def _read_text(message: Any, received: Received) -> None:
    content = getattr(message, "content", None)
    if isinstance(content, list):  # some servers send parts
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    received.raw += content or ""
    received.reasoning += getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""
    received.refusal |= bool(getattr(message, "refusal", None))


def _read_frame(answer: Any, received: Received) -> None:
    received.model = getattr(answer, "model", None) or received.model
    usage = getattr(answer, "usage", None)
    if usage is None:
        return
    received.prompt_tokens = _whole(getattr(usage, "prompt_tokens", None), received.prompt_tokens)
    received.completion_tokens = _whole(getattr(usage, "completion_tokens", None), received.completion_tokens)
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    received.cached_tokens = _whole(cached, received.cached_tokens) or 0
    thought = getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)
    received.reasoning_tokens = _whole(thought, received.reasoning_tokens) or 0


def _whole(value: Any, otherwise: int | None) -> int | None:
    return value if isinstance(value, int) and value >= 0 else otherwise


def _finish(choice: Any) -> Literal["stop", "length", "filter"] | None:
    reason = getattr(choice, "finish_reason", None)
    return None if not reason else _FINISH.get(str(reason).lower(), "stop")
