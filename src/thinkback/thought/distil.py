"""From an answer to atoms: the reply forms that a model must keep, and what is made of them.

The reply is a trust boundary: its form is checked here, its content by ``support``. Nothing is repaired by guessing.
"""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

from thinkback.ids import normalise
from thinkback.thought.fragment import fragment
from thinkback.types import Atom

__all__ = ["AtomsReply", "SummaryReply", "clean_atoms", "cut_sentences", "notes_of"]

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-ZÀ-ÞА-Я0-9])|(?<=[。！？])")
_MARKER = re.compile(r"\s*\[\d+(?:\s*[,;]\s*\d+)*\]")
_LONGEST_ATOM = 2  # sentences; a cap in characters cut notes in the middle of a number
_LONGEST_OVERVIEW = 4
_LONGEST_WORDS = 120
_LEAST_CHARACTERS = 8


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class AtomReply(_Lenient):
    """One note as the model wrote it."""

    text: str
    items: list[int] = Field(default_factory=list)
    overview: bool = False


class AtomsReply(_Lenient):
    """What the prompt ``distil-atoms`` asks for."""

    valid: bool
    atoms: list[AtomReply]


class SummaryReply(_Lenient):
    """What the prompt ``distil-summary`` asks for (paper, Figure 3)."""

    valid: bool
    thought: str


def clean_atoms(reply: AtomsReply, *, shown: int, most: int) -> tuple[Atom, ...]:
    """Return the atoms of a reply in its order: markers stripped, long ones cut at a sentence end, repeats dropped.

    Args:
        reply: as the model gave it.
        shown: how many items were shown; numbers outside 1..shown are dropped (fault 28).
        most: at most so many plain atoms; one overview may follow them.
    """
    atoms: list[Atom] = []
    seen: set[str] = set()
    for raw in sorted(reply.atoms, key=lambda atom: atom.overview):
        limit = _LONGEST_OVERVIEW if raw.overview else _LONGEST_ATOM
        text = cut_sentences(_MARKER.sub("", raw.text).strip(), limit)
        key = normalise(text)
        plain = sum(not atom.overview for atom in atoms)
        full = any(atom.overview for atom in atoms) if raw.overview else plain >= most
        if not any(character.isalnum() for character in text) or key in seen or full:
            continue
        seen.add(key)
        numbers = tuple(dict.fromkeys(number for number in raw.items if 1 <= number <= shown))
        atoms.append(Atom(text=text, item_numbers=numbers, overview=raw.overview))
    return tuple(atoms)


def cut_sentences(text: str, most: int) -> str:
    """Return the first ``most`` sentences; text without sentence ends is cut after a hundred and twenty words."""
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    if len(ends) >= most:
        text = text[: ends[most - 1]].rstrip()
    words = text.split()
    return text if len(words) <= _LONGEST_WORDS else " ".join(words[:_LONGEST_WORDS])


def notes_of(answer: str, *, most: int) -> tuple[Atom, ...]:
    """Return an answer's sentences as atoms, for learning where no model is at hand to distil.

    One sentence that is not understood without the one before it ("It was built by ...") stays with that.
    """
    pieces, last = [], 0
    for match in _SENTENCE_END.finditer(answer):
        pieces.append(answer[last : match.start()])
        last = match.end()
    pieces.append(answer[last:])
    texts: list[str] = []
    for text in dict.fromkeys(_MARKER.sub("", piece).strip() for piece in pieces):
        if texts and fragment(text) and not _SENTENCE_END.search(texts[-1]):
            texts[-1] = f"{texts[-1]} {text}".rstrip()
        else:
            texts.append(text)
    worded = [text for text in texts if sum(character.isalnum() for character in text) >= _LEAST_CHARACTERS]
    return tuple(Atom(text=text, item_numbers=(1,)) for text in worded[:most])
