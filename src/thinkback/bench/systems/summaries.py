"""Summaries that a model writes of texts before anything is asked: what the tree-building systems share."""

from __future__ import annotations

from collections.abc import Sequence

from thinkback.bench.kit import PROMPTS, Kit
from thinkback.bench.ports import Allowance, Query, Shown
from thinkback.bench.systems.window import room_for_items, shortened
from thinkback.errors import InvalidInput
from thinkback.text.prompts import load_prompt

__all__ = ["Summariser"]

_WORDS_PER_TOKEN = 0.75
"""Of English under common tokenizers: what the model is asked for in words fits into the tokens that it is given."""


class Summariser:
    """Writes one summary of several texts. Is the same for every system that builds a tree.

    Args:
        kit: with a model.
        tokens: most tokens of a summary.
        most_input: most tokens of all texts of one summary, if the model's window has room for them.

    Raises:
        InvalidInput: the run has no model, or one whose window is too small for any input.
    """

    def __init__(self, kit: Kit, *, tokens: int, most_input: int) -> None:
        if kit.llm is None:
            raise InvalidInput("A tree of summaries needs a model that writes them.")
        self.tokens = tokens
        self.empty = 0
        """How often the model wrote nothing, and the beginning of the texts had to stand for their summary."""
        self._kit = kit
        self._prompt = load_prompt("tree-summary", package=PROMPTS)
        words = {"words": max(20, int(tokens * _WORDS_PER_TOKEN))}
        self._query = Query(task_id="", kind="summary", text="", metadata=words)
        window = kit.llm.traits.context_window
        room = room_for_items(kit, self._prompt, self._query, window=window, answer_tokens=tokens)
        self.room = min(most_input, room)
        """Tokens of texts, in their frames, that one summary is written of."""
        if self.room <= 0:
            raise InvalidInput(f"A window of {window} tokens leaves no room to summarise anything.")

    def price(self, texts: Sequence[str]) -> int:
        """Return the tokens that texts take of the room."""
        return sum(self._kit.price(number, text) for number, text in enumerate(texts, 1))

    def write(self, texts: Sequence[str]) -> str:
        """Return a summary of the texts, in their order; what exceeds the room is cut from the end of each alike.

        Raises:
            ModelError
        """
        if self.price(texts) > self.room:
            frame = self._kit.price(len(texts), "")
            each = max(1, self.room // len(texts) - frame)
            texts = [shortened(text, each, self._kit.count) for text in texts]
        shown = [Shown(kind="text", id=str(place), text=text, roots=()) for place, text in enumerate(texts)]
        allowance = Allowance(context_tokens=self.room, answer_tokens=self.tokens)
        written = self._kit.ask(self._prompt, self._query, shown, allowance).text.strip()
        if not written:
            self.empty += 1
            written = " ".join(texts)
        return shortened(written, self.tokens, self._kit.count)
