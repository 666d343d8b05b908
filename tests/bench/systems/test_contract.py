"""What every system of the bench must do, over every one that is registered."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Output, Query, SeesGold, ShownKind, System
from thinkback.bench.records import Dataset, Task
from thinkback.bench.run import Cutting, chunk_corpora
from thinkback.bench.systems import SYSTEMS, make_systems, oracle
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput, MissingExtra
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import ModelTraits, Request

ROWS = {
    "bm25": ["bm25"],
    "tf-idf": ["tf-idf"],
    "dense": ["dense", "dense:hashing"],
    "hybrid": ["hybrid"],
    "left": ["left"],
    "right": ["right"],
    "full": ["full:left", "full:right"],
    "reader": ["reader:4096", "reader:openorca-8k:right"],
    "intro+conclusion": ["intro+conclusion"],
    "recomp": ["recomp:extractive", "recomp:extractive:60", "recomp:abstractive"],
    "hralm": ["hralm"],
    "memwalker": ["memwalker"],
    "ircot": ["ircot", "ircot:dense"],
    "oracle": ["oracle", "oracle:gold", "oracle:reference"],
    "retriever-origin": ["retriever-origin"],
    "response-direct": ["response-direct"],
    "thoughts": ["thoughts:default"],
    "ablation": ["ablation:no-gate"],
    "testimony": ["testimony:answers", "testimony:thoughts"],
}
"""Registered name to rows that are tried; the named dense models need weights, and have tests of their own."""
NEED_WEIGHTS = {"contriever", "dpr", "dragon", "qwen3-embed-8b", "nv-embed"}
NEED_MODEL = {"full", "reader", "hralm", "memwalker", "ircot", "testimony", "recomp:abstractive"}
"""Rows that say so in a run without a model, by the beginning of their name."""
OWN_WINDOW = ("full:", "reader:")
"""Rows that fill the model's window instead of the allowance."""

ALL = [row for rows in ROWS.values() for row in rows]
WITHOUT_MODEL = [row for row in ALL if not any(row.startswith(each) for each in NEED_MODEL)]
TEXTS = (
    (
        "Street trees cool the city by two degrees. They need water in dry summers. Maples drink most of all, and oaks "
        "least. A city that waters its trees at night saves a third of the water. Nobody waters them at noon any more."
    ),
    (
        "White roofs reflect light. They cool the top floor by three degrees. The street stays as warm as it was. Paint "
        "lasts for nine years, and then it peels. Roofers like the work in spring and hate it in July."
    ),
    (
        "Wind corridors were planned in four districts. Corridors narrower than thirty metres did little. Parks at their "
        "beginning helped more than parks at their end. The planners disagree about fountains."
    ),
)
QUERY = Query(task_id="t", kind="question", text="Which trees drink most water?")
CORPORA = st.lists(
    st.lists(
        st.sampled_from([*["maples", "drink", "water", "roofs", "cool", "light"], "42", "x.", "Ünder", "the"]),
        max_size=60,
    ),
    max_size=4,
)


def can_ask(row: str) -> bool:
    return row != "oracle:gold"  # refuses the tasks here, which have no gold


def kit_of(model: Callable[[Request], str] | None, *, window: int = 4096) -> Kit:
    llm = None
    if model is not None:
        traits = ModelTraits(context_window=window)
        llm = MeteredGenerator(ScriptedGenerator(model, traits=traits, id="openai:Mistral-7B-OpenOrca"))
    return Kit(embedder=HashingEmbedder(), llm=llm)


@contextmanager
def opened(row: str, kit: Kit) -> Iterator[System]:
    (system,) = make_systems([row], kit)
    system.reset()
    try:
        yield system
    finally:
        system.close()


def ask(system: System, query: Query = QUERY, tokens: int = 120) -> Output:
    if isinstance(system, SeesGold):
        system.reveal(task_of(query))
    return system.answer(query, Allowance(context_tokens=tokens, answer_tokens=50))


def task_of(query: Query) -> Task:
    """Return the task of a query, with a reference and without gold."""
    return Task(id=query.task_id, corpus_id="c", kind=query.kind, query=query.text, references=("maples drink water",))


