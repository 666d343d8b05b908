"""Walking the summary tree: where the model goes, what it sees there, and how a walk ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import pytest

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.systems.memwalker import MemWalker
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import BadReply, ModelTimeout
from thinkback.llm.scripted import Scripted, ScriptedGenerator
from thinkback.ports import Request

Passages = Callable[..., ChunkedCorpus]
TEXTS = [f"Fact {number} is that thing {number} weighs {number} tons and floats." for number in range(9)]
QUERY = Query(task_id="t", kind="question", text="What does thing 4 weigh?")


def go(action: int) -> str:
    return json.dumps({"reasoning": "It may be there.", "action": action})


class Guide:
    """Plays back steps, and writes summaries and answers of its own."""

    def __init__(self, *steps: Scripted) -> None:
        self.steps: list[Request] = []
        self.summaries: list[Request] = []
        self.answers: list[Request] = []
        self._script = list(steps)

    def __call__(self, request: Request) -> Scripted:
        if request.schema is not None:
            self.steps.append(request)
            return self._script.pop(0)
        if "condense" in request.messages[0].content:
            self.summaries.append(request)
            facts = re.findall(r"(?:Fact|Summary of) (\d[\d ]*)", request.messages[1].content)
            return f"Summary of {' '.join(fact.strip() for fact in facts)} ."
        self.answers.append(request)
        return "4 tons"


def walk(
    passages: Passages,
    *steps: Scripted,
    texts: Sequence[str] = TEXTS,
    tokens: int = 400,
    query: Query = QUERY,
    **sizes: int,
) -> tuple[Output, Guide]:
    guide = Guide(*steps)
    kit = Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(ScriptedGenerator(guide)))
    walker = MemWalker(kit, **{"segment_tokens": 5, "fan_out": 3, **sizes})
    walker.ingest(passages(texts), ())
    return walker.answer(query, Allowance(context_tokens=tokens, answer_tokens=20)), guide


def seen(request: Request) -> str:
    return request.messages[1].content


def test_nine_segments_three_by_three_are_thirteen_summaries(passages: Passages) -> None:
    """Nine of segments, three of three, one root; the fan-out is that of the tree."""
    _, guide = walk(passages, go(2), go(2), go(1))
    assert len(guide.summaries) == 9 + 3 + 1
    assert "Summary of 0 1 2 ." in seen(guide.summaries[-1])


def test_what_is_left_over_at_the_end_goes_up_by_itself(passages: Passages) -> None:
    """Ten segments make four groups, the last of one; four make two groups, the last of that one again."""
    output, guide = walk(passages, go(2), go(1), texts=[*TEXTS, "The last fact floats as well."])
    assert len(guide.summaries) == 10 + 3 + 1 + 1
    assert output.shown[0].id == "d9#0"


def test_the_model_walks_down_to_the_segment_and_the_answer_is_written_from_it(passages: Passages) -> None:
    output, guide = walk(passages, go(2), go(2), go(1))
    root, inner, leaf = map(seen, guide.steps)
    assert "Summary of 3 4 5 ." in root
    assert "Summary of 4 ." in inner
    assert "thing 4 weighs 4 tons" in leaf
    assert "thing 3" not in leaf
    assert (output.shown[0].kind, output.shown[0].id) == ("chunk", "d4#0")
    assert [each.text for each in output.shown[1:]] == ["Summary of 3 4 5 .", "Summary of 0 1 2 3 4 5 6 7 8 ."]
    assert output.text == "4 tons"
    assert output.details == {
        "steps": 3, "turned_back": 0, "invalid": 0, "end": "found", "nodes": 13, "empty_summaries": 0
    }  # fmt: skip


def test_levels_and_roots_of_what_is_shown(passages: Passages) -> None:
    output, _ = walk(passages, go(2), go(2), go(1))
    assert [each.level for each in output.shown] == [1.0, 3.0, 4.0]
    assert output.shown[1].roots == ("d3#0", "d4#0", "d5#0")


def test_it_may_turn_back_and_remembers_what_it_saw(passages: Passages) -> None:
    output, guide = walk(passages, go(1), go(3), go(0), go(0), go(2), go(2), go(1))
    assert output.shown[0].id == "d4#0"
    assert (output.details["steps"], output.details["turned_back"]) == (7, 2)
    last = seen(guide.steps[-1])
    assert "Summary of 2 ." in last  # the segment that was no good
    assert "Summary of 0 1 2 ." in last
    assert "Choose one in any case" in guide.steps[0].messages[0].content
    assert "go back" in guide.steps[1].messages[0].content


def test_a_reply_that_names_no_action_is_asked_for_again_with_another_seed(passages: Passages) -> None:
    output, guide = walk(passages, "I would rather not.", go(7), go(2), go(2), BadReply("cut"), go(1))
    assert output.shown[0].id == "d4#0"
    assert output.details["invalid"] == 3
    assert output.details["steps"] == 3
    tries = guide.steps[:3]
    assert len({request.seed for request in tries}) == 3
    assert [request.temperature > 0 for request in tries] == [False, True, True]
    assert len({seen(request) for request in tries}) == 1


def test_three_such_replies_in_a_row_end_the_walk_without_a_find(passages: Passages) -> None:
    output, guide = walk(passages, go(2), "no", go(9), go(-1))
    assert output.details["end"] == "gave up"
    assert output.details["invalid"] == 3
    assert [each.kind for each in output.shown] == ["summary", "summary"]
    assert "Summary of 3 4 5" in seen(guide.answers[0])


def test_the_root_cannot_be_left_upwards(passages: Passages) -> None:
    output, _ = walk(passages, go(0), go(0), go(0))
    assert (output.details["end"], output.details["invalid"]) == ("gave up", 3)


def test_a_walk_ends_after_so_many_steps(passages: Passages) -> None:
    output, guide = walk(passages, go(1), go(0), go(1), go(0), go(1), most_steps=5)
    assert (output.details["end"], output.details["steps"]) == ("too long", 5)
    assert len(guide.answers) == 1


def test_a_text_of_one_segment_needs_no_walk(passages: Passages) -> None:
    output, guide = walk(passages, texts=TEXTS[:1])
    assert guide.steps == []
    assert [each.kind for each in output.shown] == ["chunk"]


def test_segments_take_chunks_together_but_never_of_two_documents(
    corpus_of: Callable[..., ChunkedCorpus], passages: Passages
) -> None:
    guide = Guide()
    kit = Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(ScriptedGenerator(guide)))
    walker = MemWalker(kit, segment_tokens=60, fan_out=8)
    corpus = corpus_of({"a": " ".join(TEXTS), "b": TEXTS[0]}, size=30)
    walker.ingest(corpus, ())
    groups = [[piece.id for piece in node.pieces] for node in walker._segments]
    assert [key for group in groups for key in group] == [piece.id for piece in corpus.pieces]
    assert len(groups[0]) > 1
    assert groups[-1] == ["b#0"]


@pytest.mark.parametrize("tokens", [60, 120, 400])
def test_a_step_shows_no_more_than_the_allowance(passages: Passages, tokens: int) -> None:
    long = [f"{text} {'and so on ' * 30}" for text in TEXTS]
    _, guide = walk(passages, go(1), go(3), go(0), go(0), go(2), go(2), go(1), texts=long, tokens=tokens)
    frame = 40  # the request, and the headings of the prompt
    assert all(len(seen(request).split()) <= tokens + frame for request in guide.steps)


def test_a_search_is_ranked_by_the_segment_that_was_found(passages: Passages) -> None:
    query = Query(task_id="t", kind="search", text="thing 4")
    output, guide = walk(passages, go(2), go(2), go(1), query=query)
    assert output.ranking == (("d4#0", 1.0),)
    assert guide.answers == []


def test_a_model_that_cannot_be_reached_is_not_a_bad_reply(passages: Passages) -> None:
    with pytest.raises(ModelTimeout):
        walk(passages, ModelTimeout("too slow"))


def test_building_is_metered_apart_from_asking(passages: Passages) -> None:
    llm = MeteredGenerator(ScriptedGenerator(Guide(go(2), go(2), go(1))))
    walker = MemWalker(Kit(embedder=HashingEmbedder(), llm=llm), segment_tokens=5, fan_out=3)
    walker.ingest(passages(TEXTS), ())
    built, _ = llm.take()
    walker.answer(QUERY, Allowance())
    asked, _ = llm.take()
    assert (built.calls, asked.calls) == (13, 4)
