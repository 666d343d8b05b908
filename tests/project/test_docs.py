"""The pages that are made from the code are complete and up to date."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel

from thinkback.config import Budget, Preset, Settings, load_preset, preset_names


@pytest.fixture(scope="module")
def writer(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("thinkback_docs_script", root / "scripts" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["presets.md", "configuration.md"])
def test_a_generated_page_is_up_to_date(root: Path, writer: ModuleType, page: str) -> None:
    made = writer.PAGES[page]()
    assert (root / "docs" / page).read_text(encoding="utf-8") == made, "run: make docs"


@pytest.mark.parametrize("model", [Preset, Budget, Settings])
def test_every_setting_says_what_it_is(model: type[BaseModel]) -> None:
    assert [name for name, info in model.model_fields.items() if not (info.description or "").strip()] == []


def test_every_setting_stands_in_its_page(root: Path) -> None:
    presets = (root / "docs" / "presets.md").read_text(encoding="utf-8")
    configuration = (root / "docs" / "configuration.md").read_text(encoding="utf-8")
    for name in set(Preset.model_fields) - {"name", "description"}:
        assert f"| `{name}` |" in presets
    for name in set(Settings.model_fields) - {"budget"}:
        assert f"| `{name}` |" in configuration
    for name in Budget.model_fields:
        assert f"| `budget.{name}` | `THINKBACK_BUDGET__{name.upper()}` |" in configuration


def test_the_presets_page_shows_the_values_in_force(root: Path) -> None:
    page = (root / "docs" / "presets.md").read_text(encoding="utf-8")
    header = re.search(r"^\| setting \| (.+?) \| what it is \|$", page, re.MULTILINE)
    assert header
    columns = header[1].split(" | ")
    assert sorted(columns) == sorted(preset_names())
    row = re.search(r"^\| `epsilon` \| (.+?) \| [A-Z]", page, re.MULTILINE)
    assert row
    cells = dict(zip(columns, row[1].split(" | "), strict=True))
    assert float(cells["default"]) == load_preset("default").epsilon
    assert cells["paper"] == "-"
    assert load_preset("paper").epsilon == load_preset("default").epsilon


def test_the_check_fails_on_a_page_that_is_out_of_date(
    writer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(writer, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["docs.py"])
    writer.main()
    monkeypatch.setattr(sys, "argv", ["docs.py", "--check"])
    writer.main()  # as just written: passes
    (tmp_path / "docs" / "presets.md").write_text("older", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"presets\.md"):
        writer.main()


def test_every_requirement_is_pinned(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(root / "scripts" / "constraints.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
