from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from thinkback.bench.chunks import cut
from thinkback.bench.experiments import EXPERIMENTS, experiment
from thinkback.bench.experiments.evolution import evolution_split
from thinkback.bench.experiments.evolve import evolve, own_dataset, read_questions, tables, verdict
from thinkback.bench.experiments.plan import Setting, limited
from thinkback.bench.experiments.robustness import admitted, changed, speakers
from thinkback.bench.experiments.transfer import halves, notes_of, sharing
from thinkback.bench.folder import RunFolder
from thinkback.bench.kit import Kit
from thinkback.bench.records import Corpus, Dataset, Gold, Note, SourceText
from thinkback.bench.systems import SYSTEMS
from thinkback.config import load_preset
from thinkback.errors import InvalidInput
from thinkback.ports import Request


@pytest.mark.parametrize("name", sorted(EXPERIMENTS))
def test_every_experiment_can_be_named(name: str) -> None:
    found = experiment(name)
    assert found.name == name
    assert found.title
    assert found.tables([]) is not None


def test_an_unknown_experiment_is_named() -> None:
    with pytest.raises(InvalidInput, match="no experiment 'mian'"):
        experiment("mian")


def test_comparisons_name_systems_that_exist() -> None:
    import ast
    import inspect

    from thinkback.bench.experiments import comparisons

    tree = ast.parse(inspect.getsource(comparisons))
    named = [
        element.value
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg == "systems"
        for element in ast.walk(keyword.value)
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    ]
    assert len(named) > 30
    assert {name.partition(":")[0] for name in named} <= set(SYSTEMS)


def test_a_limit_keeps_the_first_tasks_and_their_corpora(tiny: Dataset) -> None:
    assert [task.id for task in limited(tiny, 2).tasks] == ["t1", "t2"]
    assert limited(tiny, None) is tiny
    other = Corpus(id="sea", documents=(SourceText(id="x", text="Waves."),))
    two = replace(tiny, corpora=(other, *tiny.corpora))
    assert [corpus.id for corpus in limited(two, 1).corpora] == ["city"]
    with pytest.raises(InvalidInput, match="At least one"):
        limited(tiny, 0)


def test_halves_are_seeded_whole_and_apart(tiny: Dataset) -> None:
    tasks = [replace(tiny.tasks[0], id=f"q{number}") for number in range(7)]
    first, second = halves(tasks, 1)
    assert (len(first), len(second)) == (3, 4)
    assert sorted(task.id for task in (*first, *second)) == [task.id for task in tasks]
    assert halves(tasks, 1) == (first, second)
    assert any(halves(tasks, seed) != (first, second) for seed in range(2, 9))


def test_what_other_questions_leave_is_question_and_answer_on_gold(tiny: Dataset) -> None:
    notes = notes_of(tiny.tasks)["city"]
    assert [note.text for note in notes] == ["Which trees drink most? Maples", "What do white roofs reflect? light"]
    assert notes[0].sources == tiny.tasks[0].gold
    again = replace(tiny.tasks[0], id="again")
    assert sharing(tiny.tasks[0], [again])
    assert not sharing(tiny.tasks[0], [tiny.tasks[0], tiny.tasks[1]])


def test_the_tested_half_is_preceded_by_the_other_halfs_questions(tiny: Dataset) -> None:
    (tested, *_) = evolution_split(tiny.tasks[:2], 3)
    other = tiny.tasks[1] if tested.id == "t1" else tiny.tasks[0]
    assert tested.pre_queries == (*other.pre_queries, other.query)
    alone = replace(tiny.tasks[0], corpus_id="city")
    assert evolution_split([alone], 3) == []


DIALOGUE = Corpus(
    id="talk",
    documents=(
        SourceText(
            id="s1", text="(2 May) Ada: I moved to Lisbon.\n(2 May) Bruno: I have 3 cats.", passages=((0, 31), (32, 59))
        ),
    ),
)


def note(text: str, start: int, end: int) -> Note:
    return Note(text=text, kind="observation", sources=(Gold(document_id="s1", start=start, end=end),))


