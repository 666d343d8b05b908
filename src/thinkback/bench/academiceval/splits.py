"""Chronological splits: what is tested on is newer than what is learnt from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from thinkback.bench.records import Split
from thinkback.errors import InvalidInput
from thinkback.types import Record

__all__ = ["SHARES", "Cuts", "assign", "choose", "counts", "day"]

SHARES = (0.72, 0.19, 0.09)
"""Of training, development and test, as in the benchmark's first round."""
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts(Record):
    """Two days (ISO); what is published on one of them belongs to the later part."""

    dev_from: str
    test_from: str

    def __post_init__(self) -> None:
        if self.dev_from > self.test_from:
            raise InvalidInput("The development part must begin before the test part.")

    def split(self, published: str) -> Split:
        """Return the part of something published then; without a date it is training."""
        when = published[:10]
        if when and when >= self.test_from:
            return "test"
        return "dev" if when and when >= self.dev_from else "train"


def choose(dates: Sequence[str], shares: Sequence[float] = SHARES) -> Cuts:
    """Return the cuts that come nearest to the shares; things of one day stay together.

    With fewer than three dates everything is test.

    Raises:
        InvalidInput: the shares are not three numbers that sum to 1.
    """
    if len(shares) != 3 or min(shares) < 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-6):
        raise InvalidInput("Shares are three numbers, of training, development and test, that sum to 1.")
    days = sorted(date[:10] for date in dates)
    if len(days) < 3:
        return Cuts(dev_from="", test_from="0")
    last = days[-1] + "~"  # after every day there is
    test = _nearest(days, shares[0] + shares[1]) or last
    dev = _nearest(days, shares[0]) or test
    return Cuts(dev_from=min(dev, test), test_from=test)


def _nearest(days: Sequence[str], share: float) -> str:
    """Return the day at which a share of the things is over, empty where that is after the last."""
    place = round(share * len(days))
    return days[place] if place < len(days) else ""


def assign(published: Mapping[str, str], cuts: Cuts) -> dict[str, Split]:
    """Return the part of each thing, by its id."""
    return {key: cuts.split(when) for key, when in published.items()}


def day(text: str) -> str:
    """Return a day, month or year as the user wrote it, if it is one in ISO form.

    Raises:
        InvalidInput: it is none.
    """
    if not _DAY.fullmatch(text):
        raise InvalidInput(f"{text!r} is no day.", hint="Write it as 2024-06-30.")
    return text


def counts(splits: Iterable[Split]) -> dict[str, int]:
    """Return how many things each part has."""
    found = {"train": 0, "dev": 0, "test": 0}
    for each in splits:
        found[each] += 1
    return found
