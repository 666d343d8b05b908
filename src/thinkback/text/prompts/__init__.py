"""The prompts: one text file each, a system part and a user part, with ``{{name}}`` where a value goes in.

A prompt's hash is kept with everything that was made by it, so that a changed prompt is a visible change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from thinkback.ids import content_hash
from thinkback.ports import Message
from thinkback.types import Trust

__all__ = ["Prompt", "load_prompt", "render_item"]

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_FENCE = re.compile(r"<(?=\s*/?\s*item\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template of one system and one user message."""

    name: str
    system: str
    user: str
    hash: str
    """SHA-256 of both parts, first 16 hex digits."""

    def fill(self, **values: str) -> tuple[Message, ...]:
        """Return the messages with every slot filled; values are put in once and never read as templates themselves.

        Raises:
            KeyError: a slot has no value.
        """

        def put(template: str) -> str:
            return _SLOT.sub(lambda match: values[match.group(1)], template)

        return (Message(role="system", content=put(self.system)), Message(role="user", content=put(self.user)))


@cache
def load_prompt(name: str, *, package: str = __name__) -> Prompt:
    """Return the prompt ``NAME.txt`` of this folder, or of another package's."""
    text = (resources.files(package) / f"{name}.txt").read_text(encoding="utf-8")
    system, user = (part.strip() for part in text.split("\n=== user ===\n"))
    return Prompt(name=name, system=system, user=user, hash=content_hash(system, user)[:16])


def render_item(number: int, text: str, source: str = "", *, trust: Trust = "normal") -> str:
    """Return one item as the delimited block that prompts show; an untrusted one is marked, and the prompts say as what.

    Text cannot close its own block or open another: a ``<`` that begins such a tag is written as ``&lt;``.
    """
    label = source.replace('"', "'").replace("\n", " ").strip()[:80]
    origin = f' from="{_FENCE.sub("&lt;", label)}"' if label else ""
    mark = ' trust="untrusted"' if trust == "untrusted" else ""
    return f'<item n="{number}"{origin}{mark}>\n{_FENCE.sub("&lt;", text)}\n</item>'
