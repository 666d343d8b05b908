"""``bench academiceval``: builds the sets from arXiv or from a folder of papers, and looks at what was built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from thinkback.app.cli.helping import WIDTH, Command
from thinkback.app.cli.opening import settings_of
from thinkback.app.cli.options import Common, shared
from thinkback.app.cli.screen import emit, line, note, out, quantity, say, symbol, table
from thinkback.app.cli.waiting import counting

if TYPE_CHECKING:  # what the bench needs is imported when it runs
    from thinkback.bench.academiceval.build import Report
    from thinkback.bench.academiceval.feed import PaperFeed
    from thinkback.bench.academiceval.plan import BuildPlan
    from thinkback.config import Settings
    from thinkback.ports import Generator

__all__ = ["app"]

app = typer.Typer(
    help=(
        "Build AcademicEval: abstracts and related work to be written from papers.\n\n"
        "Papers come from arXiv, politely and slowly, or from a folder of PDFs, LaTeX or Markdown. A build that was stopped "
        "goes on with the same command; --since adds papers that are new."
    ),
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"max_content_width": WIDTH},
)
_SETTINGS = {"max_content_width": WIDTH}

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Of a build, or of the AcademicEval repository's data.")]


@app.command("build", cls=Command, context_settings=_SETTINGS)
@shared("llm", "embedder")
def build(
    common: Common,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the sets go.")],
    *,
    origin: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Take papers from a folder, without a network.")
    ] = None,
    sets: Annotated[
        str,
        typer.Option(
            "--sets",
            metavar="A,B",
            help="abstract_single, abstract_multi, related_multi, and settings such as title_10K.",
        ),
    ] = "abstract_single,abstract_multi,related_multi",
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field", metavar="FIELD", help="Category of arXiv (cs.CL) or phrase; several times. Of a folder: all."
        ),
    ] = None,
    papers: Annotated[int, typer.Option(metavar="N", help="Most papers of each field, the newest.")] = 100,
    pool: Annotated[int, typer.Option(metavar="N", help="Most papers of a field to draw candidates from.")] = 300,
    author: Annotated[
        str, typer.Option(metavar="NAME", help="Where the walk through co-authors begins, for the writing tasks.")
    ] = "",
    authors: Annotated[int, typer.Option(metavar="N", help="Most authors of that walk.")] = 999,
    candidates: Annotated[int, typer.Option(metavar="N", help="Candidates of each item of related_multi.")] = 100,
    gold: Annotated[
        str, typer.Option(metavar="A-B", help="Cited ones among them: at least A, at most B (15-20).")
    ] = "5-",
    references: Annotated[int, typer.Option(metavar="N", help="Of each item of abstract_multi, up to 10.")] = 1,
    questions: Annotated[
        Literal["templates", "model", "both"], typer.Option(help="Where the questions asked before come from.")
    ] = "templates",
    each: Annotated[int, typer.Option(metavar="N", help="Questions of each source.")] = 5,
    leaks: Annotated[
        Literal["drop", "cut"], typer.Option(help="Texts that repeat a reference: left out, or their sentences are.")
    ] = "drop",
    dev_from: Annotated[str, typer.Option(metavar="DAY", help="Papers of this day or later are for development.")] = "",
    test_from: Annotated[str, typer.Option(metavar="DAY", help="Papers of this day or later are for testing.")] = "",
    since: Annotated[
        str,
        typer.Option(metavar="DAY", help="Add papers of this day or later; `last`: newer than those that are there."),
    ] = "",
    prune_before: Annotated[
        str, typer.Option(metavar="DAY", help="Leave out authors of the walk without a paper of this day or later.")
    ] = "",
    gap: Annotated[
        float, typer.Option(metavar="SECONDS", help="Pause between two requests; arXiv asks for 3 or more.")
    ] = 3.0,
    contact: Annotated[str, typer.Option(metavar="MAIL", help="Told to arXiv, so that it can write to you.")] = "",
    service: Annotated[str, typer.Option(metavar="URL", help="Another address than arXiv's own.")] = "",
    seed: Annotated[int, typer.Option(metavar="N", help="Of everything that is drawn.")] = 42,
) -> None:
    """Build sets in a folder, go on with a build that was stopped, or add new papers.

    A language model (--llm) is only asked for the references of abstract_multi and for questions other than templates.
    """
    from thinkback.bench.academiceval.build import build as make
    from thinkback.bench.academiceval.graph import Limits
    from thinkback.bench.academiceval.plan import FIELDS, BuildPlan
    from thinkback.bench.academiceval.splits import Cuts, day

    settings = settings_of(common)
    plan = BuildPlan(
        sets=tuple(part.strip() for part in sets.split(",") if part.strip()),
        fields=tuple(field or (() if origin is not None else FIELDS)), papers=papers, pool=pool, author=author,
        limits=Limits(authors=authors), candidates=_pool(candidates, gold), references=references, questions=questions, each=each,
        leaks=leaks, cuts=Cuts(dev_from=day(dev_from or test_from), test_from=day(test_from)) if test_from else None, seed=seed,
    )  # fmt: skip
    llm = _model(common, settings, plan)
    with counting("AcademicEval", "step") as progress:
        feed = _feed(origin, gap=gap, contact=contact, service=service)
        try:
            report = make(
                plan, feed, folder, llm=llm, since=since, prune_before=day(prune_before) if prune_before else "", progress=progress
            )  # fmt: skip
        finally:
            feed.close()
            if llm is not None:
                llm.close()
    _show_report(common, folder, report)


def _pool(size: int, gold: str) -> Any:
    from thinkback.bench.academiceval.related import PoolPlan
    from thinkback.errors import InvalidInput

    least, _, most = gold.partition("-")
    if not least.isdigit() or (most and not most.isdigit()):
        raise InvalidInput(
            f"--gold takes two numbers, not {gold!r}.", hint="Write 5- for five or more, 15-20 for a range."
        )
    return PoolPlan(least=int(least), most=int(most) if most else None, size=size)


def _model(common: Common, settings: Settings, plan: BuildPlan) -> Generator | None:
    """Return the model that was named, or the one there is where questions need it; None where none is needed."""
    from thinkback.errors import NoModel
    from thinkback.wiring import WAYS_TO_GET_A_MODEL, make_llm

    if common.llm is None and plan.questions == "templates" and "abstract_multi" not in plan.sets:
        return None
    llm = make_llm(common.llm, settings)
    if llm is None and plan.questions != "templates":
        raise NoModel(WAYS_TO_GET_A_MODEL)
    return llm


def _feed(origin: Path | None, *, gap: float, contact: str, service: str) -> PaperFeed:
    from thinkback import __version__

    if origin is not None:
        from thinkback.bench.academiceval.folder import FolderFeed

        return FolderFeed(origin)
    from thinkback.bench.academiceval.arxiv_feed import BASE, ArxivFeed
    from thinkback.bench.academiceval.polite import Manners, PoliteClient

    who = f"; mailto:{contact}" if contact else ""
    manners = Manners(gap=gap, agent=f"thinkback/{__version__} (AcademicEval builder{who})")
    client = PoliteClient(
        manners, tell=lambda seconds, why: note().print(f"{line(why)}; waiting {seconds:.0f} s", style="dim")
    )
    return ArxivFeed(client, base=service or BASE)


def _show_report(common: Common, folder: Path, report: Report) -> None:
    reasons = report.by_reason()
    if common.as_json:
        emit({"folder": str(folder), **report.to_dict(), "reasons": reasons})
        return
    console = out()
    made = table("set", "items", "left out", "why", right=["items", "left out"], wide="why")
    names = dict.fromkeys((*report.items, *reasons))
    for name in names:
        why = reasons.get(name, {})
        said = "; ".join(f"{number} {reason}" for reason, number in why.items())
        made.add_row(name, str(report.items.get(name, "")), str(sum(why.values()) or ""), said)
    console.print(made)
    if not any(report.items.values()):
        say(note(), "No set has an item yet: the reasons are above.", style="yellow")
    elif report.items.get("abstract_multi") == 0 and "no reference: there is no model to write it" in reasons.get(
        "abstract_multi", {}
    ):
        say(
            note(),
            "The references of abstract_multi are written by a model: run the same command with --llm.",
            style="dim",
        )
    for fault in report.faults[:10]:
        say(note(), f"{fault.where}: {fault.reason}", style="yellow")
    say(
        note(),
        f"{quantity(report.papers, 'paper')} could be used. Everything is in {folder}; report.json has each reason.",
        style="dim",
    )


@app.command("statistics", cls=Command, context_settings=_SETTINGS)
@shared("embedder")
def statistics(common: Common, folder: Folder) -> None:
    """Show cases and lengths of each set, as Table 1 of the paper does.

    Lengths are in tokens of the embedder's tokenizer; that of the built-in one is BERT's.
    """
    from thinkback.bench.academiceval.statistics import PAPER, statistics_of
    from thinkback.errors import InvalidInput
    from thinkback.wiring import make_embedder

    settings = settings_of(common)
    embedder = make_embedder(common.embedder, settings)
    try:
        rows = statistics_of(folder, embedder.count)
    finally:
        embedder.close()
    if not rows:
        raise InvalidInput(f"There is no set of AcademicEval in {str(folder)!r}.")
    if common.as_json:
        emit({"tokenizer": embedder.id, "sets": rows, "paper": {name: list(pair) for name, pair in PAPER.items()}})
        return
    columns = (
        "set",
        "cases",
        "mean in",
        "median in",
        "mean out",
        "in/out",
        "docs",
        "cited",
        "asked",
        "train/dev/test",
        "paper: in",
        "cases ",
    )
    made = table(*columns, right=columns[1:])
    for row in rows:
        paper = PAPER.get(row.name)
        made.add_row(
            row.name, f"{row.cases:,}", f"{row.input_length:,.0f}", f"{row.input_median:,.0f}", f"{row.output_length:,.0f}",
            f"{row.compression:,.0f}", f"{row.documents:.0f}", f"{row.gold:.1f}", f"{row.questions:.1f}",
            f"{row.train}/{row.dev}/{row.test}", f"{paper[0]:,}" if paper else "", str(paper[1]) if paper else "",
        )  # fmt: skip
    out().print(made)
    say(note(), f"Lengths in tokens of {embedder.id}; the paper does not say in what it counts.", style="dim")
    for row in rows:
        if row.faults:
            say(note(), f"{row.name}: {quantity(row.faults, 'item')} could not be used.", style="yellow")


@app.command("check", cls=Command, context_settings=_SETTINGS)
@shared()
def check(common: Common, folder: Folder) -> None:
    """Look whether twelve words in a row of a reference stand in what may be read; exit code 1 if they do."""
    from thinkback.bench.academiceval.dataset import leaks_of, names_in, to_dataset
    from thinkback.errors import InvalidInput

    names = names_in(folder)
    if not names:
        raise InvalidInput(f"There is no set of AcademicEval in {str(folder)!r}.")
    looked: dict[str, int] = {}
    found: list[dict[str, str]] = []
    for name in names:
        dataset = to_dataset(folder, name)
        looked[name] = len(dataset.tasks)
        found += [{"task": task, "where": leak.where, "words": leak.words} for task, leak in leaks_of(dataset)]
    if common.as_json:
        emit({"tasks": looked, "leaks": found})
    else:
        console = out()
        for leak in found:
            say(console, f"{leak['task']}: in {leak['where']}: {leak['words']}", hang=2)
        verdict = f"{quantity(len(found), 'leak')}" if found else f"{symbol('✓', '+')} no reference can be read"
        counts = ", ".join(f"{name}: {quantity(number, 'task')}" for name, number in looked.items())
        say(console, f"{verdict} ({counts})")
    if found:
        raise typer.Exit(1)


@app.command("pages", cls=Command, context_settings=_SETTINGS)
@shared()
def pages(
    common: Common,
    folder: Folder,
    *,
    to: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Where the pages go; else pages in the folder.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Most items of each set.")] = 20,
) -> None:
    """Write a page of Markdown for each item, to be read by people."""
    from thinkback.bench.academiceval.pages import write_pages

    written = write_pages(folder, to or folder / "pages", limit=limit)
    if common.as_json:
        emit({"pages": [str(each) for each in written]})
    else:
        out().print(f"{symbol('✓', '+')} {quantity(len(written) - 1, 'page')}; begin with {line(str(written[0]))}")
