r"""Lists of references → entries with title, surnames and year: of BibTeX, of a .bbl file, and of a PDF's last pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from thinkback.bench.academiceval.papers import Reference
from thinkback.text import bibtex
from thinkback.text.formats.latex import plain
from thinkback.text.formats.latex_macros import Arguments

__all__ = ["parse_bbl", "parse_bibtex", "parse_list"]

_ARXIV = re.compile(
    r"(?:arxiv[:./ ]*(?:preprint\s+)?(?:arxiv:)?|abs/|corr,?\s+abs/)\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.:/-])((?:19|20)\d{2})([a-z])?(?![\d/]|\.\d)")
_QUOTED = re.compile(r"[\u201c\u2018\"](?P<title>[^\u201d\"]{8,300}?)[,.?!]?[\u201d\u2019\"](?!\w)")
_BIBITEM = re.compile(r"\\bibitem\b")
_ENTRY = re.compile(r"\\entry\s*\{([^}]*)\}\s*\{[^}]*\}")
_FIELD = re.compile(r"\\(?:field|verb|strng)\s*\{(\w+)\}\s*")
_FAMILY = re.compile(r"family=\{?([^},=]+)\}?,|family=\{([^}]+)\}")
_MARKED_ENTRY = re.compile(r"\[(\d{1,3})\]\s+|\((\d{1,3})\)\s+|(\d{1,3})\.\s+(?=\D)")
_INITIALS = r"(?:[A-Z]\.[ -]?){1,4}"
_PARTICLE = r"(?:(?:van|von|der|den|de|del|la|le|di|da|dos|ten|ter|bin|al|el)\s+){0,3}"
_SURNAME = rf"{_PARTICLE}[^\W\d_][\w'\u2019-]+(?:[ -](?!and\b|et\b|in\b)[^\W\d_][\w'\u2019-]+)?"
_PERSON = re.compile(rf"(?:{_INITIALS}\s*{_SURNAME}|{_SURNAME},\s*{_INITIALS})")
_AND = re.compile(r",?\s+(?:and|&)\s+|;\s*")
_TITLE_END = re.compile(r"(?<=[^\W\d_]{2})[.?!](?=\s+(?:[^\W\d_]|\(|\d|arxiv)|\s*$)", re.IGNORECASE)
_VENUE = re.compile(r"\s(?:In|in)\s*:?\s+(?=[A-Z\d])|,\s+(?:arXiv|CoRR|IEEE|ACM|Proc\.|vol\.|pp\.)", re.DOTALL)
_LONGEST_TITLE = 300


def parse_bibtex(text: str) -> list[Reference]:
    """Return the entries of a .bib file in order; broken ones are left out."""
    found = []
    for entry in bibtex.parse(text):
        if entry.error:
            continue
        fields = entry.fields
        people = bibtex.names(fields.get("author") or fields.get("editor", ""))
        title = " ".join(bibtex.value(fields.get("title", "")).split())
        year = _YEAR.search(fields.get("year") or fields.get("date", ""))
        note = " ".join(fields.get(name, "") for name in ("journal", "eprint", "url", "note", "howpublished", "volume"))
        text_line = ". ".join(part for part in (", ".join(people), title, bibtex.value(fields.get("journal", "")) or
                              bibtex.value(fields.get("booktitle", "")), year[1] if year else "") if part)  # fmt: skip
        found.append(
            Reference(
                key=entry.key, text=text_line, title=title, authors=tuple(_last(name) for name in people),
                year=year[1] if year else "", arxiv_id=_eprint(fields.get("eprint", "")) or _arxiv(note),
            )
        )  # fmt: skip
    return found


def parse_bbl(text: str) -> list[Reference]:
    r"""Return the entries of a ``thebibliography`` or of biblatex's own form, in order."""
    if _ENTRY.search(text):
        return [_biblatex(match[1], text[match.end() : end]) for match, end in _parts(_ENTRY, text)]
    found = []
    for match, end in _parts(_BIBITEM, text):
        arguments = Arguments(text)
        at = match.end()
        option = ""
        opening = re.compile(r"\s*\[").match(text, at)
        if opening is not None:
            close = _closing(text, opening.end())
            option, at = text[opening.end() : close], close + 1
        key = arguments.at(at)
        body = re.split(r"\\end\s*\{thebibliography\}", text[key.end : end])[0]
        found.append(_bibitem(key.content.strip(), option, body))
    return found


