"""Hard budgets: what a call may cost at most is reserved before it is sent, and settled after.

A reservation is written to the store, so that it also binds other processes; a crash between reserving and settling
leaves the reservation standing, which errs to the safe side.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from thinkback.config import Budget
from thinkback.engine.parts import Parts
from thinkback.errors import BudgetExceeded, ModelError, StoreError
from thinkback.ports import Delta, Embedder, Generator, InputKind, PaidEmbedder, Reply, Request
from thinkback.types import FloatMatrix, Usage

__all__ = ["Claim", "Meter", "Metered", "MeteredEmbedder", "afford", "on_account", "spent_on", "tighter", "tune"]

_log = logging.getLogger(__name__)
_DAY = 86_400
_MESSAGE_OVERHEAD = 8  # tokens that a chat template adds around a message, at most, for the models known


class Meter:
    """Counts what one piece of work costs and keeps it within the budgets of question, namespace and day.

    Args:
        parts: the store that the books are in, and the budgets.
        namespace: who pays.
        what: a question is also held within the budget of one; other work is not.
    """

    def __init__(self, parts: Parts, namespace: str, *, what: Literal["question", "other"] = "question") -> None:
        self._parts = parts
        self._namespace = namespace
        self._is_question = what == "question"
        self.usage = Usage()

    def note_seconds(self, stage: str, seconds: float) -> None:
        """Add wall time to a stage."""
        self.usage = self.usage + Usage(seconds={stage: seconds})

    def reserve(self, llm: Generator, request: Request) -> tuple[Claim, Request]:
        """Claim the most that a request to a language model can cost; return the claim and the request to be sent.

        With that request an adapter that wants to try once more, with more room, has to have it reserved first.

        Raises:
            BudgetExceeded: it could break a limit; nothing is reserved then.
        """
        prompt = sum(llm.count(message.content) + _MESSAGE_OVERHEAD for message in request.messages)
        claim = self.claim(_most(llm, prompt, request.max_tokens), request.purpose)

        def before_more(spent: Usage, room: int) -> None:
            claim.widen(spent, _most(llm, prompt, room))

        return claim, replace(request, before_more=before_more)

    def claim(self, worst: Usage, purpose: str) -> Claim:
        """Claim the most that a call can cost.

        Raises:
            BudgetExceeded: it could break a limit; nothing is reserved then.
        """
        claim = Claim(self, purpose, self._parts.clock())
        self.book(worst, worst, claim.at)
        claim.reserved = worst
        return claim

    def book(self, worst: Usage, more: Usage, at: float) -> None:
        """Reserve ``more``, by which a call may come to cost ``worst`` in all.

        Raises:
            BudgetExceeded: it could break a limit; nothing is reserved then.
        """
        parts, budget = self._parts, self._parts.budget
        if self._is_question:
            _refuse("question", self.usage + worst, budget.question_tokens, budget.question_money)
        if not self.binding:
            return
        with parts.budget_lock, parts.store.write() as writer:
            self._refuse_lasting(writer.usage(self._namespace, at - at % _DAY), writer.usage(self._namespace), more)
            writer.add_usage(self._namespace, more, at, "reserved")

    def check(self, worst: Usage) -> None:
        """Refuse what the budgets have no room for now, and reserve nothing.

        Raises:
            BudgetExceeded: it could break a limit.
        """
        budget, now = self._parts.budget, self._parts.clock()
        if self._is_question:
            _refuse("question", self.usage + worst, budget.question_tokens, budget.question_money)
        if self.binding:
            with self._parts.store.read() as reader:
                day, ever = reader.usage(self._namespace, now - now % _DAY), reader.usage(self._namespace)
            self._refuse_lasting(day, ever, worst)

    def _refuse_lasting(self, day: Usage, ever: Usage, more: Usage) -> None:
        budget = self._parts.budget
        _refuse("day", day + more, budget.day_tokens, budget.day_money)
        _refuse("namespace", ever + more, budget.namespace_tokens, budget.namespace_money)

    @property
    def binding(self) -> bool:
        """Whether there are limits that outlast the call, so that reservations must be seen by others."""
        budget = self._parts.budget
        lasting = (budget.day_tokens, budget.day_money, budget.namespace_tokens, budget.namespace_money)
        return any(limit is not None for limit in lasting)

    def enter(self, real: Usage, reserved: Usage, at: float, purpose: str) -> None:
        """Enter what a call did cost into the books, in place of what was reserved for it."""
        self.usage = self.usage + real
        correction = _minus(real, reserved) if self.binding else real
        try:
            with self._parts.store.write() as writer:
                writer.add_usage(self._namespace, correction, at, purpose)
        except StoreError as error:  # what was paid for is worth more than its entry in the books
            _log.warning("usage was not recorded: %s", type(error).__name__)

    def call(self, llm: Generator, request: Request) -> Reply:
        """Ask within the budgets and return the reply.

        Raises:
            BudgetExceeded, ModelError
        """
        claim, request = self.reserve(llm, request)
        spent = Usage(calls=1, failed_calls=1)
        try:
            reply = llm.generate(request)
            spent = reply.usage
        except (ModelError, BudgetExceeded) as error:
            spent = spent_on(error, spent)
            raise
        finally:
            claim.settle(spent)
        return reply


class Claim:
    """The most that one call may cost, reserved until it is settled."""

    def __init__(self, meter: Meter, purpose: str, at: float) -> None:
        self._meter = meter
        self._purpose = purpose
        self.at = at
        self.reserved = Usage()

    def widen(self, spent: Usage, more: Usage) -> None:
        """Reserve for a second try, after a first one that cost ``spent``.

        Raises:
            BudgetExceeded: there is no room for it; what was spent stands in ``usage``.
        """
        worst = _amounts(spent + more)
        try:
            self._meter.book(worst, _minus(worst, self.reserved), self.at)
        except BudgetExceeded as error:
            error.usage = spent
            raise
        self.reserved = worst

    def settle(self, real: Usage) -> None:
        """Give the reservation back and count what the call did cost."""
        self._meter.enter(real, self.reserved, self.at, self._purpose)


def _most(llm: Generator, prompt: int, completion: int) -> Usage:
    traits = llm.traits
    money = (prompt * traits.money_per_million_prompt + completion * traits.money_per_million_completion) / 1e6
    return Usage(prompt_tokens=prompt, completion_tokens=completion, money=money)


def _refuse(what: str, usage: Usage, tokens: int | None, money: float | None) -> None:
    if tokens is not None and usage.tokens > tokens:
        raise BudgetExceeded(f"This could take {usage.tokens} tokens; the {what}'s budget is {tokens}.")
    if money is not None and usage.money > money:
        raise BudgetExceeded(f"This could cost {usage.money:.4f}; the {what}'s budget is {money}.")


def spent_on(error: ModelError | BudgetExceeded, otherwise: Usage) -> Usage:
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


class MeteredEmbedder:
    """An embedder whose calls all go through a meter, where they cost anything."""

    def __init__(self, inner: Embedder, paid: PaidEmbedder, meter: Meter) -> None:
        self._inner = inner
        self._paid = paid
        self._meter = meter
        self.id = inner.id

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._inner.dimension

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads."""
        return self._inner.max_tokens

    def check(self, texts: Sequence[str], *, kind: InputKind) -> None:
        """Refuse texts that the budgets have no room for, before any of them is sent.

        Raises:
            BudgetExceeded
        """
        self._meter.check(self._paid.worst(texts, kind=kind))

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Embed within the budgets.

        Raises:
            BudgetExceeded, ModelError
        """
        worst = self._paid.worst(texts, kind=kind)
        if not worst.tokens:
            return self._inner.embed(texts, kind=kind)
        claim = self._meter.claim(worst, "embed")
        spent = replace(worst, estimated=True)  # if it is broken off, nobody knows how much was sent
        try:
            vectors, spent = self._paid.embed_counted(texts, kind=kind)
        except ModelError as error:
            spent = spent_on(error, Usage())
            raise
        finally:
            claim.settle(spent)
        return vectors

    def count(self, text: str) -> int:
        """Return the embedder's own count."""
        return self._inner.count(text)

    def close(self) -> None:
        """Do nothing: the embedder belongs to somebody else."""


