"""How a command's own help page looks: its usage, its arguments, its options, and the options that commands share."""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperArgument, TyperCommand

__all__ = ["WIDTH", "Command"]

WIDTH: Final = 100
"""Most columns of a help page."""

_SHARED: Final = frozenset({"store", "namespace", "llm", "embedder", "preset", "config", "as_json", "debug", "help"})


class Command(TyperCommand):
    """A command that names its arguments in capitals, dots for several and brackets for what may be left out."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the usage line after the command's name."""
        arguments = [_shown(one, brackets=True) for one in self.get_params(ctx) if isinstance(one, TyperArgument)]
        return [*arguments, self.options_metavar or ""]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, those of this command before those that commands share."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Shared options": []}
        for one in self.get_params(ctx):
            if isinstance(one, TyperArgument):
                sections["Arguments"].append((_shown(one), one.help or ""))
            elif (record := one.get_help_record(ctx)) is not None:
                sections["Shared options" if one.name in _SHARED else "Options"].append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _shown(argument: TyperArgument, *, brackets: bool = False) -> str:
    name = argument.display_name_raw + ("..." if argument.nargs != 1 else "")
    return f"[{name}]" if brackets and not argument.required else name
