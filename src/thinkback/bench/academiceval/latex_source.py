r"""A paper's LaTeX files → one source: archives unpacked, ``\input`` followed within them, the bibliography set apart.

Nothing is written to disk and nothing outside the archive is looked at, whatever its file names say.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import re
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thinkback.errors import CorruptDocument, TooLarge
from thinkback.text.decode import decode
from thinkback.text.formats.latex_macros import Arguments, without_comments

__all__ = ["USUAL", "LatexSource", "read_files", "read_folder", "unpack"]

_MOST_BYTES = 100_000_000
_MOST_FILES = 5_000
_DEPTH = 8
_KEPT = (".tex", ".ltx", ".latex", ".bbl", ".bib")
_NOT_PAPER = re.compile(r"supp|append|response|rebuttal|cover|letter|poster|slides", re.IGNORECASE)
USUAL = frozenset({"main", "ms", "paper", "article", "root", "manuscript"})
"""Names of the file that takes in the others."""
_INPUT = re.compile(
    r"\\(?:input|include|subfile)\s*\{\s*([^}]{1,200}?)\s*\}|\\(?:sub)?import\s*\{\s*([^}]{0,200}?)\s*\}\s*\{\s*([^}]{1,200}?)\s*\}"
    r"|\\input\s+([\w./-]{1,200})"
)
_BIBLIOGRAPHY = re.compile(r"\\begin\s*\{thebibliography\}.*?(?:\\end\s*\{thebibliography\}|\Z)", re.DOTALL)
_BIB_NAMES = re.compile(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]*\])?\s*\{([^}]{1,500})\}")
_REFERENCES_HERE = re.compile(r"\\(?:bibliography\s*\{[^}]*\}|printbibliography\s*(?:\[[^\]]*\])?)")
_APPENDIX = re.compile(
    r"\\(?:appendix|appendices|supplementary)(?![A-Za-z])|\\begin\s*\{(?:appendix|appendices|supplement\w*)\}"
)
_THANKS = re.compile(
    r"\\begin\s*\{(?:acks?|acknowledge?ments?)\*?\}|\\(?:acknowledge?ments?|ack)(?![A-Za-z])"
    r"|\\paragraph\*?\s*\{\s*acknowledge?ments?[.:]?\s*\}",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(r"\\abstract\s*(?=\{)")
_LABEL = re.compile(r"\\label\s*\{([^}]{1,200})\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LatexSource:
    """A paper's source in one piece."""

    text: str
    """Without comments and bibliography; where that, the appendix and the thanks begin, a section does."""
    bibliography: str = ""
    """Of a .bbl file, or as it stands in the text."""
    bibtex: str = ""
    """The .bib files that the paper names."""
    labels: frozenset[str] = frozenset()


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the LaTeX and bibliography files of an archive (tar, also packed with gzip) or of a lone packed file.

    Raises:
        CorruptDocument: it is damaged.
        TooLarge: it holds more than is safe to read.
    """
    if data[:2] == b"\x1f\x8b":
        data = _gunzip(data)
    if not _is_tar(data):
        return {"main.tex": data}
    files: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                name = posixpath.normpath(member.name)
                if not member.isfile() or not name.lower().endswith(_KEPT) or name.startswith(("/", "..")):
                    continue
                total += member.size
                if total > _MOST_BYTES or len(files) >= _MOST_FILES:
                    raise TooLarge("The paper's source holds more text than is safe to read.")
                stream = archive.extractfile(member)
                files[name] = stream.read() if stream is not None else b""
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise CorruptDocument("The paper's source is a damaged archive.") from error
    return files


def _gunzip(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise CorruptDocument("The paper's source is packed wrongly or cut short.") from error
    if len(unpacked) > _MOST_BYTES:
        raise TooLarge("The paper's source unpacks to more than is safe to read.")
    return unpacked


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the LaTeX and bibliography files of a folder, by their path in it.

    Raises:
        TooLarge: they are more than is safe to read.
        OSError: one cannot be read.
    """
    files: dict[str, bytes] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in _KEPT or not path.is_file() or path.is_symlink():
            continue
        total += path.stat().st_size
        if total > _MOST_BYTES or len(files) >= _MOST_FILES:
            raise TooLarge(f"The sources in {str(folder)!r} are more than is safe to read.")
        files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def read_files(files: Mapping[str, bytes]) -> LatexSource:
    r"""Return the source of the paper that a set of files makes.

    The paper is the file with ``\begin{document}``; of several the one with a usual name, else the longest with all that it
    takes in.

    Raises:
        CorruptDocument: no file holds a document.
    """
    texts = {name: decode(data).text.replace("\r\n", "\n").replace("\r", "\n") for name, data in files.items()}
    sources = {
        name: without_comments(text) for name, text in texts.items() if not name.lower().endswith((".bib", ".bbl"))
    }
    roots = [name for name, text in sources.items() if re.search(r"\\begin\s*\{document\}", text)]
    if not roots:
        raise CorruptDocument("No file of the paper's source begins a document.")
    whole = {name: _flat(name, sources, 0) for name in roots}

    def rank(name: str) -> tuple[bool, bool, int]:
        stem = posixpath.splitext(posixpath.basename(name))[0].lower()
        return (_NOT_PAPER.search(stem) is None, stem in USUAL, len(whole[name]))

    main = max(sorted(roots), key=rank)
    return _source(main, whole[main], texts)


