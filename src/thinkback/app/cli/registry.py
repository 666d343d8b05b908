"""Which commands there are, in which order and section of the help, and where each is found.

A command's module is imported when the command is called or its own help is asked for, so that ``thinkback --help``
costs no more than this table.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from thinkback.app.cli.helping import WIDTH, Command

__all__ = ["COMMANDS", "Commands", "Entry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One command."""

    name: str
    section: str
    summary: str
    """The first line of its help; a test compares the two."""
    module: str
    """Under ``thinkback.app.cli``; the command is the function (or group ``app``) named in ``attribute``."""
    attribute: str

    def load(self) -> Any:
        """Import the command and return it in the form that is called."""
        found = getattr(importlib.import_module(f"thinkback.app.cli.{self.module}"), self.attribute)
        if isinstance(found, typer.Typer):
            return get_command(found)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(self.name, cls=Command, context_settings={"max_content_width": WIDTH})(found)
        return get_command(alone)


def _section(section: str, *rows: tuple[str, str, str, str]) -> tuple[Entry, ...]:
    return tuple(
        Entry(name=name, section=section, summary=summary, module=module, attribute=attribute)
        for name, module, attribute, summary in rows
    )


COMMANDS: tuple[Entry, ...] = (
    *_section(
        "Documents and questions",
        ("add", "adding", "add", "Add files, folders, web pages or text; no model is asked."),
        ("sync", "adding", "sync", "Make the memory hold what a folder holds."),
        ("ask", "asking", "ask", "Answer a question from documents and thoughts, and remember what was learned."),
        ("search", "searching", "search", "Find the best passages and thoughts; no model is asked."),
        ("docs", "listing", "docs", "List the documents."),
    ),
    *_section(
        "Thoughts",
        ("thoughts", "listing", "thoughts", "List the thoughts."),
        ("why", "explaining", "why", "Show what a thought stands on, down to quoted places in documents."),
        ("learn", "teaching", "learn", "Remember what somebody else answered."),
        ("edit", "changing", "edit", "Change a document or the words of a thought."),
        ("invalidate", "changing", "invalidate", "Take a thought out of use, with what rests on it."),
        ("restore", "changing", "restore", "Bring a thought back into use."),
        ("refresh", "changing", "refresh", "Derive stale thoughts anew from the present documents."),
    ),
    *_section(
        "The memory",
        ("rm", "removing", "rm", "Delete documents or thoughts for good, with all that is derived from them."),
        ("history", "looking", "history", "Show what happened to a document or thought, or to all."),
        ("audit", "looking", "audit", "Look for duplicates, conflicts, unsupported and stale thoughts, and secrets."),
        ("stats", "looking", "stats", "Show how much there is, how it is used and what it cost."),
        ("export", "carrying", "export", "Write the memory to a bundle, or a bibliography of what was cited."),
        ("import", "carrying", "import_", "Read a bundle into the memory, all of it or nothing."),
        ("reindex", "carrying", "reindex", "Embed everything anew, with another embedder if you like."),
    ),
    *_section(
        "Models and help",
        ("models", "models", "app", "List, fetch and delete local language models."),
        ("doctor", "doctor", "doctor", "Say what is in use, from where, how fast it is here, and what is missing."),
        ("demo", "demo", "demo", "Ask a local model about five papers, and watch it remember."),
        ("bench", "bench", "app", "Rerun the paper's experiments, and see where thoughts help."),
    ),
)


class _Loaded(MutableMapping[str, Any]):
    """Command name to command, each made when it is first looked up."""

    def __init__(self) -> None:
        self._entries = {entry.name: entry for entry in COMMANDS}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._entries[name].load()
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Commands(TyperGroup):
    """The group of all commands; its help shows them by section and imports none."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": None})
        self.commands = cast(Any, _Loaded())

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature that is overridden
        """Return the names in the order of the table."""
        return [entry.name for entry in COMMANDS]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """Write the sections of the help."""
        for section, entries in groupby(COMMANDS, key=lambda entry: entry.section):
            with formatter.section(section):
                formatter.write_dl([(entry.name.ljust(10), entry.summary) for entry in entries])
