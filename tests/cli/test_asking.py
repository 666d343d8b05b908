"""``ask``, ``why``, ``learn`` and what becomes of thoughts, with a model behind a real server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
QUESTION = "When was the harbour bridge opened?"


@pytest.fixture
def filled(cli: Cli, papers: Path) -> Cli:
    assert cli("add", papers).code == 0
    return cli


def test_an_answer_shows_its_source_its_note_and_its_cost(filled: Cli, chat: Any) -> None:
    ran = filled("ask", QUESTION)
    assert ran.code == 0, ran.err
    assert "opened in 1932 after nine years of work [" in ran.out
    assert "Sources" in ran.out
    assert "The harbour bridge, characters" in ran.out
    assert "“The bridge was opened in 1932" in ran.out
    assert "✓ stored tht_" in ran.out
    assert "240 + 40 tokens in 2 calls" in ran.out
    assert "\x1b" not in ran.out
    assert all(line == line.rstrip() for line in ran.out.splitlines())


def test_the_order_is_answer_sources_memory_cost(filled: Cli, chat: Any) -> None:
    out = filled("ask", QUESTION).out
    places = [out.index(word) for word in ("opened in 1932", "Sources", "Remembered", "tokens in")]
    assert places == sorted(places)


def test_json_is_one_document_with_everything(filled: Cli, chat: Any) -> None:
    ran = filled("ask", QUESTION, "--json")
    answer = ran.json
    assert answer["found"] is True
    assert answer["citations"][0]["title"] == "The harbour bridge"
    assert answer["outcomes"][0]["status"] == "stored"
    assert answer["usage"]["calls"] == 2


def test_a_question_asked_again_is_answered_from_memory(filled: Cli, chat: Any) -> None:
    filled("ask", QUESTION)
    calls = len(chat.bodies)
    ran = filled("ask", QUESTION)
    assert len(chat.bodies) == calls
    assert "kept answer" in ran.out
    assert "no model call" in ran.out


def test_an_abstention_says_that_nothing_was_remembered(filled: Cli, chat: Any) -> None:
    chat.fact = "a sentence that stands nowhere"
    ran = filled("ask", "Who painted the harbour bridge?")
    assert ran.code == 0
    assert "Nothing remembered" in ran.out
    assert "abstained" in ran.out
    assert "Sources" not in ran.out


def test_an_unsupported_note_is_refused_with_its_reason(filled: Cli, chat: Any) -> None:
    chat.note = "The harbour bridge was painted blue by elves in 1777."
    ran = filled("ask", QUESTION)
    assert "Nothing remembered" in ran.out
    assert "✗ unsupported" in ran.out
    assert filled("thoughts", "--json").json["thoughts"] == []


def test_no_remember_keeps_nothing(filled: Cli, chat: Any) -> None:
    ran = filled("ask", QUESTION, "--no-remember")
    assert "asked not to remember" in ran.out
    assert filled("thoughts", "--json").json["thoughts"] == []


def test_the_question_may_come_in_words_or_from_standard_input(filled: Cli, chat: Any) -> None:
    assert filled("ask", *QUESTION.split(), "--json").json["question"] == QUESTION
    assert filled("ask", "-", "--json", stdin=f"{QUESTION}\n").json["question"] == QUESTION


@pytest.mark.parametrize("question", ["", "   ", "-"])
def test_an_empty_question_is_a_usage_error(filled: Cli, chat: Any, question: str) -> None:
    ran = filled("ask", question, stdin=" \n")
    assert ran.code == 2
    assert chat.bodies == []


def test_a_question_may_be_limited_to_a_document(filled: Cli, chat: Any) -> None:
    ran = filled("ask", QUESTION, "--in", "radio", "--json")
    assert {hit["title"] for hit in ran.json["hits"]} == {"The radio tower"}
    ran = filled("ask", QUESTION, "--in", "nothing like it")
    assert ran.code == 1
    assert "no document" in ran.err


def test_top_k_limits_what_the_model_is_shown(filled: Cli, chat: Any) -> None:
    assert len(filled("ask", QUESTION, "-k", "1", "--json").json["hits"]) == 1
    assert filled("ask", QUESTION, "-k", "0").code == 2


def test_a_follow_up_is_rewritten_from_the_answer_before(filled: Cli, chat: Any) -> None:
    ran = filled("ask", "--continue", "And after how long?")
    assert ran.code == 2
    filled("ask", QUESTION)
    ran = filled("ask", "--continue", "And after how long?")
    assert ran.code == 0
    assert QUESTION in ran.err
    assert "opened in 1932" in ran.out
    assert QUESTION in str(chat.bodies[2]["messages"])


def test_without_a_model_the_ways_to_get_one_are_listed(filled: Cli) -> None:
    ran = filled("ask", QUESTION)
    assert ran.code == 3
    assert "thinkback models pull" in ran.err
    assert "OPENAI_BASE_URL" in ran.err
    assert ran.out == ""
    assert filled("ask", QUESTION, "--json").json["error"]["exit_code"] == 3


def test_a_budget_that_would_be_broken_has_its_own_code(
    filled: Cli, chat: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THINKBACK_BUDGET__QUESTION_TOKENS", "50")
    ran = filled("ask", QUESTION)
    assert ran.code == 4
    assert chat.bodies == []
    assert ran.err.startswith("Error: ")


def test_a_model_that_refuses_the_key_is_a_clear_error_without_the_key(filled: Cli, chat: Any) -> None:
    chat.status = 401
    ran = filled("ask", QUESTION)
    assert ran.code == 1
    assert "sk-secret" not in ran.err + ran.out
    assert len(ran.err.splitlines()) <= 3
    assert "Traceback" not in ran.err


def test_escape_sequences_of_a_model_or_a_document_never_reach_the_terminal(cli: Cli, chat: Any) -> None:
    cli(
        "add",
        "-",
        "--title",
        "Evil\x1b]0;title\x07",
        stdin="The bridge was opened in 1932 after nine years of work.\x1b[2J",
    )
    chat.answer = "It was \x1b[31mopened\x1b[0m\u202e in 1932 [1]."
    for ran in (cli("ask", QUESTION), cli("docs"), cli("search", "bridge", "--explain")):
        assert ran.code == 0
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.out + ran.err)


def test_brackets_in_text_are_shown_as_they_are(cli: Cli, chat: Any) -> None:
    cli("add", "-", "--title", "[bold]Notes[/bold]", stdin="The bridge was opened in 1932 after nine years of work.")
    assert "[bold]Notes[/bold]" in cli("ask", QUESTION).out
    assert "[bold]Notes[/bold]" in cli("docs").out


def test_why_goes_down_to_the_quote(filled: Cli, chat: Any) -> None:
    filled("ask", QUESTION)
    thought = filled("thoughts", "--json").json["thoughts"][0]["id"]
    ran = filled("why", thought)
    assert ran.code == 0
    for word in (
        "harbour bridge was opened",
        "asked:",
        QUESTION,
        "characters",
        "carries",
        "level 2.0",
        "The harbour bridge",
    ):
        assert word in ran.out, word
    tree = filled("why", thought[-8:], "--json").json
    assert tree["children"][0]["children"][0]["kind"] == "chunk"


def test_why_of_a_chunk_is_its_place_and_of_a_document_a_hint(filled: Cli) -> None:
    chunk = filled("search", "bridge", "--json").json["hits"][0]["item"]["id"]
    assert "characters" in filled("why", chunk).out
    ran = filled("why", "The harbour bridge")
    assert ran.code == 2
    assert filled("why", "tht_nothing").code == 1


def test_why_after_the_source_changed_says_so(filled: Cli, chat: Any, papers: Path) -> None:
    filled("ask", QUESTION)
    thought = filled("thoughts", "--json").json["thoughts"][0]["id"]
    (papers / "bridge.md").write_text("# The harbour bridge\n\nNothing is known of it.\n", encoding="utf-8")
    filled("add", papers)
    out = filled("why", thought).out
    assert "stale" in out
    assert "changed or deleted since" in out


def test_learning_from_somebody_stands_on_their_word(cli: Cli) -> None:
    ran = cli("learn", "How high is the tower?", "The radio tower is 150 metres high.", "--source", "a neighbour")
    assert ran.code == 0, ran.err
    assert "stored" in ran.out
    thought = cli("thoughts", "--json").json["thoughts"][0]
    assert thought["trust"] == "untrusted"
    assert "untrusted" in cli("thoughts").out
    assert "said by a neighbour" in cli("why", thought["id"]).out


def test_learning_an_abstention_keeps_nothing(cli: Cli) -> None:
    ran = cli("learn", "How high is it?", "-", "--source", "x", "--json", stdin="I do not know the answer.")
    assert ran.code == 1
    assert ran.json["testimony_id"] is None
    assert cli("learn", "q", "a", "--source", "x", "--trust", "much").code == 2


def test_the_fast_preset_remembers_before_the_command_ends(filled: Cli, chat: Any) -> None:
    assert filled("ask", QUESTION, "--preset", "fast").code == 0
    assert len(filled("thoughts", "--json").json["thoughts"]) == 1
