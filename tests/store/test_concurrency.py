"""Many threads and processes at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from thinkback.errors import StoreBusy, StoreClosed
from thinkback.store.sqlite import SqliteStore

Open = Callable[..., SqliteStore]

_PROCESSES, _THREADS, _EACH = 4, 4, 20

_WRITER = """
import sys, threading
import numpy as np
from thinkback.store.sqlite import SqliteStore
from thinkback.types import Thought
path, process, threads, each = sys.argv[1], *map(int, sys.argv[2:])
store = SqliteStore.open(path, embedder_id="e", dimension=16, busy_timeout_s=60)
faults = []
def work(thread):
    try:
        for number in range(each):
            name = f"t-{process}-{thread}-{number}"
            vector = np.random.default_rng(abs(hash(name)) % 2**32).standard_normal(16).astype(np.float32)
            vector /= np.linalg.norm(vector)
            with store.write() as writer:
                writer.put_thought(Thought(id=name, namespace="n", text=name, level=1.0, created_at=1.0), vector)
            with store.read() as reader:
                row = reader.rows("n", [name])
                found = reader.search_dense("n", vector, 1, kind="thought")
                assert found.rows.tolist() == row.tolist(), (found, row)
    except BaseException as error:
        faults.append(repr(error))
workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
for worker in workers: worker.start()
for worker in workers: worker.join()
store.close()
print(faults)
"""


def test_four_processes_with_four_threads_each_write(opened: Open, path: Path) -> None:
    store = opened()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), str(process), str(_THREADS), str(_EACH)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for process in range(_PROCESSES)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["[]"] * _PROCESSES
    with store.read() as reader:
        thoughts = reader.thoughts("n")
        assert len(thoughts) == _PROCESSES * _THREADS * _EACH
        assert (reader.rows("n", [thought.id for thought in thoughts]) > 0).all()
        ranking = reader.search_dense("n", np.ones(16, np.float32) / 4, 999, kind="thought")
        assert len(set(ranking.rows.tolist())) == len(thoughts)
    assert store.check() == ()


def test_sixteen_threads_write_and_read(store: SqliteStore, make) -> None:
    def work(number: int) -> int:
        for part in range(10):
            make.put(store, [f"thread{number} part{part}"], f"d{number}-{part}", seed=number * 100 + part)
            with store.read() as reader:
                hits = reader.search_words("n", f"thread{number}", 99, kind="chunk")
                assert len(hits.rows) == part + 1
                dense = reader.search_dense("n", make.vectors(1, number * 100 + part)[0], 1, kind="chunk")
                assert [item.document_id for item in reader.items_at("n", dense.rows)] == [f"d{number}-{part}"]
        return number

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(16))) == list(range(16))
    with store.read() as reader:
        assert reader.counts("n")["chunks"] == 160
    assert store.check() == ()


def test_fifty_equal_thoughts_at_a_time_become_one(store: SqliteStore, make) -> None:
    vector = make.vectors(1)[0]

    def work(number: int) -> bool:
        with store.write() as writer:
            if writer.thoughts_by_text("n", "The same THOUGHT"):
                return False
            writer.put_thought(make.thought(f"t{number}", text="the same thought"), vector)
            return True

    with ThreadPoolExecutor(50) as pool:
        assert sum(pool.map(work, range(50))) == 1
    with store.read() as reader:
        assert len(reader.thoughts("n")) == 1


def test_a_row_of_another_process_is_seen_at_once(opened: Open, make) -> None:
    """Another store object has connections and caches of its own, as another process has."""
    ours, theirs = opened(), opened()
    for number in range(40):
        make.put(theirs, [f"word{number}"], f"d{number}", seed=number)
        with ours.read() as reader:
            ranking = reader.search_dense("n", make.vectors(1, number)[0], 1, kind="chunk")
            assert [item.id for item in reader.items_at("n", ranking.rows)] == [f"d{number}-0"]
            assert len(reader.search_words("n", f"word{number}", 5, kind="chunk").rows) == 1
        if number % 3 == 2:
            with theirs.write() as writer:
                writer.delete_documents("n", [f"d{number - 1}"])
            with ours.read() as reader:
                ranking = reader.search_dense("n", make.vectors(1, number - 1)[0], 99, kind="chunk")
                assert f"d{number - 1}-0" not in {item.id for item in reader.items_at("n", ranking.rows)}
                assert len(ranking.rows) == reader.counts("n")["chunks"]


def test_old_snapshots_search_what_they_saw(store: SqliteStore, make) -> None:
    """Ten snapshots, more than the store keeps views of, each between two changes that add and delete."""
    expected, readers, contexts = [], [], []
    for number in range(10):
        make.put(store, [f"d{number}", "more"], f"d{number}", seed=number)
        if number:
            with store.write() as writer:
                writer.delete_documents("n", [f"d{number - 1}"])
        contexts.append(store.read())
        readers.append(contexts[-1].__enter__())
        expected.append({f"d{number}-0", f"d{number}-1"})
    order = [0, 9, 3, 1, 8, 9, 2, 4, 7, 6, 5, 0]
    for number in order:
        ranking = readers[number].search_dense("n", make.vectors(1)[0], 99, kind="chunk")
        assert {item.id for item in readers[number].items_at("n", ranking.rows)} == expected[number]
        words = readers[number].search_words("n", f"d{number} more", 99, kind="chunk")
        assert {item.id for item in readers[number].items_at("n", words.rows)} == expected[number]
    for context in contexts:
        context.__exit__(None, None, None)


def test_writers_of_one_process_take_turns_in_order(store: SqliteStore) -> None:
    order: list[int] = []
    threads: list[threading.Thread] = []

    def work(number: int) -> None:
        with store.write():
            order.append(number)

    with store.write():
        for number in range(6):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            while len(store._pool._queue) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_a_writer_that_never_gets_its_turn_gives_up(opened: Open) -> None:
    store = opened(busy_timeout_s=0.05)
    found: list[BaseException] = []

    def work() -> None:
        try:
            with store.write():
                pass
        except StoreBusy as error:
            found.append(error)

    with store.write() as writer:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        writer.put_setting("a", "b")
    assert len(found) == 1
    with store.write() as writer:
        assert writer.setting("a") == "b"


def test_closing_waits_for_the_snapshots_of_others(store: SqliteStore, make) -> None:
    make.put(store, ["text"])
    reading, close_now = threading.Event(), threading.Event()
    found: list[int] = []

    def work() -> None:
        with store.read() as reader:
            reading.set()
            close_now.wait()
            time.sleep(0.05)
            found.append(len(reader.documents("n")))

    thread = threading.Thread(target=work)
    thread.start()
    reading.wait()
    close_now.set()
    store.close()
    assert found == [1]
    thread.join()
    with pytest.raises(StoreClosed):
        store.info()


def test_closing_inside_ones_own_snapshot_does_not_wait(store: SqliteStore, make) -> None:
    make.put(store, ["text"])
    with store.read() as reader:
        store.close()
        assert len(reader.documents("n")) == 1
    with pytest.raises(StoreClosed), store.read():
        pass


def test_many_readers_need_few_connections(store: SqliteStore, make) -> None:
    make.put(store, ["text"])
    contexts = [store.read() for _ in range(20)]
    for context in contexts:
        context.__enter__()
    for context in contexts:
        context.__exit__(None, None, None)
    assert len(store._pool._idle) == 8
