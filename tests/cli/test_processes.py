"""The command line as a process: exit codes, pipes, encodings, terminals and Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[bytes]]
QUESTION = "When was the harbour bridge opened?"


def test_exit_codes(process: Run, papers: Path) -> None:
    assert process("add", papers).returncode == 0
    assert process("why", "tht_unknown").returncode == 1
    assert process("ask").returncode == 2
    assert process("nosuch").returncode == 2
    assert process("ask", QUESTION).returncode == 3


def test_a_pipe_gets_no_escape_sequences_and_no_bars(process: Run, papers: Path) -> None:
    for arguments in (
        ["add", papers],
        ["docs"],
        ["search", "bridge", "--explain"],
        ["doctor", "--no-measure"],
        ["--help"],
    ):
        done = process(*arguments)
        assert b"\x1b" not in done.stdout + done.stderr, arguments
        assert b"\r" not in done.stdout + done.stderr, arguments


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}])
def test_fault_95_any_encoding_will_do(process: Run, chat: Any, tmp_path: Path, env: dict[str, str]) -> None:
    note = tmp_path / "brücke.md"
    note.write_text(
        "# Die Brücke 橋\n\nThe bridge was opened in 1932 after nine years of work. Größe: 5 µm 🎉\n", encoding="utf-8"
    )
    assert process("add", note, env=env).returncode == 0
    for arguments in (
        ["docs"],
        ["ask", QUESTION],
        ["thoughts"],
        ["search", "Brücke", "--explain"],
        ["stats"],
        ["audit"],
    ):
        done = process(*arguments, env=env)
        assert done.returncode == 0, (arguments, done.stderr)
        assert b"Traceback" not in done.stderr
        done.stdout.decode(env.get("PYTHONIOENCODING", "utf-8"))
    done = process("docs", "--json", env=env)
    assert (
        json.loads(done.stdout.decode(env.get("PYTHONIOENCODING", "utf-8")))["documents"][0]["title"] == "Die Brücke 橋"
    )
    why = process("why", json.loads(process("thoughts", "--json", env=env).stdout)["thoughts"][0]["id"], env=env)
    assert (b"`-- asked" in why.stdout) is ("PYTHONIOENCODING" in env), why.stdout


def test_a_reader_that_leaves_early_is_no_fault(
    process: Run, papers: Path, process_environment: dict[str, str]
) -> None:
    process("add", papers)
    program = [sys.executable, "-m", "thinkback.app.cli", "export"]
    done = subprocess.run(
        ["bash", "-c", f"for i in 1 2 3; do {' '.join(program)}; done | head -c 10"],
        env=process_environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def _in_terminal(
    arguments: list[str], env: dict[str, str], columns: int, until: Callable[[bytes], bool] | None = None
) -> Any:
    """Run in a terminal of a size; return what it showed, exit code and process. ``until`` stops it with Ctrl-C."""
    import fcntl
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    started = subprocess.Popen(
        [sys.executable, "-m", "thinkback.app.cli", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={key: value for key, value in env.items() if key != "COLUMNS"} | {"TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(follower)
    shown = b""
    deadline = time.monotonic() + 120
    interrupted = False
    while time.monotonic() < deadline:
        ready, _, _ = select.select([leader], [], [], 0.1)
        if ready:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif started.poll() is not None:
            break
        if until is not None and not interrupted and until(shown):
            started.send_signal(signal.SIGINT)
            interrupted = True
    code = started.wait(timeout=30)
    os.close(leader)
    return shown.decode("utf-8", "replace"), code


def _plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [50, 80])
def test_a_terminal_gets_colour_and_whole_words(
    process: Run, chat: Any, papers: Path, process_environment: dict[str, str], columns: int
) -> None:
    process("add", papers)
    chat.answer = "The bridge was opened in 1932 after nine years of work, and it carries eight lanes of traffic [1]."
    shown, code = _in_terminal(["ask", QUESTION], process_environment | {"OPENAI_BASE_URL": chat.url}, columns)
    assert code == 0, shown
    assert "\x1b[" in shown
    plain = _plain(shown)
    words = {word for line in plain.splitlines() for word in line.split()}
    assert {"opened", "carries", "traffic"} <= words
    assert max(len(line.rpartition("\r")[2]) for line in plain.splitlines()) <= columns


def test_no_color_is_honoured(process: Run, chat: Any, papers: Path, process_environment: dict[str, str]) -> None:
    process("add", papers)
    shown, _ = _in_terminal(["docs"], process_environment | {"NO_COLOR": "1"}, 80)
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown)


def test_ctrl_c_while_a_model_thinks(
    chat: Any, process: Run, papers: Path, process_environment: dict[str, str]
) -> None:
    import threading

    process("add", papers)
    chat.pause = threading.Event()
    shown, code = _in_terminal(
        ["ask", QUESTION],
        process_environment | {"OPENAI_BASE_URL": chat.url},
        80,
        until=lambda _: chat.reached.is_set(),
    )
    chat.pause.set()
    assert code == 130, shown
    assert "Stopped." in shown
    assert "Traceback" not in shown
    documents = json.loads(process("docs", "--json").stdout)["documents"]
    assert len(documents) == 2


@pytest.mark.slow
def test_ctrl_c_while_adding_keeps_what_was_written(
    process: Run, tmp_path: Path, process_environment: dict[str, str]
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(400):
        text = " ".join(f"Shelf {number} holds box {number}-{part}." for part in range(60))
        (folder / f"n{number:03}.txt").write_text(text, encoding="utf-8")
    environment = process_environment | {"THINKBACK_EMBEDDER": "minilm"}
    shown, code = _in_terminal(
        ["add", str(folder)], environment, 80, until=lambda seen: b"chunks/s" in seen and b"left" in seen
    )
    assert code == 130, shown[-500:]
    told = re.search(r"Stopped\. (\d+) documents? had been written", shown)
    assert told, shown[-500:]
    assert "Traceback" not in shown
    documents = json.loads(process("docs", "--json", env={"THINKBACK_EMBEDDER": "minilm"}).stdout)["documents"]
    assert len(documents) == int(told[1])


def test_debug_shows_where_an_error_came_from(process: Run) -> None:
    done = process("why", "tht_unknown", "--debug")
    assert b"Traceback" in done.stderr
    assert b"NotFound" in done.stderr
    assert done.returncode == 1


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "thinkback", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Documents and questions" in done.stdout
