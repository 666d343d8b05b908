# ruff: noqa: E501 - the expected text is as it is read, dashes and long lines too
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.text.formats.latex import plain
from thinkback.text.formats.latex_macros import Arguments, expand, without_comments
from thinkback.text.load import load_bytes

PAPER = r"""% comment before all
\documentclass[a4paper]{article}
\usepackage{amsmath}
\newcommand{\method}{\textsc{ThoughtNet}\xspace}
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
\newcommand{\hi}[2][very]{#1 #2}
\def\pair#1#2{(#1, #2)}
\DeclareMathOperator{\argmax}{arg\,max}
\newtheorem{thm}{Theorem}
\title[Short]{A Study of \method: {\em the} Case\thanks{Funded by \% all}}
\author{J\"org M\"uller\thanks{x} \\ ETH Z\"urich \and Ana \v{C}apek$^1$ \and \L ukasz Nowak}
\date{May}
\begin{document}
\maketitle
\begin{abstract}
We present \method. 100\% good % not this
stuff---really.
\end{abstract}
\section[Intro]{Introduction}\label{sec:intro}
Deep nets~\cite{a, b} are \emph{good} \citep[see][p.~3]{c}\nocite{hidden}, ``quoted''. See Fig.~\ref{fig:a} and \eqref{eq:1}.
A footnote\footnote{Inner \textbf{note}.} here. \hi{x} \hi[not]{y} \pair{1}{2}. Inline $\norm{x}_2 \le 3$ and \(a+b\).

\begin{equation}\label{eq:1}
\argmax_x f(x) = \norm{x}
\end{equation}
where $x$ is it. And $$z = 1$$ or \[w = 2\] too.
% a comment on a line of its own
\subsection*{Lists}
\begin{itemize}
\item one
\item[two] second
\begin{enumerate} \item in \item out \end{enumerate}
\end{itemize}
\begin{table}[t]\centering
\caption{Results of \method}
\begin{tabular}{l|cc}
\toprule
Model & A & B \\ \midrule
\multicolumn{2}{c}{x} & 2\\[2pt]
\end{tabular}
\end{table}
\begin{thm}[Main] It holds. \end{thm}
\begin{proof} Clear. \end{proof}
\begin{verbatim}
raw % kept \foo
\end{verbatim}
\includegraphics[width=3cm]{hidden.png} \href{http://hidden}{link} \url{http://a_b%c}\vskip 3pt plus 1fil
\input{other} \textcolor{red}{red} \rule{1pt}{2pt}\unknown[hidden]{kept} \par
\iffalse hidden \fi
\begin{comment}
hidden
\end{comment}
\begin{tikzpicture} \draw hidden; \end{tikzpicture}
\verb|a_b%c| \lstinline{c_d} Stra\ss e na\"{\i}ve \'{e}t\'e \c{c}a \aa ngstr\"om {\AA}. A~\& B. x\\y
\begin{thebibliography}{9}
\bibitem{a} Author. Title.
\bibitem[B(2000)]{b} Other.
\end{thebibliography}
\end{document}
hidden
"""

EXPECTED = r"""# A Study of ThoughtNet: the Case

## Abstract

We present ThoughtNet. 100% good stuff—really.

## Introduction

Deep nets [a, b] are good [see c, p. 3], “quoted”. See Fig. [fig:a] and [eq:1]. A footnote (Inner note.) here. very x not y (1, 2). Inline $\left\lVert x \right\rVert _2 \le 3$ and $a+b$.

$$\operatorname{arg\,max}_x f(x) = \left\lVert x \right\rVert$$
where $x$ is it. And
$$z = 1$$
or
$$w = 2$$
too.

### Lists

- one
- two second
  1. in
  2. out

Results of ThoughtNet

Model | A | B
x | 2

Theorem. It holds.

Proof. Clear.

raw % kept \foo

link http://a_b%c red kept

a_b%c c_d Straße naïve été ça ångström Å. A & B. x
y

## References

[a] Author. Title.
[b] Other."""


