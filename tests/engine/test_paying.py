"""An embedder that is paid, and a model that thinks too long: what they cost is in the books, and held within the budgets."""

from __future__ import annotations

import json

import httpx2
import numpy as np
import pytest

from thinkback.config import Budget, load_preset
from thinkback.embed.cached import CachedEmbedder
from thinkback.embed.hashing import HashingEmbedder
from thinkback.embed.openai import OpenAIEmbedder
from thinkback.errors import BudgetExceeded, ModelUnavailable
from thinkback.llm.openai import OpenAIGenerator
from thinkback.ports import ModelTraits

QUESTION = "When was the harbour bridge opened?"
PRICE = 1000.0  # per million tokens


class Endpoint:
    """Embeds as the hashing embedder does, and bills a token for each word."""

    def __init__(self) -> None:
        self.inner = HashingEmbedder(dimension=64)
        self.billed = 0
        self.texts: list[str] = []
        self.requests = 0
        self.silent = False
        """Whether it says nothing of what it bills."""
        self.fails_at: int | None = None
        self.client = httpx2.Client(transport=httpx2.MockTransport(self))

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests += 1
        if self.requests == self.fails_at:
            return httpx2.Response(503, json={"error": {"message": "no"}})
        texts = json.loads(request.content)["input"]
        self.texts += texts
        tokens = sum(len(text.split()) for text in texts)
        self.billed += tokens
        vectors = self.inner.embed(texts, kind="document").tolist()
        body = {"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}
        return httpx2.Response(200, json=body if self.silent else {**body, "usage": {"prompt_tokens": tokens}})

    def embedder(self, **changes):
        given = {"dimension": 64, "money_per_million": PRICE, "first_wait": 0, "attempts": 1, **changes}
        return CachedEmbedder(
            OpenAIEmbedder("m", base_url="http://here/v1", http_client=self.client, count=_words, **given)
        )


def _words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def endpoint():
    return Endpoint()


@pytest.fixture
def paying(make_engine, endpoint):
    """Return what opens an engine over the paid embedder."""

    def make(**changes):
        embedding = changes.pop("embedding", {})
        return make_engine(embedder=endpoint.embedder(**embedding), **changes)

    return make


# --- counting ------------------------------------------------------------------------------------------------------
def test_adding_says_what_it_cost_and_the_books_have_it(paying, endpoint, bridge, tunnel):
    engine = paying()
    report = engine.add([bridge, tunnel])
    assert report.usage.embedded_tokens == endpoint.billed > 0
    assert report.usage.embedding_calls == endpoint.requests == 1
    assert report.usage.money == pytest.approx(endpoint.billed * PRICE / 1e6)
    assert engine.stats().usage.embedded_tokens == endpoint.billed
    assert engine.stats().usage.calls == 0
    assert engine.add([bridge, tunnel]).usage.embedded_tokens == 0


def test_a_question_counts_its_own_embedding_and_that_of_its_notes(paying, endpoint, bridge):
    engine = paying()
    engine.add(bridge)
    before = endpoint.billed
    answer = engine.ask(QUESTION)
    assert [outcome.status for outcome in answer.outcomes] == ["stored"]
    assert answer.usage.embedded_tokens == endpoint.billed - before > _words(QUESTION)
    assert answer.usage.calls == 2
    assert answer.usage.tokens == (
        answer.usage.prompt_tokens + answer.usage.completion_tokens + answer.usage.embedded_tokens
    )
    again = engine.ask(QUESTION)
    assert again.cached
    assert again.usage.tokens == 0  # its vector is remembered


def test_whatever_is_done_the_books_say_what_the_endpoint_billed(paying, endpoint, bridge, tunnel, tmp_path, clock):
    engine = paying(excerpt_tokens_small=20, traits=ModelTraits(context_window=8192))
    engine.add(bridge, doc_id="bridge")
    engine.ask(QUESTION)
    engine.search("eight lanes")
    engine.learn("Who built the pier?", "The pier was built by the town.", source="a guide")
    thought = engine.get_all()[0]
    engine.update(thought.id, "The harbour bridge was opened in 1932.")
    engine.invalidate(thought.id)
    engine.restore(thought.id)
    engine.update("bridge", tunnel)
    engine.refresh()
    engine.export(tmp_path / "bundle.jsonl")
    assert engine.stats().usage.embedded_tokens == endpoint.billed
    engine.import_(tmp_path / "bundle.jsonl", namespace="copy")
    engine.reindex()
    there = sum(engine.stats(namespace=name).usage.embedded_tokens for name in ("default", "copy"))
    assert there == endpoint.billed
    assert engine.stats(namespace="copy").usage.embedded_tokens > 0


def test_excerpts_are_counted(paying, endpoint, bridge, script):
    script.answer = json.dumps(
        {"evidence": [{"item": 1, "quote": "opened in 1932"}], "found": True, "answer": "It was opened in 1932."}
    )
    engine = paying(excerpt_tokens_small=20, traits=ModelTraits(context_window=8192, evidence_first=True))
    engine.add(bridge)
    before = endpoint.billed
    answer = engine.ask(QUESTION, remember=False)
    assert answer.usage.embedded_tokens == endpoint.billed - before > _words(bridge)


def test_fitting_the_thresholds_is_paid_by_the_namespace_that_needs_them_first(paying, endpoint, bridge):
    engine = paying()
    engine.add(bridge)
    before = endpoint.billed

    def measure(preset, embedder):
        embedder.embed(["eleven words"] * 3, kind="document")
        return load_preset(preset, related=0.9)

    engine._parts.retune = measure
    answer = engine.ask(QUESTION, remember=False)
    assert endpoint.billed - before == 2 + _words(QUESTION)  # a text that occurs three times is sent once
    assert answer.usage.embedded_tokens == _words(QUESTION)
    assert engine.stats().usage.embedded_tokens == endpoint.billed
    assert engine._parts.preset.related == 0.9


def test_an_endpoint_that_counts_nothing_is_counted_by_us(paying, endpoint, bridge):
    endpoint.silent = True
    usage = paying().add(bridge).usage
    assert usage.embedded_tokens == endpoint.billed
    assert usage.estimated


def test_what_a_failing_call_had_cost_is_counted(paying, endpoint):
    endpoint.fails_at = 2
    engine = paying(embedding={"batch_texts": 1})
    report = engine.add(["One text about ferries.", "Another text about trams."])
    assert [result.status for result in report] == ["failed", "failed"]
    assert engine.stats().usage.embedded_tokens == endpoint.billed > 0


def test_looking_for_the_dimension_is_counted_with_the_first_text(endpoint, make_engine, bridge):
    embedder = endpoint.embedder(dimension=None)
    engine = make_engine(embedder=embedder)  # a new store has to know how long vectors are
    assert endpoint.requests == 1
    engine.add(bridge)
    assert engine.stats().usage.embedded_tokens == endpoint.billed
    assert engine.stats().usage.embedding_calls == 2


# --- budgets -------------------------------------------------------------------------------------------------------
TEXTS = [f"Text number {number}: the ferry of line {number} leaves at {number} every day." for number in range(4)]


@pytest.mark.parametrize("limit", ["day_tokens", "namespace_tokens", "day_money", "namespace_money"])
def test_a_budget_stops_an_add_and_what_was_done_is_kept(paying, endpoint, limit):
    room = _words(TEXTS[0]) * 5 // 2
    engine = paying(budget=Budget(**{limit: room * PRICE / 1e6 if limit.endswith("money") else room}))
    with pytest.raises(BudgetExceeded, match="2 of 4 sources were done before, and are kept") as caught:
        engine.add(TEXTS)
    report = caught.value.report
    assert [result.status for result in report] == ["added", "added", "failed", "failed"]
    assert all("budget" in result.reason for result in list(report)[2:])
    assert [result.uri for result in report if not result.uri] == []
    assert endpoint.texts == TEXTS[:2]
    assert len(engine.documents()) == 2
    assert engine.stats().usage.embedded_tokens == report.usage.embedded_tokens == endpoint.billed <= room
    assert len(engine.add(TEXTS[2:], namespace="other")) == 2


def test_nothing_is_sent_of_a_document_that_the_budget_has_no_room_for(paying, endpoint):
    long = "\n\n".join(f"Paragraph {number} is about the tides of the {number}. day." for number in range(400))
    engine = paying(budget=Budget(day_tokens=2000), chunk_size=30)
    with pytest.raises(BudgetExceeded, match="day's budget is 2000"):
        engine.add(long, progress=lambda *_: None)
    assert endpoint.requests == 0
    assert engine.documents() == ()


def test_an_update_that_the_budget_has_no_room_for_leaves_the_document_as_it_was(paying, endpoint, bridge, tunnel):
    engine = paying(budget=Budget(namespace_tokens=_words(bridge) + 3))
    engine.add(bridge, doc_id="bridge")
    with pytest.raises(BudgetExceeded):
        engine.update("bridge", tunnel)
    assert engine.text("bridge") == bridge


def test_the_budget_of_a_question_holds_for_its_embedding_and_not_for_adding(paying, endpoint, bridge, script):
    engine = paying(budget=Budget(question_tokens=_words(QUESTION) - 1))
    engine.add(bridge)
    sent = endpoint.requests
    with pytest.raises(BudgetExceeded, match="question's budget"):
        engine.ask(QUESTION)
    assert endpoint.requests == sent
    assert script.seen == []


def test_a_remembered_question_costs_nothing_and_passes(paying, bridge):
    engine = paying(budget=Budget(namespace_money=1.0))
    engine.add(bridge)
    engine.search(QUESTION)
    spent = engine.stats().usage.money
    poor = Budget(namespace_money=spent)
    engine._parts.budget = poor
    assert engine.search(QUESTION)
    with pytest.raises(BudgetExceeded):
        engine.search("Something else?")


def test_reindexing_is_refused_before_the_vectors_go(paying, endpoint, bridge):
    engine = paying()
    engine.add(bridge)
    sent = endpoint.requests
    engine._parts.budget = Budget(namespace_tokens=_words(bridge) + 5)
    with pytest.raises(BudgetExceeded):
        engine.reindex()
    assert endpoint.requests == sent
    engine._parts.budget = Budget()
    assert engine.search(bridge.split(".", maxsplit=1)[0], min_score=0.1)


def test_importing_is_refused_before_anything_is_sent(paying, endpoint, bridge, tmp_path):
    engine = paying()
    engine.add(bridge)
    engine.export(tmp_path / "bundle.jsonl")
    engine._parts.budget = Budget(namespace_tokens=5)
    sent = endpoint.requests
    with pytest.raises(BudgetExceeded):
        engine.import_(tmp_path / "bundle.jsonl", namespace="copy")
    assert endpoint.requests == sent
    assert engine.documents(namespace="copy") == ()


def test_notes_over_the_budget_leave_the_answer_and_a_reason(paying, endpoint, bridge, script):
    engine = paying(answer_tokens=50, max_atoms=1)
    engine.add(bridge)
    script.distil = json.dumps(
        {"valid": True, "atoms": [{"text": "The bridge was opened in 1932.", "items": [1], "overview": False}]}
    )
    whole = engine.ask(QUESTION).usage
    engine.delete([thought.id for thought in engine.get_all()])
    # What the first question took, less a token of its note: the note's vector alone does not fit any more.
    poor = Budget(question_tokens=whole.tokens - 1)
    engine._parts.preset = load_preset(engine._parts.preset, answer_tokens=whole.completion_tokens)
    answer = engine.ask(f"{QUESTION} ", budget=poor)
    assert answer.found
    assert [outcome.status for outcome in answer.outcomes] == ["over_budget"]
    assert answer.usage.tokens <= whole.tokens


def test_an_unreachable_endpoint_leaves_nothing_reserved(paying, endpoint, bridge):
    endpoint.fails_at = 1
    engine = paying(budget=Budget(day_tokens=10_000))
    assert [result.status for result in engine.add(bridge)] == ["failed"]
    assert engine.stats().usage.tokens == 0
    with pytest.raises(ModelUnavailable):
        endpoint.fails_at = 2
        engine.search(QUESTION)
    assert engine.stats().usage.tokens == 0


def test_a_free_embedder_is_not_in_the_books(make_engine, bridge):
    engine = make_engine(embedder=CachedEmbedder(HashingEmbedder(dimension=64)), budget=Budget(day_tokens=1))
    assert engine.add(bridge).usage.tokens == 0
    assert engine.stats().usage.embedding_calls == 0
    assert np.isfinite(engine.search(QUESTION)[0].cosine)


# --- a second try with more room -----------------------------------------------------------------------------------
class Thinker:
    """A chat endpoint whose model uses up its first output on thinking."""

    def __init__(self) -> None:
        self.rooms: list[int] = []
        self.booked: list[int] = []
        self.look = lambda: 0
        self.client = httpx2.Client(transport=httpx2.MockTransport(self))

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.rooms.append(body["max_tokens"])
        self.booked.append(self.look())
        thinks = len(self.rooms) == 1
        text = "<think>Let me see" if thinks else "The bridge was opened in 1932 [1]."
        usage = {"prompt_tokens": 100, "completion_tokens": body["max_tokens"] if thinks else 12}
        choice = {"index": 0, "finish_reason": "length" if thinks else "stop"}
        if not body.get("stream"):
            whole = {"choices": [{**choice, "message": {"role": "assistant", "content": text}}], "usage": usage}
            return httpx2.Response(200, json=whole)
        pieces = [{"choices": [{**choice, "delta": {"content": text}}]}, {"choices": [], "usage": usage}]
        lines = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=lines.encode())

    def generator(self):
        return OpenAIGenerator(
            "m",
            base_url="http://here/v1",
            http_client=self.client,
            traits=ModelTraits(context_window=32_768, money_per_million_completion=PRICE),
        )


