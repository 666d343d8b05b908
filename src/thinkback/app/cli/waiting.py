"""What moves on stderr while something takes long: bars with throughput and time left, and a clock for models.

Nothing is shown where stderr is no terminal.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thinkback.app.cli.screen import megabytes, note, symbol

if TYPE_CHECKING:  # rich is imported only where something is shown
    from rich.console import Console
    from rich.progress import Progress as Bar

__all__ = ["Waiting", "adding", "counting", "pulling", "waiting"]

_FEW = 2.0  # seconds before a guess of the time left is worth showing


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return (
        f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
        if whole >= 3600
        else f"{whole // 60}:{whole % 60:02}"
    )


def _bar(console: Console) -> Bar:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    ascii_only = symbol("⠋", "") == ""
    return Progress(
        SpinnerColumn("line" if ascii_only else "dots"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f}%", markup=False),
        TextColumn("{task.fields[detail]}", markup=False, style="dim"),
        console=console,
        transient=True,
    )


@dataclass(slots=True)
class _Adding:
    """Turns the engine's reports into one bar.

    The engine reads documents in groups and then embeds a group's chunks; a document counts here once it is embedded, for
    that takes the time.
    """

    bar: Any
    task: Any
    started: float = field(default_factory=time.perf_counter)
    read: int = 0
    embedded: int = 0
    chunks: int = 0
    in_group: int = 0

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:  # noqa: ARG002 - the port's form
        if stage == "documents":
            self.read = done
            self._show(total, self.embedded)
        elif stage == "chunks" and total:
            fresh = done - self.in_group
            self.chunks += fresh if fresh > 0 else done
            self.in_group = 0 if done >= total else done
            group = max(self.read - self.embedded, 1)
            self._show(None, self.embedded + group * done / total)
            if done >= total:
                self.embedded = self.read

    def _show(self, total: int | None, position: float) -> None:
        spent = time.perf_counter() - self.started
        whole = total or self.bar.tasks[0].total
        rate = f"{self.read:,} of {whole:,} read" if whole else "reading"
        if self.chunks and spent > 0:
            rate = f"{self.chunks / spent:.1f} chunks/s"
        left = ""
        if whole and position > 0 and spent > _FEW:
            left = f", {_clock(spent * (whole - position) / position)} left"
        known = {"total": total} if total else {}
        self.bar.update(self.task, completed=position, detail=f"{rate}{left}", **known)


@contextmanager
def adding() -> Iterator[Any]:
    """Give a ``Progress`` for ``add`` and ``sync``, or None where nobody looks."""
    console = note()
    if not console.is_terminal:
        yield None
        return
    with _bar(console) as bar:
        yield _Adding(bar=bar, task=bar.add_task("Adding", total=None, detail="reading"))


@contextmanager
def counting(what: str, unit: str) -> Iterator[Any]:
    """Give a ``Progress`` for one kind of unit, with throughput and time left, or None where nobody looks."""
    console = note()
    if not console.is_terminal:
        yield None
        return
    with _bar(console) as bar:
        task = bar.add_task(what, total=None, detail="")
        started = time.perf_counter()

        def tell(stage: str, done: int, total: int | None, note: str = "") -> None:  # noqa: ARG001 - the port's form
            spent = time.perf_counter() - started
            left = f", {_clock(spent * (total - done) / done)} left" if total and done and spent > _FEW else ""
            rate = f"{done / spent:.1f} {unit}/s" if spent > 0 else ""
            bar.update(task, completed=done, total=total, detail=f"{rate}{left}")

        yield tell


@contextmanager
def pulling(name: str) -> Iterator[Any]:
    """Give a ``Progress`` for a model that is fetched; without a terminal it says a line for every tenth part."""
    console = note()
    if not console.is_terminal:
        yield _spoken(console, name)
        return
    with _bar(console) as bar:
        task = bar.add_task(name, total=None, detail="")
        started: dict[str, tuple[float, int]] = {}

        def tell(stage: str, done: int, total: int | None, note: str = "") -> None:  # noqa: ARG001 - the port's form
            began, offset = started.setdefault(stage, (time.perf_counter(), done))
            spent = time.perf_counter() - began
            speed = (done - offset) / spent if spent > 0 else 0.0
            left = f", {_clock((total - done) / speed)} left" if total and speed > 0 and spent > _FEW else ""
            word = "checking" if stage == "check" else f"{megabytes(done)} of {megabytes(total or done)}"
            rate = f", {speed / 1e6:.1f} MB/s" if speed > 0 else ""
            bar.update(task, completed=done, total=total, detail=f"{word}{rate}{left}")

        yield tell


def _spoken(console: Console, name: str) -> Any:
    said: set[tuple[str, int]] = set()

    def tell(stage: str, done: int, total: int | None, note: str = "") -> None:  # noqa: ARG001 - the port's form
        tenth = (stage, int(10 * done / total) if total else 0)
        if stage == "fetch" and tenth not in said:
            said.add(tenth)
            console.print(f"{name}: {megabytes(done)} of {megabytes(total or done)}")

    return tell


class Waiting:
    """A line with a clock that stands while a model works, and goes away when something is printed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Any = None

    def show(self, what: str) -> None:
        """Show what is being waited for."""
        self.hide()
        if not self._console.is_terminal:
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            SpinnerColumn("line" if symbol("⠋", "") == "" else "dots"),
            TextColumn(what, markup=False, style="dim"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._bar.add_task("")
        self._bar.start()

    def hide(self) -> None:
        """Take the line away; doing it twice is fine."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


@contextmanager
def waiting(what: str = "") -> Iterator[Waiting]:
    """Give a ``Waiting`` on stderr that is gone at the end, whatever happens."""
    clock = Waiting(note())
    try:
        if what:
            clock.show(what)
        yield clock
    finally:
        clock.hide()
