"""The index on disk and in memory: what it found once it finds again, however it came there."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from thinkback.errors import StoreCorrupt
from thinkback.store.sqlite import SqliteStore, Tuning
from thinkback.store.vectors.top import top
from thinkback.types import Filter

Open = Callable[..., SqliteStore]

SMALL = Tuning(
    exact_rows=10, spare_candidates=20, filtered_candidates=20, full_segment=16, small_segment=4, least_recall=0.0
)


def ids(reader, ranking) -> list[str]:
    return [item.id for item in reader.items_at("n", ranking.rows)]


def all_found(store: SqliteStore, make, alive: dict[str, int]) -> None:
    """Assert that each row is the nearest to its own vector, and that there are no others."""
    with store.read() as reader:
        for name, seed in alive.items():
            assert ids(reader, reader.search_dense("n", make.vectors(1, seed)[0], 1, kind="chunk")) == [name]
        everything = reader.search_dense("n", make.vectors(1)[0], 10_000, kind="chunk")
        assert sorted(ids(reader, everything)) == sorted(alive)


@pytest.mark.parametrize("batches", [[40, 1, 1, 40, 2, 1], [1] * 70, [3] * 30 + [50] + [1] * 5])
def test_small_batches_between_large_ones_are_found_after_reopening(opened: Open, make, batches: list[int]) -> None:
    """A prototype's loader skipped them: rows that were on disk could not be found."""
    store, seed, alive = opened(tuning=SMALL), 0, {}
    for size in batches:
        with store.write() as writer:
            for _ in range(size):
                name = f"d{seed}"
                writer.put_document(make.document(name), "t", make.chunks(["t"], name), make.vectors(1, seed))
                alive[f"{name}-0"] = seed
                seed += 1
    all_found(store, make, alive)
    store.close()
    store = opened(tuning=SMALL)
    all_found(store, make, alive)
    assert store.check() == ()


def test_a_row_number_is_not_reused_even_after_reopening(opened: Open, make) -> None:
    """Reused, it would make another process's memory take the new row for the old one."""
    store, watching = opened(), opened()
    make.put(store, ["one"], "a", seed=1)
    with watching.read() as reader:
        (old,) = reader.search_dense("n", make.vectors(1, 1)[0], 1, kind="chunk").rows.tolist()
    with store.write() as writer:
        writer.delete_documents("n", ["a"])
    store.purge()
    store.close()
    make.put(opened(), ["two"], "b", seed=2)
    with watching.read() as reader:
        ranking = reader.search_dense("n", make.vectors(1, 2)[0], 5, kind="chunk")
        assert ids(reader, ranking) == ["b-0"]
        assert ranking.rows[0] > old
        assert ranking.scores[0] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_a_watching_store_follows_any_history(opened: Open, make, seed: int) -> None:
    """One store writes, one that watches from the start and one that opens at the end find the same."""
    rng = random.Random(seed)
    writing, watching, alive, number = opened(tuning=SMALL), opened(tuning=SMALL), {}, 0
    for _ in range(60):
        with writing.write() as writer:
            for _ in range(rng.choice([1, 1, 1, 2, 20])):
                name = f"d{number}"
                writer.put_document(make.document(name), "t", make.chunks(["t"], name), make.vectors(1, number))
                alive[f"{name}-0"] = number
                number += 1
            for name in rng.sample(sorted(alive), min(len(alive), rng.choice([0, 0, 1, 2, 15]))):
                writer.delete_documents("n", [name.removesuffix("-0")])
                del alive[name]
        if rng.random() < 0.5:
            with watching.read() as reader:
                found = reader.search_dense("n", make.vectors(1)[0], 10_000, kind="chunk")
                assert sorted(ids(reader, found)) == sorted(alive)
    for store in (watching, writing, opened(tuning=SMALL)):
        all_found(store, make, alive)
        assert store.check() == ()


def test_segments_are_few_however_rows_came(opened: Open, make) -> None:
    store = opened(tuning=SMALL)
    for seed in range(300):
        make.put(store, ["t"], f"d{seed}", seed=seed)
    with store._pool.lend() as sql:
        sizes = [rows for (rows,) in sql.rows("SELECT rows FROM segments ORDER BY last_seq")]
    assert sum(sizes) == 300
    assert len(sizes) <= 300 // 12 + 2 * SMALL.small_segment
    assert max(sizes) <= SMALL.full_segment


