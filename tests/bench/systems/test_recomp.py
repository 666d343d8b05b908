"""RECOMP: which sentences are kept, what a written summary may be, and when nothing is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from thinkback.bench.chunks import ChunkedCorpus, Piece
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.records import Kind
from thinkback.bench.systems.recomp import Abstractive, Candidate, Extractive, choose, excerpts
from thinkback.embed.hashing import HashingEmbedder
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Request

Passages = Callable[..., ChunkedCorpus]
TEXTS = [
    "Maples drink ninety litres of water a day. Their leaves turn red. Nobody knows why they do so early.",
    "Roofs are painted white in June. The paint costs nine coins a litre. It peels in the tenth year.",
    "Oaks drink less water than maples drink. An oak stands for centuries. It is slow to grow.",
]
QUERY = "How much water do maples drink?"


# --- choosing ------------------------------------------------------------------------------------------------------
def candidate(piece: int, start: int, score: float, length: int = 10) -> Candidate:
    return Candidate(piece=piece, start=start, end=start + length, score=score)


def within(most: int) -> Callable[[Sequence[Candidate]], bool]:
    return lambda chosen: sum(each.end - each.start for each in chosen) <= most


def test_the_best_that_fit_in_the_order_of_the_text() -> None:
    """Room for 35: .9 (10) and .8 (10) fit, .7 (20) does not beside them, .6 (10) does, .5 (10) no more."""
    last, first, long, middle, late = (
        candidate(2, 0, 0.9), candidate(0, 0, 0.8), candidate(1, 0, 0.7, 20), candidate(1, 30, 0.6), candidate(2, 30, 0.5),
    )  # fmt: skip
    assert choose([middle, long, late, first, last], within(35)) == [first, middle, last]
    assert choose([middle, long], within(5)) == []
    assert choose([], within(5)) == []


def test_of_equal_scores_the_earlier_is_taken_first() -> None:
    same = [candidate(1, 0, 0.5), candidate(0, 20, 0.5), candidate(0, 0, 0.5)]
    assert choose(same, within(20)) == [candidate(0, 0, 0.5), candidate(0, 20, 0.5)]


def test_sentences_of_a_chunk_stand_together_with_its_best_score() -> None:
    piece = Piece(id="d#0", document_id="d", ordinal=0, start=0, end=9, text="One. Two. Six.", title="", date="")
    (item,) = excerpts([candidate(0, 0, 0.2, 4), candidate(0, 10, 0.4, 4)], [piece])
    assert (item.text, item.kind, item.roots, item.score, item.level) == ("One. Six.", "excerpt", ("d#0",), 0.4, 1.0)


# --- extractive ----------------------------------------------------------------------------------------------------
def extract(
    kit: Kit, corpus: ChunkedCorpus, tokens: int, text: str = QUERY, kind: Kind = "question", **options: object
) -> Output:
    system = Extractive(kit, **options)  # type: ignore[arg-type]
    system.ingest(corpus, ())
    return system.answer(Query(task_id="t", kind=kind, text=text), Allowance(context_tokens=tokens))


def test_only_what_is_near_to_the_question_is_kept(kit_without_model: Kit, passages: Passages) -> None:
    output = extract(kit_without_model, passages(TEXTS), 20)
    assert [(each.id, each.text) for each in output.shown] == [
        ("d0#0", "Maples drink ninety litres of water a day."),
        ("d2#0", "Oaks drink less water than maples drink."),
    ]
    assert output.details == {"sources": 3, "empty": False}


def test_a_target_below_the_allowance_is_kept(kit_without_model: Kit, passages: Passages) -> None:
    output = extract(kit_without_model, passages(TEXTS), 100, target=10)
    both = extract(kit_without_model, passages(TEXTS), 20).shown
    assert output.shown == (max(both, key=lambda each: each.score),)
    roomy = extract(kit_without_model, passages(TEXTS), 20, target=1000)
    assert roomy == extract(kit_without_model, passages(TEXTS), 20)


def test_it_chooses_from_four_times_what_it_may_show(kit_without_model: Kit, passages: Passages) -> None:
    texts = [f"Maples drink water in case {number}, and more. {'Filler words here. ' * 10}" for number in range(12)]
    output = extract(kit_without_model, passages(texts), 60)
    assert output.details["sources"] == 240 // kit_without_model.count(texts[0])
    assert len(output.shown) > 60 // kit_without_model.count(texts[0])


def test_a_question_that_nothing_answers_is_shown_nothing(kit_without_model: Kit, passages: Passages) -> None:
    strange = "Which zebra plays chess on Mars?"
    assert extract(kit_without_model, passages(TEXTS), 100, strange).shown == ()
    assert extract(kit_without_model, passages(TEXTS), 100, strange).details["empty"] is True
    assert extract(kit_without_model, passages(TEXTS), 100, strange, relevant=-1.0).shown != ()
    assert extract(kit_without_model, passages(TEXTS), 100, QUERY, relevant=0.99).shown == ()


def test_a_request_to_write_about_the_whole_is_never_off_the_point(kit_without_model: Kit, passages: Passages) -> None:
    assert (
        extract(kit_without_model, passages(TEXTS), 100, "Which zebra plays chess on Mars?", kind="summary").shown != ()
    )


# --- abstractive ---------------------------------------------------------------------------------------------------
def abstract(say: Callable[[Request], str], corpus: ChunkedCorpus, tokens: int = 200, **options: object) -> Output:
    kit = Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(ScriptedGenerator(say)))
    system = Abstractive(kit, **options)  # type: ignore[arg-type]
    system.ingest(corpus, ())
    return system.answer(
        Query(task_id="t", kind="question", text=QUERY), Allowance(context_tokens=tokens, answer_tokens=9)
    )


def test_the_model_sees_the_chunks_once_and_then_its_own_summary(passages: Passages) -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "Maples drink ninety litres." if len(asked) == 1 else "Ninety litres."

    output = abstract(say, passages(TEXTS))
    compress, write = asked
    assert all(text in compress.messages[1].content for text in TEXTS)
    assert QUERY in compress.messages[1].content
    assert compress.max_tokens == 200 // 4 - 5  # a quarter of the allowance, less the frame
    (shown,) = output.shown
    assert (shown.text, shown.kind, shown.level) == ("Maples drink ninety litres.", "excerpt", 2.0)
    assert shown.roots == ("d0#0", "d1#0", "d2#0")
    assert "Roofs" not in write.messages[1].content
    assert output.text == "Ninety litres."
    assert output.details == {"sources": 3, "empty": False}


@pytest.mark.parametrize("said", ["NOTHING", "Nothing.", " *nothing* ", ""])
def test_it_may_find_nothing_of_use(said: str, passages: Passages) -> None:
    replies = iter([said, "I cannot say."])
    output = abstract(lambda _: next(replies), passages(TEXTS))
    assert output.shown == ()
    assert output.details["empty"] is True
    assert output.text == "I cannot say."


def test_a_summary_longer_than_its_target_is_cut(passages: Passages) -> None:
    output = abstract(lambda _: "word " * 500, passages(TEXTS), target=30)
    assert output.shown[0].text == ("word " * 25).strip()


def test_where_there_is_no_room_for_a_summary_none_is_asked_for(passages: Passages) -> None:
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "x"

    assert abstract(say, passages(TEXTS), tokens=19).shown == ()
    assert len(asked) == 1
