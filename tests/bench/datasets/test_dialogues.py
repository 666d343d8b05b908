"""Dialogues: LoCoMo, LongMemEval, MemoryBank, on records written for the purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from thinkback.bench.datasets.locomo import load_locomo
from thinkback.bench.datasets.longmemeval import load_longmemeval
from thinkback.bench.datasets.memorybank import load_memorybank
from thinkback.bench.records import Dataset, Gold
from thinkback.errors import InvalidInput

Lines = Callable[[str, Sequence[Any]], Path]


def texts(data: Dataset, spans: Sequence[Gold]) -> list[str]:
    documents = {each.id: each.text for corpus in data.corpora for each in corpus.documents}
    return [documents[span.document_id][span.start : span.end] for span in spans]


# --- LoCoMo ----------------------------------------------------------------------------------------------------------

DATE = "1:56 pm on 8 May, 2023"


def turn(key: str, text: str, speaker: str = "Ann", **more: Any) -> dict[str, Any]:
    return {"dia_id": key, "speaker": speaker, "text": text, **more}


def dialogue(*qa: Any, name: str = "conv-1", **changes: Any) -> dict[str, Any]:
    talk = {
        "speaker_a": "Ann", "session_1_date_time": DATE, "session_2_date_time": "soon", "session_2": [turn("D2:1", "Bye.")],
        "session_1": [turn("D1:1", "Hi!"), turn("D1:2", "See my maple.", "Ben", blip_caption="a photo of a tree")],
    }  # fmt: skip
    return {
        "sample_id": name, "conversation": talk, "qa": list(qa),
        "observation": {"session_1_observation": {"Ben": [["Ben has a maple.", "D1:2"], ["Ben and Ann met.", ["D1:1", "D1:2"]]]}},
        "session_summary": {"session_1_summary": "They talk about a maple."},
        "event_summary": {"events_session_1": {"Ben": ["Ben shows a maple."], "Ann": [], "date": "8 May, 2023"}}, **changes,
    }  # fmt: skip


def asks(evidence: Any, category: Any = 4, **changes: Any) -> dict[str, Any]:
    return {
        "question": "What does Ben have?",
        "answer": "a maple",
        "evidence": evidence,
        "category": category,
        **changes,
    }


@pytest.fixture
def locomo(tmp_path: Path) -> Callable[..., Dataset]:
    def load(*dialogues: Any, **options: Any) -> Dataset:
        (tmp_path / "locomo10.json").write_text(json.dumps(list(dialogues)))
        return load_locomo(tmp_path, **options)

    return load


def test_a_session_is_a_document_and_a_turn_a_passage(locomo: Callable[..., Dataset]) -> None:
    data = locomo(dialogue(asks(["D1:2"]), asks(["D1:1; D2:01", "D1:1"], 1, answer=3)))
    first, second = data.corpora[0].documents
    assert [first.text[start:end] for start, end in first.passages] == [
        f"({DATE}) Ann: Hi!", f"({DATE}) Ben: See my maple. [shares a photo: a photo of a tree]",
    ]  # fmt: skip
    assert (first.id, first.date, second.date) == ("conv-1/session 1", "2023-05-08T13:56", "")
    assert [(task.id, task.category, task.references, texts(data, task.gold)) for task in data.tasks] == [
        (
            "locomo/conv-1/0",
            "single",
            ("a maple",),
            [f"({DATE}) Ben: See my maple. [shares a photo: a photo of a tree]"],
        ),
        ("locomo/conv-1/1", "multi-hop", ("3",), [f"({DATE}) Ann: Hi!", "(soon) Ann: Bye."]),
    ]
    assert data.faults == ()


def test_notes_stand_on_turns_or_on_their_session(locomo: Callable[..., Dataset]) -> None:
    data = locomo(dialogue())
    assert [(note.kind, note.text, len(note.sources)) for note in data.corpora[0].notes] == [
        ("observation", f"({DATE}) Ben has a maple.", 1), ("observation", f"({DATE}) Ben and Ann met.", 2),
        ("summary", f"({DATE}) They talk about a maple.", 2), ("event", f"({DATE}) Ben shows a maple.", 2),
    ]  # fmt: skip
    assert {span.document_id for note in data.corpora[0].notes for span in note.sources} == {"conv-1/session 1"}


def test_a_question_without_answer_in_the_dialogue_has_no_reference(locomo: Callable[..., Dataset]) -> None:
    (task,) = locomo(dialogue(asks(["D1:2"], 5, adversarial_answer="an oak"))).tasks
    assert (task.category, task.references) == ("adversarial", ())
    assert task.metadata == {"adversarial_answer": "an oak"}


def test_evidence_that_is_not_there_is_named(locomo: Callable[..., Dataset]) -> None:
    data = locomo(
        dialogue(asks(["D1:2", "D9:9"]), asks([]), asks(["D9:9"]), asks(None), asks(["D1:1"], 7), asks(["D1:1"], question=""),
                 asks(["D1:1"], answer=None), "no question")
    )  # fmt: skip
    assert [task.id for task in data.tasks] == ["locomo/conv-1/0"]
    assert len(data.tasks[0].gold) == 1
    assert [(fault.where[-1], fault.reason) for fault in data.faults] == [
        ("0", "without the gold turns D9:9"), ("1", "no gold turn in the dialogue"), ("2", "no gold turn in the dialogue"),
        ("3", "no gold turn in the dialogue"), ("4", "no category 7"), ("5", "no question"), ("6", "no answer"),
        ("7", "no question"),
    ]  # fmt: skip


def test_broken_dialogues_and_turns_are_named(locomo: Callable[..., Dataset]) -> None:
    broken = {
        "session_1": [turn("D1:1", "Hi!"), turn("D1:1", "Ho!"), turn("", "No id."), 7],
        "session_2": [],
        "session_3": None,
    }
    observed = {"session_1_observation": {"Ann": [["Lost.", "D8:8"], ["", "D1:1"], "odd"]}}
    data = locomo(
        dialogue(), dialogue(), dialogue(name=""), 7, dialogue(name="x", conversation=[]),
        dialogue(name="b", conversation=broken, observation=observed, session_summary=None, qa=None),
    )  # fmt: skip
    assert [corpus.id for corpus in data.corpora] == ["conv-1", "b"]
    assert data.corpora[1].documents[0].text == "() Ann: Hi!"
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("locomo10.json dialogue 1", "the same dialogue again"),
        ("locomo10.json dialogue 2", "no name or no conversation"),
        ("locomo10.json dialogue 3", "no name or no conversation"),
        ("locomo10.json dialogue 4", "no name or no conversation"),
        ("b/session 1 turn 2", "the same turn again"),
        ("b/session 1 turn 3", "a turn without id or speaker"),
        ("b/session 1 turn 4", "a turn without id or speaker"),
        ("b/session 2", "nothing is said in the session"),
        ("b/session 3", "nothing is said in the session"),
        ("b/session 1 observation 1 of Ann", "no text, or no turn in the dialogue"),
        ("b/session 1 observation 2 of Ann", "no text, or no turn in the dialogue"),
        ("b/session 1 observation 3 of Ann", "no text, or no turn in the dialogue"),
    ]


def test_dialogues_are_chosen_by_their_place(locomo: Callable[..., Dataset], tmp_path: Path) -> None:
    data = locomo(dialogue(name="a"), dialogue(name="b"), dialogue(name="c"), dialogues=[2, 0])
    assert [corpus.id for corpus in data.corpora] == ["c", "a"]
    with pytest.raises(InvalidInput, match="no dialogue 3; there are 3"):
        load_locomo(tmp_path, dialogues=[3])
    (tmp_path / "locomo10.json").write_text("{}")
    with pytest.raises(InvalidInput, match="no list of dialogues"):
        load_locomo(tmp_path)


# --- LongMemEval -----------------------------------------------------------------------------------------------------


def says(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def remembered(key: str, **changes: Any) -> dict[str, Any]:
    return {
        "question_id": key, "question_type": "multi-session", "question": "Which tree?", "answer": "a maple",
        "question_date": "2023/06/01 (Thu) 00:58", "haystack_dates": ["2023/05/27 (Sat) 10:20", "2023/05/25 (Thu) 20:21"],
        "haystack_session_ids": ["s2", "s1"], "answer_session_ids": ["s1"],
        "haystack_sessions": [[says("user", "I like it.")],
                              [says("user", "I saw a maple.", has_answer=True), says("assistant", "Nice.", has_answer=False)]],
        **changes,
    }  # fmt: skip


def test_a_question_has_a_history_of_its_own(lines: Lines) -> None:
    folder = lines("longmemeval_oracle.json", [json.dumps([remembered("q1"), remembered("q2")])])
    data = load_longmemeval(folder)
    assert [corpus.id for corpus in data.corpora] == ["q1", "q2"]
    first, second = data.corpora[0].documents
    assert (first.id, first.date, second.id) == ("s1", "2023-05-25T20:21", "s2"), "in the order of time"
    assert first.text == ("(2023/05/25 (Thu) 20:21) user: I saw a maple.\n(2023/05/25 (Thu) 20:21) assistant: Nice.")
    assert len(first.passages) == 2
    task = data.tasks[0]
    assert (task.query, task.references, task.category) == (
        "Which tree? (asked on 2023/06/01 (Thu) 00:58)", ("a maple",), "multi-session",
    )  # fmt: skip
    assert texts(data, task.gold) == ["(2023/05/25 (Thu) 20:21) user: I saw a maple."]
    assert [corpus.id for corpus in load_longmemeval(folder, limit=1).corpora] == ["q1"]


def test_without_marked_turns_sessions_are_gold_and_abstentions_have_none(lines: Lines) -> None:
    unmarked = [[says("user", "I like it.")], [says("user", "I saw a maple.")]]
    rows = [remembered("a", haystack_sessions=unmarked, question_date=""), remembered("b_abs"),
            remembered("c", haystack_sessions=unmarked, answer_session_ids=None, answer=3)]  # fmt: skip
    data = load_longmemeval(lines("longmemeval_s.json", [json.dumps(rows)]))
    session, abstention, unknown = data.tasks
    assert texts(data, session.gold) == ["(2023/05/25 (Thu) 20:21) user: I saw a maple."]
    assert session.query == "Which tree?"
    assert (abstention.category, abstention.gold) == ("abstention", ())
    assert (unknown.gold, unknown.references) == ((), ("3",))
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("longmemeval_s.json:3 c", "no turn and no session is marked as evidence")
    ]


def test_broken_histories_are_named(lines: Lines) -> None:
    half = [[says("user", ""), 7], [says("user", "I saw a maple.")]]
    rows = [
        remembered("a"), remembered("a"), remembered(""), remembered("b", question=""), remembered("c", answer=None),
        remembered("d", haystack_sessions=[]), remembered("e", haystack_dates=None), remembered("f", haystack_sessions=half),
        remembered("g", haystack_session_ids=["s1", "s1"]), remembered("h", haystack_sessions=["x", 7]),
    ]  # fmt: skip
    data = load_longmemeval(lines("longmemeval_sample.json", rows), file="longmemeval_sample.json")
    assert [task.id for task in data.tasks] == ["longmemeval/a", "longmemeval/f", "longmemeval/g"]
    assert [(fault.where.partition(":")[2], fault.reason) for fault in data.faults] == [
        ("2 a", "the same id again"), ("3", "no question_id"), ("4 b", "no question"), ("5 c", "no answer"),
        ("6 d", "no session that can be read"), ("7 e", "no session that can be read"),
        ("8 f s2 turn 0", "no role or no content"), ("8 f s2 turn 1", "no role or no content"),
        ("8 f s2", "nothing is said in the session"), ("9 g s1", "the same session again"),
        ("10 h s2", "nothing is said in the session"), ("10 h s1", "nothing is said in the session"),
        ("10 h", "no session that can be read"),
    ]  # fmt: skip


# --- MemoryBank ------------------------------------------------------------------------------------------------------


def user(**days: Any) -> dict[str, Any]:
    return {"history": {day.replace("_", "-").strip("-"): turns for day, turns in days.items()}}


def chat(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"query": one, "response": two} for one, two in pairs]


def test_days_are_documents_and_probes_have_no_answer(lines: Lines, tmp_path: Path) -> None:
    users = {
        " Emily ": user(_2023_04_28=chat(("Hi.", "Hello."), ("", "Still there?")), _2023_04_27=[7]),
        "Emily": user(_2023_04_28=chat(("Hi.", "Hello."))), "Frank": 7,
    }  # fmt: skip
    (tmp_path / "memory_bank_en.json").write_text(json.dumps(users))
    folder = lines(
        "probing_questions_en.jsonl",
        [{"Emily": ["Which film?", "", 7]}, {"Zoe": ["?"]}, {"Emily": "?"}, {"Emily": ["A?"]}],
    )
    data = load_memorybank(folder)
    (document,) = data.corpora[0].documents
    assert (
        document.text == "(2023-04-28) Emily: Hi.\n(2023-04-28) Assistant: Hello.\n(2023-04-28) Assistant: Still there?"
    )
    assert len(document.passages) == 3
    assert [(task.id, task.query, task.references, task.gold) for task in data.tasks] == [
        ("memorybank/Emily/1", "Which film?", (), ())
    ]
    assert [(fault.where, fault.reason) for fault in data.faults] == [
        ("Emily 2023-04-27 turn 1", "nothing is said"), ("Emily 2023-04-27", "nothing is said on that day"),
        ("memory_bank_en.json Emily", "the same user again"), ("memory_bank_en.json Frank", "no day with a chat"),
        ("probing_questions_en.jsonl:1 Emily question 2", "no question"),
        ("probing_questions_en.jsonl:1 Emily question 3", "no question"),
        ("probing_questions_en.jsonl:2 Zoe", "no such user"), ("probing_questions_en.jsonl:3 Emily", "no list"),
        ("probing_questions_en.jsonl:4 Emily question 1", "the same user again"),
    ]  # fmt: skip
    (tmp_path / "memory_bank_en.json").write_text("[]")
    with pytest.raises(InvalidInput, match="no users"):
        load_memorybank(folder)
