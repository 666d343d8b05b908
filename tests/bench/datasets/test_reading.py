from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.passages import iso_date, joined, one_passage
from thinkback.bench.datasets.reading import json_lines, json_records, need_file, need_one, text_of, whole_json
from thinkback.bench.records import Fault
from thinkback.errors import InvalidInput


def test_lines_that_are_no_records_are_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"a": 1}\n\n  \n{"a": \n[1]\n\xff\xfe\n' + b"[" * 100_000 + b'\n{"a": 2}')
    faults: list[Fault] = []
    assert list(json_lines(file, faults)) == [("rows.jsonl:1", {"a": 1}), ("rows.jsonl:8", {"a": 2})]
    assert [fault.where for fault in faults] == ["rows.jsonl:4", "rows.jsonl:5", "rows.jsonl:6", "rows.jsonl:7"]
    assert faults[1].reason == "not a record but list"


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files_are_read_as_far_as_they_go(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    text = b"".join(
        b'{"number": %d, "text": "%s"}\n' % (number, bytes(str(number**9), "ascii")) for number in range(9000)
    )
    whole, half = tmp_path / f"whole.jsonl{ending}", tmp_path / f"half.jsonl{ending}"
    whole.write_bytes(pack(text))
    half.write_bytes(pack(text)[: len(pack(text)) // 2])
    faults: list[Fault] = []
    assert len(list(json_lines(whole, faults))) == 9000
    assert faults == []
    rows = list(json_lines(half, faults))
    assert 0 < len(rows) < 9000
    assert [fault.where for fault in faults] == [f"half.jsonl{ending}:{len(rows) + 1}"]
    assert "cannot be read on" in faults[0].reason
    with pytest.raises(InvalidInput, match="cannot be read"):
        whole_json(half)


def test_a_list_and_lines_are_read_alike(tmp_path: Path) -> None:
    rows: list[Any] = [{"a": 1}, 7, {"a": 2}]
    as_list, as_lines = tmp_path / "list.json", tmp_path / "lines.json"
    as_list.write_text(' \n [{"a": 1}, 7, {"a": 2}]')
    as_lines.write_text("\n".join(map(str, rows)).replace("'", '"'))
    for file in (as_list, as_lines):
        faults: list[Fault] = []
        assert [row for _, row in json_records(file, faults)] == [{"a": 1}, {"a": 2}]
        assert [fault.where for fault in faults] == [f"{file.name}:2"]
    (tmp_path / "cut.json").write_text('[{"a": 1}, ')
    with pytest.raises(InvalidInput, match=r"cut\.json"):
        list(json_records(tmp_path / "cut.json", []))
    (tmp_path / "no.json.gz").write_bytes(b"this is not packed")
    with pytest.raises(InvalidInput, match=r"no\.json\.gz"):
        list(json_records(tmp_path / "no.json.gz", []))


def test_a_missing_file_is_named_with_its_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"the file 'a\.json' in .*" + tmp_path.name):
        need_file(tmp_path, "a.json")
    with pytest.raises(InvalidInput, match=r"one of the files a\.json, b\.json"):
        need_one(tmp_path, ["a.json", "b.json"])
    (tmp_path / "b.json").touch()
    assert need_one(tmp_path, ["a.json", "b.json"]).name == "b.json"


def test_a_field_is_text_or_nothing() -> None:
    row = {"text": " a ", "number": 26, "true": True, "none": None, "list": ["a"]}
    assert [text_of(row, name) for name in [*row, "missing"]] == ["a", "26", "", "", "", ""]


def test_pieces_are_found_again_in_the_joined_text() -> None:
    whole = joined(["first", "", "third"], "--")
    assert whole.text == "first----third"
    assert [whole.text[start:end] for start, end in whole.spans] == ["first", "", "third"]
    assert joined([]).spans == ()


def test_a_passage_begins_with_its_title() -> None:
    passage = one_passage("p", "Title", "Text.")
    assert passage.text == "Title\nText."
    assert passage.passages == ((0, 11),)
    assert one_passage("p", "Title", "").text == "Title"


def test_dates_become_iso() -> None:
    assert iso_date(" 1:56 pm on 8 May, 2023", "%Y", "%I:%M %p on %d %B, %Y") == "2023-05-08T13:56"
    assert iso_date("2023-05-08", "%Y-%m-%d") == "2023-05-08"
    assert iso_date("soon", "%Y") == ""