@pytest.mark.parametrize("limit", ["question_tokens", "day_tokens", "namespace_tokens", "question_money", "day_money"])
def test_a_second_try_that_the_budget_has_no_room_for_is_not_sent(make_engine, bridge, limit):
    thinker = Thinker()
    room = 2000 * PRICE / 1e6 if limit.endswith("money") else 2000
    engine = make_engine(llm=thinker.generator(), budget=Budget(**{limit: room}), answer_tokens=200)
    engine.add(bridge)
    with pytest.raises(BudgetExceeded, match="budget"):
        engine.ask(QUESTION)
    assert thinker.rooms == [200]
    usage = engine.stats().usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.calls) == (100, 200, 1)


def test_a_second_try_is_reserved_before_it_is_sent_and_settled_after(make_engine, bridge):
    thinker = Thinker()
    engine = make_engine(llm=thinker.generator(), budget=Budget(day_tokens=20_000), answer_tokens=200)
    thinker.look = lambda: engine.stats().usage.tokens
    engine.add(bridge)
    answer = engine.ask(QUESTION, remember=False)
    assert answer.found
    first, second = thinker.rooms
    assert second > 4000
    assert first < thinker.booked[0] < second
    assert thinker.booked[1] >= 100 + first + second  # what the first one took, and the most that the second one can
    usage = engine.stats().usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.calls) == (200, 212, 2)
    assert answer.usage.tokens == usage.tokens


def test_a_second_try_of_a_whole_reply_is_reserved_too(make_engine, bridge):
    thinker = Thinker()
    engine = make_engine(budget=Budget(namespace_tokens=3000))
    [report] = engine.learn_from({"expert": thinker.generator()}, [QUESTION])
    assert [outcome.status for outcome in report.outcomes] == ["over_budget"]
    assert len(thinker.rooms) == 1
    assert report.usage.completion_tokens == thinker.rooms[0] == 600
    assert engine.stats().usage.tokens == report.usage.tokens
