#!/usr/bin/env python3
"""Write docs/cli.md from the help of every command.

Usage: scripts/cli_docs.py [--check]     --check: write nothing, fail if the page is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from typer.main import get_command

from thinkback.app.cli.main import app
from thinkback.app.cli.registry import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/cli.md"
WIDTH = 100
INTRODUCTION = """\
<!-- Made by scripts/cli_docs.py from src/thinkback/app/cli; do not edit. -->

# The command line

The store is `--store PATH` (a file, or a folder for it), else the folder `THINKBACK_HOME`, else the user's data folder. A
store holds closed memories, its namespaces; `-n NAME` chooses one. Settings come from arguments, else environment
variables, else the settings file: see [configuration.md](configuration.md).

Text for people goes to stdout, progress and remarks to stderr. In a pipe there are no colours and no bars, and an
answer's lines are not broken; `NO_COLOR` and `COLUMNS` are honoured, and what the output's encoding lacks is replaced. With
`--json` a command prints one JSON document and nothing else on stdout; where it fails, the document is
`{"error": {"kind", "message", "hint", "exit_code"}}`.

Lists show short ids such as `tht_k3f9x2`: the kind and the end of the id. Wherever an id is asked for, so much of its end
(four characters or more) or of its beginning as names one thing will do, and for documents also the title or file name.

| exit code | what it means |
|---|---|
| 0 | all went well; an answer that says the sources do not tell is one, too |
| 1 | something failed or was not found: a file that cannot be read, a model that does not answer, a damaged store |
| 2 | the command line or an argument cannot mean anything |
| 3 | there is no language model; the ways to get one are listed |
| 4 | a budget would be broken; nothing was sent |
| 130 | stopped with Ctrl-C; what was written before stays |
"""


def helps(command: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the words that call a command, and its help page; a group before its members."""
    context = command.make_context(path, [], resilient_parsing=True, terminal_width=WIDTH - 2, max_content_width=WIDTH)
    yield path, command.get_help(context)
    for name, member in getattr(command, "commands", {}).items():
        yield from helps(member, f"{path} {name}")


def page() -> str:
    """Return docs/cli.md."""
    root = get_command(app)
    lines = [INTRODUCTION]
    for section, entries in groupby(COMMANDS, key=lambda entry: entry.section):
        lines.append(f"## {section}\n")
        for entry in entries:
            for words, text in helps(root.commands[entry.name], f"thinkback {entry.name}"):  # type: ignore[attr-defined]
                lines.append(f"### {words}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(lines)


def main() -> None:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description="Write docs/cli.md from the help of every command.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    path = ROOT / PAGE
    text = page()
    if not parser.parse_args().check:
        path.write_text(text, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        sys.exit(f"Out of date: {PAGE}; run: scripts/cli_docs.py")


if __name__ == "__main__":
    main()
