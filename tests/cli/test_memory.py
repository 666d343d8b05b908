"""What looks after a memory: list, search, edit, invalidate, restore, refresh, delete, look back, carry over."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thinkback.store.sqlite import SqliteStore

Cli = Callable[..., Any]
QUESTION = "When was the harbour bridge opened?"


@pytest.fixture
def filled(cli: Cli, chat: Any, papers: Path) -> Cli:
    """A memory of two documents and one thought."""
    assert cli("add", papers).code == 0
    assert cli("ask", QUESTION).code == 0
    return cli


def _thought(cli: Cli, status: str = "all") -> dict[str, Any]:
    found: list[dict[str, Any]] = cli("thoughts", "--status", status, "--json").json["thoughts"]
    assert len(found) == 1
    return found[0]


def test_an_empty_memory_says_how_to_fill_it(cli: Cli) -> None:
    for command, hint in (
        ("docs", "thinkback add"),
        ("thoughts", "thinkback ask"),
        ("history", "Nothing has happened"),
    ):
        ran = cli(command)
        assert (ran.code, ran.out) == (0, "")
        assert hint in ran.err
    assert cli("search", "anything").code == 0
    assert "0 thoughts and 0 chunks" in cli("audit").out


def test_documents_and_thoughts_are_listed(filled: Cli) -> None:
    out = filled("docs").out
    assert "The harbour bridge" in out
    assert "bridge.md" in out
    assert "2 documents, 2 chunks" in out
    out = filled("thoughts").out
    assert "opened in 1932 after nine years of" in out
    assert "active" in out
    assert "2.0" in out


def test_a_short_id_works_where_an_id_is_asked_for(filled: Cli) -> None:
    short = filled("thoughts").out.split("tht_")[1].split()[0]
    assert len(short) == 6
    assert filled("why", f"tht_{short}").code == 0
    assert filled("why", short).code == 0


def test_search_shows_places_and_with_explain_the_ranks(filled: Cli) -> None:
    ran = filled("search", "radio", "tower", "height")
    assert ran.out.splitlines()[0].startswith("1 ")
    assert "The radio tower" in ran.out
    explained = filled("search", "radio tower", "--explain").out
    for word in ("words #1", "dense #", "cosine", "fused", "chk_"):
        assert word in explained
    hits = filled("search", "bridge", "--kind", "thoughts", "--json").json["hits"]
    assert [hit["kind"] for hit in hits] == ["thought"]
    assert "thought tht_" in filled("search", "bridge", "--kind", "thoughts").out


def test_search_can_be_limited(filled: Cli) -> None:
    assert len(filled("search", "the", "-k", "1", "--json").json["hits"]) == 1
    assert filled("search", "bridge", "--min-score", "0.999", "--json").json["hits"] == []
    hits = filled("search", "opened", "--in", "tower.md", "--json").json["hits"]
    assert {hit["title"] for hit in hits} == {"The radio tower"}
    assert filled("search", "x", "--kind", "other").code == 2


def test_namespaces_are_closed_to_each_other(filled: Cli) -> None:
    assert filled("docs", "-n", "other", "--json").json["documents"] == []
    thought = _thought(filled)["id"]
    assert filled("why", thought, "-n", "other").code == 1


def test_editing_a_document_keeps_what_stays(filled: Cli) -> None:
    ran = filled("edit", "tower.md", "The radio tower is 160 metres high.", "--title", "Tower")
    assert ran.code == 0
    assert "Tower: updated" in ran.out
    assert "160 metres" in filled("search", "metres").out


def test_editing_a_document_makes_its_thoughts_stale(filled: Cli, tmp_path: Path) -> None:
    new = tmp_path / "new.md"
    new.write_text("Nothing is known of the bridge.", encoding="utf-8")
    ran = filled("edit", "The harbour bridge", "--file", new)
    assert "1 thought went stale" in ran.out
    assert _thought(filled, "stale")["status"] == "stale"
    assert "stale" in filled("thoughts", "-s", "all").out


def test_title_and_trust_change_without_a_new_text(filled: Cli) -> None:
    ran = filled("edit", "tower", "--trust", "untrusted", "--json")
    assert ran.json["status"] == "updated"
    assert {one["trust"] for one in filled("docs", "--json").json["documents"]} == {"normal", "untrusted"}


def test_a_thought_keeps_its_words_unless_its_sources_carry_the_new_ones(filled: Cli) -> None:
    thought = _thought(filled)["id"]
    ran = filled("edit", thought, "The harbour bridge was painted by elves.")
    assert ran.code == 1
    assert "unsupported" in ran.out
    assert "Not changed" in ran.out
    ran = filled("edit", thought, "-", stdin="The bridge was opened in 1932.")
    assert ran.code == 0, ran.out + ran.err
    assert "opened in 1932." in _thought(filled)["text"]


@pytest.mark.parametrize(
    "arguments", [["tower"], ["tower", "text", "--file", "x"], ["tower", "--trust", "very"], ["tower", ""]]
)
def test_an_edit_that_says_nothing_is_a_usage_error(filled: Cli, arguments: list[str]) -> None:
    assert filled("edit", *arguments).code == 2


def test_a_thought_is_taken_out_of_use_and_brought_back(filled: Cli) -> None:
    thought = _thought(filled)["id"]
    ran = filled("invalidate", thought[-8:], "--reason", "measured wrongly")
    assert "1 thought taken out of use" in ran.out
    assert "measured wrongly" in filled("thoughts", "-s", "all").out
    assert filled("thoughts", "--json").json["thoughts"] == []
    assert filled("restore", thought, "--json").json["restored"] == [thought]
    assert filled("restore", thought).code == 2
    assert _thought(filled, "active")["id"] == thought


def test_stale_thoughts_are_derived_anew(filled: Cli, papers: Path) -> None:
    assert "No thought is stale" in filled("refresh", "--all").err
    moved = "# The harbour bridge\n\nA new beginning. The bridge was opened in 1932 after nine years of work. All is well.\n"
    (papers / "bridge.md").write_text(moved, encoding="utf-8")
    filled("add", papers)
    thought = _thought(filled, "stale")["id"]
    ran = filled("refresh", thought)
    assert ran.code == 0, ran.out
    assert "verified" in ran.out or "superseded" in ran.out
    assert filled("thoughts", "--json").json["thoughts"]


def test_a_thought_that_stays_stale_is_a_failure(filled: Cli, chat: Any, papers: Path) -> None:
    (papers / "bridge.md").write_text("# The harbour bridge\n\nNothing is known of it.\n", encoding="utf-8")
    filled("add", papers)
    ran = filled("refresh", "--all", "--json")
    assert ran.code == 1
    assert ran.json["refreshed"][0]["status"] == "stale"
    assert "stale" in filled("refresh", "--all").out
    assert filled("refresh").code == 2
    assert filled("refresh", "x", "--all").code == 2


def test_a_deleted_document_takes_what_stood_on_it(filled: Cli) -> None:
    ran = filled("rm", "bridge.md")
    assert ran.code == 0
    for word in ("1 document", "1 thought", "1 kept answer", "purged"):
        assert word in ran.out, word
    assert filled("docs", "--json").json["documents"][0]["title"] == "The radio tower"
    assert "deleted" in filled("history").out


def test_a_reader_elsewhere_holds_up_the_purge_and_doctor_finishes_it(filled: Cli, tmp_path: Path) -> None:
    with_embedder = filled("stats", "--json").json["store"]
    other = SqliteStore.open(
        tmp_path / "home" / "memory.sqlite",
        embedder_id=with_embedder["embedder_id"],
        dimension=with_embedder["dimension"],
    )
    try:
        with other.read() as reader:
            assert reader.documents("default")
            ran = filled("rm", "bridge.md")
            assert ran.code == 0
            assert "purge pending" in ran.out
            assert "thinkback doctor" in ran.out
    finally:
        other.close()
    assert "no byte of the store holds deleted text" in filled("doctor", "--no-measure").out
    assert b"nine years of work" not in (tmp_path / "home" / "memory.sqlite").read_bytes()


def test_nothing_is_deleted_where_one_id_is_wrong(filled: Cli) -> None:
    ran = filled("rm", "tower.md", "nowhere")
    assert ran.code == 1
    assert len(filled("docs", "--json").json["documents"]) == 2


def test_everything_is_deleted_only_when_confirmed(filled: Cli) -> None:
    assert filled("rm").code == 2
    ran = filled("rm", "--all", stdin="y\n")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert len(filled("docs", "--json").json["documents"]) == 2
    assert len(filled("rm", "--all", "--yes", "--json").json["documents"]) == 2
    assert filled("docs", "--json").json["documents"] == []


def test_a_user_at_a_terminal_may_change_their_mind(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    ran = filled("rm", "--all")
    assert ran.code == 0
    assert "2 documents and 1 thought" in ran.err
    assert "Nothing was deleted" in ran.err
    monkeypatch.setattr(sys, "stdin", Terminal("no\n"))
    assert filled("rm", "--all", "--json").json == {"deleted": False}
    monkeypatch.setattr(sys, "stdin", Terminal("yes\n"))
    assert filled("rm", "--all").code == 0
    assert filled("docs", "--json").json["documents"] == []


def test_history_tells_what_happened_without_text(filled: Cli) -> None:
    thought = _thought(filled)["id"]
    filled("invalidate", thought)
    events = [event["event"] for event in filled("history", thought, "--json").json["events"]]
    assert events[0] == "derived"
    assert "1932" not in filled("history").out.replace("2026", "")
    filled("rm", thought)
    assert "deleted" in filled("history", thought).out
    assert filled("history", "tht_unknown").code == 1


def test_an_audit_names_what_it_found(filled: Cli) -> None:
    filled("add", "-", "--title", "Keys", stdin="The password: hunter2hunter2 opens the door.")
    thought = _thought(filled)["id"]
    ran = filled("audit")
    assert ran.code == 0
    assert "looks like a secret" in ran.out
    assert "hunter2" not in ran.out
    filled("rm", "Keys")
    (documents,) = (one for one in filled("docs", "--json").json["documents"] if "bridge" in one["title"])
    filled("edit", documents["id"], "Nothing is known of it.")
    assert thought[-6:] in filled("audit").out
    assert filled("audit", "--json").json["findings"][0]["kind"] == "stale"


def test_an_audit_of_a_damaged_store_fails(filled: Cli, tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "home" / "memory.sqlite") as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM vectors")
    ran = filled("audit")
    assert ran.code == 1
    assert "damaged" in ran.out
    ran = filled("doctor", "--no-measure")
    assert ran.code == 1
    assert "thinkback reindex" in ran.out


def test_stats_say_how_much_there_is(filled: Cli) -> None:
    out = filled("stats").out
    for word in ("2 with 2 chunks", "1 active", "1 stored", "240 + 40 tokens"):
        assert word in out, word
    assert "memory.sqlite" in "".join(out.split())  # a long path is broken over lines
    numbers = filled("stats", "--json").json
    assert numbers["counts"]["documents"] == 2
    assert numbers["namespaces"] == ["default"]


def test_a_bundle_carries_everything_over(filled: Cli, tmp_path: Path) -> None:
    bundle = tmp_path / "memory.jsonl"
    assert "written to" in filled("export", bundle).err
    assert filled("export").out == bundle.read_text(encoding="utf-8")
    dry = filled("import", bundle, "--dry-run", "-n", "copy", "--json").json
    assert dry["dry_run"] is True
    assert filled("docs", "-n", "copy", "--json").json["documents"] == []
    ran = filled("import", bundle, "-n", "copy", "--store", tmp_path / "other.sqlite")
    assert ran.code == 0, ran.err
    assert "2 documents" in ran.out
    assert filled("export", "-n", "copy", "--store", tmp_path / "other.sqlite").out == filled("export").out
    again = filled("import", bundle, "-n", "copy", "--store", tmp_path / "other.sqlite")
    assert "nothing" in again.out
    assert "Already there" in again.out


def test_what_is_no_bundle_is_refused(filled: Cli, papers: Path) -> None:
    for path in (papers / "tower.md", papers / "nowhere"):
        ran = filled("import", path)
        assert ran.code == 1
        assert ran.err.startswith("Error: ")


def test_fields_of_a_newer_version_are_pointed_out(filled: Cli, tmp_path: Path) -> None:
    lines = filled("export").out.splitlines()
    first = json.loads(lines[1]) | {"colour": "red"}
    newer = tmp_path / "newer.jsonl"
    newer.write_text("\n".join([lines[0], json.dumps(first), *lines[2:]]), encoding="utf-8")
    ran = filled("import", newer, "-n", "copy", "--store", tmp_path / "other.sqlite")
    assert ran.code == 0
    assert "document.colour" in ran.err


def test_the_bibliography_lists_only_what_was_cited(cli: Cli, chat: Any, papers: Path, tmp_path: Path) -> None:
    (papers / "refs.bib").write_text(
        "@article{bridge32, title={The Harbour Bridge}, author={Ann Example and Bo Sample}, year={1932},"
        " doi={10.1000/xyz1}, file={bridge.md}}\n@misc{tower26, title={The Radio Tower}, file={tower.md}}\n",
        encoding="utf-8",
    )
    cli("add", papers / "refs.bib")
    assert cli("export", "--bibtex").out.strip() == ""
    cli("ask", QUESTION)
    out = cli("export", "--bibtex").out
    assert "{bridge32," in out
    assert "10.1000/xyz1" in out
    assert "tower26" not in out
    target = tmp_path / "cited.bib"
    assert cli("export", target, "--bibtex", "--json").json["documents"] == 1
    assert target.read_text(encoding="utf-8").strip() == out.strip()


def test_a_summary_of_an_export_needs_a_file(filled: Cli, tmp_path: Path) -> None:
    assert filled("export", "--json").code == 2
    assert filled("export", tmp_path / "b.jsonl", "--json").json["lines"] > 5


def test_another_embedder_is_refused_until_reindexed(
    filled: Cli, monkeypatch: pytest.MonkeyPatch, embeddings: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", embeddings)
    ran = filled("docs", "--embedder", "openai:small")
    assert ran.code == 1
    assert "thinkback reindex" in ran.err
    ran = filled("reindex", "--embedder", "openai:small")
    assert ran.code == 0, ran.err
    assert "3 vectors" in ran.out
    assert filled("docs", "--embedder", "openai:small").code == 0
    assert filled("docs").code == 1
    assert filled("reindex", "--json").json["vectors"] == 3
    assert filled("docs").code == 0


def test_a_store_is_opened_without_asking_its_embedder(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, embeddings: str, papers: Path
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", embeddings)
    monkeypatch.setenv("THINKBACK_EMBEDDER", "openai:small")
    assert cli("add", papers).code == 0
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody is there
    for command in ("docs", "thoughts", "stats", "history", "audit"):
        assert cli(command).code == 0, command
    monkeypatch.setenv("OPENAI_BASE_URL", embeddings)
    assert cli("search", "harbour bridge").code == 0


def test_a_store_of_another_embedder_is_told_by_name_alone(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ran = filled("docs", "--embedder", "openai:small")
    assert ran.code == 1
    assert "not of 'openai:small@127.0.0.1'" in ran.err
