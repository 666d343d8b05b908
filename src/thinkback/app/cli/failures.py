"""From an error to a line on stderr and an exit code.

0 all went well · 1 something failed or was not found · 2 the command line or an argument cannot mean anything ·
3 there is no language model · 4 a budget would be broken · 130 stopped with Ctrl-C
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Final

import typer

from thinkback.app.cli.screen import clean
from thinkback.errors import BudgetExceeded, InvalidInput, NoModel, ThinkbackError

__all__ = ["BUDGET", "FAILED", "NO_MODEL", "STOPPED", "USAGE", "exit_code", "report", "report_stop"]

FAILED: Final = 1
USAGE: Final = 2
NO_MODEL: Final = 3
BUDGET: Final = 4
STOPPED: Final = 130


def exit_code(error: BaseException) -> int:
    """Return the code for an error."""
    if isinstance(error, typer.TyperException):
        return error.exit_code
    if isinstance(error, NoModel):
        return NO_MODEL
    if isinstance(error, BudgetExceeded):
        return BUDGET
    if isinstance(error, InvalidInput):
        return USAGE
    return FAILED


def report(error: Exception, arguments: Sequence[str]) -> int:
    """Say on stderr what went wrong and what to do, with ``--json`` also as a document on stdout; return the exit code."""
    message, hint = _words(error)
    code = exit_code(error)
    print(f"Error: {clean(message)}", file=sys.stderr)
    if hint:
        print(f"  {clean(hint)}", file=sys.stderr)
    if "--json" in arguments:
        fault = {"kind": type(error).__name__, "message": message, "hint": hint, "exit_code": code}
        print(json.dumps({"error": fault}, indent=2))
    return code


def _words(error: Exception) -> tuple[str, str]:
    if isinstance(error, ThinkbackError):
        return error.message, error.hint
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        hint = f"See: {context.command_path} --help" if context is not None else ""
        return error.format_message(), hint
    if isinstance(error, OSError) and error.strerror:
        named = f" {error.filename!r}" if isinstance(error.filename, str) else ""
        return f"{error.strerror}:{named}." if named else f"{error.strerror}.", ""
    # The words of a foreign error may hold a key or a piece of a document; --debug shows them to whoever asks.
    return (
        f"Something unexpected happened ({type(error).__name__}).",
        "Run it again with --debug and report what it shows.",
    )


def report_stop(arguments: Sequence[str]) -> int:
    """Say that the user stopped the command."""
    print("Stopped.", file=sys.stderr)
    if "--json" in arguments:
        print(json.dumps({"error": {"kind": "Stopped", "message": "Stopped.", "hint": "", "exit_code": STOPPED}}))
    return STOPPED
