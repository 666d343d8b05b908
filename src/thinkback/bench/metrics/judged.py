"""Figures of judgements: how often one system wins over another, how sure that is, and how far the judge can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from thinkback.bench.metrics.agreement import RankAgreement, rank_agreement
from thinkback.bench.metrics.judging import Judgement
from thinkback.bench.metrics.statistics import Estimate, estimate
from thinkback.types import Record

__all__ = ["Judged", "JudgedAgainstPeople", "Verdict", "against_people", "summaries", "verdicts"]

_STALE = "an answer has changed since it was judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Record):
    """What both orders of a pair come to."""

    task_id: str
    group: str
    outcome: Literal["win", "tie", "loss"] | None
    """Of ``one`` over ``other``: won or lost only where both orders say so, else a tie (Zheng et al., Judging
    LLM-as-a-Judge, NeurIPS 2023); None where an order has no points."""
    agreed: bool | None
    """Whether both orders say the same; None where an order has no points, or the texts were the same."""
    longer: Literal["one", "other"] | None
    """Which answer has more words."""
    reason: str = ""
    """Why there is no outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Record):
    """How one system stands against another by one judge."""

    one: str
    other: str
    manner: str
    model: str
    wins: int
    """Of ``one``."""
    ties: int
    losses: int
    unjudged: Mapping[str, int]
    """Why pairs have no outcome, and how many: they are in no rate."""
    win_rate: Estimate
    """Wins and half of the ties among the pairs with an outcome; .5 is a draw."""
    order_agreement: float | None
    """Share of the pairs for which both orders said the same."""
    position_bias: float | None
    """Share of single judgements for the answer shown first minus that for the one shown second, -1 to 1; 0 is none."""
    longer_wins: float | None
    """Share of the won and lost pairs, with answers of different length, that the longer answer won."""
    one_points: float | None
    """Mean over all judgements that could be read."""
    other_points: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAgainstPeople(Record):
    """How far a judge's preferences are those of people."""

    pairs: Estimate
    """Share of the pairs that people rate differently in which the judge prefers the same; its ties count half."""
    answers: RankAgreement
    """Of mean points and people's ratings over all answers."""
    systems_judged: tuple[str, ...]
    """Best first, by mean points."""
    systems_rated: tuple[str, ...]
    """Best first, by people's mean rating of the same answers."""


def verdicts(judgements: Iterable[Judgement]) -> list[Verdict]:
    """Return a verdict a task, in the order in which tasks first occur; all judgements are of the same two systems and judge."""
    by_task: dict[str, dict[str, Judgement]] = {}
    for each in judgements:
        by_task.setdefault(each.task_id, {})[each.shown_first] = each
    return [_verdict(list(orders.values())) for orders in by_task.values()]


def _verdict(orders: Sequence[Judgement]) -> Verdict:
    first = orders[0]
    words = first.one_words - first.other_words
    longer: Literal["one", "other"] | None = None if words == 0 else "one" if words > 0 else "other"
    faults = [each.fault for each in orders if each.fault]
    signs = [sign for each in orders if (sign := _sign(each)) is not None]
    if faults or len(signs) < 2:
        reason = _kind_of(faults[0]) if faults else "one order is not judged yet"
        return Verdict(
            task_id=first.task_id, group=first.group, outcome=None, agreed=None, longer=longer, reason=reason
        )
    both = signs[0] if signs[0] == signs[1] else 0
    return Verdict(
        task_id=first.task_id, group=first.group, outcome={1: "win", 0: "tie", -1: "loss"}[both],  # type: ignore[arg-type]
        agreed=None if first.same else signs[0] == signs[1], longer=longer,
    )  # fmt: skip


def _sign(judgement: Judgement) -> int | None:
    if judgement.same:
        return 0
    if judgement.one_points is None or judgement.other_points is None:
        return None
    return (judgement.one_points > judgement.other_points) - (judgement.one_points < judgement.other_points)


def _kind_of(fault: str) -> str:
    """Return a fault without what differs from reply to reply, to be counted."""
    return {"BadReply": "the judge's reply could not be read"}.get(fault.partition(":")[0], fault)


def summaries(
    judgements: Iterable[Judgement], *, current: Mapping[tuple[str, str], str] | None = None, seed: int = 42
) -> list[Judged]:
    """Return a summary for each two systems, manner and judge, in the order in which they first occur.

    Args:
        judgements: in both orders.
        current: system and task id to the ``text_key`` of the answer that counts: judgements of another answer are counted
            as not judged, and left out where the answer that counts is judged, too; None: all judgements count.
        seed: of the intervals.
    """
    grouped: dict[tuple[str, str, str, str, str], list[Judgement]] = {}
    for each in judgements:
        key = (each.one, each.other, each.manner, each.prompt_hash, each.model)
        grouped.setdefault(key, []).append(each)
    return [_summary(_that_count(group, current), seed) for group in grouped.values()]