def test_a_transaction_finds_its_own_rows_and_leaves_none_behind(opened: Open, make) -> None:
    store = opened(tuning=SMALL)
    for seed in range(15):
        make.put(store, ["t"], f"d{seed}", seed=seed)
    with store.write() as writer:
        assert len(writer.search_dense("n", make.vectors(1)[0], 99, kind="chunk").rows) == 15
        for seed in range(15, 40):
            name = f"d{seed}"
            writer.put_document(make.document(name), "t", make.chunks(["t"], name), make.vectors(1, seed))
            found = writer.search_dense("n", make.vectors(1, seed)[0], 1, kind="chunk")
            assert ids(writer, found) == [f"{name}-0"]
        writer.delete_documents("n", ["d3", "d20"])
        assert len(writer.search_dense("n", make.vectors(1)[0], 99, kind="chunk").rows) == 38
        store._pool._state  # noqa: B018 - the pool is untouched by what follows
        with store.read() as reader:
            assert len(reader.search_dense("n", make.vectors(1)[0], 99, kind="chunk").rows) == 15
    all_found(store, make, {f"d{seed}-0": seed for seed in range(40) if seed not in (3, 20)})


@pytest.mark.parametrize(
    "where", [None, Filter(metadata={"part": 1}), Filter(document_ids=tuple(f"d{i}" for i in range(9)))]
)
@pytest.mark.parametrize("kind", ["sign", "int8"])
def test_search_by_codes_is_near_exact_search(opened: Open, make, where: Filter | None, kind: str) -> None:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((60, 64))
    count = 3000
    raw = centres[rng.integers(0, 60, count)] + 0.9 * rng.standard_normal((count, 64))
    if kind == "int8":
        raw = np.abs(raw)  # signs say nothing here, so the store must have changed to bytes
    vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    store = opened(dimension=64, tuning=Tuning(exact_rows=1000, least_recall=0.8))
    for start in range(0, count, 100):
        name = f"d{start // 100}"
        with store.write() as writer:
            chunks = make.chunks(["t"] * 100, name)
            writer.put_document(
                make.document(name, metadata={"part": start // 100 % 2}), "t", chunks, vectors[start : start + 100]
            )
    assert store.info().code_kind == kind
    passing = np.array([where is None or (i // 100 % 2 == 1 if where.metadata else i < 900) for i in range(count)])
    places = np.flatnonzero(passing)
    total = 0
    for fresh in (store, opened(dimension=64, tuning=Tuning(exact_rows=1000))):
        with fresh.read() as reader:
            for query in vectors[:: count // 30]:
                exact = {f"d{i // 100}-{i % 100}" for i in places[top(vectors[places] @ query, 10)].tolist()}
                ranking = reader.search_dense("n", query, 10, kind="chunk", where=where)
                total += len(exact & set(ids(reader, ranking)))
                assert reader.cosines("n", ranking.rows, query).tolist() == ranking.scores.tolist()
    assert total / 600 >= 0.95
    assert store.check() == ()
    make.put(store, ["after"], "late", seed=1)
    with store.write() as writer:
        writer.delete_documents("n", ["d3"])
    assert store.check() == ()


def test_memory_stays_within_its_bound(opened: Open, make) -> None:
    """At most 128 bytes a row for 384 dimensions: codes, row numbers and owners in memory, vectors on disk."""
    store = opened(dimension=384, tuning=Tuning(exact_rows=100, least_recall=0.0))
    vectors = make.vectors(4000, dimension=384)
    for start in range(0, 4000, 500):
        with store.write() as writer:
            name = f"d{start}"
            writer.put_document(make.document(name), "t", make.chunks(["t"] * 500, name), vectors[start : start + 500])
    with store.read() as reader:
        reader.search_dense("n", vectors[0], 10, kind="chunk")
    held = [view.memory for views in store._shared.views._views.values() for view in views]
    unique = {id(memory): memory for memory in held}.values()
    used = sum(memory.seqs.nbytes + memory.owners.nbytes + memory.codes.nbytes for memory in unique)
    assert used / 4000 <= 128
    assert store._shared.exact.nbytes == 0


def test_a_lost_segment_is_noticed_and_not_searched(opened: Open, make) -> None:
    store = opened(tuning=SMALL)
    for seed in range(12):
        make.put(store, ["t"], f"d{seed}", seed=seed)
    with store._pool.lend() as sql:
        sql.run("DELETE FROM segments WHERE segment = (SELECT max(segment) FROM segments)")
    with store.read() as reader, pytest.raises(StoreCorrupt, match="recorded"):
        reader.search_dense("n", make.vectors(1)[0], 5, kind="chunk")
    assert any("codes" in fault for fault in store.check())


def test_vectors_of_deleted_rows_are_not_needed(opened: Open, make) -> None:
    """Nothing is kept between searches here, so each reads the vectors of a view that has dead rows in it."""
    store = opened(tuning=Tuning(exact_bytes=0))
    for seed in range(30):
        make.put(store, ["t"], f"d{seed}", seed=seed)
    with store.read() as reader:
        assert len(reader.search_dense("n", make.vectors(1)[0], 99, kind="chunk").rows) == 30
    with store.write() as writer:
        writer.delete_documents("n", ["d4", "d11"])
    all_found(store, make, {f"d{seed}-0": seed for seed in range(30) if seed not in (4, 11)})
    assert store._shared.exact.nbytes == 0
