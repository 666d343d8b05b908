"""Passages and judgements: the multi-hop sets, SciFact, CACM, Cranfield, on records written for the purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.beir import load_scifact
from thinkback.bench.datasets.classic import load_cacm, load_cranfield
from thinkback.bench.datasets.multihop import (
    load_2wiki,
    load_hotpotqa,
    load_hotpotqa_train,
    load_musique,
    load_musique_train,
)
from thinkback.bench.records import Dataset
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]


def faults(data: Dataset) -> list[tuple[str, str]]:
    return [(fault.where, fault.reason) for fault in data.faults]


# --- questions over several passages ---------------------------------------------------------------------------------


def wiki(key: str, facts: Sequence[Any] = (["A", 0], ["B", 1]), **changes: Any) -> dict[str, Any]:
    context = [["A", ["A is a tree. ", " It grows."]], ["B", ["B is a roof."]], ["C", ["C is a street."]]]
    return {"_id": key, "question": "Which?", "answer": "a tree", "type": "bridge", "supporting_facts": facts,
            "context": context, **changes}  # fmt: skip


def test_passages_of_all_questions_are_pooled_once(lines: Lines) -> None:
    rows = [
        wiki("1"),
        wiki("2", [["C", 0]], context=[["C", ["C is a street."]], ["D", ["D is new."]]], answer_aliases=["x", ""]),
    ]
    folder = lines("hotpot.json", rows)
    data = load_hotpotqa(folder)
    assert [(each.id, each.text) for each in data.corpora[0].documents] == [
        ("p0", "A\nA is a tree. It grows."), ("p1", "B\nB is a roof."), ("p2", "C\nC is a street."), ("p3", "D\nD is new."),
    ]  # fmt: skip
    assert [(task.id, task.references, [gold.document_id for gold in task.gold], task.category) for task in data.tasks] == [
        ("hotpotqa/1", ("a tree",), ["p0", "p1"], "bridge"), ("hotpotqa/2", ("a tree", "x"), ["p2"], "bridge"),
    ]  # fmt: skip
    assert all(gold.end == len(data.corpora[0].documents[0].text) for gold in data.tasks[0].gold[:1])
    assert data.faults == ()
    assert len(load_hotpotqa(folder, limit=1).tasks) == 1


def test_broken_questions_are_named(lines: Lines) -> None:
    rows = [
        wiki("1"), wiki("1"), wiki(""), wiki("2", question=""), wiki("3", answer=None), wiki("4", context=None),
        wiki("5", [["Z", 0]]), wiki("6", [["A", 0], ["Z", 0]]), wiki("7", context=[["A"]]), wiki("8", answerable=False),
        wiki("9", context=[["A", [" "]], ["B", ["B is a roof."]]]),
    ]  # fmt: skip
    data = load_2wiki(lines("wikihop.json", rows))
    assert [task.id for task in data.tasks] == ["2wiki/1", "2wiki/6", "2wiki/9"]
    assert faults(data) == [
        ("wikihop.json:2 1", "the same id again"), ("wikihop.json:3", "no id"), ("wikihop.json:4 2", "no question"),
        ("wikihop.json:5 3", "no answer"), ("wikihop.json:6 4", "no passages"), ("wikihop.json:7 5", "no gold passage"),
        ("wikihop.json:8 6", "1 of the gold passages are not given"),
        ("wikihop.json:9 7", "passages cannot be read: ValueError not enough values to unpack (expected 2, got 1)"),
        ("wikihop.json:10 8", "made to have no answer"), ("wikihop.json:11 9", "1 of the gold passages are not given"),
    ]  # fmt: skip


def musique(key: str, steps: Sequence[Any]) -> dict[str, Any]:
    paragraphs = [{"idx": number, "title": f"T{number}", "paragraph_text": f"Text {number}."} for number in range(3)]
    return {"id": key, "paragraphs": paragraphs, "question": "Who?", "answer": "Ann", "answer_aliases": ["Ann Lee", "Ann"],
            "question_decomposition": [{"paragraph_support_idx": step} for step in steps]}  # fmt: skip


def test_musique_is_read_from_a_list_too(lines: Lines) -> None:
    rows = [
        musique("2hop__1_2", [2, 0]),
        musique("3hop1__1_2_3", [0, 7]),
        musique("x", [None]),
        {"id": "y", "paragraphs": []},
    ]
    data = load_musique_train(lines("musique_train.json", [json.dumps(rows)]))
    assert [
        (task.id, [gold.document_id for gold in task.gold], task.category, task.references) for task in data.tasks
    ] == [
        ("musique-train/2hop__1_2", ["p0", "p2"], "2hop", ("Ann", "Ann Lee")),
        ("musique-train/3hop1__1_2_3", ["p0"], "3hop1", ("Ann", "Ann Lee")),
    ]
    assert faults(data) == [
        ("musique_train.json:2 3hop1__1_2_3", "1 of the gold passages are not given"),
        ("musique_train.json:3 x", "no gold passage"),
        ("musique_train.json:4 y", "passages cannot be read: KeyError 'question_decomposition'"),
    ]


@pytest.mark.parametrize(
    ("load", "name", "file"),
    [
        (load_hotpotqa_train, "hotpotqa-train", "hotpotqa_train.json"),
        (load_hotpotqa, "hotpotqa", "hotpot_dev_distractor_v1.json"),
        (load_2wiki, "2wiki", "dev.json"),
        (load_musique, "musique", "musique_ans_v1.0_dev.jsonl"),
    ],
)
def test_published_files_are_read_by_their_names(
    lines: Lines, load: Callable[[Path], Dataset], name: str, file: str
) -> None:
    data = load(lines(file, [wiki("1")]))
    assert (data.name, len(data.tasks)) == (name, 1)


# --- SciFact ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def scifact(lines: Lines, tmp_path: Path) -> Path:
    lines("corpus.jsonl", [{"_id": "d1", "title": "Trees", "text": "They cool."}, {"_id": "d2", "title": "Roofs"},
                           {"_id": "d1", "text": "Again."}, {"_id": "d3"}])  # fmt: skip
    lines("queries.jsonl", [{"_id": "1", "text": "Trees cool."}, {"_id": "2", "text": "Roofs cool."}])
    return lines("qrels/test.tsv", ["query-id\tcorpus-id\tscore", "1\td1\t1", "1\td9\t1", "7\td1\t1", "2\td2\tx", "2"])


def test_a_claim_has_its_abstracts_as_gold(scifact: Path) -> None:
    data = load_scifact(scifact)
    assert [(task.id, task.kind, [(gold.document_id, gold.end) for gold in task.gold]) for task in data.tasks] == [
        ("scifact/1", "search", [("d1", 16)])
    ]
    assert [each.text for each in data.corpora[0].documents] == ["Trees\nThey cool.", "Roofs"]
    assert data.corpora[0].documents[0].passages == ()
    assert load_scifact(scifact, whole=True).corpora[0].documents[0].passages == ((0, 16),)
    assert [where for where, _ in faults(data)] == [
        "corpus.jsonl:3", "corpus.jsonl:4", "test.tsv:5", "test.tsv:6", "qrels/test.tsv", "qrels/test.tsv",
    ]  # fmt: skip


def test_judgements_are_needed(scifact: Path, lines: Lines) -> None:
    lines("qrels/test.tsv", ["query-id\tcorpus-id\tscore"])
    with pytest.raises(InvalidInput, match="no judgements"):
        load_scifact(scifact)


# --- CACM and Cranfield ----------------------------------------------------------------------------------------------


def test_cranfields_codes_become_grades_that_grow(lines: Lines) -> None:
    lines("corpus.jsonl", [{"_id": str(number), "title": f"title {number} .", "text": f"title {number} . text {number} . .I"}
                           for number in range(1, 7)] + [{"_id": "7", "title": "", "text": ""}, {"_id": "1", "text": "x"}])  # fmt: skip
    lines(
        "queries.jsonl",
        [{"_id": "001", "text": "first ."}, {"_id": "004", "text": "second . .I"}, {"_id": "9", "text": ""}],
    )
    folder = lines(
        "cranqrel", ["1 1 1", "1 2 2", "1 3 3", "1 4 4", "1 5 5", "1 6 -1", "", "2 9 1", "1 1", "1 1 x", "8 1 1"]
    )
    data = load_cranfield(folder)
    assert [(task.id, task.query) for task in data.tasks] == [("cranfield/1", "first .")]
    assert [gold.grade for gold in data.tasks[0].gold] == [4, 3, 2, 1, 0, 4]
    assert data.corpora[0].documents[0].text == "title 1 .\ntext 1 ."
    assert faults(data) == [
        ("corpus.jsonl:7 7", "no id, or neither title nor text"), ("corpus.jsonl:8 1", "the same id again"),
        ("cranqrel:9", "not a judgement"), ("cranqrel:10", "not a judgement"),
        ("query 2", "no document '9'"), ("query 2", "no document is judged"), ("query 3", "no text"),
        ("judgements of 8", "there is no such query"),
    ]  # fmt: skip


SMART = """.I 1
.T
heat in
 streets
