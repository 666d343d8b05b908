"""The fence around the tests holds: no way out of this machine, and nothing of the user's in sight."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import platformdirs
import pytest

from thinkback.config import load_settings

OUTSIDE = "192.0.2.1"  # reserved for documentation (RFC 5737): nobody answers there


def test_a_connection_to_the_outside_is_refused(offline: list[str]) -> None:
    with socket.socket() as plug, pytest.raises(ConnectionRefusedError, match="may not leave this machine"):
        plug.connect((OUTSIDE, 80))
    assert offline[-1] == f"socket.connect '{OUTSIDE}'"


def test_a_name_is_not_looked_up(offline: list[str]) -> None:
    with pytest.raises(OSError, match="may not leave this machine"):
        urllib.request.urlopen("http://example.org/", timeout=1)
    assert "example.org" in offline[-1]


def test_a_datagram_is_refused(offline: list[str]) -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as plug,
        pytest.raises(ConnectionRefusedError, match="may not leave"),
    ):
        plug.sendto(b"x", (OUTSIDE, 53))
    assert offline[-1].startswith("socket.sendto")


def test_a_child_process_is_fenced_in_too() -> None:
    probe = f"import socket; socket.create_connection(({OUTSIDE!r}, 80), timeout=1)"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "may not leave this machine" in ran.stderr


def test_this_machine_itself_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_the_users_folders_and_variables_are_out_of_sight(tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.getbasetemp()
    for folder in (Path.home(), platformdirs.user_cache_path("x"), platformdirs.user_config_path("x")):
        assert folder.is_relative_to(base)
    settings = load_settings()
    assert settings.home.is_relative_to(base)
    assert settings.cache.is_relative_to(base)
    assert settings.api_key is None
    assert settings.llm is None
    assert [
        name for name in os.environ if name.startswith(("THINKBACK_", "OPENAI_")) and name != "THINKBACK_DATA"
    ] == []
