"""Keep what a local model has read of several prompts, so that none must be read twice.

llama.cpp holds one prompt's keys and values. The loop asks in turns: answers over one prompt, notes and judgements over
others. Whoever goes from one to the other would read each from the start; here the last few are kept in memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["PrefixStates", "common_prefix"]

_WORTH: Final = 48
"""Tokens; reading fewer again costs no more than copying them."""


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many tokens two sequences have in common at their beginning."""
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return at
    return min(len(left), len(right))


@dataclass(slots=True)
class _Kept:
    tokens: tuple[int, ...]
    state: Any


class PrefixStates:
    """The states of the prompts that were read last.

    Args:
        llm: the ``llama_cpp.Llama`` whose state this is.
        memory: bytes that may be used; 0 keeps nothing.
    """

    def __init__(self, llm: Any, *, memory: int) -> None:
        self._llm = llm
        self._memory = memory
        self._kept: list[_Kept] = []

    def prepare(self, tokens: Sequence[int]) -> int:
        """Bring the best known beginning of a prompt into the model; return how many of its tokens are then read."""
        here = self._read()
        have = common_prefix(here, tokens)
        best = max(self._kept, key=lambda kept: common_prefix(kept.tokens, tokens), default=None)
        gain = common_prefix(best.tokens, tokens) - have if best is not None else 0
        if len(here) - have >= _WORTH and len(here) >= 2 * have:
            self._keep(here)
        if best is not None and gain >= _WORTH:
            have = self._restore(best, tokens)
        return min(have, len(tokens) - 1)  # the last token is always read anew, for its logits

    def _read(self) -> tuple[int, ...]:
        return tuple(self._llm.input_ids[: self._llm.n_tokens].tolist())

    def _keep(self, tokens: tuple[int, ...]) -> None:
        import llama_cpp  # noqa: PLC0415

        # An older state of which this one is a continuation is of no more use.
        self._kept = [kept for kept in self._kept if common_prefix(kept.tokens, tokens) < len(kept.tokens)]
        size = llama_cpp.llama_state_seq_get_size(self._llm.ctx, 0)
        if not 0 < size <= self._memory:
            return
        state = (ctypes.c_uint8 * size)()
        if llama_cpp.llama_state_seq_get_data(self._llm.ctx, state, size, 0) != size:
            return
        self._kept.append(_Kept(tokens=tokens, state=state))
        while sum(len(kept.state) for kept in self._kept) > self._memory:
            self._kept.pop(0)

    def _restore(self, kept: _Kept, tokens: Sequence[int]) -> int:
        import llama_cpp  # noqa: PLC0415

        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._llm.ctx), True)
        self._llm.reset()
        if llama_cpp.llama_state_seq_set_data(self._llm.ctx, kept.state, len(kept.state), 0) == 0:
            return 0
        self._kept.remove(kept)
        self._kept.append(kept)  # the least recently used goes first
        have = min(common_prefix(kept.tokens, tokens), len(tokens) - 1)
        self._llm.input_ids[:have] = kept.tokens[:have]
        self._llm.n_tokens = have
        return have

    def forget(self) -> None:
        """Free everything."""
        self._kept.clear()
