"""Files from the web, from hosts that the user allowed and no others.

The address that a name resolves to is looked at before anything is sent, and the connection goes to that very address,
so that a name cannot point to a machine of the local network after the check. No proxy and no ``.netrc`` is used.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from thinkback.errors import CorruptDocument, InvalidInput, LoadError, TooLarge

if TYPE_CHECKING:
    import httpx2

__all__ = ["FetchedFile", "fetch"]

_REDIRECTS = 5
_PATIENCE = 10  # times the time-out: what a whole download may take
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_FILENAME = re.compile(r"filename\*?\s*=\s*(?:UTF-8'[^']*')?\"?([^\";]{1,255})", re.IGNORECASE)
_CODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 47}  # window sizes as zlib wants them; 47 finds out by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFile:
    """What a server sent."""

    data: bytes
    media_type: str | None
    """The Content-Type header."""
    name: str
    """As the server calls it, else the last part of the address; no folders. May be empty."""
    url: str
    """Where it was in the end."""


def fetch(url: str, *, allow: Sequence[str], max_bytes: int, timeout: float) -> FetchedFile:
    """Return the file at an address.

    Args:
        url: an http or https address without user name.
        allow: host names; one that begins with a dot stands for itself and all names below it. A host that has an
            address in a private network is only asked if it is allowed by its own name.
        max_bytes: most bytes, packed and unpacked.
        timeout: seconds to wait for a connection and for each piece of the answer; ten times that for all of it.

    Raises:
        InvalidInput: the address is malformed, or its host (or one it redirects to) is not allowed.
        TooLarge: it has more than ``max_bytes``.
        CorruptDocument: what came is cut short or packed wrongly.
        LoadError: the host cannot be reached, or answers with an error.
    """
    import httpx2  # noqa: PLC0415 - the client is large; only this function needs it

    deadline = time.monotonic() + _PATIENCE * timeout
    with httpx2.Client(timeout=timeout, trust_env=False) as client, _mapped_errors():
        target = _checked(httpx2.URL(url), None)
        for _ in range(_REDIRECTS + 1):
            address = _address(target, allow)
            with closing(client.send(_pinned(client, target, address), stream=True)) as response:
                if response.has_redirect_location:
                    target = _checked(target.join(response.headers["location"]), target)
                    continue
                if response.status_code != httpx2.codes.OK:
                    raise LoadError(f"{target.host} answered with status {response.status_code}.")
                data = _receive(response, max_bytes, deadline)
                headers = response.headers
                return FetchedFile(
                    data=data,
                    media_type=headers.get("content-type"),
                    name=_name(headers.get("content-disposition", ""), target.path),
                    url=str(target),
                )
    raise LoadError(f"The address redirects more than {_REDIRECTS} times.")


@contextmanager
def _mapped_errors() -> Iterator[None]:
    import httpx2  # noqa: PLC0415 - see fetch

    try:
        yield
    except httpx2.InvalidURL as error:
        raise InvalidInput("The address is malformed.") from error
    except httpx2.TimeoutException as error:
        raise LoadError("The server took too long to answer.") from error
    except httpx2.RemoteProtocolError as error:
        raise CorruptDocument("The server's answer was cut short or malformed.") from error
    except httpx2.HTTPError as error:
        raise LoadError("The server cannot be reached.") from error


def _checked(url: httpx2.URL, before: httpx2.URL | None) -> httpx2.URL:
    """Return an address if it is one that is asked at all."""
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput("Only http and https addresses are fetched.")
    if url.port is not None and not 0 < url.port < 65536:
        raise InvalidInput("The address is malformed.")
    if url.userinfo:
        raise InvalidInput(
            "An address with a user name or password is not fetched: it would be stored with the document."
        )
    if before is not None and before.scheme == "https" and url.scheme == "http":
        raise InvalidInput("The address redirects from https to http.")
    return url.copy_with(fragment=None)


def _address(url: httpx2.URL, allow: Sequence[str]) -> str:
    """Return the IP address to connect to, once the host is known to be allowed."""
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    names = [entry.strip().lower().rstrip(".") for entry in allow]
    named = host in names or url.host in names
    if not named and not any(name.startswith(".") and (host == name[1:] or host.endswith(name)) for name in names):
        raise InvalidInput(f"{url.host} is not among the allowed hosts.", hint="Add it to allow_urls.")
    try:
        found = socket.getaddrinfo(host, url.port or (443 if url.scheme == "https" else 80), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise LoadError(f"{url.host} has no address.") from error
    addresses = [str(each[4][0]) for each in found]
    if not named and not all(map(_is_public, addresses)):
        raise InvalidInput(
            f"{url.host} is an address of a local network.", hint="Allow it by its own name if you want this."
        )
    return addresses[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        embedded = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            embedded = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if embedded is not None:
            return _is_public(str(embedded))
    return address.is_global and not address.is_multicast


def _pinned(client: httpx2.Client, url: httpx2.URL, address: str) -> httpx2.Request:
    """Return the request: to the address that was looked at, under the name that was asked for (also for TLS)."""
    host = url.raw_host.decode("ascii")
    shown = f"[{host}]" if ":" in host else host
    return client.build_request(
        "GET",
        url.copy_with(host=address),
        headers={
            "Host": shown if url.port is None else f"{shown}:{url.port}",
            "User-Agent": "thinkback",
            "Accept": "application/pdf, text/html, text/plain, text/markdown, */*;q=0.5",
            "Accept-Encoding": "gzip",
        },
        extensions={"sni_hostname": host} if url.scheme == "https" else {},
    )


def _receive(response: httpx2.Response, max_bytes: int, deadline: float) -> bytes:
    """Return the body, unpacked piece by piece so that a bomb is noticed before it goes off."""
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {*_CODINGS, "identity", ""}:
        raise LoadError(f"The server packs its answer in a way that is not read ({coding[:20]}).")
    unpacker = zlib.decompressobj(_CODINGS[coding]) if coding in _CODINGS else None
    parts: list[bytes] = []
    received = unpacked = 0
    for piece in response.iter_raw():
        received += len(piece)
        part = _unpack(unpacker, piece, max_bytes - unpacked + 1) if unpacker else piece
        unpacked += len(part)
        if max(received, unpacked) > max_bytes:
            raise TooLarge(f"The file has more than {max_bytes:,} bytes.")
        if time.monotonic() > deadline:
            raise LoadError("The server took too long to send the file.")
        parts.append(part)
    if unpacker and not unpacker.eof and received:
        raise CorruptDocument("The server's answer was cut short.")
    return b"".join(parts)


def _unpack(unpacker: zlib._Decompress, piece: bytes, limit: int) -> bytes:
    try:
        return unpacker.decompress(piece, limit)
    except zlib.error as error:
        raise CorruptDocument("The server's answer is packed wrongly.") from error


def _name(disposition: str, path: str) -> str:
    given = _FILENAME.search(disposition)
    name = unquote(given.group(1) if given else path)
    return PurePosixPath(name.replace("\\", "/")).name
