"""No reference may be read from what a system is given: a proof by runs of twelve words, and what is done where it fails."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thinkback.bench.datasets.leakage import Secret

__all__ = ["SHINGLE", "Leak", "find_leaks", "runs", "without_runs_of"]

SHINGLE = 12
"""Words in a row that two texts do not share by chance."""
_LEAST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A run of words of a reference that stands where it must not."""

    where: str
    words: str


def runs(text: str, size: int = SHINGLE) -> set[tuple[str, ...]]:
    """Return the runs of ``size`` words of a text; of a shorter one (a title) all its words as one run.

    Of two or three words there is no run: they are a name that a text may well use.

    Words are compared without accents, case, punctuation and hyphens at line ends, so that the same sentence read from a PDF
    and from LaTeX is the same.
    """
    words = _words(text)
    if len(words) < size:
        return {tuple(words)} if len(words) >= _LEAST else set()
    return {tuple(words[place : place + size]) for place in range(len(words) - size + 1)}


def find_leaks(references: Iterable[str], places: Iterable[tuple[str, str]], size: int = SHINGLE) -> list[Leak]:
    """Return where words of the references stand, one leak a place, in order; empty: there are none.

    Args:
        references: the texts that are to be written.
        places: names and texts of everything that a system may read before it writes: documents and questions.
        size: words in a row that make a leak. A reference with fewer words leaks where all of it stands.
    """
    secret: dict[int, set[tuple[str, ...]]] = {}
    for reference in references:
        for run in runs(reference, size):
            secret.setdefault(len(run), set()).add(run)
    found = []
    for where, text in places:
        words = _words(text)
        for length, taken in secret.items():
            here = (tuple(words[place : place + length]) for place in range(len(words) - length + 1))
            run = next((each for each in here if each in taken), ())
            if run:
                found.append(Leak(where=where, words=" ".join(run)))
                break
    return found


def without_runs_of(references: Sequence[str], text: str) -> str:
    """Return a text without the sentences that take part in twelve words in a row of a reference.

    What it takes for a word is a little coarser than above (accents count, a hyphen at a line's end parts a word), so whoever
    cuts looks for leaks again.
    """
    return Secret(references).kept_out_of(text) if find_leaks(references, [("", text)]) else text


def _words(text: str) -> list[str]:
    joined = re.sub(r"(?<=\w)[-\u00ad\u2010]\s*\n\s*(?=\w)", "", text)
    plain = unicodedata.normalize("NFKD", joined)
    return re.findall(r"[^\W_]+", "".join(each for each in plain if not unicodedata.combining(each)).casefold())
