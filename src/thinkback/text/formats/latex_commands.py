"""What the commands and environments of LaTeX mean for the text."""

from __future__ import annotations

import re

__all__ = [
    "CITE",
    "DROPPED",
    "LISTS",
    "MATH",
    "REF",
    "SECTIONS",
    "TABLES",
    "VERBATIM",
    "WITH_ARGUMENT",
    "swallowed",
]

SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
CITE = re.compile(r"(?!no)[A-Za-z]*cite[a-z]*", re.IGNORECASE)
REF = re.compile(r"(?:eq|auto|page|name|v|sub)?ref|[cCV]ref")
MATH = re.compile(r"(?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign|split)\*?")
VERBATIM = re.compile(r"verbatim\*?|Verbatim|lstlisting|minted")
DROPPED = re.compile(r"tikzpicture|pgfpicture|picture|CCSXML|comment|filecontents\*?|forest|axis")
LISTS = re.compile(r"itemize|enumerate|description|compactitem|compactenum|inparaenum|list")
TABLES = re.compile(r"tabular[x*]?|tabulary|longtable|array")
WITH_ARGUMENT = re.compile(r"thebibliography|minipage|multicols|adjustbox|wrapfigure|subfigure")
_SWALLOWED = (
    re.compile(r"bibdata|printbibliography|newpage|maketitle|centering"),
    re.compile(
        r"label|input|include|subfile|index|[vh]space|bibliographystyle|bibliography|usepackage|documentclass|pagestyle"
        r"|thispagestyle|pagenumbering|hypersetup|graphicspath|includegraphics|nocite|newtheorem|color|[hv]?phantom|thanks"
        r"|author|date|affiliation|affil|institute|address|email|keywords|title|subtitle|inst|orcid|addbibresource|cline"
        r"|cmidrule|geometry|linespread|tikzset|lstset|textcolor|href|bibitemdeclare|selectlanguage|pdfinfo"
    ),
    re.compile(r"setlength|addtolength|setcounter|addtocounter|fontsize|rule|multirow|multicolumn|newfloat"),
    re.compile(r"newenvironment|renewenvironment|addcontentsline"),
)


def swallowed(name: str) -> int | None:
    """Return how many arguments of a command are no text; None for a command that is not known as such."""
    return next((number for number, names in enumerate(_SWALLOWED) if names.fullmatch(name)), None)
