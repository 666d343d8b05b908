"""The oracle: gold where there is some, and the greedy cover of the reference, by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Output, Query
from thinkback.bench.records import Dataset, Gold, Task
from thinkback.bench.run import Cutting, chunk_corpora
from thinkback.bench.systems.oracle import Coverage, Oracle
from thinkback.errors import InvalidInput

Passages = Callable[..., ChunkedCorpus]


def ask(kit: Kit, corpus: ChunkedCorpus, *, way: str = "", tokens: int = 100, **task: object) -> Output:
    system = Oracle(kit, way=way)
    system.ingest(corpus, ())
    revealed = Task(**{"id": "t", "corpus_id": "c", "kind": "summary", "query": "Write.", **task})  # type: ignore[arg-type]
    system.reveal(revealed)
    return system.answer(Query.of(revealed), Allowance(context_tokens=tokens))


# --- the cover -----------------------------------------------------------------------------------------------------
def test_recall_of_words_and_pairs_by_hand() -> None:
    """The reference "a b a c" has 4 words (a twice) and 3 pairs: ab, ba, ac."""
    coverage = Coverage([*"abac"], [[*"ab"], [*"caca"], [*"xy"]])
    #       words: a + b = 2/4, pairs: ab = 1/3   words: a a c = 3/4, pairs: ac = 1/3 (ca is not in it)
    assert coverage.gains() == pytest.approx([2 / 4 + 1 / 3, 3 / 4 + 1 / 3, 0.0])
    coverage.take(1)
    assert coverage.value() == pytest.approx(3 / 4 + 1 / 3)
    assert coverage.gains() == pytest.approx([1 / 4 + 1 / 3, 0.0, 0.0])  # its second a counts no more, b and ab do
    coverage.take(0)
    assert coverage.value() == pytest.approx(1 + 2 / 3)  # ba is in no text


def recall(reference: list[str], texts: list[list[str]]) -> float:
    """Return ROUGE-1 and ROUGE-2 recall by their definition."""
    total = 0.0
    for n in (1, 2):
        wanted, *found = (Counter(zip(*(words[at:] for at in range(n)), strict=False)) for words in (reference, *texts))
        total += sum(min(count, sum(one[gram] for one in found)) for gram, count in wanted.items()) / wanted.total()
    return total


@given(
    st.lists(st.sampled_from("abcd"), min_size=2, max_size=15),
    st.lists(st.lists(st.sampled_from("abcde"), max_size=10), min_size=1, max_size=6),
)
def test_counting_up_is_counting_anew(reference: list[str], texts: list[list[str]]) -> None:
    coverage = Coverage(reference, texts)
    for number in range(len(texts)):
        taken = texts[:number]
        expected = [recall(reference, [*taken, text]) - recall(reference, taken) for text in texts]
        assert coverage.value() == pytest.approx(recall(reference, taken))
        assert coverage.gains() == pytest.approx(expected)
        coverage.take(number)


def test_chunks_are_taken_by_what_they_add_and_shown_in_the_order_of_the_text(
    kit_without_model: Kit, passages: Passages
) -> None:
    texts = [
        "roofs cool the top floor",
        "maples drink water at night",
        "maples drink water",
        "white roofs",
        "boats sail",
    ]
    output = ask(kit_without_model, passages(texts), references=("Maples drink water at night. White roofs cool.",))
    assert [each.id for each in output.shown] == ["d0#0", "d1#0", "d3#0"]  # d2 adds nothing to d1, d4 nothing at all
    assert output.details["oracle"] == "reference"
    gains = {each.id: each.score for each in output.shown}
    assert gains["d1#0"] > gains["d0#0"] > 0


def test_the_reference_that_can_be_covered_best_counts(kit_without_model: Kit, passages: Passages) -> None:
    texts = ["maples drink water", "boats sail south"]
    output = ask(kit_without_model, passages(texts), references=("Zebras play chess.", "Boats sail.", " "))
    assert [each.id for each in output.shown] == ["d1#0"]
    assert output.details["recall"] == pytest.approx(2.0)


def test_a_chunk_too_large_for_the_rest_is_passed_over(kit_without_model: Kit, passages: Passages) -> None:
    large = "maples drink water at night and " + "so on " * 30
    texts = [large, "maples drink", "water at night " * 6]
    output = ask(kit_without_model, passages(texts), tokens=25, references=("Maples drink water at night.",))
    assert [each.id for each in output.shown] == ["d2#0"]  # then 7 tokens are left, which no item is looked for with


# --- gold ----------------------------------------------------------------------------------------------------------
def test_gold_goes_before_the_reference(tiny: Dataset, kit_without_model: Kit) -> None:
    corpus = chunk_corpora(tiny, kit_without_model.embedder.count, Cutting())["city"]
    task = {"references": ("White roofs reflect light.",), "gold": tiny.tasks[0].gold}
    assert [each.id for each in ask(kit_without_model, corpus, **task).shown] == ["trees#2"]
    by_reference = ask(kit_without_model, corpus, way="reference", **task)
    assert by_reference.shown[0].id == "roofs#0"
    assert by_reference.details["oracle"] == "reference"
    assert ask(kit_without_model, corpus, way="gold", **task).details == {"oracle": "gold", "gold": 1}


def test_higher_grades_go_first_where_not_all_fit(passages: Passages, kit_without_model: Kit) -> None:
    texts = [f"text {number} {'word ' * 18}" for number in range(4)]
    gold = tuple(
        Gold(document_id=f"d{number}", start=0, end=9, grade=grade) for number, grade in enumerate((1, 2, 0, 2))
    )
    output = ask(kit_without_model, passages(texts), tokens=45, gold=gold)
    assert [each.id for each in output.shown] == ["d1#0", "d3#0"]
    search = ask(kit_without_model, passages(texts), tokens=45, gold=gold, kind="search")
    assert search.ranking == (("d1#0", 2.0), ("d3#0", 2.0), ("d0#0", 1.0))


# --- what it refuses -----------------------------------------------------------------------------------------------
def test_it_refuses_tasks_that_it_knows_nothing_about(passages: Passages, kit_without_model: Kit) -> None:
    corpus = passages(["maples drink"])
    with pytest.raises(InvalidInput, match="no gold evidence"):
        ask(kit_without_model, corpus, way="gold", references=("Maples.",))
    with pytest.raises(InvalidInput, match="no reference"):
        ask(kit_without_model, corpus, references=(" ",))
    system = Oracle(kit_without_model)
    with pytest.raises(InvalidInput, match="not revealed"):
        system.answer(Query(task_id="other", kind="summary", text="Write."), Allowance())
