"""``search``: the best passages and thoughts for a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from thinkback.app.cli.naming import document_id, handle
from thinkback.app.cli.opening import memory
from thinkback.app.cli.options import Common, Inside, TopK, shared
from thinkback.app.cli.screen import emit, line, note, out, say, symbol

if TYPE_CHECKING:  # the engine imports numpy and pydantic, which `--help` must not wait for
    from collections.abc import Sequence

    from thinkback.types import Hit

__all__ = ["search"]

_EXCERPT = 320
_RANKINGS = {
    "dense": "dense",
    "dense_smoothed": "dense with neighbours",
    "words": "words",
    "words_window": "words in three chunks",
}


@shared("store", "namespace", "embedder", "preset")
def search(
    common: Common,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Any text.")],
    *,
    kind: Annotated[
        Literal["all", "chunks", "thoughts"], typer.Option("--kind", help="Raw passages, thoughts or both.")
    ] = "all",
    top_k: TopK = 10,
    min_score: Annotated[
        float | None, typer.Option("--min-score", metavar="COSINE", help="Least cosine to the query.")
    ] = None,
    inside: Inside = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the rank in each ranking, scores and ids.")] = False,
) -> None:
    """Find the best passages and thoughts; no model is asked.

    Four rankings are fused: by meaning, by meaning with the neighbouring chunks, by words, and by words of three chunks
    together. --explain shows where each hit stood in them.
    """
    with memory(common) as engine:
        documents = [document_id(engine, one) for one in inside] if inside else None
        hits = engine.search(" ".join(query), kind=kind, top_k=top_k, min_score=min_score, documents=documents)
    if common.as_json:
        emit({"query": " ".join(query), "hits": list(hits)})
    else:
        _print(hits, explain=explain)


def _print(hits: Sequence[Hit], *, explain: bool) -> None:
    from rich.text import Text

    if not hits:
        note().print("Nothing was found.")
        return
    console = out()
    digits = len(str(len(hits)))
    for number, hit in enumerate(hits, start=1):
        head = Text(f"{number:>{digits}} ", style="cyan")
        head.append(_origin(hit), style="bold")
        say(console, head, hang=digits + 1)
        say(console, line(hit.item.text, _EXCERPT), indent=digits + 1)
        if explain:
            say(console, _why(hit), indent=digits + 1, style="dim")


def _origin(hit: Hit) -> str:
    if hit.kind == "thought":
        return f"thought {handle(hit.item.id)}"
    page = getattr(hit.item, "page", None)
    return line(hit.title or "untitled", 70) + (f", p. {page}" if page is not None else "")


def _why(hit: Hit) -> str:
    ranks = [f"{_RANKINGS.get(name, name)} #{rank}" for name, rank in sorted(hit.why.items(), key=lambda pair: pair[1])]
    parts = [", ".join(ranks), f"cosine {hit.cosine:.3f}", f"fused {hit.score:.3f}", hit.item.id]
    return f" {symbol('·', '-')} ".join(part for part in parts if part)
