"""The command ``thinkback``. Importing it, and ``thinkback --help``, load nothing heavy (a test looks)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

from thinkback.app.cli.failures import STOPPED, report, report_stop
from thinkback.app.cli.helping import WIDTH
from thinkback.app.cli.registry import Commands
from thinkback.app.cli.screen import prepare_streams

__all__ = ["app", "main"]

_EPILOG = "Every command takes --json. `thinkback COMMAND --help` says more; docs/cli.md has all of it."

app = typer.Typer(
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": WIDTH},
    epilog=_EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from thinkback import __version__

        print(f"thinkback {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Answers from more text than a model can read, and remembers what it has understood."""
    del version
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; what went wrong has been said on stderr."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    try:
        code = get_command(app).main(args=arguments, prog_name="thinkback", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:
        if "--debug" in arguments:
            raise
        return report(error, arguments)
    except KeyboardInterrupt:
        code = STOPPED
    if code == STOPPED:
        return report_stop(arguments)
    return code if isinstance(code, int) else 0


def _reader_left() -> int:
    """End quietly where the reader of our pipe has gone, as ``| head`` does; Python must not flush into it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