def _parts(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    matches = list(pattern.finditer(text))
    for number, match in enumerate(matches):
        yield match, matches[number + 1].start() if number + 1 < len(matches) else len(text)


def _closing(text: str, at: int) -> int:
    """Return where the bracket that was opened closes; braces may hold others."""
    depth = 0
    for place in range(at, min(len(text), at + 2000)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if text[place] == "]" and depth <= 0:
            return place
    return at


def _bibitem(key: str, option: str, body: str) -> Reference:
    blocks = [plain(part).strip(" .") for part in re.split(r"\\newblock\b", body)]
    blocks = [part for part in blocks if part]
    line = ". ".join(blocks)
    found = _described(key, line)
    label = re.match(r"(?P<who>.*?)\((?P<year>(?:19|20)\d{2}[a-z]?)\)", plain(option))
    if label is not None:  # of natbib: Vaswani et al.(2017)
        surname = re.split(r"\s+et al|\s+and\s+|,|\s*\{", label["who"])[0].strip()
        found = replace(found, year=label["year"], authors=found.authors or ((surname,) if surname else ()))
    if len(blocks) >= 2:
        title = blocks[1] if not re.fullmatch(r"\(?(?:19|20)\d{2}[a-z]?\)?", blocks[1]) else "".join(blocks[2:3])
        return replace(found, title=_clean_title(title), authors=_people(blocks[0]) or found.authors)
    return found


def _biblatex(key: str, body: str) -> Reference:
    arguments = Arguments(body)
    fields = {match[1]: arguments.at(match.end()).content for match in _FIELD.finditer(body)}
    title = " ".join(plain(fields.get("title", "")).split())
    surnames = tuple(plain(one or two).strip() for one, two in _FAMILY.findall(body))
    year = _YEAR.search(fields.get("year", ""))
    return Reference(
        key=key.strip(), text=". ".join(part for part in (", ".join(surnames), title, fields.get("year", "")) if part),
        title=title, authors=surnames, year=year[1] if year else "",
        arxiv_id=_eprint(fields.get("eprint", "")) or _arxiv(body),
    )  # fmt: skip


def parse_list(text: str) -> list[Reference]:
    """Return the entries of a list of references as a PDF or a text file has it.

    Entries that are numbered ([1], (1) or 1.) are found by numbers that go up by one; of an unnumbered list each
    paragraph, or else each line, is an entry, a paragraph without a year being the end of the one before.
    """
    numbered = _numbered(text)
    if numbered:
        return [_described(str(number), entry) for number, entry in numbered]
    entries: list[str] = []
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    if len(paragraphs) < 3:
        paragraphs = [line for line in text.split("\n") if line.strip()]
    for part in paragraphs:
        line = " ".join(part.split())
        if entries and (not _YEAR.search(entries[-1]) or (not _YEAR.search(line) and not line[0].isupper())):
            entries[-1] += f" {line}"
        else:
            entries.append(line)
    return [_described(f"r{number}", entry) for number, entry in enumerate(entries, 1)]


def _numbered(text: str) -> list[tuple[int, str]]:
    starts: list[tuple[int, int, int]] = []  # number, where its mark begins, and where the entry does
    form = None
    for match in _MARKED_ENTRY.finditer(text):
        place = next(number for number, value in enumerate(match.groups()) if value)
        number = int(match.group(place + 1))
        if form is None and number == 1 and not text[: match.start()].strip():
            form = place
        elif form is None or place != form or number != (starts[-1][0] + 1 if starts else 1):
            continue
        elif place == 2 and text[: match.start()].rstrip(" ")[-1:] not in {"\n", "."}:
            continue  # "12. " in the middle of a sentence is a volume, not the next entry
        starts.append((number, match.start(), match.end()))
    if len(starts) < 2:
        return []
    ends = [begin for _, begin, _ in starts[1:]] + [len(text)]
    return [(number, " ".join(text[after:end].split())) for (number, _, after), end in zip(starts, ends, strict=True)]


def _described(key: str, line: str) -> Reference:
    """Return an entry with what can be made out of its one line."""
    years = list(_YEAR.finditer(_ARXIV.sub(" ", line)))
    chosen = years[-1] if years else None
    bracketed = re.search(r"\(((?:19|20)\d{2}[a-z]?)\)|\.\s((?:19|20)\d{2}[a-z]?)\.\s", line)
    year = (bracketed[1] or bracketed[2]) if bracketed else f"{chosen[1]}{chosen[2] or ''}" if chosen else ""
    title, before = _title(line)
    return Reference(key=key, text=line, title=title, authors=_people(before), year=year, arxiv_id=_arxiv(line))


def _title(line: str) -> tuple[str, str]:
    """Return the title of an entry, and what stands before it; two empty texts where none can be told."""
    quoted = _QUOTED.search(line)
    if quoted is not None:
        return _clean_title(quoted["title"]), line[: quoted.start()]
    # Authors (2017). Title. Venue; or Authors. 2017. Title. Venue
    dated = re.search(r"(?:\((?:19|20)\d{2}[a-z]?\)[.,:]?|(?<=[.,]\s)(?:19|20)\d{2}[a-z]?\.)\s+(?=\S)", line)
    if dated is not None and dated.start() < 0.6 * len(line) and _looks_like_people(line[: dated.start()]):
        return _first_sentence(line[dated.end() :]), line[: dated.start()]
    # Authors. Title. Venue, 2017
    start = _after_people(line)
    if not start:
        return "", ""
    rest = line[start:]
    if line[:start].rstrip().endswith(",") and "." not in rest.partition(",")[0]:
        return _clean_title(_first_part(rest)), line[:start]
    return _first_sentence(rest), line[:start]


def _first_part(text: str) -> str:
    """Return the beginning of "Title, Journal 3 (2010) 1-9": its first part of four words or more."""
    parts = text.split(", ")
    found = next((n for n in range(1, len(parts)) if len(" ".join(parts[:n]).split()) >= 4), len(parts))
    return ", ".join(parts[:found])


def _looks_like_people(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= 400 and sum(word[0].isupper() for word in words) * 2 > len(words)


def _after_people(line: str) -> int:
    """Return where the title begins in "A. Doe, B. Roe, and C. Poe. Title. Venue"; 0 where that cannot be told."""
    at = 0
    while True:
        person = _PERSON.match(line, at)
        if person is None:
            break
        at = person.end()
        joint = re.compile(r"\s*(?:,\s*(?:and|&)?|and|&|;)\s+").match(line, at)
        if joint is None or re.compile(r"et al").match(line, joint.end()):
            break
        at = joint.end()
    if at:
        stop = re.compile(r"\s*(?:,?\s*et al\.?)?[.,:]\s+").match(line, at)
        return stop.end() if stop else at
    for stop in re.finditer(
        r"(?<=[^\W\d_]{2})\.\s+(?=[\"\u201c\w])", line
    ):  # full given names: Jane Doe and John Roe. Title.
        if _looks_like_names(line[: stop.start()]):
            return stop.end()
        return 0
    return 0


def _looks_like_names(text: str) -> bool:
    """Say whether a text is nothing but names: two to five words each, all with capitals but particles."""
    names = [part.strip() for part in re.split(r",|\band\b|&|;", text) if part.strip()]
    return bool(names) and all(
        len(name.split()) <= 5 and all(word[0].isupper() or re.fullmatch(_PARTICLE, f"{word} ") for word in name.split())
        for name in names
    )  # fmt: skip


def _first_sentence(text: str) -> str:
    end = _TITLE_END.search(text)
    title = text[: end.start() + (end[0] != ".")] if end else text
    venue = _VENUE.search(title)
    return _clean_title(title[: venue.start()] if venue else title)


def _clean_title(text: str) -> str:
    title = re.sub(r",\s*(?:(?:19|20)\d{2}\b|pp?\.).*$", "", " ".join(text.split())).strip(' .,;:"\u201c\u201d')
    return title if len(title) <= _LONGEST_TITLE else ""


def _people(text: str) -> tuple[str, ...]:
    """Return the surnames of "A. Doe, B. Roe", "Doe, A., Roe, B." or "Jane Doe and John Roe"."""
    text = re.sub(r"\(?(?:19|20)\d{2}[a-z]?\)?|\bet al\.?|\beds?\.", " ", text).strip(" .,;:")
    if re.match(rf"{_SURNAME},\s*{_INITIALS}", text):
        turned = re.findall(rf"({_SURNAME}),\s*{_INITIALS}", text)
        return tuple(name.strip() for name in turned)
    parts = [part.strip() for chunk in _AND.split(text) for part in chunk.split(",") if part.strip()]
    return tuple(name for name in map(_last, parts) if name)


def _last(name: str) -> str:
    """Return a person's surname, with its particle."""
    words = name.split()
    while len(words) > 1 and words[-1].strip(".").casefold() in {"jr", "sr", "ii", "iii"}:
        words.pop()
    particle = next((n for n, word in enumerate(words[1:-1], 1) if re.fullmatch(_PARTICLE, f"{word} ") and word), None)
    return " ".join(words[particle:] if particle else words[-1:]).strip(".,")


def _arxiv(text: str) -> str:
    found = _ARXIV.search(text)
    return found[1] if found else ""


def _eprint(field: str) -> str:
    found = re.match(r"\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", field)
    return found[1] if found else ""
