"""What must not stand in any file: places, hosts and traces of where and how it was written; and what must."""

from __future__ import annotations

import itertools
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

# put together here, so that this file does not hold what it looks for
_PLACES = ["/" + "work/", "/" + "root/"]
_HOSTS = ["pypi." + "org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.debian" + ".org", "index-" + "url"]
_TRACES = ["co-" + "authored-by", "generated " + "with", "generated-" + "by"]
_BINARY = {".onnx", ".gguf", ".pdf", ".png", ".sqlite", ".gz", ".zip", ".npz"}
# a tokenizer is 30,000 words of a public model; a bad-input test may name a home folder as text
_NOT_OURS = {"minilm-tokenizer.json"}


@pytest.fixture(scope="module")
def texts(tracked: list[Path], root: Path) -> dict[str, str]:
    found = {}
    for path in tracked:
        if path.suffix not in _BINARY and path.name not in _NOT_OURS:
            found[str(path.relative_to(root))] = path.read_text(encoding="utf-8", errors="replace")
    return found


@pytest.mark.parametrize("word", _PLACES + _HOSTS + _TRACES)
def test_no_file_says_where_or_how_it_was_written(texts: dict[str, str], word: str) -> None:
    found = [name for name, text in texts.items() if word.lower() in text.lower()]
    assert found == []


def test_no_file_names_the_folder_it_lies_in(texts: dict[str, str], root: Path) -> None:
    if len(root.parts) < 3:
        pytest.skip("the project lies at the top of the file system: its path is no telling word")
    assert [name for name, text in texts.items() if str(root) in text] == []


def test_no_commit_message_tells_more_than_the_change(root: Path) -> None:
    log = subprocess.run(["git", "log", "--format=%B"], cwd=root, capture_output=True, text=True, check=False)
    if log.returncode != 0:
        pytest.skip("not a git repository: there are no commit messages")
    assert [word for word in _TRACES + _PLACES if word.lower() in log.stdout.lower()] == []


def test_constraints_are_names_and_versions_only(root: Path) -> None:
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert len(pins) > 40
    assert [line for line in pins if not re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*", line)] == []
    names = [line.partition("==")[0] for line in pins]
    assert names == sorted(set(names))


def test_every_pin_lies_in_the_range_that_the_project_states(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    pins = dict(
        line.split("==") for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")
    )
    extras = project["project"]["optional-dependencies"].values()
    for entry in itertools.chain(project["project"]["dependencies"], *extras):
        match = re.match(r"([\w.-]+)(?:\[[\w,]+\])?\s*>=\s*([\d.]+)", entry)
        assert match, f"{entry} states no lowest version"
        name = re.sub(r"[-_.]+", "-", match[1]).lower()
        lowest = tuple(map(int, match[2].split(".")))
        pinned = tuple(int(part) for part in re.findall(r"\d+", pins[name]))
        assert pinned >= lowest, entry


def test_no_lock_file_is_kept(texts: dict[str, str]) -> None:
    locks = {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "package-lock.json"}
    assert [name for name in texts if Path(name).name in locks] == []


def test_no_file_is_large(tracked: list[Path]) -> None:
    assert [path.name for path in tracked if path.stat().st_size > 1_000_000] == []


def test_the_licence_is_the_whole_standard_text(root: Path) -> None:
    text = (root / "LICENSE").read_text(encoding="utf-8")
    assert text.lstrip().startswith("Apache License\n                           Version 2.0, January 2004")
    for number in range(1, 10):
        assert re.search(rf"^   {number}\. \w", text, re.MULTILINE), number
    assert "APPENDIX: How to apply the Apache License to your work." in text
    assert len(text.splitlines()) == 202


def test_the_citation_file_names_this_version_and_the_paper(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == project["version"] == citation["preferred-citation"]["version"]
    assert citation["license"] == project["license"]
    assert citation["references"][0]["identifiers"][0]["value"] == "arXiv:2604.12231"


def test_the_version_stands_in_the_package_and_the_changelog(root: Path) -> None:
    import thinkback

    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert thinkback.__version__ == version
    headings = re.findall(r"^## \[(.+?)\]", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] in {"Unreleased", version}


def test_ci_runs_make_test_and_nothing_else_of_importance(root: Path) -> None:
    script = root / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text(encoding="utf-8").rstrip().splitlines()[-1] == "exec make --no-print-directory test"


def test_make_explains_itself(root: Path) -> None:
    shown = subprocess.run(["make", "-C", str(root), "help"], capture_output=True, text=True, check=True).stdout
    for target in ("test", "demo", "bench", "lint", "format", "clean", "venv"):
        assert f"make {target} " in shown


def test_decisions_are_numbered_without_gaps_and_say_why(root: Path) -> None:
    pages = sorted((root / "docs" / "adr").glob("*.md"))
    numbers = [int(page.name[:4]) for page in pages]
    assert numbers == list(range(len(pages)))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {page.name[:4]}: "), page.name
        for part in ("## Decision", "## Why"):
            assert part in text, f"{page.name} lacks {part}"


def test_links_between_our_pages_lead_somewhere(root: Path, tracked: list[Path]) -> None:
    broken = []
    for page in (path for path in tracked if path.suffix == ".md" and "golden" not in path.parts):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        if page.parent.name == "samples" and page.name != "README.md":
            continue  # papers, not pages
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target or target.startswith(("#", "mailto:")):
                continue
            if not (page.parent / target.partition("#")[0]).exists():
                broken.append(f"{page.relative_to(root)}: {target}")
    assert broken == []
