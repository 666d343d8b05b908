"""What is built and shipped: the wheel holds every file that the package reads at run time, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

_READS_ITS_DATA = """
import sys, thinkback
from importlib import resources
from thinkback.config import load_preset, preset_names
from thinkback.text.prompts import load_prompt
from thinkback.thought.thesaurus import known

assert "death" in known("died").derived
assert thinkback.__file__.startswith(sys.argv[1]), thinkback.__file__
print(*(load_preset(name).name for name in preset_names()))
folder = resources.files("thinkback.text.prompts")
print(*(load_prompt(entry.name[:-4]).hash for entry in folder.iterdir() if entry.name.endswith(".txt")))
print(len((resources.files("thinkback") / "samples" / "questions.toml").read_text(encoding="utf-8")))
"""


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path, tracked: list[Path], root: Path) -> None:
    source = root / "src"
    ours = {str(path.relative_to(source)) for path in tracked if source in path.parents}
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = {Path(name).name for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert ours - shipped == set()
    assert shipped - ours == set()
    assert {"LICENSE", "NOTICE", "WORDNET-LICENSE"} <= licences


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 1_500_000


def test_the_package_works_as_installed(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(target)!r})\n{_READS_ITS_DATA}", str(target)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    presets, prompts, questions = ran.stdout.splitlines()
    assert {"default", "fast", "paper", "paper-code"} <= set(presets.split())
    assert len(prompts.split()) >= 5
    assert int(questions) > 1000