def test_a_note_is_made_false_by_another_speaker_or_number() -> None:
    assert speakers(DIALOGUE) == ("Ada", "Bruno")
    draw = random.Random(1)
    swapped = changed(note("(2 May) Ada moved to Lisbon.", 0, 31), speakers(DIALOGUE), draw)
    assert swapped is not None
    assert (swapped.text, swapped.kind) == ("(2 May) Bruno moved to Lisbon.", "injected")
    counted = changed(note("(2 May) There are 3 cats.", 32, 59), speakers(DIALOGUE), draw)
    assert counted is not None
    assert counted.text.startswith("(2 May) There are ")
    assert "3 cats" not in counted.text
    assert changed(note("(2 May) They talk.", 0, 31), speakers(DIALOGUE), draw) is None


def test_the_check_lets_true_notes_in_and_false_ones_not() -> None:
    chunked = {"talk": cut(DIALOGUE, lambda text: len(text.split()))}
    true = note("(2 May) Ada moved to Lisbon.", 0, 31)
    false = note("(2 May) Bruno moved to Lisbon.", 0, 31)
    assert admitted({"talk": [true, false]}, chunked, load_preset("default")) == {"talk": [true]}


def test_questions_come_as_lines_or_as_records(tmp_path: Path) -> None:
    file = tmp_path / "q.txt"
    file.write_text('Why?\n\n{"question": "How many?", "answer": "3"}\n{"question": "Who?"}\nWhen?\nWhy?\n')
    assert read_questions(file) == [("Why?", ""), ("How many?", "3"), ("Who?", ""), ("When?", "")]
    for text, words in (
        ("One?\nTwo?", "2 different questions"),
        ('{"ask": 1}\n', "q.txt:1"),
        ("{nonsense\n", "q.txt:1"),
    ):
        file.write_text(text)
        with pytest.raises(InvalidInput, match=words):
            read_questions(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_questions(tmp_path / "none")


def test_own_documents_become_a_corpus_and_unreadable_ones_faults(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Trees\n\nMaples drink most of all.")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 cut off")
    (tmp_path / "c.txt").write_text("  ")
    data = own_dataset(tmp_path, [("Which?", "Maples")])
    assert [document.id for document in data.corpora[0].documents] == ["a.md"]
    assert {fault.where for fault in data.faults} == {"b.pdf", "c.txt"}
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="No file"):
        own_dataset(tmp_path / "empty", [])
    with pytest.raises(InvalidInput, match="no folder"):
        own_dataset(tmp_path / "none", [])


def test_evolve_compares_an_empty_memory_with_an_evolved_one(
    tmp_path: Path, kit_saying: Callable[[Callable[[Request], str]], Kit]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Maples drink most of all trees. Roofs reflect light. Cats sleep all day.")
    (tmp_path / "q.jsonl").write_text(
        "".join(
            f'{{"question": "{question}", "answer": "{answer}"}}\n'
            for question, answer in (
                ("Which trees drink most?", "Maples"), ("What do roofs reflect?", "light"),
                ("Who sleeps all day?", "Cats"), ("What reflects light?", "Roofs"),
            )
        )
    )  # fmt: skip
    kit = kit_saying(lambda _: "Maples [1]")
    setting = Setting(data=tmp_path, out=tmp_path / "out", kit=kit, seed=5)
    run, said, comparison = evolve(setting, tmp_path / "docs", tmp_path / "q.jsonl")
    assert said == "not shown either way"  # the model says the same whatever it is shown
    assert comparison.difference == 0
    assert comparison.n == 2
    names = [row[0] for row in tables(run)[0].rows]
    assert names == ["empty memory", "evolved memory"]
    built = {each.system: each.cost.calls for each in run.constructions()}
    assert built["empty memory"] == 0 < built["evolved memory"]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([1.0] * 8, [0.0] * 8, "thoughts help here"),
        ([0.0] * 8, [1.0] * 8, "thoughts do not help here"),
        ([1.0, 0.0] * 4, [0.0, 1.0] * 4, "not shown either way"),
    ],
)
def test_a_verdict_needs_an_interval_without_zero(
    tmp_path: Path, first: list[float], second: list[float], said: str
) -> None:
    run = RunFolder(tmp_path)
    run.create({"config": {"seed": 1}})
    run.write_scores(
        {
            "tasks": {f"q{n}": {"corpus": "yours", "category": ""} for n in range(8)},
            "values": {
                name: {f"q{n}": {"token_f1": value} for n, value in enumerate(values)}
                for name, values in (("evolved memory", first), ("empty memory", second))
            },
        }
    )
    assert verdict(run)[0] == said