def on_account(parts: Parts, meter: Meter) -> Parts:
    """Return the parts with an embedder whose calls the meter counts and limits; as they are, where it costs nothing."""
    embedder = parts.embedder
    if not isinstance(embedder, PaidEmbedder):
        return parts
    return replace(parts, embedder=MeteredEmbedder(embedder, embedder, meter))


def afford(embedder: Embedder, texts: Sequence[str]) -> None:
    """Refuse texts to be embedded that the budgets have no room for, before any of them is sent.

    Raises:
        BudgetExceeded
    """
    if isinstance(embedder, MeteredEmbedder):
        embedder.check(texts, kind="document")


def tune(parts: Parts, namespace: str) -> None:
    """Fit the thresholds of the parts to their embedder, if that is still to be done, at the cost of a namespace.

    Raises:
        BudgetExceeded: of day or namespace; a question's own is not charged with what serves all.
        ModelError: the embedder does not answer.
    """
    parts.tune(on_account(parts, Meter(parts, namespace, what="other")).embedder)


def _amounts(usage: Usage) -> Usage:
    """Return tokens and money alone: the calls are counted when they are settled."""
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        embedded_tokens=usage.embedded_tokens,
        money=usage.money,
    )


def _minus(real: Usage, worst: Usage) -> Usage:
    return replace(
        real,
        prompt_tokens=real.prompt_tokens - worst.prompt_tokens,
        completion_tokens=real.completion_tokens - worst.completion_tokens,
        embedded_tokens=real.embedded_tokens - worst.embedded_tokens,
        money=real.money - worst.money,
    )
