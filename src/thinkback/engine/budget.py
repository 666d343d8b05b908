"""Hard budgets: what a call may cost at most is reserved before it is sent, and settled after.

A reservation is written to the store, so that it also binds other processes; a crash between reserving and settling
leaves the reservation standing, which errs to the safe side.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

from thinkback.config import Budget
from thinkback.engine.parts import Parts
from thinkback.errors import BudgetExceeded, ModelError, StoreError
from thinkback.ports import Delta, Generator, Reply, Request
from thinkback.types import Usage

__all__ = ["Meter", "Metered", "spent_on", "tighter"]

_log = logging.getLogger(__name__)
_DAY = 86_400
_MESSAGE_OVERHEAD = 8  # tokens that a chat template adds around a message, at most, for the models known


class Meter:
    """Counts what one question costs and keeps it within the budgets of question, namespace and day."""

    def __init__(self, parts: Parts, namespace: str) -> None:
        self._parts = parts
        self._namespace = namespace
        self.usage = Usage()

    def note_seconds(self, stage: str, seconds: float) -> None:
        """Add wall time to a stage."""
        self.usage = self.usage + Usage(seconds={stage: seconds})

    def reserve(self, llm: Generator, request: Request) -> Callable[[Usage], None]:
        """Claim the most that a request can cost; the returned function settles it with what it did cost.

        Raises:
            BudgetExceeded: it could break a limit; nothing is reserved then.
        """
        parts, budget = self._parts, self._parts.budget
        prompt = sum(llm.count(message.content) + _MESSAGE_OVERHEAD for message in request.messages)
        worst = Usage(
            prompt_tokens=prompt,
            completion_tokens=request.max_tokens,
            money=(
                prompt * llm.traits.money_per_million_prompt
                + request.max_tokens * llm.traits.money_per_million_completion
            )
            / 1e6,
        )
        self._refuse("question", self.usage + worst, budget.question_tokens, budget.question_money)
        lasting = (budget.day_tokens, budget.day_money, budget.namespace_tokens, budget.namespace_money)
        binding = any(limit is not None for limit in lasting)
        now = parts.clock()
        if binding:
            with parts.budget_lock, parts.store.write() as writer:
                day = writer.usage(self._namespace, now - now % _DAY)
                ever = writer.usage(self._namespace)
                self._refuse("day", day + worst, budget.day_tokens, budget.day_money)
                self._refuse("namespace", ever + worst, budget.namespace_tokens, budget.namespace_money)
                writer.add_usage(self._namespace, worst, now, "reserved")

        def settle(real: Usage) -> None:
            self.usage = self.usage + real
            correction = _minus(real, worst) if binding else real
            try:
                with parts.store.write() as writer:
                    writer.add_usage(self._namespace, correction, now, request.purpose)
            except StoreError as error:  # the answer was paid for, and is worth more than its entry in the books
                _log.warning("usage was not recorded: %s", type(error).__name__)

        return settle

    def call(self, llm: Generator, request: Request) -> Reply:
        """Ask within the budgets and return the reply.

        Raises:
            BudgetExceeded, ModelError
        """
        settle = self.reserve(llm, request)
        spent = Usage(calls=1, failed_calls=1)
        try:
            reply = llm.generate(request)
            spent = reply.usage
        except ModelError as error:
            spent = spent_on(error, spent)
            raise
        finally:
            settle(spent)
        return reply

    @staticmethod
    def _refuse(what: str, usage: Usage, tokens: int | None, money: float | None) -> None:
        if tokens is not None and usage.tokens > tokens:
            raise BudgetExceeded(f"This could take {usage.tokens} tokens; the {what}'s budget is {tokens}.")
        if money is not None and usage.money > money:
            raise BudgetExceeded(f"This could cost {usage.money:.4f}; the {what}'s budget is {money}.")


def spent_on(error: ModelError, otherwise: Usage) -> Usage:
    """Return what a failed call cost, as far as its adapter knows."""
    return error.usage if isinstance(error.usage, Usage) else otherwise


def tighter(standing: Budget, given: Budget) -> Budget:
    """Return the budget that holds for one question: of each limit the lower one, so that no caller lifts a hard limit."""
    limits = {}
    for name in Budget.model_fields:
        known = [value for value in (getattr(standing, name), getattr(given, name)) if value is not None]
        limits[name] = min(known, default=None)
    return Budget(**limits)


class Metered:
    """A language model whose calls all go through a meter."""

    def __init__(self, inner: Generator, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter
        self.id = inner.id
        self.traits = inner.traits

    def generate(self, request: Request) -> Reply:
        """Ask within the budgets.

        Raises:
            BudgetExceeded, ModelError
        """
        return self._meter.call(self._inner, request)

    def stream(self, request: Request) -> Iterator[Delta | Reply]:
        """Yield the whole reply at once: what is metered is not shown to anyone while it comes."""
        reply = self.generate(request)
        yield Delta(text=reply.text)
        yield reply

    def count(self, text: str) -> int:
        """Return the model's own count."""
        return self._inner.count(text)

    def close(self) -> None:
        """Do nothing: the model belongs to somebody else."""


def _minus(real: Usage, worst: Usage) -> Usage:
    return replace(
        real,
        prompt_tokens=real.prompt_tokens - worst.prompt_tokens,
        completion_tokens=real.completion_tokens - worst.completion_tokens,
        money=real.money - worst.money,
    )
