"""The small parts: text on a terminal, names and handles, errors as lines, bars and clocks."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from thinkback.app.cli import screen, waiting
from thinkback.app.cli.answers import cost
from thinkback.app.cli.failures import exit_code, report
from thinkback.app.cli.naming import document_id, file_name, handle, handles, item_id, thought_id
from thinkback.app.cli.screen import clean, confirm, line, megabytes, quantity
from thinkback.app.cli.typing_out import Typist
from thinkback.errors import BudgetExceeded, InvalidInput, NoModel, NotFound, StoreFull
from thinkback.ids import random_ids
from thinkback.types import Usage

Cli = Callable[..., Any]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _typed(text: str, pieces: int, columns: int, monkeypatch: pytest.MonkeyPatch | None = None) -> str:
    stream = Terminal()
    typist = Typist(stream)
    typist._width = columns
    size = max(len(text) // pieces, 1)
    for start in range(0, len(text), size):
        typist.write(text[start : start + size])
    typist.finish()
    return stream.getvalue()


@given(
    st.lists(st.text(alphabet="abcdef.,é漢", min_size=1, max_size=12), min_size=1, max_size=40),
    st.integers(1, 9),
    st.integers(30, 80),
)
def test_streamed_words_are_whole_and_lines_fit(words: list[str], pieces: int, columns: int) -> None:
    text = " ".join(words)
    shown = _typed(text, pieces, columns)
    assert shown.replace("\n", "").replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(one) <= columns for one in shown.splitlines())
    whole = {word for word in words if word.isascii()}
    wide = "".join(word for word in words if not word.isascii())
    if not wide:
        assert whole <= set(shown.split())


@given(st.text(max_size=200), st.integers(1, 7))
def test_a_pipe_gets_the_text_as_it_is(text: str, pieces: int) -> None:
    stream = io.StringIO()
    typist = Typist(stream)
    size = max(len(text) // pieces, 1)
    for start in range(0, len(text), size):
        typist.write(text[start : start + size])
    typist.finish()
    assert "".join(stream.getvalue().split()) == "".join(clean(text).split())


def test_paragraphs_of_an_answer_stay_apart() -> None:
    assert _typed("One.\n\nTwo is longer than a line.", 3, 12) == "One.\n\nTwo is\nlonger than\na line.\n"


@given(st.text())
def test_clean_text_cannot_steer_a_terminal(text: str) -> None:
    kept = clean(text)
    assert not any(ord(one) < 32 and one != "\n" for one in kept)
    assert not any(0x7F <= ord(one) <= 0x9F for one in kept)
    assert clean(kept) == kept


@given(st.text(), st.integers(1, 50))
def test_a_line_is_one_line_and_not_longer_than_asked(text: str, most: int) -> None:
    assert "\n" not in line(text, most)
    assert len(line(text, most)) <= most


def test_sizes_and_numbers_in_words() -> None:
    assert [megabytes(size) for size in (5_000, 98_362_432, 1_117_320_768)] == ["0.0 MB", "98 MB", "1.1 GB"]
    assert quantity(1, "thought") == "1 thought"
    assert quantity(1204, "testimony", "testimonies") == "1,204 testimonies"
    assert screen.ago(None) == "never"


def test_the_cost_of_a_call_in_words() -> None:
    usage = Usage(
        calls=2,
        failed_calls=1,
        prompt_tokens=1000,
        completion_tokens=50,
        embedding_calls=1,
        embedded_tokens=1234,
        cached_prompt_tokens=900,
        money=0.0123,
        estimated=True,
        seconds={"answer": 1.5, "distil": 0.5},
    )
    words = cost(usage)
    for word in (
        "≈1,000 + 50 tokens in 2 calls",
        "1,234 tokens embedded",
        "900 read before",
        "1 failed",
        "costs 0.0123",
        "2.0 s (answer 1.5",
    ):
        assert word in words, word


# --- names -----------------------------------------------------------------------------------------------------------


def test_handles_are_as_long_as_needed_and_no_longer() -> None:
    fresh = random_ids()
    made = [fresh("tht") for _ in range(200)]
    short = handles(made)
    assert len(set(short.values())) == 200
    assert all(one.endswith(shown.removeprefix("tht_")) for one, shown in short.items())
    assert handle("note") == "note"
    assert handles([]) == {}
    twins = ["tht_" + "0" * 19 + "1abcdef", "tht_" + "0" * 19 + "2abcdef"]
    assert sorted(handles(twins).values()) == ["tht_1abcdef", "tht_2abcdef"]


def test_file_names_for_people() -> None:
    assert file_name("/home/someone/a.pdf") == "a.pdf"
    assert file_name("https://example.org/x/page.html?q=1") == "page.html"
    assert file_name("text:abc") == ""
    assert file_name("/refs.bib#key") == "refs.bib"
    assert file_name("https://example.org/") == "https://example.org/"


def _memory(*titles: str) -> Any:
    fresh = random_ids()
    documents = [SimpleNamespace(id=fresh("doc"), title=title, uri=f"/x/{title.lower()}.md") for title in titles]
    thoughts = [SimpleNamespace(id=fresh("tht"), text="A thought.")]
    return SimpleNamespace(documents=lambda: documents, get_all=lambda statuses: thoughts)


def test_a_document_is_named_in_many_ways() -> None:
    engine = _memory("Bridges", "Towers of Steel")
    first, second = (one.id for one in engine.documents())
    for name in (first, first[-6:], "Bridges", "bridges", "bridges.md", "/x/bridges.md", "bridg"):
        assert document_id(engine, name) == first, name
    assert document_id(engine, "of steel") == second
    assert item_id(engine, "Bridges") == first
    thought = engine.get_all(())[0].id
    assert thought_id(engine, thought[:20]) == thought
    assert item_id(engine, thought[-5:]) == thought


def test_what_deletes_needs_the_whole_name() -> None:
    engine = _memory("Bridges", "Towers of Steel")
    with pytest.raises(NotFound):
        item_id(engine, "bridg")
    with pytest.raises(NotFound):
        document_id(engine, "br")


def test_an_ambiguous_name_lists_what_it_could_be() -> None:
    engine = _memory(*(f"Report {number}" for number in range(7)))
    with pytest.raises(InvalidInput, match=r"names 7 documents: .*Report 0.* and 2 more") as caught:
        document_id(engine, "report")
    assert caught.value.hint


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x"), 2),
        (NotFound("x"), 1),
        (NoModel("x"), 3),
        (BudgetExceeded("x"), 4),
        (StoreFull("x"), 1),
        (OSError(28, "No space"), 1),
    ],
)
def test_each_error_has_its_code(error: Exception, code: int) -> None:
    assert exit_code(error) == code


def test_foreign_errors_do_not_show_their_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(RuntimeError("sk-secret"), []) == 1
    said = capsys.readouterr()
    assert "sk-secret" not in said.err
    assert "--debug" in said.err
    report(OSError(2, "No such file or directory", "x.txt"), ["--json"])
    said = capsys.readouterr()
    assert "No such file or directory: 'x.txt'" in said.err
    assert '"exit_code": 1' in said.out


def test_an_unexpected_error_in_a_command_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from thinkback.engine.face import Engine

    def broken(*_: Any) -> None:
        raise RuntimeError("words of a document")

    monkeypatch.setattr(Engine, "documents", broken)
    ran = cli("docs")
    assert ran.code == 1
    assert "words of a document" not in ran.err
    with pytest.raises(RuntimeError, match="words"):
        cli("docs", "--debug")


def test_consent_needs_a_terminal_or_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert confirm("Sure?", yes=True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(InvalidInput):
        confirm("Sure?", yes=False)
    for said, meant in (("y\n", True), ("Yes\n", True), ("\n", False), ("", False), ("no\n", False)):
        monkeypatch.setattr(sys, "stdin", Terminal(said))
        assert confirm("Sure?", yes=False) is meant


# --- bars ------------------------------------------------------------------------------------------------------------


def _terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make stderr a terminal, and time short."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(waiting, "_FEW", -1.0)
    return stream


def test_the_bar_of_add_counts_documents_that_are_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    _terminal(monkeypatch)
    with waiting.adding() as progress:
        progress("documents", 1, 3, "one")
        progress("documents", 2, 3, "two")
        assert progress.embedded == 0
        progress("chunks", 64, 128)
        assert progress.bar.tasks[0].completed == pytest.approx(1.0)
        progress("chunks", 128, 128)
        assert (progress.embedded, progress.chunks) == (2, 128)
        progress("documents", 3, 3, "three")
        progress("chunks", 10, 10)
        assert (progress.embedded, progress.chunks) == (3, 138)
        assert progress.bar.tasks[0].percentage == 100
        assert "chunks/s" in progress.bar.tasks[0].fields["detail"]
        assert "left" in progress.bar.tasks[0].fields["detail"]


def test_other_bars_show_throughput_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    with waiting.counting("Embedding", "texts") as progress:
        progress("reindex", 50, 100)
    with waiting.pulling("tiny") as progress:
        progress("fetch", 0, 4_000_000_000)
        progress("fetch", 1_000_000_000, 4_000_000_000)
        progress("check", 10, 100)
    with waiting.waiting("thinking") as clock:
        clock.show("still thinking")
    shown = terminal.getvalue()
    assert "Embedding" in shown
    assert "tiny" in shown


def test_nothing_moves_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting.adding() as progress:
        assert progress is None
    with waiting.counting("x", "y") as progress:
        assert progress is None
    with waiting.waiting("thinking"):
        pass
    with waiting.pulling("tiny") as progress:
        for done in (0, 5, 50, 100):
            progress("fetch", done, 100)
            progress("check", done, 100)
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 3


@pytest.mark.parametrize(("seconds", "shown"), [(5, "0:05"), (65, "1:05"), (3661, "1:01:01")])
def test_time_left_reads_as_a_clock(seconds: float, shown: str) -> None:
    assert waiting._clock(seconds) == shown
