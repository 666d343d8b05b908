"""Plots of results as SVG, the same bytes for the same results: bars with intervals, and lines over budgets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thinkback.errors import MissingExtra
from thinkback.types import Record

__all__ = ["Plot", "Series", "bars", "lines"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d00")
"""Okabe and Ito's, which people with any colour vision can tell apart; the yellow is darkened to stand on white."""
_MARKS = "os^Dv<>P"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot(Record):
    """A plot ready to be shown."""

    name: str
    """For files: letters, digits and dashes."""
    title: str
    svg: str
    alt: str
    """What it shows, in words, for who cannot see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series(Record):
    """Values with intervals; a missing one is None and leaves a gap."""

    label: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]


def bars(name: str, title: str, axis: str, series: Series, labels: Sequence[str]) -> Plot:
    """Return horizontal bars, the first at the top, each with its interval.

    Args:
        name: of the file.
        title: above the plot.
        axis: what the values are.
        series: one value a bar; ``x`` is not used.
        labels: of the bars.
    """
    figure, axes = _figure(height=0.6 + 0.34 * len(labels))
    places = list(range(len(labels)))[::-1]
    for place, value, low, high in zip(places, series.y, series.low, series.high, strict=True):
        if value is None:
            axes.text(0, place, " not scored", va="center", fontsize=8)
            continue
        axes.barh(place, value, color=_COLOURS[0], height=0.62)
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color="#000000", linewidth=1.2)
    axes.set_yticks(places, labels=list(labels))
    axes.set_xlabel(axis)
    axes.grid(axis="x", linewidth=0.4, color="#cccccc")
    axes.set_axisbelow(True)
    said = "; ".join(f"{label} {_said(value)}" for label, value in zip(labels, series.y, strict=True))
    return Plot(name=name, title=title, svg=_svg(figure), alt=f"{title}. {axis}: {said}.")


def lines(name: str, title: str, across: str, axis: str, many: Sequence[Series], *, log: bool = False) -> Plot:
    """Return lines with bands for the intervals, and a legend.

    Args:
        name: of the file.
        title: above the plot.
        across: what x is.
        axis: what y is.
        many: the lines.
        log: x grows by factors.
    """
    figure, axes = _figure(height=3.6)
    for number, series in enumerate(many):
        colour, mark = _COLOURS[number % len(_COLOURS)], _MARKS[number % len(_MARKS)]
        there = [place for place, value in enumerate(series.y) if value is not None]
        axes.plot(
            [series.x[place] for place in there], [series.y[place] for place in there], color=colour, marker=mark,
            markersize=4, linewidth=1.4, label=series.label,
        )  # fmt: skip
        banded = [place for place in there if series.low[place] is not None and series.high[place] is not None]
        axes.fill_between(
            [series.x[place] for place in banded], [series.low[place] for place in banded],
            [series.high[place] for place in banded], color=colour, alpha=0.12, linewidth=0,
        )  # fmt: skip
    if log:
        axes.set_xscale("log", base=2)
    ticks = sorted({x for series in many for x in series.x})
    axes.set_xticks(ticks, labels=[f"{x:g}" for x in ticks])
    axes.minorticks_off()
    axes.set_xlabel(across)
    axes.set_ylabel(axis)
    axes.grid(linewidth=0.4, color="#cccccc")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    said = "; ".join(f"{each.label} from {_said(each.y[0])} to {_said(each.y[-1])}" for each in many)
    return Plot(name=name, title=title, svg=_svg(figure), alt=f"{title}. {axis} over {across}: {said}.")


def _said(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.3f}"


def _figure(*, height: float) -> tuple[Any, Any]:
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("Plots", "bench") from None
    with rc_context(_STYLE):
        figure = Figure(figsize=(6.0, height))
        return figure, figure.subplots()


_STYLE: dict[str, Any] = {
    "font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "thinkback", "axes.spines.top": False,
    "axes.spines.right": False, "font.family": ["sans-serif"],
}  # fmt: skip


def _svg(figure: Any) -> str:
    from matplotlib import rc_context

    with rc_context(_STYLE):
        stream = io.StringIO()
        figure.savefig(stream, format="svg", bbox_inches="tight", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]  # without XML declaration and doctype, so that it can stand in a page
