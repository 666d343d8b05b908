from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.bench.kit import Kit, prompt_for
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Query, Shown
from thinkback.bench.records import Kind
from thinkback.embed.hashing import HashingEmbedder
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Request


def item(text: str) -> Shown:
    return Shown(kind="chunk", id=text.split(maxsplit=1)[0], text=text, roots=())


@given(st.lists(st.integers(1, 40), max_size=12), st.integers(1, 120), st.booleans())
def test_what_fits_never_costs_more_than_the_allowance(sizes: list[int], tokens: int, with_model: bool) -> None:
    llm = MeteredGenerator(ScriptedGenerator(["x"])) if with_model else None
    kit = Kit(embedder=HashingEmbedder(), llm=llm)
    ranked = [item(f"{place} " + "word " * size) for place, size in enumerate(sizes)]
    fitting = kit.fit(ranked, Allowance(context_tokens=tokens))
    assert sum(kit.price(number, each.text) for number, each in enumerate(fitting, 1)) <= tokens
    places = [ranked.index(each) for each in fitting]
    assert places == sorted(places)


def test_an_item_that_is_too_large_is_skipped_for_the_next() -> None:
    kit = Kit(embedder=HashingEmbedder())
    small, large = item("word " * 15), item("word " * 100)
    assert kit.fit([large, small, large, small], Allowance(context_tokens=50)) == (small, small)
    assert kit.fit([small, small], Allowance(context_tokens=50), limit=1) == (small,)
    assert kit.fit([], Allowance(context_tokens=50)) == ()


KINDS: tuple[Kind, ...] = (
    "abstract", "abstract_multi", "related_work", "title", "introduction", "summary", "question",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_prompt_that_shows_the_items_and_the_request(
    kind: Kind, kit_saying: Callable[[Callable[[Request], str]], Kit]
) -> None:
    seen: list[Request] = []

    def say(request: Request) -> str:
        seen.append(request)
        return "  written  "

    kit = kit_saying(say)
    query = Query(task_id="t", kind=kind, text="The request.", metadata={"title": "On trees", "abstract": "We plant."})
    assert kit.write(query, [item("Maples drink.")], Allowance(answer_tokens=33)) == "written"
    (request,) = seen
    assert "Maples drink." in request.messages[1].content
    assert "The request." in request.messages[1].content
    assert (request.max_tokens, request.temperature, request.seed) == (33, 0.0, 42)
    assert "{{" not in request.messages[0].content + request.messages[1].content
    assert prompt_for(query).hash == prompt_for(query).hash


def test_nothing_is_written_for_a_search_or_without_a_model(
    kit_saying: Callable[[Callable[[Request], str]], Kit],
) -> None:
    def never(_: Request) -> str:
        raise AssertionError

    search = Query(task_id="t", kind="search", text="trees")
    assert kit_saying(never).write(search, [], Allowance()) == ""
    question = Query(task_id="t", kind="question", text="trees?")
    assert Kit(embedder=HashingEmbedder()).write(question, [], Allowance()) == ""


def test_no_item_found_is_said_to_the_model(kit_saying: Callable[[Callable[[Request], str]], Kit]) -> None:
    seen: list[str] = []

    def say(request: Request) -> str:
        seen.append(request.messages[1].content)
        return "x"

    kit_saying(say).write(Query(task_id="t", kind="question", text="trees?"), [], Allowance())
    assert "(nothing was found)" in seen[0]
