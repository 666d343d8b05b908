"""Budgets are hard."""

from __future__ import annotations

import threading

import pytest

from thinkback.config import Budget
from thinkback.errors import BudgetExceeded
from thinkback.ports import ModelTraits

QUESTION = "When was the harbour bridge opened?"
PRICED = ModelTraits(context_window=8192, money_per_million_prompt=1000.0, money_per_million_completion=2000.0)


def test_a_question_over_its_budget_is_not_sent(make_engine, bridge, script):
    engine = make_engine(budget=Budget(question_tokens=100))
    engine.add(bridge)
    with pytest.raises(BudgetExceeded, match="question's budget is 100"):
        engine.ask(QUESTION)
    assert script.seen == []
    assert engine.stats().usage.tokens == 0


def test_a_budget_given_with_the_question_counts_for_it_alone(engine, bridge, script):
    engine.add(bridge)
    with pytest.raises(BudgetExceeded):
        engine.ask(QUESTION, budget=Budget(question_money=0.0, question_tokens=5))
    assert engine.ask(QUESTION).found


def test_distilling_over_the_budget_leaves_the_answer_and_a_reason(make_engine, bridge, script):
    engine = make_engine(budget=Budget(question_tokens=700), answer_tokens=300)
    engine.add(bridge)
    answer = engine.ask(QUESTION)
    assert answer.found
    assert [outcome.status for outcome in answer.outcomes] == ["over_budget"]
    assert script.count("distil") == 0


@pytest.mark.parametrize("what", ["day", "namespace"])
def test_day_and_namespace_budgets_hold_over_questions(make_engine, bridge, script, what):
    engine = make_engine(budget=Budget(**{f"{what}_tokens": 2500}), answer_tokens=300)
    engine.add(bridge)
    asked = 0
    with pytest.raises(BudgetExceeded, match=what):
        for number in range(50):
            engine.ask(f"{QUESTION} {number}")
            asked += 1
    assert 0 < asked < 50
    assert engine.stats().usage.tokens <= 2500
    engine.add(bridge, namespace="other")
    assert engine.ask(QUESTION, namespace="other").found


def test_a_days_budget_is_fresh_the_next_day(make_engine, bridge, clock):
    engine = make_engine(budget=Budget(day_tokens=550), answer_tokens=300)
    engine.add(bridge)
    engine.ask(QUESTION)
    with pytest.raises(BudgetExceeded):
        engine.ask(QUESTION + " Again.")
    clock.now += 86_400
    assert engine.ask(QUESTION + " Again.").found


def test_money_is_counted_and_limited(make_engine, bridge):
    engine = make_engine(traits=PRICED, budget=Budget(day_money=2.0), answer_tokens=300)
    engine.add(bridge)
    answer = engine.ask(QUESTION)
    usage = answer.usage
    assert usage.money == pytest.approx(usage.prompt_tokens / 1000 + usage.completion_tokens / 500)
    assert engine.stats().usage.money == pytest.approx(usage.money)
    with pytest.raises(BudgetExceeded, match="could cost"):
        for number in range(20):
            engine.ask(f"{QUESTION} {number}")
    assert engine.stats().usage.money <= 2.0


def test_fault_78_every_stage_is_counted_and_the_sums_agree(engine, bridge):
    engine.add(bridge)
    total = [engine.ask(f"{QUESTION} {number}").usage for number in range(3)]
    stats = engine.stats().usage
    assert stats.prompt_tokens == sum(usage.prompt_tokens for usage in total) > 0
    assert stats.completion_tokens == sum(usage.completion_tokens for usage in total) > 0
    assert stats.calls == sum(usage.calls for usage in total) == 6
    assert {"embed", "search", "answer", "remember"} <= set(total[0].seconds)


def test_many_at_once_do_not_break_a_day(make_engine, bridge):
    engine = make_engine(budget=Budget(day_tokens=4000), answer_tokens=300)
    engine.add(bridge)
    refused = []

    def ask(number: int) -> None:
        try:
            outcomes = engine.ask(f"{QUESTION} {number}").outcomes
            refused.extend(outcome for outcome in outcomes if outcome.status == "over_budget")
        except BudgetExceeded:
            refused.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused
    assert engine.stats().usage.tokens <= 4000