def _that_count(
    group: Sequence[Judgement], current: Mapping[tuple[str, str], str] | None
) -> list[tuple[Judgement, bool]]:
    """Return the judgements with whether each is stale; a stale one is left out if its task has one that is not."""
    if current is None:
        return [(each, False) for each in group]
    stale = {
        id(each): (current.get((each.one, each.task_id)), current.get((each.other, each.task_id)))
        != (each.one_key, each.other_key)
        for each in group
    }
    fresh = {each.task_id for each in group if not stale[id(each)]}
    return [(each, stale[id(each)]) for each in group if not stale[id(each)] or each.task_id not in fresh]


def _summary(marked: Sequence[tuple[Judgement, bool]], seed: int) -> Judged:
    found = verdicts(each for each, stale in marked if not stale)
    gone = {each.task_id: each.group for each, stale in marked if stale}
    outcomes = Counter(each.outcome for each in found)
    reasons = Counter(each.reason for each in found if each.outcome is None)
    if gone:
        reasons[_STALE] += len(gone)
    worth = {"win": 1.0, "tie": 0.5, "loss": 0.0}
    values = [None if each.outcome is None else worth[each.outcome] for each in found] + [None] * len(gone)
    groups = [each.group for each in found] + list(gone.values())
    read = [each for each, stale in marked if not stale and each.one_points is not None]
    toward_first = [(_sign(each) or 0) * (1 if each.shown_first == "one" else -1) for each in read]
    longer = [
        (each.outcome == "win") == (each.longer == "one")
        for each in found
        if each.outcome in {"win", "loss"} and each.longer is not None
    ]
    any_one = marked[0][0]
    return Judged(
        one=any_one.one, other=any_one.other, manner=any_one.manner, model=any_one.model,
        wins=outcomes["win"], ties=outcomes["tie"], losses=outcomes["loss"], unjudged=dict(reasons),
        win_rate=estimate(values, groups, seed=seed),
        order_agreement=_mean([each.agreed for each in found if each.agreed is not None]),
        position_bias=_mean(toward_first), longer_wins=_mean(longer),
        one_points=_mean([each.one_points for each in read if each.one_points is not None]),
        other_points=_mean([each.other_points for each in read if each.other_points is not None]),
    )  # fmt: skip


def against_people(
    judgements: Sequence[Judgement], ratings: Mapping[tuple[str, str], float], *, seed: int = 42
) -> JudgedAgainstPeople:
    """Return how far one judge agrees with people's ratings of the same answers.

    Args:
        judgements: of any pairs of systems, by one judge in one manner.
        ratings: task id and system to people's rating, higher is better; answers without one are left out.
        seed: of the interval.

    Raises:
        MissingExtra
    """
    by_pair: dict[tuple[str, str], list[Judgement]] = {}
    points: dict[tuple[str, str], list[int]] = {}
    for each in judgements:
        by_pair.setdefault((each.one, each.other), []).append(each)
        if each.one_points is not None and each.other_points is not None:
            points.setdefault((each.task_id, each.one), []).append(each.one_points)
            points.setdefault((each.task_id, each.other), []).append(each.other_points)
    same: list[float | None] = []
    groups: list[str] = []
    for (one, other), own in by_pair.items():
        for verdict in verdicts(own):
            rated = [ratings.get((verdict.task_id, system)) for system in (one, other)]
            if rated[0] is None or rated[1] is None or rated[0] == rated[1]:
                continue
            wanted = "win" if rated[0] > rated[1] else "loss"
            same.append(None if verdict.outcome is None else {wanted: 1.0, "tie": 0.5}.get(verdict.outcome, 0.0))
            groups.append(verdict.group)
    both = [key for key in points if key in ratings]
    ours, theirs = [sum(points[key]) / len(points[key]) for key in both], [ratings[key] for key in both]
    return JudgedAgainstPeople(
        pairs=estimate(same, groups, seed=seed),
        answers=rank_agreement(ours, theirs),
        systems_judged=_ranked(both, ours),
        systems_rated=_ranked(both, theirs),
    )


def _ranked(keys: Sequence[tuple[str, str]], values: Sequence[float]) -> tuple[str, ...]:
    of: dict[str, list[float]] = {}
    for (_, system), value in zip(keys, values, strict=True):
        of.setdefault(system, []).append(value)
    return tuple(sorted(of, key=lambda system: -sum(of[system]) / len(of[system])))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
