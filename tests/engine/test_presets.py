"""The presets that follow the paper, against examples worked by hand (arXiv 2604.12231, Algorithm 1)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from thinkback.llm.scripted import ScriptedGenerator


class Compass:
    """An embedder whose vectors are chosen by hand: a text is embedded as what its last word names."""

    id = "compass"
    dimension = 4
    max_tokens = 10_000

    def __init__(self, **places: tuple[float, ...]) -> None:
        self.places = {
            name: np.array(vector, dtype=np.float32) / np.linalg.norm(vector) for name, vector in places.items()
        }

    def embed(self, texts, *, kind):
        return np.array([self.places[text.split()[-1].strip(".?")] for text in texts], dtype=np.float32).reshape(-1, 4)

    def count(self, text):
        return len(text.split())

    def close(self):
        pass


def at(cosine: float) -> tuple[float, float, float, float]:
    """Return a vector whose cosine to (1, 0, 0, 0) is the given one."""
    return (cosine, (1 - cosine**2) ** 0.5, 0.0, 0.0)


def thought(text: str, *, valid: bool = True) -> str:
    return json.dumps({"valid": valid, "thought": text})


@pytest.fixture
def compass():
    return Compass(
        north=(1, 0, 0, 0),
        query=(0.9, 0.1, 0.2, 0),
        below=at(0.84),
        exactly=at(0.85),
        above=at(0.86),
        west=(0, 0, 1, 0),
        far=(0, 0, 0, 1),
    )


def test_epsilon_on_both_sides_of_the_threshold_against_chunks(make_engine, compass, script):
    """Step 4: redundant iff some cosine to a chunk or thought is at least epsilon."""
    for place, expected in (("below", "stored"), ("exactly", "redundant"), ("above", "redundant")):
        engine = make_engine("paper", embedder=compass)
        # Stored vectors are half precision: 0.85 itself may round either way, so epsilon is what the store will say.
        engine.add("A fact about north")
        if place == "exactly":
            with engine._parts.store.read() as reader:
                stored = reader.search_dense("default", compass.places["exactly"], 1, kind="chunk").scores[0]
            engine._parts.preset = engine._parts.preset.model_copy(update={"epsilon": float(stored)})
        script.distil = thought(f"A thought about {place}")
        answer = engine.ask("What about query?")
        assert [outcome.status for outcome in answer.outcomes] == [expected], place
        assert len(engine.get_all()) == (expected == "stored")


def test_redundancy_against_an_earlier_thought(make_engine, compass, script):
    engine = make_engine("paper", embedder=compass)
    engine.add("A fact about far")
    script.distil = thought("A thought about north")
    engine.ask("What about query?")
    script.distil = thought("Another thought about above")
    answer = engine.ask("What else about query?")
    [first] = engine.get_all()
    assert [(outcome.status, outcome.other_id) for outcome in answer.outcomes] == [("redundant", first.id)]


def test_confidence_alone_decides_the_rest(make_engine, compass, script):
    """Step 5: stored iff c = 1 and s = 0; the evidence is not looked at."""
    engine = make_engine("paper", embedder=compass)
    engine.add("A fact about north")
    script.answer = "Whatever [1]."
    script.distil = thought("Something that no chunk says about west", valid=False)
    assert [outcome.status for outcome in engine.ask("What about query?").outcomes] == ["abstained"]
    script.distil = thought("Something that no chunk says about west")
    assert [outcome.status for outcome in engine.ask("What about query?").outcomes] == ["stored"]


def test_the_whole_context_is_the_source(make_engine, compass, script):
    engine = make_engine("paper", embedder=compass)
    engine.add(["One fact about north", "Two facts about far", "Three facts about west"])
    script.distil = thought("A thought about below")
    engine.ask("What about query?")
    [stored] = engine.get_all()
    [derivation] = engine.why(stored.id).children
    assert {piece.text for piece in derivation.children} == {
        "One fact about north",
        "Two facts about far",
        "Three facts about west",
    }
    assert stored.level == 2.0


def test_the_level_is_one_plus_the_mean_of_the_shown_items(make_engine, compass, script):
    engine = make_engine("paper", embedder=compass)
    engine.add("One fact about north")
    script.distil = thought("A thought about west")
    engine.ask("What about query?")
    script.distil = thought("A further thought about far")
    engine.ask("What now about query?")
    levels = {one.text: one.level for one in engine.get_all()}
    assert levels == {"A thought about west": 2.0, "A further thought about far": 1 + (1.0 + 2.0) / 2}


def test_eight_items_of_the_mixture_by_cosine_alone(make_engine, script):
    places = {f"place{n}": at(1 - n / 20) for n in range(12)}
    compass = Compass(query=(1, 0, 0, 0), **places)
    engine = make_engine("paper", embedder=compass)
    engine.add([f"A fact about place{n}" for n in (11, 3, 7, 1, 9, 5, 0, 2, 4, 6, 8, 10)])
    answer = engine.ask("What about query?", remember=False)
    assert [hit.item.text for hit in answer.hits] == [f"A fact about place{n}" for n in range(8)]
    assert [set(hit.why) for hit in answer.hits] == [{"dense"}] * 8


def test_ties_keep_the_order_of_coming_in(make_engine, script):
    compass = Compass(query=(1, 0, 0, 0), same=at(0.9))
    engine = make_engine("paper", embedder=compass)
    engine.add([f"Fact {n} about same" for n in range(10)])
    answer = engine.ask("What about query?", remember=False)
    assert [hit.item.text for hit in answer.hits] == [f"Fact {n} about same" for n in range(8)]


def test_an_empty_memory_retrieves_chunks_and_an_empty_store_nothing(make_engine, compass, script):
    engine = make_engine("paper", embedder=compass)
    assert engine.ask("What about query?").hits == ()
    engine.add("A fact about north")
    assert [hit.kind for hit in engine.ask("What about query?", remember=False).hits] == ["chunk"]


def test_the_paper_asks_twice_and_caches_nothing(make_engine, compass, script):
    engine = make_engine("paper", embedder=compass)
    engine.add("A fact about north")
    script.distil = thought("A thought about west")
    for _ in range(2):
        assert not engine.ask("What about query?").cached
    assert [request.purpose for request in script.seen] == ["answer", "distil"] * 2


class TestTheReleasedScript:
    """The authors' code differs from their paper: see paper-code."""

    def test_near_copies_are_dropped_at_retrieval(self, make_engine, script):
        compass = Compass(query=(1, 0, 0, 0), one=(1, 0.1, 0, 0), two=(1, 0.12, 0, 0), three=(0.5, 0, 1, 0))
        engine = make_engine("paper-code", embedder=compass)
        engine.add(["A fact about one", "A fact about two", "A fact about three"])
        answer = engine.ask("What about query?", remember=False)
        assert [hit.item.text for hit in answer.hits] == ["A fact about one", "A fact about three"]

    def test_nothing_but_the_string_is_checked_at_write_time(self, make_engine, compass):
        replies = ["An answer [1].", "valid", "A fact about north", "An answer [1].", "valid", "A fact about north"]
        engine = make_engine("paper-code", embedder=compass, llm=ScriptedGenerator(replies))
        engine.add("A fact about north")
        for _ in range(2):
            assert [outcome.status for outcome in engine.ask("What about query?").outcomes] == ["stored"]
        assert [one.text for one in engine.get_all()] == ["A fact about north"] * 2

    @pytest.mark.parametrize("verdict", ["idk", "I say idk here", "Step 1: the answer is valid"])
    def test_the_marker_in_the_verifying_reply_rejects(self, make_engine, compass, verdict):
        engine = make_engine("paper-code", embedder=compass, llm=ScriptedGenerator(["An answer [1].", verdict]))
        engine.add("A fact about north")
        assert [outcome.status for outcome in engine.ask("What about query?").outcomes] == ["abstained"]


def test_where_the_embedder_reads_less_than_500_words_the_run_says_so(make_engine, bridge):
    engine = make_engine("paper")
    limit = engine._parts.embedder.max_tokens
    [added] = engine.add(bridge)
    assert (limit >= 700) == (added.warnings == ())


def test_fast_remembers_in_the_background(make_engine, bridge):
    engine = make_engine("fast")
    engine.add(bridge)
    answer = engine.ask("When was the harbour bridge opened?")
    assert answer.outcomes == ()
    engine.wait()
    assert len(engine.get_all()) == 1
