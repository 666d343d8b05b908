"""What holds for every test: a clean environment, folders of its own, and no way out of this machine.

A test that needs real data takes ``data_folder``; one that shows what happens without a network takes ``offline``.
"""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

_HERE = Path(__file__).parent
_GUARD = _HERE / "guard"

_OURS_OR_THEIRS = ("THINKBACK_", "OPENAI_", "AZURE_OPENAI", "HF_", "HUGGING", "TRANSFORMERS_", "SENTENCE_TRANSFORMERS_")
_LONG_TIMEOUT = 1200  # seconds
_PROXIES = {f"{kind}_proxy" for kind in ("http", "https", "all", "no", "ftp")}
_KEPT = {"THINKBACK_DATA"}
_FOLDERS = {
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "HOME": "home",
}


def _load_guard() -> ModuleType:
    """Load the guard under a name of its own, for ``sitecustomize`` may stand for another file here."""
    spec = importlib.util.spec_from_file_location("thinkback_network_guard", _GUARD / "sitecustomize.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# A shell that starts the tests in the background has them ignore Ctrl-C, and what they start would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_guard = _load_guard()
_guard.close_network()

# Two cores shared by many processes make deadlines a matter of luck; a failing example must be printable in full.
settings.register_profile("thinkback", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("thinkback")


def _isolate(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Take away what the user has set, and give a home, a cache, a configuration and a data folder under ``folder``."""
    for name in list(os.environ):
        if name in _KEPT:
            continue
        if name.startswith(_OURS_OR_THEIRS) or name.lower() in _PROXIES:
            patch.delenv(name)
    for variable, subfolder in _FOLDERS.items():
        path = folder / subfolder
        path.mkdir(parents=True, exist_ok=True)
        patch.setenv(variable, str(path))
    patch.setenv("PYTHONPATH", str(_GUARD))
    patch.setenv("PIP_NO_INDEX", "1")
    patch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    patch.setenv("HF_HUB_OFFLINE", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give what runs a model or is slow by nature the time that it takes on a machine with other work."""
    for item in items:
        long = any(item.get_closest_marker(name) for name in ("slow", "model"))
        if long and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_LONG_TIMEOUT))


@pytest.fixture(scope="session", autouse=True)
def _isolated_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The same for fixtures that live longer than one test, such as a loaded model."""
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, tmp_path_factory.mktemp("session"))
        yield


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    _isolate(monkeypatch, tmp_path_factory.mktemp("isolated"))


@pytest.fixture(autouse=True)
def _stays_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that tried to leave this machine, even if the code under test swallowed the error."""
    before = len(_guard.ATTEMPTS)
    yield
    tried = _guard.ATTEMPTS[before:]
    if tried and "offline" not in request.fixturenames:
        pytest.fail(f"tried to leave this machine: {tried}", pytrace=False)


@pytest.fixture
def offline() -> list[str]:
    """Let the test try to reach the network, in vain; return the list to which the attempts are added."""
    attempts: list[str] = _guard.ATTEMPTS
    return attempts


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of the real data sets."""
    named = os.environ.get("THINKBACK_DATA")
    if not named:
        pytest.skip("THINKBACK_DATA names no folder: real data sets are not here")
    return Path(named)
