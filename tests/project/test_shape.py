"""The shape of the code: sizes, public names, and what must not occur in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

MOST_LINES = 400
MOST_FUNCTION_LINES = 60
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "shelve", "marshal", "joblib", "cloudpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_no_module_is_longer_than_a_reader_can_hold(modules: dict[str, Path]) -> None:
    long = {name: lines for name, path in modules.items() if (lines := path.read_text().count("\n")) > MOST_LINES}
    # ports.py shows every seam on one page, on purpose; types.py is one list of records
    assert set(long) <= {"thinkback.ports", "thinkback.types"}, long


def test_no_function_is_longer_than_a_screen(modules: dict[str, Path]) -> None:
    long = []
    for name, path in modules.items():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                # what a command declares as its options is a table, not a thing to follow
                first = node.body[0].lineno if name.startswith("thinkback.app.cli.") else node.lineno
                lines = node.end_lineno - first + 1
                if lines > MOST_FUNCTION_LINES:
                    long.append(f"{name}.{node.name}: {lines}")
    assert long == []


def test_no_module_is_named_after_nothing(modules: dict[str, Path]) -> None:
    vague = {"utils", "util", "helpers", "helper", "misc", "common", "manager", "stuff"}
    assert [name for name in modules if name.rsplit(".", 1)[-1] in vague] == []


def _exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            value = ast.literal_eval(node.value)  # type: ignore[attr-defined] - an assignment has a value
            return list(value)
    return None


def test_every_public_module_lists_its_public_names(modules: dict[str, Path]) -> None:
    wrong = []
    for name, path in modules.items():
        tree = _tree(path)
        definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign
        private = any(part.startswith("_") for part in name.split("."))
        if private or not any(isinstance(node, definitions) for node in tree.body):
            continue
        exported = _exported(tree)
        if exported is None or len(exported) != len(set(exported)):
            wrong.append(name)
    assert wrong == []


def test_every_module_says_what_it_is(modules: dict[str, Path]) -> None:
    assert [name for name, path in modules.items() if not ast.get_docstring(_tree(path))] == []


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def test_nothing_unpickles(modules: dict[str, Path]) -> None:
    """Reported fault 73: a pickle in an index ran code when it was loaded."""
    assert {name: bad for name, path in modules.items() if (bad := _imports(_tree(path)) & FORBIDDEN_MODULES)} == {}
    assert [
        name
        for name, path in modules.items()
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and not _is_false(node.value)
    ] == []


def test_nothing_evaluates_text_or_asks_a_shell(modules: dict[str, Path]) -> None:
    found = []
    for name, path in modules.items():
        for node in ast.walk(_tree(path)):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
                found.append(f"{name}:{node.lineno} {node.func.id}")
            if isinstance(node.func, ast.Attribute) and node.func.attr in {"system", "popen"}:
                found.append(f"{name}:{node.lineno} {node.func.attr}")
            if any(
                keyword.arg == "shell"
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
                for keyword in node.keywords
            ):
                found.append(f"{name}:{node.lineno} shell")
    assert found == []


def test_only_config_reads_the_environment(modules: dict[str, Path]) -> None:
    found = []
    for name, path in modules.items():
        if name == "thinkback.config":
            continue
        for node in ast.walk(_tree(path)):
            reads = isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}
            if reads and isinstance(node.value, ast.Name) and node.value.id == "os":
                found.append(f"{name}:{node.lineno}")
    assert found == []


def test_only_ids_makes_ids(modules: dict[str, Path]) -> None:
    """Two places would make them in two ways."""
    assert [name for name, path in modules.items() if "uuid" in _imports(_tree(path))] == []


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX", "HACK", "raise NotImplementedError"])
def test_nothing_is_left_for_later(modules: dict[str, Path], word: str) -> None:
    left = re.compile(rf"\b{word}\b")
    assert [name for name, path in modules.items() if left.search(path.read_text(encoding="utf-8"))] == []
