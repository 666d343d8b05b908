"""BibTeX's own rules: entries, names, escapes. The only module that imports bibtexparser, when it is needed."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from thinkback.text.formats.latex import plain

__all__ = ["RawEntry", "address", "entry", "escaped", "escaped_names", "names", "parse", "unique_key", "value"]

_SPECIAL = {
    "\\": r"{\textbackslash}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "`": r"{\textasciigrave}",
    "'": "'",
}
_ESCAPE = re.compile(r"[\\{}&%$#_~^]|--+|``|''")
_KEY = re.compile(r"[^A-Za-z0-9_:.+/-]+")
_BROKEN_KEY = re.compile(r"@\s*(\w+)\s*[{(]\s*([^\s,]{1,200})")
_UNSAFE = re.compile(r"[{}\s\\]")  # would end the field, or the command that an address stands in
_AND = re.compile(r"\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEntry:
    """An entry as it stands in the file."""

    key: str
    type: str
    fields: Mapping[str, str]
    """Names in small letters; values without their outermost braces or quotes."""
    error: str = ""


def parse(text: str) -> Iterable[RawEntry]:
    """Yield the entries in order, broken ones too, with what is wrong about them."""
    from bibtexparser.entrypoint import parse_string  # noqa: PLC0415 - only needed by users of reference managers
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock  # noqa: PLC0415

    # A library is not to print: where no logging is set up, Python would show the parser's complaints on stderr.
    logger = logging.getLogger("bibtexparser")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    for block in parse_string(text).blocks:
        usable = (
            block.ignore_error_block if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock) else block
        )
        if isinstance(usable, Entry):
            yield RawEntry(
                key=usable.key,
                type=usable.entry_type.lower(),
                fields={each.key.lower(): str(each.value) for each in usable.fields},
            )
        elif isinstance(block, ParsingFailedBlock):
            named = _BROKEN_KEY.match((block.raw or "").lstrip())
            if named:
                yield RawEntry(
                    key=named.group(2), type=named.group(1).lower(), fields={}, error="The entry is not valid BibTeX."
                )


def value(raw: str) -> str:
    """Return a field as text: accents resolved, braces gone."""
    return plain(raw)


def address(raw: str) -> str:
    """Return a URL field, whose characters are mostly written as they are."""
    return re.sub(r"\\([_%&#~$])", r"\1", raw).removeprefix(r"\url{").strip("{} \n")


def names(raw: str) -> tuple[str, ...]:
    """Return the people of an author field, given name first."""
    from bibtexparser.middlewares.names import (  # noqa: PLC0415 - see parse
        InvalidNameError,
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    found = []
    for name in split_multiple_persons_names(" ".join(raw.split())):
        try:
            parts = parse_single_name_into_parts(name)
            name = " ".join([*parts.first, *parts.von, *parts.last, *parts.jr])  # noqa: PLW2901 - the same name, turned
        except InvalidNameError:
            pass
        found.append(plain(name))
    return tuple(name for name in found if name and name != "others")


def escaped(text: str) -> str:
    """Return text as a field's value: nothing in it is a command, a brace or a comment to TeX."""
    return _ESCAPE.sub(lambda match: "".join(_escape(match.group())), " ".join(text.split()))


def _escape(found: str) -> Iterable[str]:
    if found in _SPECIAL:
        return _SPECIAL[found]
    return "{}".join(found)  # keeps "--" from becoming a dash


def escaped_names(people: Sequence[str]) -> str:
    """Return an author field. A name that would be read as several parts or people is put into braces."""
    return " and ".join(
        f"{{{escaped(name)}}}" if "," in name or _AND.search(name) else escaped(name) for name in people
    )


def unique_key(wanted: str, taken: Collection[str]) -> str:
    """Return the key with the characters that BibTeX allows, and a number if it is taken."""
    key = _KEY.sub("_", wanted).strip("_") or "entry"
    number, candidate = 2, key
    while candidate in taken:
        candidate, number = f"{key}_{number}", number + 1
    return candidate


def entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """Return one entry; empty fields are left out. Addresses keep their signs, but no brace and no space."""
    lines = [
        f"  {name} = {{{_UNSAFE.sub('', text) if name in {'doi', 'url'} else text}}},\n"
        for name, text in fields.items()
        if text
    ]
    return f"@{re.sub('[^a-z]', '', kind.lower()) or 'misc'}{{{key},\n{''.join(lines)}}}\n"
