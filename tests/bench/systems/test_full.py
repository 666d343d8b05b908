"""Reading everything, from either end, to the token; and reading nothing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.records import Kind
from thinkback.bench.systems import make_systems
from thinkback.bench.systems.long_readers import long_readers
from thinkback.bench.systems.window import longest_beginning, longest_end, shortened
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import ModelTraits, Request

Corpora = Callable[..., ChunkedCorpus]
NUMBERS = " ".join(f"n{number}" for number in range(400))


def kit_of(*, window: int = 300, id: str = "scripted", local: bool = False) -> tuple[Kit, list[Request]]:  # noqa: A002
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return "Written."

    model = ScriptedGenerator(say, traits=ModelTraits(context_window=window, local=local), id=id)
    return Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(model)), asked


def show(row: str, kit: Kit, corpus: ChunkedCorpus, tokens: int = 50, **query: object) -> Output:
    (system,) = make_systems([row], kit)
    system.ingest(corpus, ())
    asked = Query(task_id="t", kind="question", text="What is it?", **query)  # type: ignore[arg-type]
    return system.answer(asked, Allowance(context_tokens=tokens, answer_tokens=20))


# --- cutting -------------------------------------------------------------------------------------------------------
def words(text: str) -> int:
    return len(text.split())


@given(st.text(alphabet="ab \n", max_size=300), st.integers(0, 40))
def test_the_longest_part_of_whole_words_by_a_count_of_words(text: str, most: int) -> None:
    beginning, end = (
        longest_beginning(text, lambda part: words(part) <= most),
        longest_end(text, lambda p: words(p) <= most),
    )
    assert text.startswith(beginning)
    assert text.endswith(end)
    if all(len(word) < 60 for word in text.split()):
        assert beginning.split() == text.split()[:most]
        assert end.split() == (text.split()[-most:] if most else [])


def test_a_real_tokenizer_takes_no_further_word() -> None:
    file = resources.files("thinkback.embed") / "data" / "minilm-tokenizer.json"
    tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    text = "Unquestionably antidisestablishmentarian maples overtranspire, don't they? " * 2000
    for most in (1, 2, 7, 100, 1999):
        part = shortened(text, most, count)
        following = text[len(part) :].split(maxsplit=1)[0]
        assert count(part) <= most < count(f"{part} {following}")
    assert len(counted) < 5 * 40
    assert max(counted) < len(text) / 2  # a part of the text is counted, never all of it


@pytest.mark.parametrize("text", ["漢字" * 500, "x" * 1000])
def test_text_without_blanks_is_cut_where_it_must_be(text: str) -> None:
    assert longest_beginning(text, lambda part: len(part) <= 300) == text[:300]
    assert longest_end(text, lambda part: len(part) <= 300) == text[-300:]


def test_a_count_that_falls_where_text_grows_is_not_trusted() -> None:
    """Tokenizers join what follows: here a text of odd length costs more than the next longer one."""
    part = longest_beginning("y" * 500, lambda part: len(part) + 30 * (len(part) % 2) <= 300)
    assert len(part) + 30 * (len(part) % 2) <= 300
    assert len(part) > 260


# --- within the allowance ------------------------------------------------------------------------------------------
def test_left_and_right_fill_the_allowance_to_the_token(corpus_of: Corpora) -> None:
    kit, _ = kit_of()
    corpus = corpus_of({"a": NUMBERS[:1000], "b": NUMBERS[1001:]}, size=20)
    (left,), (right,) = show("left", kit, corpus).shown, show("right", kit, corpus).shown
    everything = [*NUMBERS[:1000].split(), *NUMBERS[1001:].split()]
    fitting = 50 - kit.price(1, "")
    assert left.text.split() == everything[:fitting]
    assert right.text.split() == everything[-fitting:]
    assert (left.kind, left.level) == ("text", 1.0)


def test_the_roots_of_a_text_are_the_chunks_of_which_half_is_in_it(passages: Corpora, kit_without_model: Kit) -> None:
    corpus = passages(["one two three four", "five six seven eight", "nine ten"])
    (left,) = show("left", kit_without_model, corpus, 6).shown
    assert left.text == "one two three four\n\nfive six"
    assert left.roots == ("d0#0",)  # "five six" is 8 of the 20 letters of its chunk
    (more,) = show("left", kit_without_model, corpus, 7).shown
    assert more.roots == ("d0#0", "d1#0")
    (right,) = show("right", kit_without_model, corpus, 3).shown
    assert right.text == "eight\n\nnine ten"
    assert right.roots == ("d2#0",)


def test_the_conclusion_comes_behind_the_beginning(corpus_of: Corpora) -> None:
    kit, asked = kit_of(window=4000)
    conclusion = " ".join(f"c{number}" for number in range(1000))
    for tokens, most in ((2000, 400), (100, 50)):
        output = show("intro+conclusion", kit, corpus_of([NUMBERS * 9]), tokens, metadata={"conclusion": conclusion})
        beginning, ending = output.shown
        assert ending.text.split() == conclusion.split()[: most - kit.price(2, "")]
        assert beginning.text.split() == (NUMBERS * 9).split()[: tokens - most - kit.price(1, "")]
        assert (ending.id, ending.roots) == ("conclusion", ())
        assert beginning.text in asked[-1].messages[1].content
        assert ending.text in asked[-1].messages[1].content
    assert show("intro+conclusion", kit, corpus_of([NUMBERS])).shown == show("left", kit, corpus_of([NUMBERS])).shown


# --- within the window ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("row", ["full", "full:left", "full:right", "reader:300", "reader:300:right"])
def test_a_reader_fills_the_window_and_leaves_room_for_prompt_and_answer(row: str, corpus_of: Corpora) -> None:
    kit, asked = kit_of(window=300)
    output = show(row, kit, corpus_of([NUMBERS]), 50)
    prompt = sum(kit.count(message.content) for message in asked[0].messages)
    assert prompt + 20 <= 300
    assert prompt + 20 > 300 - 70  # what a chat template may add
    shown = output.shown[0].text.split()
    assert shown == (NUMBERS.split()[-len(shown) :] if row.endswith("right") else NUMBERS.split()[: len(shown)])
    assert output.details == {"characters": len(output.shown[0].text), "of": len(NUMBERS)}


def test_a_window_too_small_for_the_prompt_shows_nothing(corpus_of: Corpora) -> None:
    kit, _ = kit_of(window=50)
    assert show("full:left", kit, corpus_of([NUMBERS])).shown == ()


def test_the_papers_readers_are_named_with_their_windows(corpus_of: Corpora) -> None:
    assert {name: entry.window for name, entry in long_readers().items()} == {
        "openorca-8k": 8192, "nous-hermes-32k": 32768
    }  # fmt: skip
    text = NUMBERS * 50
    endpoint, _ = kit_of(window=100_000, id="openai:Open-Orca/mistral-7b-openorca@here")
    file, _ = kit_of(window=4096, id="gguf:mistral-7b-openorca.Q4_K_M-abc", local=True)
    sizes = [len(show("reader:openorca-8k", kit, corpus_of([text])).shown[0].text.split()) for kit in (endpoint, file)]
    assert 8192 - 200 < sizes[0] < 8192
    assert 4096 - 200 < sizes[1] < 4096


def test_a_named_reader_is_not_another_model() -> None:
    kit, _ = kit_of(id="openai:qwen-7b")
    with pytest.raises(InvalidInput, match=r"qwen-7b.*reader:TOKENS"):
        make_systems(["reader:nous-hermes-32k"], kit)


# --- without any text ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "given"),
    [("abstract", ""), ("question", ""), ("related_work", "Title: On trees\nAbstract: We plant.\n\n")],
)
def test_an_answer_without_sources_is_told_what_the_other_rows_are_told(
    kind: Kind, given: str, corpus_of: Corpora
) -> None:
    kit, asked = kit_of(window=4000)
    (system,) = make_systems(["response-direct"], kit)
    system.ingest(corpus_of([NUMBERS]), ("asked before?",))
    query = Query(task_id="t", kind=kind, text="Write it.", metadata={"title": "On trees", "abstract": "We plant."})
    output = system.answer(query, Allowance(answer_tokens=33))
    (request,) = asked
    assert (output.text, output.shown, request.max_tokens) == ("Written.", (), 33)
    assert request.messages[1].content == f"{given}Write it."
    assert "item" not in request.messages[0].content


def test_without_a_model_there_is_no_answer_without_sources(kit_without_model: Kit) -> None:
    (system,) = make_systems(["response-direct"], kit_without_model)
    assert system.answer(Query(task_id="t", kind="question", text="?"), Allowance()) == Output(text="", shown=())
