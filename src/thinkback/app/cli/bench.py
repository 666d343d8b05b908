"""``bench``: data sets, experiments and reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinkback.app.cli import bench_academiceval as academiceval
from thinkback.app.cli.helping import WIDTH, Command
from thinkback.app.cli.opening import settings_of
from thinkback.app.cli.options import Common, Yes, shared
from thinkback.app.cli.screen import confirm, emit, line, note, out, say, symbol, table
from thinkback.app.cli.waiting import counting, pulling

if TYPE_CHECKING:  # what the bench needs is imported when it runs
    from thinkback.bench.kit import Kit
    from thinkback.config import Settings

__all__ = ["app"]

app = typer.Typer(
    help=(
        "Rerun the paper's experiments, and see where thoughts help.\n\n"
        "Generation, scoring and the report are separate: `run` makes run folders and scores them, `score` scores them "
        "again without a model, `report` reads nothing but run folders. A run that was stopped goes on where it was."
    ),
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"max_content_width": WIDTH},
)
_SETTINGS = {"max_content_width": WIDTH}

app.add_typer(academiceval.app, name="academiceval")

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="Folder of the data sets; else THINKBACK_DATA or the cache."),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where run folders go.")]
Many = Annotated[str | None, typer.Option(metavar="A,B", help="Instead of the experiment's own, with commas between.")]


@app.command("list", cls=Command, context_settings=_SETTINGS)
@shared()
def list_(common: Common) -> None:
    """List experiments, data sets, systems and metrics."""
    from thinkback.bench.datasets import DATASETS
    from thinkback.bench.experiments import EXPERIMENTS, experiment
    from thinkback.bench.metrics import METRICS
    from thinkback.bench.systems import SYSTEMS

    experiments = [experiment(name) for name in EXPERIMENTS]
    if common.as_json:
        emit(
            {
                "experiments": [
                    {"name": each.name, "title": each.title, "paper": each.paper, "needs_model": each.needs_model}
                    for each in experiments
                ],
                "datasets": sorted(DATASETS),
                "systems": sorted(SYSTEMS),
                "metrics": sorted(METRICS),
            }
        )
        return
    console = out()
    made = table("experiment", "paper", "what it shows", wide="what it shows")
    for each in experiments:
        made.add_row(each.name, each.paper, each.title + ("" if each.needs_model else " (needs no model)"))
    console.print(made)
    for heading, names in (("Data sets", DATASETS), ("Systems", SYSTEMS), ("Metrics", METRICS)):
        console.print()
        say(console, f"{heading}: {', '.join(sorted(names))}")


@app.command("run", cls=Command, context_settings=_SETTINGS)
@shared("llm", "embedder")
def run(
    common: Common,
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="As `thinkback bench list` shows it.")],
    *,
    data: Data = None,
    to: Out = Path("bench-runs"),
    datasets: Many = None,
    systems: Many = None,
    metrics: Many = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Only the first N tasks of each data set.")] = None,
    context_tokens: Annotated[str | None, typer.Option(metavar="N,N", help="Tokens shown for one answer.")] = None,
    answer_tokens: Annotated[int | None, typer.Option(metavar="N", help="Most tokens of one answer.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of everything that is drawn.")] = 42,
    replay: Annotated[bool, typer.Option("--replay", help="Ask no model: only what is kept in the folder.")] = False,
) -> None:
    """Run an experiment, score it and show its tables.

    What the model says is kept in calls.sqlite below --out, so that the run can go on, or be made again elsewhere.
    """
    from thinkback.bench.experiments import experiment as find
    from thinkback.bench.experiments.plan import Setting
    from thinkback.bench.folder import RunFolder

    chosen = find(experiment)
    settings = settings_of(common)
    kit = _kit(common, settings, to, needs_model=chosen.needs_model, replay=replay, seed=seed)
    try:
        with counting(chosen.name, "task") as progress:
            paths = chosen.run(
                Setting(
                    data=data or _data(settings), out=to, kit=kit, datasets=_names(datasets), systems=_names(systems),
                    metrics=_names(metrics), limit=limit, context_tokens=_numbers(context_tokens),
                    answer_tokens=answer_tokens, seed=seed, progress=progress,
                )
            )  # fmt: skip
    finally:
        kit.close()
    _show(common, chosen.tables([RunFolder(path) for path in paths]), paths)


def _kit(common: Common, settings: Settings, to: Path, *, needs_model: bool, replay: bool, seed: int) -> Kit:
    from thinkback.bench.calls import KeptModel
    from thinkback.bench.kit import Kit
    from thinkback.bench.meter import MeteredGenerator
    from thinkback.embed.cached import CachedEmbedder
    from thinkback.errors import NoModel
    from thinkback.wiring import WAYS_TO_GET_A_MODEL, make_embedder, make_llm

    to.mkdir(parents=True, exist_ok=True)
    embedder = CachedEmbedder(make_embedder(common.embedder, settings), path=to / "vectors.sqlite")
    if not needs_model:
        return Kit(embedder=embedder, seed=seed)
    model = None if replay else make_llm(common.llm, settings)
    if model is None and not replay:
        raise NoModel(WAYS_TO_GET_A_MODEL)
    return Kit(embedder=embedder, llm=MeteredGenerator(KeptModel(model, to / "calls.sqlite")), seed=seed)


def _data(settings: Settings) -> Path:
    from thinkback.bench.datasets.catalogue import CACHED

    return settings.data or settings.cache / CACHED


@app.command("fetch", cls=Command, context_settings=_SETTINGS)
@shared()
def fetch(
    common: Common,
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `thinkback bench list` shows it.")],
    *,
    yes: Yes = False,
) -> None:
    """Fetch a data set into the cache, after showing its licence, size and origin.

    An interrupted fetch goes on where it stopped; checksums are compared before a file is used.
    """
    from thinkback.bench.datasets import fetch as fetching
    from thinkback.bench.datasets.catalogue import source_of

    source, cache = source_of(name), settings_of(common).cache
    if fetching.missing(source, cache):  # asked before the bar, which would write over the question
        note().print(fetching.notice(source), markup=False, soft_wrap=True)
        if not confirm("Fetch it?", yes=yes):
            note().print("Nothing was fetched.")
            if common.as_json:
                emit({"name": name, "path": None})
            return
    with pulling(source.folder) as progress:
        folder = fetching.fetch(source, cache, consent=lambda _: True, progress=progress)
    if common.as_json:
        emit({"name": name, "path": str(folder)})
    else:
        say(out(), f"{symbol('✓', '+')} {name} is in {line(str(folder))}")


def _show(common: Common, tables: list, paths: list[Path]) -> None:  # type: ignore[type-arg]
    from thinkback.bench.report.tables import as_markdown

    if common.as_json:
        emit({"runs": [str(path) for path in paths], "tables": [each.to_dict() for each in tables]})
        return
    console = out()
    for each in tables:
        console.print(as_markdown(each), markup=False, soft_wrap=True)
    say(note(), f"Runs: {', '.join(str(path) for path in paths)}", style="dim")


def _names(given: str | None) -> tuple[str, ...] | None:
    return tuple(part.strip() for part in given.split(",") if part.strip()) if given else None


def _numbers(given: str | None) -> tuple[int, ...] | None:
    from thinkback.errors import InvalidInput

    try:
        return tuple(int(part) for part in given.split(",") if part.strip()) if given else None
    except ValueError:
        raise InvalidInput(f"--context-tokens takes numbers with commas between, not {given!r}.") from None


@app.command("report", cls=Command, context_settings=_SETTINGS)
@shared()
def report(
    common: Common,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders above them.")],
    *,
    to: Out = Path("bench-report"),
) -> None:
    """Make a report of runs: report.html, report.md, tables and plots; nothing but the folders is read.

    To score runs again, run the experiment again with --replay: what was said is kept, and no model is asked.
    """
    from thinkback.bench.report.pages import make_report, write_report

    made = make_report(runs)
    page = write_report(made, to)
    if common.as_json:
        emit({"page": str(page), "runs": [each["folder"] for each in made.records], "left_out": made.left_out})
        return
    for each in made.left_out:
        say(note(), f"Left out: {each}", style="yellow")
    say(out(), f"{len(made.records)} runs in {page}")


@app.command("evolve", cls=Command, context_settings=_SETTINGS)
@shared("llm", "embedder")
def evolve(
    common: Common,
    *,
    on: Annotated[Path, typer.Option("--on", metavar="FOLDER", help="Your documents.")],
    questions: Annotated[
        Path,
        typer.Option(metavar="FILE", help="A question a line, or JSON lines with question and, if known, answer."),
    ],
    to: Out = Path("bench-runs"),
    context_tokens: Annotated[int | None, typer.Option(metavar="N", help="Tokens shown for one answer.")] = None,
    answer_tokens: Annotated[int | None, typer.Option(metavar="N", help="Most tokens of one answer.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the draw that halves the questions.")] = 42,
    replay: Annotated[bool, typer.Option("--replay", help="Ask no model: only what is kept in the folder.")] = False,
) -> None:
    """Find out whether thoughts help on your own documents and questions.

    Half of the questions is asked; the other half is answered twice, from an empty memory and from the one that the first
    half left. The verdict is given only where the difference is clear of chance.
    """
    from thinkback.bench.experiments.evolve import evolve as compare_memories
    from thinkback.bench.experiments.evolve import tables
    from thinkback.bench.experiments.plan import Setting

    kit = _kit(common, settings_of(common), to, needs_model=True, replay=replay, seed=seed)
    try:
        with counting("evolve", "question") as progress:
            run_folder, verdict, comparison = compare_memories(
                Setting(
                    data=on, out=to, kit=kit, context_tokens=(context_tokens,) if context_tokens else None,
                    answer_tokens=answer_tokens, seed=seed, progress=progress,
                ),
                on,
                questions,
            )  # fmt: skip
    finally:
        kit.close()
    if common.as_json:
        emit({"verdict": verdict, "comparison": comparison.to_dict(), "run": str(run_folder.path)})
        return
    _show(common, tables(run_folder), [run_folder.path])
    interval = (
        f" [{comparison.low:+.3f}, {comparison.high:+.3f}]"
        if comparison.low is not None and comparison.high is not None
        else ""
    )
    difference = f"{comparison.difference:+.3f}" if comparison.difference is not None else "not scored"
    say(
        out(),
        f"{verdict[0].upper()}{verdict[1:]}: {difference}{interval} on {comparison.n} held-out questions.",
        style="bold",
    )


@app.command("sheets", cls=Command, context_settings=_SETTINGS)
@shared()
def sheets(
    common: Common,
    filled: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Sheets that raters filled in, one each.")],
) -> None:
    """Say how far people agree who rated thoughts on the sheets of `bench run`."""
    from thinkback.bench.experiments.sheets import agreement, read_sheet

    found = agreement([read_sheet(file) for file in filled])
    if common.as_json:
        emit(found.to_dict())
        return
    alpha = "not defined" if found.alpha is None else f"{found.alpha:.3f}"
    same = "–" if found.identical is None else f"{found.identical:.1%}"
    mean = "–" if found.mean is None else f"{found.mean:.2f}"
    say(
        out(),
        f"{found.raters} raters, {found.notes} notes scored by two or more: mean {mean} of 2, same score {same}, alpha {alpha}",
    )
