"""Abstract-single and Abstract-multi on papers written for the purpose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.unarxive import load_abstract_multi, load_abstract_single, without_conclusion
from thinkback.bench.requests import PRE_QUERIES
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]

ABSTRACT = "We show that maples cool a street by two degrees at noon when they get enough water in dry summers."


def paper(key: str, **changes: Any) -> dict[str, Any]:
    body = (
        f"Introduction\nStreets are hot in {key}. {ABSTRACT} Others disagree.\n\n"
        "Results for {{formula:1e-2}}\nTwo degrees.\n\nConclusion\nPlant maples.\n\nAppendix\nTables."
    )
    return {
        "id": key, "title": f"Maples of {key}", "discipline": "Computer Science", "license": "CC BY 4.0",
        "abstract": ABSTRACT, "main_content": body, **changes,
    }  # fmt: skip


def test_a_task_is_a_paper_without_abstract_and_conclusion(lines: Lines) -> None:
    data = load_abstract_single(lines("papers.jsonl", [paper("one", abstract=f" {ABSTRACT}\n")]), pre_queries=2)
    (task,) = data.tasks
    (document,) = data.corpora[0].documents
    assert document.text == (
        "Introduction\nStreets are hot in one.  Others disagree.\n\nResults for\nTwo degrees.\n\nAppendix\nTables."
    )
    assert (task.kind, task.references, task.gold, task.licence) == ("abstract", (ABSTRACT,), (), "CC BY 4.0")
    assert task.metadata == {"title": "Maples of one", "conclusion": "Plant maples."}
    assert task.query == "Write the abstract of the paper with the title: Maples of one"
    assert task.pre_queries == PRE_QUERIES[:2]
    assert data.faults == ()


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (["Introduction", "Conclusions", "Conclusion and outlook", "Appendix"], 2),
        (["Introduction", "5. Concluding remarks"], 1),
        (["Summary", "Methods", "Summary and outlook"], 2),
        (["Summary of results", "Methods"], None),
        (["Introduction", "These experiments lead to the conclusion that trees help."], None),
        (["Introduction", "In conclusion, " + "trees help " * 10], None),
        (["Proof of Theorem"], None),
    ],
)
def test_the_conclusion_is_the_last_section_that_is_called_so(headings: list[str], expected: int | None) -> None:
    sections = [f"{heading}\nText {number}." for number, heading in enumerate(headings)]
    body, conclusion = without_conclusion("\n\n".join(sections))
    assert conclusion == ("" if expected is None else f"Text {expected}.")
    assert body == "\n\n".join(section for number, section in enumerate(sections) if number != expected)


def test_what_is_no_paper_is_named(lines: Lines) -> None:
    folder = lines("papers.jsonl", [
        paper("2212.11791"), paper("a"), paper("a"), paper("b", abstract=" "), paper("c", title=None),
        paper("d", main_content="Conclusion\nAll of it."), paper("", title="No id"), paper("e", discipline="Physics"),
        "not a record",
    ])  # fmt: skip
    data = load_abstract_single(folder)
    assert [task.corpus_id for task in data.tasks] == ["a"]
    assert [(fault.where, fault.reason) for fault in data.faults[:-1]] == [
        ("papers.jsonl:1 2212.11791", "a letter to reviewers, not the paper"),
        ("papers.jsonl:3 a", "the same id again"),
        ("papers.jsonl:4 b", "no abstract"),
        ("papers.jsonl:5 c", "no title"),
        ("papers.jsonl:6 d", "no main_content"),
        ("papers.jsonl:7", "no id"),
    ]
    assert data.faults[-1].where == "papers.jsonl:9"
    assert [task.corpus_id for task in load_abstract_single(folder, discipline=None).tasks] == ["a", "e"]
    assert [task.corpus_id for task in load_abstract_single(folder, discipline=None, limit=1).tasks] == ["a"]


def eleven() -> list[dict[str, Any]]:
    papers = [paper(f"cs{number}", abstract=f"{ABSTRACT} In city {number}.") for number in range(9, -1, -1)]
    return [*papers, paper("ph1", discipline="Physics")]


def test_five_papers_of_a_discipline_make_a_task(lines: Lines) -> None:
    data = load_abstract_multi(lines("papers.jsonl", eleven()))
    assert [task.id for task in data.tasks] == [
        "abstract-multi/computer-science-1",
        "abstract-multi/computer-science-2",
    ]
    first = data.tasks[0]
    assert [each.id for each in data.corpus(first.corpus_id).documents] == ["cs0", "cs1", "cs2", "cs3", "cs4"]
    assert (first.kind, first.references, first.category) == ("abstract_multi", (), "Computer Science")
    assert first.query.startswith("Write one abstract over these 5 papers: Maples of cs0; Maples of cs1;")
    assert first.metadata["conclusion"] == "\n\n".join(["Plant maples."] * 5)
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("papers.jsonl ph1", "fewer than 5 papers of 'Physics' are left")
    ]
    assert ABSTRACT not in str([corpus.to_dict() for corpus in data.corpora])
    assert len(load_abstract_multi(lines("papers.jsonl", eleven()), limit=1).tasks) == 1


def test_references_come_from_a_file_and_stay_out_of_the_corpus(lines: Lines, tmp_path: Path) -> None:
    written = "Maples cool streets, which five studies of five different cities agree upon without exception."
    rows = [paper(f"cs{number}", main_content=f"Introduction\nIt is hot. {written} It is dry.") for number in range(5)]
    lines("papers.jsonl", rows)
    folder = lines("abstract_multi_references.jsonl", [
        {"id": "abstract-multi/computer-science-1", "references": [written, " "]},
        {"id": "abstract-multi/physics-1", "references": [written]},
        {"id": "abstract-multi/computer-science-2", "references": []},
        {"references": [written]},
    ])  # fmt: skip
    data = load_abstract_multi(folder)
    assert data.tasks[0].references == (written,)
    assert data.corpora[0].documents[0].text == "Introduction\nIt is hot.  It is dry."
    assert [fault.where for fault in data.faults] == [
        "abstract_multi_references.jsonl:3", "abstract_multi_references.jsonl:4", "references abstract-multi/physics-1",
    ]  # fmt: skip
    moved = (tmp_path / "abstract_multi_references.jsonl").rename(tmp_path / "elsewhere.jsonl")
    assert load_abstract_multi(folder).tasks[0].references == ()
    assert load_abstract_multi(folder, references=moved).tasks[0].references == (written,)
    with pytest.raises(InvalidInput, match="no file of references"):
        load_abstract_multi(folder, references=tmp_path / "nowhere.jsonl")
