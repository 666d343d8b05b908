"""``add`` and ``sync``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thinkback.engine.face import Engine

Cli = Callable[..., Any]


def test_a_folder_is_added_and_reported(cli: Cli, papers: Path) -> None:
    ran = cli("add", papers)
    assert ran.code == 0
    assert "The harbour bridge" in ran.out
    assert "2 added" in ran.out
    assert "\x1b" not in ran.out


def test_adding_again_is_no_work(cli: Cli, papers: Path) -> None:
    cli("add", papers)
    ran = cli("add", papers, "--json")
    assert [result["status"] for result in ran.json["results"]] == ["unchanged", "unchanged"]


def test_a_changed_and_a_renamed_file_are_recognised(cli: Cli, papers: Path) -> None:
    cli("add", papers)
    (papers / "bridge.md").write_text("# The harbour bridge\n\nThe bridge is painted grey.\n", encoding="utf-8")
    (papers / "tower.md").rename(papers / "radio.md")
    ran = cli("add", papers)
    assert ran.code == 0
    assert "updated" in ran.out
    assert "moved" in ran.out
    assert "it was" in ran.out


def test_failures_and_empty_files_keep_their_reason_and_do_not_stop_the_rest(cli: Cli, papers: Path) -> None:
    (papers / "empty.txt").write_text(" \n", encoding="utf-8")
    (papers / "broken.pdf").write_bytes(b"\x00\x01\x02no pdf")
    ran = cli("add", papers)
    assert ran.code == 1
    assert "2 added" in ran.out
    assert "1 empty" in ran.out
    assert "1 failed" in ran.out
    assert "does not begin as one" in ran.out


def test_many_files_are_summed_up_but_every_failure_is_shown(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(60):
        (folder / f"note{number:02}.txt").write_text(
            f"Note {number} says that shelf {number} is full.", encoding="utf-8"
        )
    (folder / "zz.pdf").write_bytes(b"no")
    ran = cli("add", folder)
    assert "zz.pdf" in ran.out
    assert "and 21 documents more" in ran.out
    assert "60 added" in ran.out


def test_text_comes_from_standard_input(cli: Cli) -> None:
    ran = cli("add", "-", "--title", "A note", "--json", stdin="The kettle is on the second shelf.")
    assert ran.code == 0
    assert ran.json["results"][0]["title"] == "A note"
    assert "kettle" in cli("search", "kettle").out


def test_text_on_standard_input_is_never_taken_for_a_file(
    cli: Cli, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(papers)
    ran = cli("add", "-", "--json", stdin="tower.md")
    assert ran.json["results"][0]["uri"].startswith("text:")


def test_an_address_on_standard_input_is_refused(cli: Cli) -> None:
    ran = cli("add", "-", stdin="http://example.org/a\n")
    assert ran.code == 2
    assert "thinkback add URL" in ran.err


def test_standard_input_stands_alone(cli: Cli, papers: Path) -> None:
    assert cli("add", "-", papers, stdin="x").code == 2


def test_a_file_that_is_not_there_is_a_usage_error(cli: Cli) -> None:
    ran = cli("add", "nowhere.txt")
    assert ran.code == 2
    assert ran.err.startswith("Error: ")
    assert "nowhere.txt" in ran.err
    assert len(ran.err.splitlines()) <= 2


def test_a_host_that_is_not_allowed_is_not_asked(cli: Cli) -> None:
    ran = cli("add", "http://127.0.0.1:9/page.html", "--json")
    assert ran.code == 1
    result = ran.json["results"][0]
    assert result["status"] == "failed"
    assert "allow" in result["reason"]


def test_an_allowed_page_is_fetched_and_untrusted(cli: Cli, page: str) -> None:
    ran = cli("add", page, "--allow-host", "127.0.0.1", "--json")
    assert ran.code == 0, ran.out
    documents = cli("docs", "--json").json["documents"]
    assert [one["trust"] for one in documents] == ["untrusted"]
    assert "untrusted" in cli("docs").out


def test_a_bibliography_brings_its_attached_files(cli: Cli, papers: Path) -> None:
    (papers / "refs.bib").write_text(
        "@article{bridge32, title={The Harbour Bridge}, author={Ann Example and Bo Sample}, year={1932},"
        " doi={10.1000/xyz1}, file={bridge.md}}\n@misc{gone, title={Gone}}\n",
        encoding="utf-8",
    )
    ran = cli("add", papers / "refs.bib", "--json")
    assert ran.code == 1
    statuses = {result["uri"].rpartition("/")[2]: result["status"] for result in ran.json["results"]}
    assert statuses == {"bridge.md": "added", "refs.bib#gone": "failed"}
    assert cli("docs", "--json").json["documents"][0]["metadata"]["doi"] == "10.1000/xyz1"


def test_metadata_is_kept_with_its_type(cli: Cli, papers: Path) -> None:
    pairs = ["year=1932", "open=true", "weight=1.5", "a=b=c", "code=007", "odd=nan"]
    cli("add", papers / "bridge.md", *(word for pair in pairs for word in ("--meta", pair)))
    metadata = cli("docs", "--json").json["documents"][0]["metadata"]
    wanted = {"year": 1932, "open": True, "weight": 1.5, "a": "b=c", "code": "007", "odd": "nan"}
    assert {key: metadata[key] for key in wanted} == wanted
    assert all(type(metadata[key]) is type(value) for key, value in wanted.items())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--meta", "novalue"],
        ["--meta", "=x"],
        ["--trust", "very"],
    ],
)
def test_arguments_that_mean_nothing_are_usage_errors(cli: Cli, papers: Path, arguments: list[str]) -> None:
    ran = cli("add", papers / "bridge.md", *arguments)
    assert ran.code == 2
    assert ran.out == ""


def test_a_title_is_for_a_single_document(cli: Cli, papers: Path) -> None:
    assert cli("add", papers / "bridge.md", papers / "tower.md", "--title", "x").code == 2


def test_an_id_of_ones_own_replaces(cli: Cli) -> None:
    cli("add", "-", "--id", "note", stdin="The kettle is blue.")
    ran = cli("add", "-", "--id", "note", "--json", stdin="The kettle is red.")
    assert ran.json["results"][0]["status"] == "updated"
    assert len(cli("docs", "--json").json["documents"]) == 1


def test_sync_follows_a_folder(cli: Cli, papers: Path) -> None:
    assert cli("sync", papers).code == 0
    (papers / "tower.md").unlink()
    (papers / "new.md").write_text("A new page about ferries.", encoding="utf-8")
    ran = cli("sync", papers)
    assert ran.code == 0
    assert "removed" in ran.out
    assert "added" in ran.out
    titles = {one["title"] for one in cli("docs", "--json").json["documents"]}
    assert "The radio tower" not in titles


def test_an_empty_folder_is_refused_and_nothing_forgotten(cli: Cli, papers: Path) -> None:
    cli("sync", papers)
    for path in papers.iterdir():
        path.unlink()
    ran = cli("sync", papers)
    assert ran.code == 2
    assert len(cli("docs", "--json").json["documents"]) == 2


def test_an_empty_folder_that_is_added_says_so(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    ran = cli("add", tmp_path / "void")
    assert ran.code == 0
    assert "nothing to add" in ran.err


def test_ctrl_c_says_what_was_kept(cli: Cli, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine writes in groups; here the user presses Ctrl-C once the first is written."""
    whole = Engine.add

    def interrupted(self: Engine, source: Any, **arguments: Any) -> Any:
        whole(self, source[:1], **arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "add", interrupted)
    ran = cli("add", papers / "bridge.md", papers / "tower.md", "--json")
    assert ran.code == 130
    assert "1 document had been written" in ran.err
    assert json.loads(ran.out)["error"]["exit_code"] == 130
    monkeypatch.undo()


