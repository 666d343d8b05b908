#!/usr/bin/env python3
"""Write the pages of docs/ that are made from the code: presets.md and configuration.md.

Usage: scripts/docs.py [--check]     --check: write nothing, fail if a page is out of date
"""

from __future__ import annotations

import argparse
import sys
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from thinkback.config import Preset, Settings, load_preset, preset_names

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Made by scripts/docs.py from src/thinkback; do not edit. -->\n"


def _value(value: Any) -> str:
    """Return a value as one writes it in TOML; None, which TOML lacks, as the word."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(inner)}" for name, inner in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _allowed(info: FieldInfo) -> str:
    """Return the words that a field takes, if it takes only some."""
    if typing.get_origin(info.annotation) is not typing.Literal:
        return ""
    return " One of " + ", ".join(f"`{word}`" for word in typing.get_args(info.annotation)) + "."


def _described(info: FieldInfo) -> str:
    text = (info.description or "").strip()
    return (text if text.endswith(".") or not text else f"{text}.") + _allowed(info)


def presets_page() -> str:
    """Return docs/presets.md."""
    presets = {name: load_preset(name) for name in preset_names()}
    standard = presets["default"]
    others = [name for name in presets if name != "default"]
    lines = [
        NOTE,
        "# Presets",
        "",
        "A preset says how the loop runs. Name one with `preset=` in Python, `--preset` on the command line, or",
        "`THINKBACK_PRESET`; change single settings with `load_preset(NAME, setting=value)`. Each named preset is a file",
        "in `src/thinkback/presets`.",
        "",
    ]
    lines += [f"- **{name}**: {presets[name].description}" for name in ["default", *others]]
    lines += ["", "## Settings", "", "A dash means: as in `default`.", ""]
    lines += ["| setting | " + " | ".join(["default", *others]) + " | what it is |"]
    lines += ["|---" * (3 + len(others)) + "|"]
    for field, info in Preset.model_fields.items():
        if field in {"name", "description"}:
            continue
        base = getattr(standard, field)
        cells = [_value(base)]
        cells += [_value(value) if (value := getattr(presets[n], field)) != base else "-" for n in others]
        lines.append(f"| `{field}` | " + " | ".join(cells) + f" | {_described(info)} |")
    return "\n".join(lines) + "\n"


def _variables(field: str, info: FieldInfo) -> str:
    if isinstance(info.validation_alias, AliasChoices):
        names = [choice for choice in info.validation_alias.choices if isinstance(choice, str) and choice.isupper()]
    else:
        names = [f"THINKBACK_{field.upper()}"]
    return " or ".join(f"`{name}`" for name in names)


def _default(field: str, info: FieldInfo) -> str:
    if info.default_factory is not None:
        return {"home": "the user's data folder", "cache": "the user's cache folder"}[field]
    return _value(info.default)


def _rows(model: type[BaseModel], prefix: str = "") -> list[str]:
    rows = []
    for field, info in model.model_fields.items():
        if isinstance(info.default, BaseModel):
            rows += _rows(type(info.default), f"{field}.")
            continue
        variables = _variables(f"{prefix.replace('.', '__')}{field}", info)
        rows.append(f"| `{prefix}{field}` | {variables} | {_default(field, info)} | {_described(info)} |")
    return rows


def configuration_page() -> str:
    """Return docs/configuration.md."""
    lines = [
        NOTE,
        "# Configuration",
        "",
        "Four layers, each stronger than the one before: the defaults below; the file `config.toml` in the user's",
        "configuration folder (or the file given with `--config`); environment variables; arguments and flags.",
        "",
        "The file holds the names of the first column; budgets stand in a table of their own:",
        "",
        "```toml",
        'llm = "qwen2.5-coder-1.5b-instruct"',
        "threads = 2",
        "",
        "[budget]",
        "day_tokens = 200000",
        "```",
        "",
        "Lists and tables in a variable are JSON: `THINKBACK_ALLOW_URLS='[\"example.org\"]'`.",
        "",
        "| setting | variable | default | what it is |",
        "|---|---|---|---|",
        *_rows(Settings),
    ]
    return "\n".join(lines) + "\n"


PAGES = {"presets.md": presets_page, "configuration.md": configuration_page}


def main() -> None:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description="Write the generated pages of docs/.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    check = parser.parse_args().check
    old = []
    for name, page in PAGES.items():
        path = ROOT / "docs" / name
        text = page()
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            old.append(name)
        elif not check:
            path.write_text(text, encoding="utf-8")
    if old:
        sys.exit(f"Out of date: {', '.join(f'docs/{name}' for name in old)}; run: make docs")


if __name__ == "__main__":
    main()
