"""Plain text: kept as it is."""

from __future__ import annotations

from thinkback.text.formats.content import Content

__all__ = ["read"]


def read(text: str) -> Content:
    """Return the text itself; the title stays open."""
    return Content(text=text)
