"""Who "I" is: turns of a dialogue carry the speaker's name, and claims about them are in the third person."""

from __future__ import annotations

import re

__all__ = ["has_turns", "spoken"]

_SPEAKER = re.compile(r"(?:^|\n|\)\s*)[ \t]*(?P<name>[A-Z][\w.\u2019'-]{0,30}(?: [A-Z][\w.\u2019'-]{0,30}){0,2}):\s")
_FIRST_PERSON = re.compile(r"\b(?P<of>my|mine)\b|\b(?:I(?P<verb>['\u2019](?:m|ve|d|ll))|I|me|myself)\b", re.IGNORECASE)
_GREETING = re.compile(
    r"(?:^|(?<=[.!?]))(\s*)(?:hey|hi|hello|hallo|salut)[ ,]+(?:[A-Z][\w\u2019'-]*)\s*[,!.]\s*", re.IGNORECASE
)
_VERBS = {"m": " is", "ve": " has", "d": " would", "ll": " will"}


def has_turns(text: str) -> bool:
    """Tell whether a text is what people say in turn, each named before what they say."""
    return _SPEAKER.search(text) is not None


def spoken(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` with "I", "me" and "my" put as the name of who speaks, where the text says who does.

    A speaker is named at the start of a turn ("Anna: ...", "(3 May) Anna: ..."); that label is left out. A text without
    turns comes back as it is.
    """
    turns = list(_SPEAKER.finditer(text, 0, end))
    if not turns:
        return text[start:end]
    pieces: list[str] = []
    name, at = "", 0
    for turn in turns:
        pieces.append(_named(text[max(at, start) : max(turn.start("name"), start)], name))
        name, at = turn["name"], turn.end()
    pieces.append(_named(text[max(at, start) : end], name))
    return " ".join(filter(None, (piece.strip() for piece in pieces)))


def _named(piece: str, name: str) -> str:
    if not name:
        return piece
    piece = _GREETING.sub(r"\1", piece)  # who is greeted does nothing

    def put(match: re.Match[str]) -> str:
        if match["of"]:
            return f"{name}'s"
        if match["verb"]:
            return name + _VERBS[match["verb"][1:].casefold()]
        return match.group() if match.group() == "i" else name

    return _FIRST_PERSON.sub(put, piece)
