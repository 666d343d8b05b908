"""Turn messages into the tokens of a GGUF model's own chat template, so that no message can forge a delimiter.

The template is rendered with a stand-in for each message; only the text of the template is then read for special
tokens, the messages themselves are not. A document that contains ``<|im_end|>`` stays a document.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thinkback.errors import ModelRejected
from thinkback.ports import Message

__all__ = ["Prompt", "PromptTemplate"]

_CHATML: Final = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_NAMED: Final[Mapping[str, str]] = {"chatml": _CHATML}
_KEY: Final = "tokenizer.chat_template"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt in tokens."""

    tokens: tuple[int, ...]
    thinking: bool
    """Whether it ends inside a thinking block."""


class PromptTemplate:
    """The chat template of one model.

    Args:
        metadata: of the file.
        chat_format: "chatml", or the text of a Jinja template, for files that have none of their own; the file's goes
            before it.
        bos: text of the token that begins a sequence, empty if there is none.
        eos: the same for the end.
        tokenize: from text, and whether to read special tokens in it, to tokens.
    """

    def __init__(
        self,
        metadata: Mapping[str, str],
        chat_format: str | None,
        *,
        bos: str,
        eos: str,
        tokenize: Callable[[str, bool], Sequence[int]],
    ) -> None:
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter  # noqa: PLC0415 - a sandboxed Jinja

        given = _NAMED.get(chat_format or "", chat_format)
        template = metadata.get(_KEY) or given or _CHATML
        self._format: Any = Jinja2ChatFormatter(template=template, bos_token=bos, eos_token=eos)
        self._bos = bos
        self._adds_bos = metadata.get("tokenizer.ggml.add_bos_token", "false") == "true"
        self._tokenize = tokenize

    def prompt(self, messages: Sequence[Message]) -> Prompt:
        """Return the tokens of a conversation, up to where the assistant speaks.

        Raises:
            ModelRejected: the template does not take these roles in this order.
        """
        mark = secrets.token_hex(8)
        try:
            text = self._render(messages, mark)
        except Exception as error:  # noqa: BLE001 - a template may fail in any way it likes
            try:
                messages = _without_system(messages)  # Gemma and some others know no system turn
                text = self._render(messages, mark)
            except Exception:  # noqa: BLE001 - as above
                raise ModelRejected("The model's chat template does not take these messages.") from error
        if self._bos and self._adds_bos and not text.startswith(self._bos):
            text = self._bos + text
        tokens: list[int] = []
        for number, piece in enumerate(text.split(mark)):
            if number % 2 == 0:
                tokens.extend(self._tokenize(piece, True) if piece else ())
            else:
                content = messages[int(piece)].content
                tokens.extend(self._tokenize(content, False) if content else ())
        return Prompt(tokens=tuple(tokens), thinking=text.rstrip().endswith("<think>"))

    def _render(self, messages: Sequence[Message], mark: str) -> str:
        turns = [{"role": each.role, "content": f"{mark}{n}{mark}"} for n, each in enumerate(messages)]
        text = str(self._format(messages=turns).prompt)
        if any(text.count(f"{mark}{n}{mark}") != 1 for n in range(len(messages))):
            raise ValueError("a message is missing or doubled")
        return text


def _without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages with the system's words at the head of the first user turn."""
    system = "\n\n".join(each.content for each in messages if each.role == "system")
    rest = [each for each in messages if each.role != "system"]
    if not system or not rest or rest[0].role != "user":
        return tuple(messages)
    return (Message(role="user", content=f"{system}\n\n{rest[0].content}"), *rest[1:])
