r"""Which references a text cites: by number ([3, 5-7]), by author and year, or by the keys of LaTeX's ``\cite``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from thinkback.bench.academiceval.papers import Reference

__all__ = ["cited", "with_labels"]

_BRACKET = re.compile(r"\[([^\[\]]{1,1000})\]")
_NUMBERS = re.compile(
    r"\[\s*(\d{1,3}(?:\s*[,;\u2013\u2014-]\s*\d{1,3})*)\s*\](?:\s*[\u2013\u2014-]\s*\[\s*(\d{1,3})\s*\])?"
)
_LONGEST_RANGE = 30
_YEAR = r"(?P<year>(?:19|20)\d{2}[a-z]?)"
_PARTICLE = r"(?:(?:[vV]an|[vV]on|[dD]er?|[dD]en|[dD]el|[lL]a|[lL]e|[dD]i|[dD]a|[tT]en)\s+){0,3}"
_WORD = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_NAME = rf"{_PARTICLE}{_WORD}(?:\s(?!et\b|and\b){_WORD})?"
_WHO = re.compile(
    rf"(?P<first>{_NAME})(?:\s*(?:,\s*{_NAME})*,?\s+(?:and|&)\s+(?P<second>{_NAME})|,?\s+et\s+al\.?)?"
    rf"(?:\u2019s|'s)?\s*[,(\[]*\s*{_YEAR}(?P<more>(?:\s*[,;]\s*(?:(?:19|20)\d{{2}})?[a-z]?(?![\w]))*)"
)


def cited(text: str, references: Sequence[Reference]) -> tuple[str, ...]:
    """Return the keys of the references that a text cites, in the order in which it first does.

    Of the three ways of citing the one counts that finds most. An author and a year that fit several references count for
    none of them.
    """
    known = {each.key: each for each in references}
    ways: list[list[str]] = [
        list(dict.fromkeys(_by_key(text, known))),
        list(dict.fromkeys(_by_number(text, known))),
        list(dict.fromkeys(_by_name(text, references))),
    ]
    best: list[str] = max(ways, key=len)
    return tuple(best)


def with_labels(text: str, references: Iterable[Reference], labels: Collection[str] = ()) -> str:
    r"""Return the text of a LaTeX paper with authors and years for the keys of citations, and without those of ``\ref``.

    Args:
        text: as the product's LaTeX reader gives it: ``[key, key]`` for citations and references alike.
        references: of the paper.
        labels: of its sections, figures and the like.
    """
    known = {each.key: _label(each) for each in references}

    def write(match: re.Match[str]) -> str:
        tokens = [token.strip() for token in match[1].split(",")]
        if any(token.split(" ")[-1] in known for token in tokens if token):
            return f"[{_written(tokens, known)}]"
        return "" if all(token in labels for token in tokens) else match[0]

    written = _BRACKET.sub(write, text)
    return re.sub(r"[ \t]+([.,;:)])", r"\1", re.sub(r"(?<=\S)[ \t]{2,}", " ", written)) if written != text else text


def _written(tokens: Sequence[str], known: Mapping[str, str]) -> str:
    parts = []
    for token in tokens:
        before, _, key = token.rpartition(" ")
        parts.append(f"{before} {known[key]}".strip() if key in known else token)
    return "; ".join(parts)


def _label(reference: Reference) -> str:
    names = reference.authors
    who = (
        names[0]
        if len(names) == 1
        else f"{names[0]} and {names[1]}"
        if len(names) == 2
        else f"{names[0]} et al."
        if names
        else ""
    )
    who = who or " ".join(reference.title.split()[:4]) or reference.key
    return ", ".join(part for part in (who, reference.year) if part)


def _by_key(text: str, known: Mapping[str, Reference]) -> Iterator[str]:
    for match in _BRACKET.finditer(text):
        for token in match[1].split(","):
            words = token.split()
            if words and words[-1] in known and not words[-1].isdigit():
                yield words[-1]


def _by_number(text: str, known: Mapping[str, Reference]) -> Iterator[str]:
    for match in _NUMBERS.finditer(text):
        whole = match[1] + (f"-{match[2]}" if match[2] else "")
        for part in re.split(r"[,;]", whole):
            ends = [int(end) for end in re.split(r"[\u2013\u2014-]", part) if end.strip()]
            if len(ends) == 2 and ends[0] < ends[1] <= ends[0] + _LONGEST_RANGE:
                ends = list(range(ends[0], ends[1] + 1))
            yield from (str(number) for number in ends if str(number) in known)


def _by_name(text: str, references: Sequence[Reference]) -> Iterator[str]:
    for match in _WHO.finditer(text):
        first, second = _plain(match["first"]), _plain(match["second"] or "")
        for year in _years(match["year"], match["more"]):
            fitting = [each for each in references if _fits(each, first, second, year)]
            exact = [each for each in fitting if each.year == year]
            chosen = exact if len(exact) == 1 else fitting
            if len(chosen) == 1:
                yield chosen[0].key


def _years(first: str, more: str) -> list[str]:
    """Return the years of "2017a, b" and of "2017, 2019"."""
    years = [first]
    for part in re.split(r"[,;]", more):
        word = part.strip()
        if word:
            years.append(word if word[0].isdigit() else years[-1][:4] + word)
    return years


def _fits(reference: Reference, first: str, second: str, year: str) -> bool:
    if not reference.authors or not reference.year or reference.year[:4] != year[:4]:
        return False
    if year[4:] and reference.year[4:] and year != reference.year:
        return False
    names = [_plain(name) for name in reference.authors]
    same = names[0] == first or names[0].split()[-1:] == first.split()[-1:]
    return same and (not second or second.split()[-1:] in [name.split()[-1:] for name in names[1:]])


def _plain(name: str) -> str:
    """Return a name without accents, in small letters."""
    parts = unicodedata.normalize("NFKD", name.replace("\u2019", "'"))
    return "".join(letter for letter in parts if not unicodedata.combining(letter)).casefold()
