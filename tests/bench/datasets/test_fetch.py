"""Fetching: consent, checksums, going on, archives; against a server that is a function."""

from __future__ import annotations

import errno
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from thinkback.bench.datasets.catalogue import RemoteFile, Source
from thinkback.bench.datasets.fetch import fetch, notice
from thinkback.errors import InvalidInput, LoadError, ModelUnavailable
from thinkback.llm.fetch import one_at_a_time

BODY = b"".join(b'{"row": %d}\n' % number for number in range(500))
SHA = hashlib.sha256(BODY).hexdigest()
URL = "https://data.example/rows.jsonl"


class Broken(httpx2.SyncByteStream):
    """Sends some bytes and then fails."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self._data
        raise httpx2.ReadError("gone")


@dataclass
class Server:
    """Knows ranges and tags; breaks off after some bytes if it is told to."""

    files: dict[str, bytes] = field(default_factory=lambda: {URL: BODY})
    etag: str = '"one"'
    ranges: bool = True
    breaks_at: int | None = None
    asked: list[dict[str, str]] = field(default_factory=list)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append({name: request.headers.get(name, "") for name in ("range", "if-range")})
        body = self.files.get(str(request.url))
        if body is None:
            return httpx2.Response(404)
        tags = {"etag": self.etag} if self.etag else {}
        given, wanted = request.headers.get("range", ""), request.headers.get("if-range", self.etag)
        if given and self.ranges and wanted == self.etag:
            start = int(given.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                return httpx2.Response(416)
            return httpx2.Response(
                206,
                headers={**tags, "content-range": f"bytes {start}-{len(body) - 1}/{len(body)}"},
                content=body[start:],
            )
        if self.breaks_at is not None:
            return httpx2.Response(200, headers=tags, stream=Broken(body[: self.breaks_at]))
        return httpx2.Response(200, headers=tags, content=body)


def source(*files: RemoteFile, how: str = "") -> Source:
    return Source(
        folder="rows", title="Rows", about="Numbered rows.", datasets=("rows",), licence="CC0 1.0", citation="Ann 2020",
        homepage="https://data.example", needs=("rows.jsonl",), files=files, how=how,
    )  # fmt: skip


KNOWN = RemoteFile(path="rows.jsonl", url=URL, sha256=SHA, size=len(BODY))
UNKNOWN = RemoteFile(path="rows.jsonl", url=URL)

Fetch = Callable[..., Path]


@pytest.fixture
def get(tmp_path: Path) -> Fetch:
    def make(server: Server, *files: RemoteFile, consent: bool = True) -> Path:
        with httpx2.Client(transport=httpx2.MockTransport(server)) as client:
            return fetch(source(*files), tmp_path, consent=lambda _: consent, progress=lambda *_: None, client=client)

    return make


def test_nothing_is_fetched_without_consent(tmp_path: Path) -> None:
    server, shown = Server(), []
    with httpx2.Client(transport=httpx2.MockTransport(server)) as client:
        for files in ((KNOWN,), (KNOWN, UNKNOWN.model_copy(update={"path": "other.jsonl"}))):
            with pytest.raises(InvalidInput, match="not agreed"):
                fetch(source(*files), tmp_path, consent=lambda text: bool(shown.append(text)),  # type: ignore[func-returns-value]
                      progress=lambda *_: None, client=client)  # fmt: skip
    assert server.asked == []
    assert "Licence: CC0 1.0" in shown[0]
    assert "Please cite: Ann 2020" in shown[0]
    assert "From: data.example (1 files, 0.0 MB)" in shown[0]
    assert "(2 files, size not known)" in shown[1]
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_fetched_once_and_checked(get: Fetch, tmp_path: Path) -> None:
    server = Server()
    folder = get(server, KNOWN)
    assert folder == tmp_path / "datasets" / "rows"
    assert (folder / "rows.jsonl").read_bytes() == BODY
    assert sorted(each.name for each in folder.iterdir()) == [".lock", "rows.jsonl"]
    get(server, KNOWN, consent=False)
    assert len(server.asked) == 1
    (folder / "rows.jsonl").write_bytes(b"cut")
    get(server, KNOWN)
    assert (folder / "rows.jsonl").read_bytes() == BODY


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None, str]] = []
    with httpx2.Client(transport=httpx2.MockTransport(Server())) as client:
        fetch(source(KNOWN), tmp_path, consent=lambda _: True, client=client,
              progress=lambda stage, done, total, note="": told.append((stage, done, total, note)))  # fmt: skip
    assert told[-1] == ("fetch", len(BODY), len(BODY), "rows.jsonl")


def test_another_file_than_promised_is_deleted(get: Fetch, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="its checksum differs"):
        get(Server(files={URL: BODY[:-1] + b"!"}), KNOWN)
    assert [each.name for each in (tmp_path / "datasets" / "rows").iterdir()] == [".lock"]
    with pytest.raises(LoadError, match="more than the"):
        get(Server(files={URL: BODY + b"more"}), KNOWN)


def test_the_first_download_is_trusted_and_remembered(get: Fetch, tmp_path: Path) -> None:
    folder = get(Server(), UNKNOWN)
    note = folder / "rows.jsonl.sha256"
    assert note.read_text() == f"{SHA}  rows.jsonl\n"
    (folder / "rows.jsonl").unlink()
    with pytest.raises(LoadError, match="changed since it was first fetched"):
        get(Server(files={URL: b"another"}), UNKNOWN)
    assert not (folder / "rows.jsonl").exists()
    get(Server(), UNKNOWN)
    assert (folder / "rows.jsonl").read_bytes() == BODY


def test_a_broken_download_goes_on(get: Fetch, tmp_path: Path) -> None:
    for file, asked in (
        (KNOWN, {"range": "bytes=1000-", "if-range": '"one"'}),
        (UNKNOWN, {"range": "bytes=1000-", "if-range": '"one"'}),
    ):
        server = Server(breaks_at=1000)
        with pytest.raises(LoadError, match=r"connection failed \(ReadError\)") as broken:
            get(server, file)
        assert "fetch again to go on" in broken.value.hint
        server.breaks_at = None
        folder = get(server, file)
        assert server.asked[1] == asked
        assert (folder / "rows.jsonl").read_bytes() == BODY
        (folder / "rows.jsonl").unlink()
        (folder / "rows.jsonl.sha256").unlink(missing_ok=True)


def test_parts_of_two_versions_are_never_joined(get: Fetch, tmp_path: Path) -> None:
    server = Server(breaks_at=1000)
    with pytest.raises(LoadError):
        get(server, UNKNOWN)
    changed = BODY.replace(b"row", b"ROW")
    folder = get(Server(files={URL: changed}, etag='"two"'), UNKNOWN)
    assert (folder / "rows.jsonl").read_bytes() == changed, "the server has another tag and sends all of it"
    for each in folder.iterdir():
        each.unlink()
    server = Server(breaks_at=1000, etag="")
    with pytest.raises(LoadError):
        get(server, UNKNOWN)
    server.breaks_at = None
    get(server, UNKNOWN)
    assert server.asked[1]["range"] == "", "without tag and checksum it begins again"


def test_a_server_without_ranges_begins_again(get: Fetch) -> None:
    server = Server(breaks_at=1000, ranges=False)
    with pytest.raises(LoadError):
        get(server, KNOWN)
    server.breaks_at = None
    assert (get(server, KNOWN) / "rows.jsonl").read_bytes() == BODY


def test_a_whole_partial_file_is_only_checked(get: Fetch, tmp_path: Path) -> None:
    folder = tmp_path / "datasets" / "rows"
    folder.mkdir(parents=True)
    (folder / "rows.jsonl.partial").write_bytes(BODY)
    server = Server()
    get(server, KNOWN)
    assert server.asked[0]["range"] == f"bytes={len(BODY)}-"
    assert (folder / "rows.jsonl").read_bytes() == BODY


def test_bad_answers_are_named(get: Fetch, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="answered with status 404"):
        get(Server(files={}), KNOWN)
    folder = tmp_path / "datasets" / "rows"
    (folder / "rows.jsonl.partial").write_bytes(BODY[:10])

    def odd(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(206, headers={"content-range": "bytes 5-9/10"}, content=b"12345")

    with pytest.raises(LoadError, match="another part than it was asked for"):
        get(odd, KNOWN)


def test_a_full_disk_and_a_second_process_are_named(get: Fetch, tmp_path: Path) -> None:
    def full(_: httpx2.Request) -> httpx2.Response:
        raise OSError(errno.ENOSPC, "no space")

    with pytest.raises(LoadError, match="the disk is full"):
        get(full, KNOWN)
    folder = tmp_path / "datasets" / "rows"
    (folder / "rows.jsonl").mkdir()
    with pytest.raises(LoadError, match="cannot be written"):
        get(Server(), KNOWN)
    with (
        one_at_a_time(folder / ".lock", "Rows"),
        pytest.raises(ModelUnavailable, match="Another process"),
    ):
        get(Server(), KNOWN)


def test_what_no_program_can_fetch_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as found:
        fetch(source(how="Ask Ann."), tmp_path, consent=lambda _: True, progress=lambda *_: None)
    assert "Ask Ann." in found.value.hint


def test_without_a_client_one_is_made_and_fails_without_a_network(tmp_path: Path, offline: list[str]) -> None:
    with pytest.raises(LoadError, match="connection failed"):
        fetch(source(KNOWN), tmp_path, consent=lambda _: True, progress=lambda *_: None)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.mkdir("top")
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def tarred(links: bool = False, **files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name.replace("__", "/"))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        if links:
            member = tarfile.TarInfo("link")
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    return out.getvalue()


ARCHIVE_URL = "https://data.example/rows.zip"


def packed(kind: str, data: bytes | None = None) -> RemoteFile:
    known = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} if data is not None else {}
    return RemoteFile.model_validate({"path": "rows.archive", "url": ARCHIVE_URL, "unpack": kind, **known})


def test_archives_are_taken_out_without_their_top_folder(get: Fetch) -> None:
    data = zipped(top__rows=BODY, top__qrels__test=b"1")
    server = Server(files={ARCHIVE_URL: data})
    folder = get(server, packed("zip", data))
    assert (folder / "rows").read_bytes() == BODY
    assert (folder / "qrels" / "test").read_bytes() == b"1"
    assert not (folder / "rows.archive").exists()
    get(server, packed("zip", data), consent=False)
    assert len(server.asked) == 1, "a taken out archive counts as there"


def test_files_without_a_common_top_stay_where_they_are_and_links_are_left_out(get: Fetch) -> None:
    data = tarred(links=True, one=b"1", two__three=b"3")
    folder = get(Server(files={ARCHIVE_URL: data}), packed("tar"))
    assert (folder / "one").read_bytes() == b"1"
    assert (folder / "two" / "three").read_bytes() == b"3"
    assert not (folder / "link").is_symlink()


@pytest.mark.parametrize("name", ["../out", "/out", "top/../../out"])
def test_nothing_leaves_the_folder(get: Fetch, tmp_path: Path, name: str) -> None:
    data = tarred(**{name: b"x", "fine": b"y"})
    with pytest.raises(LoadError, match="outside its folder"):
        get(Server(files={ARCHIVE_URL: data}), packed("tar"))
    assert not [each for each in tmp_path.rglob("*") if each.name in {"out", "fine"}]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_damaged_archive_is_deleted(get: Fetch, kind: str) -> None:
    server = Server(files={ARCHIVE_URL: b"no archive at all"})
    with pytest.raises(LoadError, match="is damaged"):
        get(server, packed(kind))
    server.files[ARCHIVE_URL] = zipped(a=b"1") if kind == "zip" else tarred(a=b"1")
    assert (get(server, packed(kind)) / "a").read_bytes() == b"1"


def test_a_notice_names_every_host() -> None:
    other = RemoteFile(path="b", url="http://other.example/b", size=3)
    assert "From: data.example, other.example (2 files" in notice(source(KNOWN, other))
