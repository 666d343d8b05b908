"""The options that commands share, each written once: names, forms and help."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

__all__ = ["Common", "Inside", "TopK", "TrustLabel", "Yes", "shared"]

OptionName = Literal["store", "namespace", "llm", "embedder", "preset"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What the shared options say; None where one was not given."""

    store: str | None = None
    namespace: str | None = None
    llm: str | None = None
    embedder: str | None = None
    preset: str | None = None
    config: Path | None = None
    as_json: bool = False
    debug: bool = False


Inside = Annotated[
    list[str] | None,
    typer.Option("--in", metavar="DOC", help="Only in this document: id, title or file name. May be given repeatedly."),
]
TopK = Annotated[int, typer.Option("--top-k", "-k", metavar="N", help="Most hits.")]
TrustLabel = Annotated[
    str | None,
    typer.Option("--trust", metavar="LABEL", help="How far the text is trusted: untrusted, normal or trusted."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]

_SHARED: dict[str, tuple[Any, Any]] = {
    "store": (
        Annotated[
            str | None,
            typer.Option(
                "--store",
                metavar="PATH",
                help="The store's file or folder; else THINKBACK_HOME or the user's data folder.",
            ),
        ],
        None,
    ),
    "namespace": (
        Annotated[
            str | None, typer.Option("--namespace", "-n", metavar="NAME", help="Which closed memory of the store.")
        ],
        None,
    ),
    "llm": (
        Annotated[
            str | None,
            typer.Option(
                "--llm", metavar="MODEL", help="openai:MODEL, gguf:PATH or a name of `thinkback models list`."
            ),
        ],
        None,
    ),
    "embedder": (
        Annotated[
            str | None, typer.Option("--embedder", metavar="MODEL", help="minilm (built in), openai:MODEL or st:MODEL.")
        ],
        None,
    ),
    "preset": (
        Annotated[
            str | None,
            typer.Option("--preset", metavar="NAME", help="How the loop runs: default, fast, paper or paper-code."),
        ],
        None,
    ),
    "config": (
        Annotated[
            Path | None, typer.Option("--config", metavar="FILE", help="Read settings from here instead of the user's.")
        ],
        None,
    ),
    "as_json": (Annotated[bool, typer.Option("--json", help="Print one JSON document for programs.")], False),
    "debug": (Annotated[bool, typer.Option("--debug", help="Show where an error came from.")], False),
}


def shared(*names: OptionName) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the named shared options, and ``--config``, ``--json`` and ``--debug``.

    The command's first parameter receives them all in one ``Common``; its other parameters are its own.
    """

    def dress(command: Callable[..., None]) -> Callable[..., None]:
        first, *own = inspect.signature(command, eval_str=True).parameters.values()
        taken = [name for name in _SHARED if name in names or name in {"config", "as_json", "debug"}]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name in taken
            for annotation, default in [_SHARED[name]]
        ]

        @functools.wraps(command)
        def run(**given: Any) -> None:
            common = Common(**{name: given.pop(name) for name in taken})
            command(common, **given)

        parameters = [*(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own), *added]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what inspect looks for
        del run.__wrapped__  # set by wraps; it would show the inner signature
        assert first.name == "common"  # noqa: S101 - a slip in our own commands
        return run

    return dress
