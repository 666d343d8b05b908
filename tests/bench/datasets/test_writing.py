"""Summaries and long documents: L-Eval, WCEP, SQuALITY, QMSum, LooGLE, on records written for the purpose."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.leval import (
    load_bigpatent,
    load_govreport,
    load_multi_news,
    load_quality,
    load_scientific_qa,
    load_summscreen,
)
from thinkback.bench.datasets.loogle import load_loogle, load_loogle_summaries
from thinkback.bench.datasets.qmsum import load_qmsum
from thinkback.bench.datasets.squality import HumanRating, human_ratings, load_squality
from thinkback.bench.datasets.wcep import load_wcep
from thinkback.bench.records import Dataset, Task
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]


def gold_texts(data: Dataset, task: Task) -> list[str]:
    texts = {each.id: each.text for each in data.corpus(task.corpus_id).documents}
    return [texts[gold.document_id][gold.start : gold.end] for gold in task.gold]


# --- L-Eval ----------------------------------------------------------------------------------------------------------


def long_text(text: str, *pairs: tuple[Any, Any]) -> dict[str, Any]:
    return {"input": text, "instructions": [one for one, _ in pairs], "outputs": [two for _, two in pairs]}


def test_a_document_that_stands_twice_is_used_once(lines: Lines) -> None:
    rows = [long_text("Text A. ", ("Summarize.", "Short A.")), long_text("Text B.", ("Summarize.", "Short B.")),
            long_text("Text A.", ("Summarize.", "Short A."))]  # fmt: skip
    data = load_govreport(lines("gov_report_summ.jsonl", rows))
    assert [(task.id, task.corpus_id, task.kind, task.query, task.references) for task in data.tasks] == [
        ("govreport-1/1", "govreport-1", "summary", "Summarize.", ("Short A.",)),
        ("govreport-2/1", "govreport-2", "summary", "Summarize.", ("Short B.",)),
    ]
    assert [corpus.documents[0].text for corpus in data.corpora] == ["Text A.", "Text B."]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("gov_report_summ.jsonl:3", "the same document, instruction and output again: govreport-1")
    ]


def test_two_outputs_for_one_instruction_are_two_references(lines: Lines) -> None:
    rows = [long_text("Text.", ("Who?", "Ann"), ("When?", "1999")), long_text("Text.", ("Who?", "Ann Lee"))]
    data = load_scientific_qa(lines("scientific_qa.jsonl", rows))
    assert [(task.kind, task.query, task.references) for task in data.tasks] == [
        ("question", "Who?", ("Ann", "Ann Lee")), ("question", "When?", ("1999",)),
    ]  # fmt: skip
    assert data.faults == ()


def test_records_without_text_or_pairs_are_named(lines: Lines) -> None:
    rows = [long_text(" ", ("Who?", "Ann")), long_text("Text."), {"input": "Text.", "instructions": ["a"], "outputs": []},
            long_text("Text B.", ("Who?", " "), (7, "x"), ("When?", "Now"))]  # fmt: skip
    data = load_multi_news(lines("news_summ.jsonl", rows))
    assert [task.query for task in data.tasks] == ["When?"]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("news_summ.jsonl:1", "no input"),
        ("news_summ.jsonl:2", "no pair of instruction and output"),
        ("news_summ.jsonl:3", "no pair of instruction and output"),
        ("news_summ.jsonl:4 instruction 1", "no instruction or no output"),
        ("news_summ.jsonl:4 instruction 2", "no instruction or no output"),
    ]


@pytest.mark.parametrize(
    ("load", "name", "file"),
    [
        (load_bigpatent, "bigpatent", "patent_summ.jsonl"),
        (load_summscreen, "summscreen", "tv_show_summ.jsonl"),
        (load_quality, "quality", "quality.jsonl"),
    ],
)
def test_each_reads_its_own_file(lines: Lines, load: Callable[..., Dataset], name: str, file: str) -> None:
    rows = [long_text("A.", ("Q?", "1")), long_text("B.", ("Q?", "2")), long_text("A.", ("R?", "3"))]
    data = load(lines(file, rows), limit=1)
    assert data.name == name
    assert [task.references for task in data.tasks] == [("1",), ("3",)], "the limit is on documents"


# --- WCEP ------------------------------------------------------------------------------------------------------------


def event(key: Any, **changes: Any) -> dict[str, Any]:
    articles = [
        {"title": f"Title {number}", "text": f"Text {number}.", "time": f"2019-05-0{number}T10:00"}
        for number in (1, 2, 3)
    ]
    whole = {"id": key, "summary": f"It happened in {key}.", "articles": articles, "category": "Disasters"}
    return {**whole, "date": "2019-05-01", **changes}


def test_an_event_is_a_cluster_of_articles(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "test.jsonl.gz", "wt") as stream:
        stream.write(json.dumps(event(4)) + "\n")
    data = load_wcep(tmp_path, articles=2)
    (task,) = data.tasks
    assert (task.id, task.kind, task.references, task.category, task.split) == (
        "wcep/4", "summary", ("It happened in 4.",), "Disasters", "test",
    )  # fmt: skip
    assert [(each.id, each.title, each.text, each.date) for each in data.corpora[0].documents] == [
        ("4/1", "Title 1", "Title 1\n\nText 1.", "2019-05-01"), ("4/2", "Title 2", "Title 2\n\nText 2.", "2019-05-02"),
    ]  # fmt: skip
    assert len(load_wcep(tmp_path, articles=None).corpora[0].documents) == 3


def test_broken_events_and_articles_are_named(lines: Lines) -> None:
    twice = [{"text": "Same."}, {"text": "Same."}, {"title": "No text"}, 7]
    folder = lines("val.jsonl", [
        event("a"), event("a"), event("b", summary=""), event("c", articles=[]), event("d", articles=None),
        event(None, articles=twice), event("e"),
    ])  # fmt: skip
    data = load_wcep(folder, split="dev")
    assert [(task.corpus_id, task.split) for task in data.tasks] == [("a", "dev"), ("6", "dev"), ("e", "dev")]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("val.jsonl:2 a", "the same id again"), ("val.jsonl:3 b", "no summary"),
        ("val.jsonl:4 c", "no article with a text"), ("val.jsonl:5 d", "no article with a text"),
        ("val.jsonl:6 6 article 2", "the same article again"), ("val.jsonl:6 6 article 3", "an article without a text"),
        ("val.jsonl:6 6 article 4", "an article without a text"),
    ]  # fmt: skip
    assert len(load_wcep(folder, split="dev", limit=1).tasks) == 1


# --- SQuALITY --------------------------------------------------------------------------------------------------------


def story(
    key: str, *questions: Any, text: str = "\n\nProduced by Greg\n MAPLES \nBy Ann\nThey grew."
) -> dict[str, Any]:
    return {"metadata": {"passage_id": key}, "document": text, "questions": list(questions)}


def asked(number: int, *answers: str, text: str = "What happens?") -> dict[str, Any]:
    return {
        "question_text": text,
        "question_number": number,
        "responses": [{"response_text": each} for each in answers],
    }


def test_a_question_has_all_its_summaries_as_references(lines: Lines) -> None:
    folder = lines("test.jsonl", [
        story("1", asked(1, "a", "b", "a", " "), asked(2, "c")), story("1"), story("", asked(1, "a")), story("2", text=" "),
        story("3", asked(1), asked(2, "x", text=""), asked(3, "y"), asked(3, "z"), 7), story("4", asked(1, "n")),
        {"document": "No metadata."},
    ])  # fmt: skip
    data = load_squality(folder)
    assert [(task.id, task.category, task.references) for task in data.tasks] == [
        ("squality/1/1", "plot", ("a", "b")), ("squality/1/2", "question", ("c",)),
        ("squality/3/3", "question", ("y",)), ("squality/4/1", "plot", ("n",)),
    ]  # fmt: skip
    assert data.corpora[0].documents[0].title == "MAPLES"
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("test.jsonl:2 1", "the same story again"), ("test.jsonl:3", "no id"), ("test.jsonl:4 2", "no document"),
        ("test.jsonl:5 3 question 1", "no response"), ("test.jsonl:5 3 question 2", "no question"),
        ("test.jsonl:5 3 question 3", "the same number again"), ("test.jsonl:5 3 question 5", "no question"),
        ("test.jsonl:7", "no id"),
    ]  # fmt: skip
    assert len(load_squality(folder, limit=1).corpora) == 1


def review(worker: str, value: Any, **changes: Any) -> dict[str, Any]:
    return {"worker_id": worker, "correctness-rating": value, "selection-rating": 20, "overall-rating": 30.5, **changes}


def test_ratings_are_read_one_by_one(lines: Lines) -> None:
    folder = lines("human-eval-all-responses.jsonl", [{"passage-id": "50827", "questions": {"1": {
        "bart": {"response": "It is.", "reviews": [review("3", 10), review("6", 101), review("7", None), {}]},
        "human": {"response": "It was.", "reviews": [review("3", 100)]}, "none": 7}, "2": 7}}])  # fmt: skip
    ratings, faults = human_ratings(folder)
    assert ratings[0] == HumanRating(
        passage_id="50827", question=2, system="bart", reviewer="3", correctness=10, coverage=20, overall=30.5,
        response="It is.",
    )  # fmt: skip
    assert [(each.system, each.correctness) for each in ratings] == [("bart", 10), ("human", 100)]
    assert [fault.reason.split(" ")[-1] for fault in faults] == ["100", "'NoneType'", "'correctness-rating'"]
    with pytest.raises(InvalidInput, match="no rating"):
        human_ratings(lines("human-eval-all-responses.jsonl", [{"passage-id": "1", "questions": []}]))


# --- QMSum -----------------------------------------------------------------------------------------------------------


def meeting(*specific: Any, general: Sequence[Any] = (), turns: Sequence[Any] | None = None) -> dict[str, Any]:
    said = [{"speaker": f"S{number}", "content": f"point {number}."} for number in range(5)]
    return {"meeting_transcripts": said if turns is None else turns, "general_query_list": list(general),
            "specific_query_list": list(specific)}  # fmt: skip


def query(text: str, *spans: Sequence[Any], answer: str = "They agreed.") -> dict[str, Any]:
    return {"query": text, "answer": answer, "relevant_text_span": list(spans)}


def test_the_gold_of_a_query_are_ranges_of_turns(lines: Lines) -> None:
    rows = [
        meeting(query("What of it?", ["3", "4"], ["0", "0"], ["1", "1"], ["4", "9"]), general=[query("Summarize.")])
    ]
    folder = lines("test.jsonl", rows)
    data = load_qmsum(folder)
    assert [(task.id, task.kind, task.category, gold_texts(data, task)) for task in data.tasks] == [
        ("qmsum/meeting 1/general 1", "summary", "general", []),
        ("qmsum/meeting 1/specific 1", "summary", "specific",
         ["S0: point 0.\nS1: point 1.", "S3: point 3.\nS4: point 4."]),
    ]  # fmt: skip
    assert data.corpora[0].documents[0].passages == ()
    turns = load_qmsum(folder, passages="turns", queries="specific")
    document = turns.corpora[0].documents[0]
    assert [document.text[start:end] for start, end in document.passages][1] == "S1: point 1."
    assert [task.category for task in turns.tasks] == ["specific"]
    assert [task.category for task in load_qmsum(folder, queries="general").tasks] == ["general"]


def test_broken_meetings_and_queries_are_named(lines: Lines) -> None:
    folder = lines("val.jsonl", [
        meeting(turns=[]),
        meeting(query("a", ["7", "9"]), query("b", ["x", "y"], ["1"]), query("", ["0", "1"]), query("c", ["0", "0"], answer=""),
                query("d", ["0", "1"]), query("d", ["0", "1"]), query("d", ["1", "1"], answer="Later."), 7),
        meeting(query("e", ["0", "0"], ["1", "1"]), turns=[{"speaker": "A"}, {"speaker": "B", "content": "yes"}]),
    ])  # fmt: skip
    data = load_qmsum(folder, split="dev")
    assert [task.id for task in data.tasks] == [
        "qmsum/meeting 2/specific 5", "qmsum/meeting 2/specific 7", "qmsum/meeting 3/specific 1",
    ]  # fmt: skip
    assert gold_texts(data, data.tasks[2]) == ["\nB: yes"], "a turn that cannot be read keeps its number"
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("val.jsonl:1", "nothing is said in the meeting"),
        ("val.jsonl:2 specific query 1", "no turn of the meeting is its evidence"),
        ("val.jsonl:2 specific query 2", "no turn of the meeting is its evidence"),
        ("val.jsonl:2 specific query 3", "no query"), ("val.jsonl:2 specific query 4", "no answer"),
        ("val.jsonl:2 specific query 6", "the same query and answer again"),
        ("val.jsonl:2 specific query 8", "no query"),
        ("val.jsonl:3 turn 0", "no speaker or no content"),
    ]  # fmt: skip
    assert [corpus.id for corpus in load_qmsum(folder, split="dev", limit=1).corpora] == ["meeting 2"]
    with pytest.raises(InvalidInput, match="queries is specific"):
        load_qmsum(folder, queries="all")  # type: ignore[arg-type]


# --- LooGLE ----------------------------------------------------------------------------------------------------------

LONG = "Picardo was born in Jerez.[1] He had four brothers. In 1929 his\nfather died;[2] he was ten. He lived in Jaén (Spain)."


def document(pairs: Any, *, title: str = "Picardo", text: str = LONG) -> dict[str, Any]:
    return {"title": title, "input": text, "qa_pairs": pairs if isinstance(pairs, str) else repr(pairs)}


def pair(quotes: Any, question: str = "Who?", **changes: Any) -> dict[str, Any]:
    return {"Q": question, "A": "Picardo", "S": quotes, **changes}


@pytest.mark.parametrize(
    ("quote", "whole", "parts"),
    [
        ("he HAD four -- brothers", ["He had four brothers"], ["He had four brothers"]),
        ("In 1929 his father died; he was ten.", [], ["In 1929 his\nfather died;[2] he was ten"]),
        ("In 1929 his father died;[7] he was ten.", [], ["In 1929 his\nfather died;[2] he was ten"]),
        ("He lived in Ja?n, Spain.", [], ["He lived in Jaén (Spain"]),
        ("He had four brothers......He lived in Jaén", [], ["He had four brothers", "He lived in Jaén"]),
        (
            "(Family) He had four brothers. 2.In 1929 his father died",
            [],
            ["He had four brothers", "In 1929 his\nfather died"],
        ),
        ("He lived in?\nJaén", ["He lived in Jaén"], ["He lived in Jaén"]),
        ("He had three brothers. He lived in Jaén.", [], ["He lived in Jaén"]),
        ("He had", [], []),
        ("Nothing of this is there", [], []),
    ],
)
def test_evidence_is_found_in_the_text(lines: Lines, quote: str, whole: list[str], parts: list[str]) -> None:
    folder = lines("longdep_qa.jsonl", [document([pair([quote])])])
    for how, expected in (("whole", whole), ("parts", parts)):
        data = load_loogle(folder, parts=("longdep_qa",), evidence=how)  # type: ignore[arg-type]
        assert gold_texts(data, data.tasks[0]) == expected
        assert bool(data.faults) == (not expected or "three" in quote)


def test_questions_of_both_parts_are_about_one_document(lines: Lines) -> None:
    lines(
        "longdep_qa.jsonl",
        [document([pair(["He had four brothers", "had four brothers. In 1929"], type="computation")])],
    )
    folder = lines(
        "shortdep_qa.jsonl", [document([pair("born in Jerez", "Where?"), pair("nowhere to be found", "When?")])]
    )
    data = load_loogle(folder)
    assert [corpus.id for corpus in data.corpora] == ["Picardo"]
    assert [(task.id, task.category, gold_texts(data, task)) for task in data.tasks] == [
        ("loogle/longdep_qa/Picardo/1", "longdep_qa computation", ["He had four brothers. In 1929"]),
        ("loogle/shortdep_qa/Picardo/1", "shortdep_qa", ["born in Jerez"]),
        ("loogle/shortdep_qa/Picardo/2", "shortdep_qa", []),
    ]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("shortdep_qa.jsonl:1 question 2", "evidence is not in the text: 'nowhere to be found'")
    ]


def test_broken_documents_and_questions_are_named(lines: Lines) -> None:
    folder = lines("longdep_qa.jsonl", [
        document([pair(["born in Jerez"]), pair([], "Who?"), pair([], ""), pair([], "What?", A=""), 7, pair(None, "Why?")]),
        document([], text="Another text."), document([], title=""), document("none", title="B"), document("{", title="C"),
    ])  # fmt: skip
    data = load_loogle(folder, parts=("longdep_qa",))
    assert [task.query for task in data.tasks] == ["Who?", "Why?"]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("longdep_qa.jsonl:1 question 2", "the same question again"), ("longdep_qa.jsonl:1 question 3", "no question"),
        ("longdep_qa.jsonl:1 question 4", "no answer"), ("longdep_qa.jsonl:1 question 5", "no question"),
        ("longdep_qa.jsonl:2", "another text of that title"), ("longdep_qa.jsonl:3", "no title or no text"),
        ("longdep_qa.jsonl:4", "its questions cannot be read"), ("longdep_qa.jsonl:5", "its questions cannot be read"),
    ]  # fmt: skip
    for options in ({"evidence": "some"}, {"parts": ("cloze",)}):
        with pytest.raises(InvalidInput, match="evidence is parts or whole"):
            load_loogle(folder, **options)  # type: ignore[arg-type]


def test_papers_are_summarised(lines: Lines) -> None:
    rows = [{"title": "2201.1", "input": "Body.", "output": "Abstract."}, {"title": "2201.1", "input": "x", "output": "y"},
            {"title": "2201.2", "input": "Body.", "output": None}, {"title": "2201.3", "input": "B", "output": "A"}]  # fmt: skip
    folder = lines("longdep_summarization.jsonl", rows)
    data = load_loogle_summaries(folder)
    assert [(task.id, task.kind, task.references) for task in data.tasks] == [
        ("loogle-summaries/2201.1", "summary", ("Abstract.",)), ("loogle-summaries/2201.3", "summary", ("A",)),
    ]  # fmt: skip
    assert [fault.reason for fault in data.faults] == ["the same title again", "no output"]
    assert len(load_loogle_summaries(folder, limit=1).tasks) == 1
