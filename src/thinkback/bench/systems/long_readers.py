"""Long-context models that read instead of retrieve: the paper's OpenOrca-8k and Nous-Hermes-32k, and any other.

``reader:NAME`` is a model of ``long_readers.toml`` under the window that the paper gives it; ``reader:TOKENS`` is the run's
model, whichever it is, under a window that the caller declares (an endpoint does not tell its own). Behind a second colon
stands which end of the text is kept: ``reader:openorca-8k:right``; the left one otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from thinkback.bench.kit import Kit
from thinkback.bench.systems.full import FullContext
from thinkback.errors import InvalidInput

__all__ = ["LongReader", "long_readers", "make_reader"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LongReader:
    """An entry of ``long_readers.toml``, which explains the fields."""

    name: str
    models: tuple[str, ...]
    window: int
    source: str


@cache
def long_readers() -> Mapping[str, LongReader]:
    """Return name to entry."""
    text = (resources.files(__package__) / "long_readers.toml").read_text(encoding="utf-8")
    entries = [LongReader(**{**each, "models": tuple(each["models"])}) for each in tomllib.loads(text)["reader"]]
    return MappingProxyType({each.name: each for each in entries})


def make_reader(kit: Kit, argument: str) -> FullContext:
    """Return full-context reading under a declared window.

    Raises:
        InvalidInput: no such reader or end, a run without a model, or a named reader in a run of another model.
    """
    name, _, end = argument.partition(":")
    known = long_readers()
    if not (name in known or name.isdecimal()) or end not in {"", "left", "right"}:
        listed = ", ".join(f"reader:{each}" for each in known)
        raise InvalidInput(f"There is no reader {argument!r}.", hint=f"Use {listed} or reader:TOKENS.")
    if kit.llm is None:
        raise InvalidInput("A reader needs a model that reads.")
    if name in known and not any(each.casefold() in kit.llm.id.casefold() for each in known[name].models):
        raise InvalidInput(
            f"reader:{name} is {known[name].models[0]}, and the run's model is {kit.llm.id}.",
            hint="Run that model, or declare the window of this one: reader:TOKENS.",
        )
    window = known[name].window if name in known else int(name)
    if kit.llm.traits.local:  # a file is loaded with its window, and takes no more
        window = min(window, kit.llm.traits.context_window)
    row = f"reader:{name}:right" if end == "right" else f"reader:{name}"
    return FullContext(kit, end="right" if end == "right" else "left", window=window, name=row)