def test_stale_thoughts_are_pointed_out(cli: Cli, chat: Any, papers: Path) -> None:
    cli("add", papers)
    assert cli("ask", "When was the harbour bridge opened?").code == 0
    (papers / "bridge.md").write_text("# The harbour bridge\n\nNothing is known of it.\n", encoding="utf-8")
    ran = cli("add", papers)
    assert "1 thought went stale" in ran.out
    assert "thinkback refresh" in ran.out


def test_a_budget_stops_an_add_with_what_was_done_and_an_exit_code_of_its_own(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, embeddings: str, tmp_path: Path
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("The ferry leaves at nine.", encoding="utf-8")
    (folder / "b.txt").write_text("The harbour is closed in winter. " * 60, encoding="utf-8")
    monkeypatch.setenv("OPENAI_BASE_URL", embeddings)
    monkeypatch.setenv("THINKBACK_EMBEDDER", "openai:small")
    monkeypatch.setenv("THINKBACK_PRICE_EMBEDDING", "2000000")
    monkeypatch.setenv("THINKBACK_BUDGET__DAY_TOKENS", "100")
    ran = cli("add", folder)
    assert ran.code == 4
    assert "1 added" in ran.out
    assert "1 failed" in ran.out
    assert "tokens embedded" in ran.out
    assert "1 of 2 sources were done before, and are kept" in ran.err
    ran = cli("add", folder, "--json")
    assert ran.code == 4
    assert [result["status"] for result in ran.json["results"]] == ["unchanged", "failed"]
    assert "budget" in ran.json["results"][1]["reason"]
    assert len(cli("docs", "--json").json["documents"]) == 1
    usage = cli("stats", "--json").json["usage"]
    assert usage["embedded_tokens"] > 0
    assert usage["money"] == pytest.approx(2 * usage["embedded_tokens"])
    assert "tokens embedded" in cli("stats").out
    assert cli("add", "-", stdin="More of the harbour in winter. " * 60).code == 4