.A
smith,a.
.W
heat in streets
is measured .
.I 2
.T
roofs
.X
1 2 3
"""


def test_collections_are_read_as_glasgow_shares_them(tmp_path: Path) -> None:
    (tmp_path / "cran.all.1400").write_text(SMART)
    (tmp_path / "cran.qry").write_text(".I 001\n.W\nhow hot\n is it\n.I 004\n.W\nwhich roofs\n")
    (tmp_path / "cranqrel").write_text("1 1 2\n2 2 -1\n")
    cranfield = load_cranfield(tmp_path, whole=True)
    assert [(each.id, each.text) for each in cranfield.corpora[0].documents] == [
        ("1", "heat in streets\nis measured ."), ("2", "roofs"),
    ]  # fmt: skip
    assert cranfield.corpora[0].documents[0].passages == ((0, 29),)
    assert [(task.id, task.query, task.gold[0].grade) for task in cranfield.tasks] == [
        ("cranfield/1", "how hot is it", 3), ("cranfield/2", "which roofs", 4),
    ]  # fmt: skip
    (tmp_path / "cacm.all").write_text("\n" + SMART)
    (tmp_path / "query.text").write_text(".I 1\n.W\n Articles by\nSmith\n.A\nSmith, A.\n.N\n 1. me\n")
    (tmp_path / "qrels.text").write_text("01 0001  0 0\n01 odd 0 0\n")
    cacm = load_cacm(tmp_path)
    assert [(task.query, task.gold[0].document_id) for task in cacm.tasks] == [
        ("Articles by Smith Smith, A.", "CACM-0001")
    ]
    assert load_cacm(tmp_path, authors=False).tasks[0].query == "Articles by Smith"
    assert faults(cacm) == [("qrels.text:2", "not a judgement")]


def test_cacms_numbers_are_padded(lines: Lines) -> None:
    lines(
        "corpus.jsonl",
        [{"_id": f"CACM-00{number}", "title": f"T{number}", "text": ""} for number in (46, 47)] + [{"title": "x"}],
    )
    lines(
        "queries.jsonl", [{"_id": "1", "text": "TSS Smith", "text_without_authors": "TSS"}, {"_id": "2", "text": "b"}]
    )
    folder = lines("qrels.cacm.txt", ["1 Q0 CACM-46 1", "1 Q0 CACM-0047 0", "1 Q0", "3 Q0 CACM-46 1"])
    data = load_cacm(folder)
    assert [(task.id, task.query) for task in data.tasks] == [("cacm/1", "TSS Smith")]
    assert [(gold.document_id, gold.grade) for gold in data.tasks[0].gold] == [("CACM-0046", 1), ("CACM-0047", 0)]
    assert load_cacm(folder, authors=False).tasks[0].query == "TSS"
    assert faults(data) == [
        ("corpus.jsonl:3", "no id, or neither title nor text"), ("qrels.cacm.txt:3", "not a judgement"),
        ("query 2", "no document is judged"), ("judgements of 3", "there is no such query"),
    ]  # fmt: skip
    assert load_cacm(folder, whole=True).corpora[0].documents[0].passages == ((0, 3),)
