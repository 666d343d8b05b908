"""The text itself, cut from either end: the paper's "Full context (left)" and "(right)" (Tables 2 and 8).

* ``left``, ``right``: as much of the beginning, or end, as the allowance holds: equal budgets with all other rows.
* ``full:left``, ``full:right``: as much as the model's own window holds, beside prompt and answer. This is the one kind of
  row that may use more than the allowance: it shows what reading everything is worth.
* ``intro+conclusion``: the left part and up to 400 tokens of the conclusion, which no other system may see (it is in no
  corpus). A hard baseline for abstracts, and not one that could be used on a text without a conclusion.

Documents stand one after the other, in the order of the corpus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit, prompt_for
from thinkback.bench.ports import Allowance, Output, Query, Shown
from thinkback.bench.systems.flat import no_argument
from thinkback.bench.systems.window import longest_beginning, longest_end, room_for_items
from thinkback.errors import InvalidInput

__all__ = ["FullContext", "IntroConclusion", "make_full", "make_intro_conclusion", "make_left", "make_right"]

End = Literal["left", "right"]

_BETWEEN = "\n\n"
_CONCLUSION_TOKENS = 400


def make_left(kit: Kit, argument: str) -> FullContext:
    """Return the beginning of the text, within the allowance."""
    no_argument("left", argument)
    return FullContext(kit, end="left")


def make_right(kit: Kit, argument: str) -> FullContext:
    """Return the end of the text, within the allowance."""
    no_argument("right", argument)
    return FullContext(kit, end="right")


def make_full(kit: Kit, argument: str) -> FullContext:
    """Return as much of the text as the model's declared window holds: "left" (also without an argument) or "right".

    Raises:
        InvalidInput: another argument, or a run without a model, which has no window.
    """
    if kit.llm is None:
        raise InvalidInput("To fill a model's window a run needs a model; without one, use left or right.")
    if argument not in {"", "left", "right"}:
        raise InvalidInput(f"The text is cut to its left or right part, not to {argument!r}.")
    end: End = "right" if argument == "right" else "left"
    return FullContext(kit, end=end, window=kit.llm.traits.context_window, name=f"full:{end}")


def make_intro_conclusion(kit: Kit, argument: str) -> IntroConclusion:
    """Return the beginning of the text with its conclusion; it takes no argument."""
    no_argument("intro+conclusion", argument)
    return IntroConclusion(kit)


class _Text:
    """Documents one after the other, and where their chunks lie in that."""

    def __init__(self) -> None:
        self.text = ""
        self.chunks: list[tuple[int, int, str]] = []

    def add(self, chunked: ChunkedCorpus) -> None:
        """Append a corpus."""
        offsets: dict[str, int] = {}
        parts = [self.text] if self.text else []
        length = len(self.text)
        for document in chunked.corpus.documents:
            length += len(_BETWEEN) if parts else 0
            offsets[document.id] = length
            parts.append(document.text)
            length += len(document.text)
        self.text = _BETWEEN.join(parts)
        self.chunks += [
            (offsets[piece.document_id] + piece.start, offsets[piece.document_id] + piece.end, piece.id)
            for piece in chunked.pieces
        ]

    def inside(self, start: int, end: int) -> tuple[str, ...]:
        """Return the ids, ascending, of the chunks of which at least half lies in ``text[start:end]``."""
        return tuple(
            sorted(key for begin, stop, key in self.chunks if 2 * (min(stop, end) - max(begin, start)) >= stop - begin)
        )


class FullContext:
    """Shows one item: the beginning or the end of all documents, to the token.

    Args:
        kit: what all systems share.
        end: which part is kept.
        window: tokens of prompt and answer together that the model reads; None: the allowance is kept instead.
        name: of the row; None: "left" or "right".
    """

    def __init__(self, kit: Kit, *, end: End, window: int | None = None, name: str | None = None) -> None:
        self.name = name or end
        self._kit = kit
        self._end = end
        self._window = window
        self._source = _Text()

    def reset(self) -> None:
        """Forget the text."""
        self._source = _Text()

    def ingest(self, chunked: ChunkedCorpus, pre_queries: Sequence[str]) -> None:  # noqa: ARG002 - asks nothing before
        """Append the documents."""
        self._source.add(chunked)

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Show as much as fits, and write from it.

        Raises:
            ModelError
        """
        shown = self._shown(self._room(query, allowance))
        details = {"characters": sum(len(each.text) for each in shown), "of": len(self._source.text)}
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, details=details)

    def close(self) -> None:
        """Forget the text."""
        self.reset()

    def _room(self, query: Query, allowance: Allowance) -> int:
        if self._window is None or query.kind == "search":  # nothing is written, so there is no window to fill
            return allowance.context_tokens
        return room_for_items(
            self._kit, prompt_for(query), query, window=self._window, answer_tokens=allowance.answer_tokens
        )

    def _shown(self, room: int) -> tuple[Shown, ...]:
        whole = self._source.text
        cut = longest_beginning if self._end == "left" else longest_end
        part = cut(whole, lambda text: self._kit.price(1, text) <= room)
        if not part.strip():
            return ()
        start = 0 if self._end == "left" else len(whole) - len(part)
        return (Shown(kind="text", id=self._end, text=part, roots=self._source.inside(start, start + len(part))),)


class IntroConclusion(FullContext):
    """Shows the conclusion, which comes with the query, behind as much of the beginning as is left.

    The conclusion gets at most 400 tokens and at most half of the allowance; a query without one gets the beginning alone.

    Args:
        kit: what all systems share.
    """

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, end="left", name="intro+conclusion")

    def answer(self, query: Query, allowance: Allowance) -> Output:
        """Show both parts, and write from them.

        Raises:
            ModelError
        """
        price = self._kit.price
        most = min(_CONCLUSION_TOKENS, allowance.context_tokens // 2)
        ending = longest_beginning(str(query.metadata.get("conclusion", "")), lambda text: price(2, text) <= most)
        shown = self._shown(allowance.context_tokens - (price(2, ending) if ending.strip() else 0))
        if ending.strip():
            shown = (*shown, Shown(kind="text", id="conclusion", text=ending, roots=()))
        details = {"conclusion": len(ending)}
        return Output(text=self._kit.write(query, shown, allowance), shown=shown, details=details)
