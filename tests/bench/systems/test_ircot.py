"""IRCoT: what each sentence of the reasoning brings in, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.meter import MeteredGenerator
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.systems import make_systems
from thinkback.embed.hashing import HashingEmbedder
from thinkback.llm.scripted import ScriptedGenerator
from thinkback.ports import Request

Passages = Callable[..., ChunkedCorpus]
CHAIN = [
    "Lost Gravity is a roller coaster made by Mack Rides in some year of this century.",
    "Mack Rides is a company from Waldkirch, where many makers of organs worked as well.",
    "Waldkirch lies in Germany, east of the river Rhine, at the foot of a mountain.",
    "Bread is baked in ovens all over the world, mostly early in the morning.",
]
QUERY = Query(task_id="t", kind="question", text="In which country was Lost Gravity made?")


class Reasoner:
    """Says one sentence after the other, and answers at the end."""

    def __init__(self, *sentences: str) -> None:
        self.steps: list[str] = []
        self.answers: list[str] = []
        self._sentences = list(sentences)

    def __call__(self, request: Request) -> str:
        content = request.messages[1].content
        if "Steps so far" in content:
            self.steps.append(content)
            assert request.max_tokens == 100
            return self._sentences.pop(0)
        self.answers.append(content)
        return "Germany"


def reason(
    passages: Passages,
    *sentences: str,
    texts: Sequence[str] = CHAIN,
    tokens: int = 400,
    row: str = "ircot",
    query: Query = QUERY,
) -> tuple[Output, Reasoner]:
    reasoner = Reasoner(*sentences)
    kit = Kit(embedder=HashingEmbedder(), llm=MeteredGenerator(ScriptedGenerator(reasoner)))
    (system,) = make_systems([row], kit)
    system.ingest(passages(texts), ())
    return system.answer(query, Allowance(context_tokens=tokens, answer_tokens=20)), reasoner


def test_each_sentence_brings_in_what_the_question_does_not_find(passages: Passages) -> None:
    output, reasoner = reason(
        passages,
        "The coaster is by Mack Rides. It opened in spring.",
        "Mack Rides is in Waldkirch.",
        "So the answer is: Germany.",
    )
    assert [each.id for each in output.shown] == ["d0#0", "d1#0", "d2#0"]  # in the order in which they were found
    first, second, third = reasoner.steps
    assert "(none)" in first
    assert "Waldkirch" not in first
    assert "opened in spring" not in second  # one sentence a step, whatever else was said
    assert "company from Waldkirch" in second
    assert "lies in Germany" in third
    assert output.text == "Germany"
    assert "Steps so far" not in reasoner.answers[0]
    assert output.details == {"steps": 3, "answered": True}


def test_it_ends_after_eight_sentences(passages: Passages) -> None:
    output, reasoner = reason(passages, *(f"Thought {number} leads nowhere yet." for number in range(9)))
    assert output.details == {"steps": 8, "answered": False}
    assert len(reasoner.answers) == 1


def test_it_ends_where_the_model_repeats_itself_or_says_nothing(passages: Passages) -> None:
    assert reason(passages, "Mack Rides made it.", "Mack Rides made it.")[0].details["steps"] == 1
    assert reason(passages, "  ")[0].details["steps"] == 0


def test_it_ends_where_there_is_no_room_for_more(passages: Passages) -> None:
    texts = [
        f"Gravity fact {number}, which takes up some room with its many words, as these are." for number in range(20)
    ]
    output, reasoner = reason(passages, *(f"Gravity thought {number}." for number in range(9)), texts=texts, tokens=100)
    assert 1 <= len(reasoner.steps) < 8
    assert len(output.shown) == 5  # of 15 words and a frame of 5 each


def test_a_step_adds_at_most_four_chunks_and_a_quarter_of_the_allowance(passages: Passages) -> None:
    short = [
        f"Gravity fact number {number} and twelve more words that all of these texts have in common here."
        for number in range(40)
    ]
    output, _ = reason(passages, "So the answer is: gravity.", texts=short, tokens=4000)
    assert len(output.shown) == 4
    output, _ = reason(passages, "So the answer is: gravity.", texts=short, tokens=200)
    assert len(output.shown) == 2  # of 23 words each with its frame; a third would be more than 50


def test_chunks_larger_than_a_quarter_come_one_at_a_time(passages: Passages) -> None:
    long = [f"Gravity fact {number}: {'word ' * 40}" for number in range(5)]
    output, _ = reason(passages, "So the answer is: gravity.", texts=long, tokens=120)
    assert len(output.shown) == 1


def test_a_question_without_hits_reasons_all_the_same(passages: Passages) -> None:
    query = Query(task_id="t", kind="question", text="Zebra?")
    output, reasoner = reason(passages, "Zebras are like Mack Rides.", "So the answer is: stripes.", query=query)
    assert "Mack" not in reasoner.steps[0]
    assert output.shown[0].id in {"d0#0", "d1#0"}


def test_an_empty_corpus_is_not_reasoned_about(passages: Passages) -> None:
    output, reasoner = reason(passages, texts=[])
    assert reasoner.steps == []
    assert output.text == "Germany"


def test_the_retriever_can_be_the_runs_embedder(passages: Passages) -> None:
    output, _ = reason(passages, "So the answer is: Germany.", row="ircot:dense")
    assert output.shown[0].id == "d0#0"
    assert len(output.shown) == 4  # dense retrieval ranks everything, BM25 only what shares a word
    search = Query(task_id="t", kind="search", text=QUERY.text)
    output, _ = reason(passages, "So the answer is: Germany.", row="ircot:dense", query=search)
    assert [score for _, score in output.ranking] == [4.0, 3.0, 2.0, 1.0]