def test_every_registered_system_is_tried_here() -> None:
    assert {*ROWS, *NEED_WEIGHTS} == set(SYSTEMS)
    for name, rows in ROWS.items():
        assert all(row.split(":")[0] == name for row in rows)


@pytest.mark.parametrize("row", ALL)
def test_a_row_is_named_as_it_was_asked_for(row: str, obliging_model: Callable[[Request], str]) -> None:
    with opened(row, kit_of(obliging_model)) as system:
        name = system.name
    assert name.startswith(row.partition(":")[0])
    assert "/" not in name


@pytest.mark.parametrize("row", [row for row in ALL if row not in WITHOUT_MODEL])
def test_a_system_that_needs_a_model_says_so(row: str) -> None:
    with pytest.raises(InvalidInput, match=r"(?i)model"):
        make_systems([row], kit_of(None))


@pytest.mark.parametrize(
    ("row", "with_model"),
    [*((row, True) for row in ALL if can_ask(row)), *((row, False) for row in WITHOUT_MODEL if can_ask(row))],
)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(
    texts=CORPORA, tokens=st.integers(1, 150), words=st.sampled_from(["maples", "the", "", "zebra 42", "cool x water"])
)
def test_what_is_shown_stays_within_the_allowance(
    row: str,
    with_model: bool,
    obliging_model: Callable[[Request], str],
    corpus_of: Callable[..., ChunkedCorpus],
    texts: list[list[str]],
    tokens: int,
    words: str,
) -> None:
    kit = kit_of(obliging_model if with_model else None)
    corpus = corpus_of([" ".join(text) for text in texts], size=20)
    query = Query(task_id="t", kind="question", text=words, metadata={"conclusion": "so it ends " * 30})
    with opened(row, kit) as system:
        system.ingest(corpus, ())
        output = ask(system, query, tokens)
    spent = sum(kit.count(each.text) for each in output.shown)
    if row.startswith(OWN_WINDOW):
        assert spent <= 4096 - 50
    else:
        assert spent <= tokens
        assert sum(kit.price(number, each.text) for number, each in enumerate(output.shown, 1)) <= tokens
    known = {piece.id for piece in corpus.pieces}
    for each in output.shown:
        assert each.kind in get_args(ShownKind)
        assert each.text.strip()
        assert set(each.roots) <= known
        assert list(each.roots) == sorted(set(each.roots))
        assert each.level >= 1
        assert each.kind in {"summary", "thought", "testimony"} or each.level == 1 or row == "recomp:abstractive"
    assert len({each.id for each in output.shown}) == len(output.shown)


@pytest.mark.parametrize("row", [row for row in ALL if can_ask(row)])
def test_the_same_again_is_the_same(
    row: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus]
) -> None:
    outputs = []
    for _ in range(2):
        with opened(row, kit_of(obliging_model)) as system:
            system.ingest(corpus_of(TEXTS), ())
            outputs.append(ask(system))
            system.reset()
            system.ingest(corpus_of(TEXTS), ())
            outputs.append(ask(system))
    assert outputs[0] == outputs[1] == outputs[2] == outputs[3]


@pytest.mark.parametrize("row", [row for row in ALL if can_ask(row)])
def test_reset_forgets_and_an_empty_corpus_has_nothing_to_show(
    row: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus]
) -> None:
    with opened(row, kit_of(obliging_model)) as system:
        before = ask(system)
        system.ingest(corpus_of(TEXTS), ())
        full = ask(system)
        system.reset()
        after = ask(system)
        system.ingest(corpus_of({}), ())
        empty = ask(system)
    assert before.shown == after.shown == empty.shown == ()
    assert bool(full.shown) == (not row.startswith(("testimony", "response-direct")))
    assert full.text
    assert empty.text  # nothing was found, and the model is asked all the same


@pytest.mark.parametrize("row", [row for row in ALL if can_ask(row)])
def test_what_is_read_later_comes_to_what_is_there(
    row: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus]
) -> None:
    with opened(row, kit_of(obliging_model)) as system:
        system.ingest(corpus_of({"a": TEXTS[1]}), ())
        system.ingest(corpus_of({"b": TEXTS[0]}), ())
        shown = ask(system, tokens=300).shown
    if row.startswith(("testimony", "response-direct")):
        return
    assert any(root.startswith("b#") for each in shown for root in each.roots)


