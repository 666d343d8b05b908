"""Closes the network for a Python process, but for the machine itself.

The root ``conftest.py`` puts this folder first on ``PYTHONPATH``, so that every Python child of a test is closed too, and
installs the same hook in the test process. An audit hook sees every connection that Python makes, whatever the library,
and cannot be taken off again.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

__all__ = ["ATTEMPTS", "NetworkBlocked", "close_network"]

ATTEMPTS: list[str] = []
"""The addresses outside this machine that were tried, in order."""

_ADDRESS_AT = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1}
_NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}


class NetworkBlocked(ConnectionRefusedError):
    """What a program sees that tries to leave this machine: the same kind of error as without a network."""


def _is_local(host: Any) -> bool:
    if host is None or host in {"", b"", "localhost", b"localhost"}:
        return True
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not event.startswith("socket."):
        return
    if event in _NAME_EVENTS:
        host = arguments[0]
    elif event in _ADDRESS_AT:
        address = arguments[_ADDRESS_AT[event]]
        if not isinstance(address, tuple):  # a Unix socket, or a socket that is connected already
            return
        host = address[0]
    else:
        return
    if not _is_local(host):
        ATTEMPTS.append(f"{event} {host!r}")
        raise NetworkBlocked(f"Tests may not leave this machine; tried {host!r}.")


def close_network() -> None:
    """Close it for the rest of this process's life."""
    sys.addaudithook(_hook)


if __name__ == "sitecustomize":  # imported by a fresh interpreter, not by the conftest under another name
    close_network()