def test_a_paper():
    document = load_bytes(PAPER.encode(), name="x.tex", uri="u")
    assert document.text == EXPECTED
    assert "hidden" not in document.text
    assert document.title == "A Study of ThoughtNet: the Case"
    assert document.metadata == {"format": "latex", "authors": "Jörg Müller, Ana Čapek, Łukasz Nowak"}
    assert document.warnings == ("1 included files were not followed: other.",)


def test_a_fragment_without_preamble():
    document = load_bytes(rb"\section{One} Text \textbf{bold}.", name="part.tex", uri="u")
    assert document.text == "## One\n\nText bold."
    assert document.title == "part"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"{\"O}zt{\"u}rk, {\'E}. and {\relax M}c\,X \& {\o}", "Öztürk, É. and Mc X & ø"),
        (r"\'{\i} \v{s} \H{o} \.z \r a \~{n}", "í š ő ż å ñ"),
        (r"a -- b --- c ``d'' e-f", "a – b — c “d” e-f"),
        (r"10\% of \$5 \#1 a\_b \{x\}", "10% of $5 #1 a_b {x}"),
        (r"\LaTeX{} and \textbackslash", "LaTeX and \\"),
        (r"\sc{x}\,y\!z", "x yz"),
        ("", ""),
        ("}}}{", ""),
        ("$unclosed", "$unclosed"),
        (r"\verb", ""),
        ("\\", "\\"),
        (r"\cite[see][]{a}", "[see a]"),
        (r"\begin{equation} x", "$$x$$"),
        (r"\end{itemize}\end{tabular}x & y", "x & y"),
        (r"\item lone", "- lone"),
    ],
)
def test_short_pieces(source, expected):
    assert plain(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a % b\nc", "a c"),
        ("a\n% b\nc", "a\nc"),
        ("a % b\n\nc", "a \n\nc"),
        (r"5\% x", r"5\% x"),
        ("a\\\\% b\nc", "a\\\\c"),
        ("a %", "a "),
        ("\\begin{verbatim}%x\n\\end{verbatim}", "\\begin{verbatim}%x\n\\end{verbatim}"),
        (r"\iffalse x \else y\fi", r" y\fi"),
    ],
)
def test_comments(source, expected):
    assert without_comments(source).replace("  ", " ") == expected


def test_commands_that_call_themselves_end():
    assert len(expand(r"\newcommand{\x}{\x\x}" + r"\x" * 10)) < 1_000_000
    assert (
        len(
            expand(
                r"\def\a{\b\b\b\b}\def\b{\c\c\c\c}\def\c{\d\d\d\d}\def\d{\e\e\e\e}\def\e{" + "x" * 1000 + r"}\a\a\a\a"
            )
        )
        < 1_000_000
    )


def test_definitions_within_definitions():
    assert expand(r"\newcommand{\outer}{\newcommand{\inner}{x} y}\outer z") == r"\newcommand{\inner}{x} y z".replace(
        " z", "z"
    )


def test_an_argument_that_is_never_closed():
    assert Arguments("{abc").at(0).content == ""
    assert Arguments("  ").at(0).end == 2
    assert Arguments(r"\alpha x").at(0).content == r"\alpha"
    assert Arguments("{a{b}c}d").at(0).content == "a{b}c"


@given(
    st.lists(
        st.sampled_from(
            [
                *"\\{}[]$&~%#_^-`' \nabZ1",
                r"\begin{itemize}",
                r"\section{",
                r"\cite",
                r"\def\a{",
                r"\item",
                r"\verb",
                r"\'",
            ]
        ),
        max_size=120,
    ).map("".join)
)
def test_any_source_gives_text(source):
    assert "\x00" not in load_bytes(source.encode(), name="x.tex", uri="u").text


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "}",
        r"\section{",
        r"\label{",
        "$",
        r"\begin{itemize}\item ",
        r"\newcommand{\x}{",
        "%",
        r"\verb|",
        r"\iffalse ",
    ],
)
def test_hostile_sources_take_linear_time(piece):
    begun = time.process_time()
    load_bytes((piece * (100_000 // len(piece))).encode(), name="x.tex", uri="u")
    assert time.process_time() - begun < 10  # measured: below 1.5 s; quadratic work would take minutes