def _flat(name: str, sources: Mapping[str, str], depth: int) -> str:
    """Return a file with what it takes in; what is missing, or lies too deep, is left out."""
    folder = posixpath.dirname(name)

    def put(match: re.Match[str]) -> str:
        wanted = posixpath.join(match[2] or "", match[3]) if match[3] else match[1] or match[4]
        for base in (folder, ""):
            path = posixpath.normpath(posixpath.join(base, wanted))
            for candidate in (path, f"{path}.tex", f"{path}.ltx"):
                if candidate in sources and candidate != name and depth < _DEPTH:
                    return _body(_flat(candidate, sources, depth + 1))
        return ""

    return _INPUT.sub(put, sources[name].partition("\\endinput")[0])


def _body(text: str) -> str:
    """Return what a subfile adds: without a preamble of its own."""
    found = re.search(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", text, re.DOTALL)
    return found[1] if found else text


def _source(main: str, text: str, texts: Mapping[str, str]) -> LatexSource:
    inline = _BIBLIOGRAPHY.search(text)
    stem = posixpath.splitext(main)[0]
    compiled = texts.get(f"{stem}.bbl") or next(
        (texts[name] for name in sorted(texts) if name.lower().endswith(".bbl")), ""
    )
    named = [part.strip() for found in _BIB_NAMES.findall(text) for part in found.split(",")]
    wanted = {posixpath.normpath(name if name.lower().endswith(".bib") else f"{name}.bib") for name in named}
    folder = posixpath.dirname(main)
    bibtex = [
        texts[name] for name in sorted(texts)
        if name.lower().endswith(".bib") and (name in wanted or posixpath.relpath(name, folder or ".") in wanted)
    ]  # fmt: skip
    labels = frozenset(_LABEL.findall(text))
    text = _BIBLIOGRAPHY.sub(lambda _: "\n\\section*{References}\n\n", text)
    text = _REFERENCES_HERE.sub(lambda _: "\n\\section*{References}\n\n", text)
    text = _APPENDIX.sub(lambda _: "\n\\section*{Appendix}\n\n", text)
    text = _THANKS.sub(lambda _: "\n\\section*{Acknowledgements}\n\n", text)
    return LatexSource(
        text=_with_environment(text), bibliography=inline[0] if inline else compiled, bibtex="\n".join(bibtex), labels=labels
    )  # fmt: skip


def _with_environment(text: str) -> str:
    r"""Return the text with ``\abstract{...}``, as some classes have it, written as the environment."""
    found = _ABSTRACT.search(text)
    if found is None:
        return text
    argument = Arguments(text).at(found.end())
    inner = f"\\begin{{abstract}}{argument.content}\\end{{abstract}}"
    # Such a command may stand in the preamble, which is not read as text.
    start = re.search(r"\\begin\s*\{document\}", text)
    rest = text[: found.start()] + text[argument.end :]
    if start is not None and found.start() < start.start():
        place = rest.index(start[0]) + len(start[0])
        return f"{rest[:place]}\n{inner}\n{rest[place:]}"
    return f"{text[: found.start()]}{inner}{text[argument.end :]}"