@pytest.mark.parametrize("row", [row for row in ALL if can_ask(row)])
def test_a_search_is_ranked_by_chunks_and_nothing_is_written(
    row: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus]
) -> None:
    kit = kit_of(obliging_model)
    corpus = corpus_of(TEXTS)
    query = Query(task_id="t", kind="search", text="maples drink water")
    with opened(row, kit) as system:
        system.ingest(corpus, ())
        output = ask(system, query)
    ids = [key for key, _ in output.ranking]
    scores = [score for _, score in output.ranking]
    assert output.text == ""
    assert len(set(ids)) == len(ids)
    assert set(ids) <= {piece.id for piece in corpus.pieces}
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("row", ALL)
def test_closing_twice_is_fine(
    row: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus]
) -> None:
    with opened(row, kit_of(obliging_model)) as system:
        system.ingest(corpus_of(TEXTS), ())
        system.close()


@pytest.mark.parametrize("row", ALL)
def test_no_system_but_an_oracle_sees_what_is_to_be_found(row: str, tiny: Dataset) -> None:
    """Neither references nor gold nor the conclusion come into a prompt, but the conclusion into the row made of it."""
    asked: list[str] = []

    def say(request: Request) -> str:
        asked.extend(message.content for message in request.messages)
        return "Nothing."

    kit = kit_of(say)
    secret = Task(
        id="s", corpus_id="city", kind="question", query="Which trees drink most?", references=("CANARYREFERENCE",),
        gold=tiny.tasks[0].gold, metadata={"conclusion": "CANARYCONCLUSION"},
    )  # fmt: skip
    corpus = chunk_corpora(tiny, kit.embedder.count, Cutting(size=30))["city"]
    with opened(row, kit) as system:
        system.ingest(corpus, ())
        assert isinstance(system, SeesGold) == row.startswith("oracle")
        if isinstance(system, SeesGold):
            system.reveal(secret)
        output = system.answer(Query.of(secret), Allowance(context_tokens=100, answer_tokens=20))
    everything = " ".join([*asked, *(each.text for each in output.shown)])
    assert "CANARYREFERENCE" not in everything
    assert ("CANARYCONCLUSION" in everything) == (row == "intro+conclusion")


@pytest.mark.parametrize("row", ["bm25:x", "tf-idf:x", "left:x", "right:x", "full:middle", "reader:nobody", "reader:openorca-8k:up",
                                 "intro+conclusion:x", "recomp:other", "recomp:extractive:none", "recomp:extractive:0", "hralm:x",
                                 "memwalker:x", "ircot:tf-idf", "oracle:both", "retriever-origin:x", "response-direct:x",
                                 "dense:none", "hybrid:none", "no-such-system"])  # fmt: skip
def test_an_argument_that_means_nothing_is_refused(row: str, obliging_model: Callable[[Request], str]) -> None:
    with pytest.raises(InvalidInput, match=r".{20}"):
        make_systems([row], kit_of(obliging_model))


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="extra st is installed")
@pytest.mark.parametrize("row", sorted(NEED_WEIGHTS - {"nv-embed"}))
def test_a_named_model_without_the_extra_names_the_extra(row: str, corpus_of: Callable[..., ChunkedCorpus]) -> None:
    with opened(row, kit_of(None)) as system, pytest.raises(MissingExtra, match=r"thinkback\[st\]"):
        system.ingest(corpus_of(TEXTS), ())


@pytest.mark.parametrize(
    ("row", "package"),
    [("bm25", "bm25s"), ("tf-idf", "sklearn.feature_extraction.text"), ("hybrid", "Stemmer"), ("hralm", "sklearn.mixture"),
     ("oracle:reference", "rouge_score.tokenizers")],
)  # fmt: skip
def test_without_the_extra_of_the_bench_its_name_is_said(
    row: str, package: str, obliging_model: Callable[[Request], str], corpus_of: Callable[..., ChunkedCorpus],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, package, None)
    oracle._splitter.cache_clear()
    with opened(row, kit_of(obliging_model)) as system, pytest.raises(MissingExtra, match=r"thinkback\[bench\]"):
        system.ingest(corpus_of(TEXTS), ())
        ask(system)
