"""Which door a question takes: that of similarity, or that of requests about a whole document or corpus.

Similarity to "write an abstract for this paper" says nothing about which notes on the paper are needed (the
notes of five papers ranked 5 to 34 there), so such requests choose thoughts by coverage instead. The decision is made on
the words alone: a request for a digest ("summarise", "overview"), or for the main points or open questions, that names a
whole or nothing at all; a topic behind it ("the main findings on dropout") makes it an ordinary question again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

from thinkback.ids import normalise

__all__ = ["Door", "door"]

Door = Literal["similarity", "overview"]

_READ = 2_000
"""Characters of the question that are looked at: beyond, it is pasted text rather than the request."""


def door(question: str) -> Door:
    """Return ``overview`` for a request about a whole document or corpus, else ``similarity``.

    Pure and cheap: words only, no model. It errs to ``similarity``, the door of most questions.
    """
    text = normalise(question[:_READ]).replace("\u2019", "'")
    return "overview" if any(pattern.search(text) for pattern in _patterns()) else "similarity"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Read what asks for a whole in each language (``door.toml`` beside this file), once."""
    entry = resources.files("thinkback.retrieve") / "door.toml"
    languages = tomllib.loads(entry.read_text(encoding="utf-8"))
    return tuple(re.compile(_pattern(words)) for words in languages.values())


def _pattern(words: Mapping[str, Any]) -> str:
    gap, edge = (r"\W+", r"\b") if words["spaced"] else (r"\W*", "")
    part = {name: "|".join(given) for name, given in words.items() if name != "spaced"}
    glue = rf"(?:{gap}(?:{part['glue']}){edge})*"
    whole = rf"(?:{part['whole']}){edge}"
    asked = rf"{edge}(?:{part['digest']}|{part['points']}){edge}"
    alternatives = (
        rf"{edge}(?:{part['draft']}){edge}",
        rf"{edge}(?:{part['open']}){edge}",
        part["about"].replace("{whole}", rf"(?:(?:{part['glue']}){gap})*{whole}"),
        rf"{asked}{glue}{gap}{whole}",
        rf"{asked}{glue}\W*$",
        # The whole may come first: "of this paper, what are the main findings?"; in Japanese and Korean it always does.
        rf"{edge}{whole}{glue}{gap}{asked}{glue}\W*$",
    )
    return "|".join(f"(?:{alternative})" for alternative in alternatives)
