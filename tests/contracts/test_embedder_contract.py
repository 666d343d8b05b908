"""What every embedder must do, run over all of them.

The sentence-transformers adapter has the same suite where its extra is installed (tests/embed/test_sentence.py runs it
on models made there).
"""

import hashlib
import json
from collections.abc import Callable, Iterator

import httpx2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thinkback.embed.cached import CachedEmbedder
from thinkback.embed.hashing import HashingEmbedder
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.embed.openai import OpenAIEmbedder
from thinkback.ports import Embedder

TEXTS = [
    "The treaty was signed in Kyoto in 1997.",
    "Otters hold hands while they sleep.",
    "a",
    "京都議定書は1997年に署名された。",
    "one two three " * 200,
    "e\u0301clair \U0001f600 \ud800 \x00 end",
]


def _vector_of(text: str, dimension: int) -> list[float]:
    """Return a vector that belongs to the text alone, of no particular length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return (3 * np.random.default_rng(seed).standard_normal(dimension)).tolist()


def _server(dimension: int) -> httpx2.Client:
    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        entries = [
            {"object": "embedding", "index": place, "embedding": _vector_of(text, dimension)}
            for place, text in enumerate(body["input"])
        ]
        return httpx2.Response(200, json={"object": "list", "model": body["model"], "data": entries})

    return httpx2.Client(transport=httpx2.MockTransport(answer))


@pytest.fixture(scope="module")
def minilm() -> Iterator[MiniLmEmbedder]:
    embedder = MiniLmEmbedder()
    yield embedder
    embedder.close()


def _openai(dimension: int) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        "m", base_url="http://localhost:1/v1", http_client=_server(dimension), batch_texts=2, first_wait=0
    )


MAKERS: dict[str, Callable[[pytest.FixtureRequest], Embedder]] = {
    **{f"hashing-{size}": lambda _, size=size: HashingEmbedder(size) for size in (3, 384, 768, 1024)},
    **{f"openai-{size}": lambda _, size=size: _openai(size) for size in (3, 384, 768, 1024)},
    "minilm": lambda request: request.getfixturevalue("minilm"),
    "cached-minilm": lambda request: CachedEmbedder(request.getfixturevalue("minilm")),
    "cached-file": lambda request: CachedEmbedder(
        HashingEmbedder(64), path=request.getfixturevalue("tmp_path") / "vectors.db"
    ),
    "cached-openai": lambda _: CachedEmbedder(_openai(16)),
}


@pytest.fixture(params=MAKERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    made = MAKERS[request.param](request)
    yield made
    made.close()


def test_it_says_what_it_is(embedder):
    assert embedder.id
    assert embedder.max_tokens >= 1
    assert embedder.dimension >= 1


@pytest.mark.parametrize("kind", ["query", "document"])
def test_one_float32_unit_row_per_text(embedder, kind):
    rows = embedder.embed(TEXTS, kind=kind)
    assert rows.shape == (len(TEXTS), embedder.dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_row(embedder):
    rows = embedder.embed([], kind="document")
    assert rows.shape == (0, embedder.dimension)
    assert rows.dtype == np.float32


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u200b\ufeff", "\x00"])
def test_a_text_without_content_is_far_from_everything(embedder, blank):
    rows = embedder.embed(["before", blank, "after"], kind="document")
    assert not rows[1].any()
    np.testing.assert_allclose(np.linalg.norm(rows[[0, 2]], axis=1), 1, atol=1e-5)


def test_rows_come_in_the_order_of_the_texts_whatever_their_company(embedder):
    together = embedder.embed(TEXTS, kind="document")
    backwards = embedder.embed(TEXTS[::-1], kind="document")[::-1]
    alone = np.concatenate([embedder.embed([text], kind="document") for text in TEXTS])
    np.testing.assert_allclose(together, backwards, atol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_the_same_text_gives_the_same_bytes_again(embedder):
    first = embedder.embed(TEXTS + TEXTS, kind="query")
    again = embedder.embed(TEXTS, kind="query")
    assert first[: len(TEXTS)].tobytes() == first[len(TEXTS) :].tobytes() == again.tobytes()


def test_what_is_returned_is_the_callers_own(embedder):
    first = embedder.embed(TEXTS[:2], kind="query")
    kept = first.copy()
    first[:] = 7
    assert embedder.embed(TEXTS[:2], kind="query").tobytes() == kept.tobytes()


def test_fault_33_distinct_texts_do_not_share_a_vector(embedder):
    @settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.sets(st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=12), min_size=2))
    def check(words):
        texts = sorted(words)
        rows = embedder.embed(texts, kind="document")
        assert len({row.tobytes() for row in rows}) == len(texts)

    check()


def test_counting_is_of_the_whole_text_and_grows_with_it(embedder):
    assert embedder.count("") == 0
    assert embedder.count("one") >= 1
    assert embedder.count("one two three " * 2000) == pytest.approx(
        1000 * embedder.count("one two three " * 2), rel=0.01
    )
    assert embedder.count("\ud800") >= 0


def test_close_can_be_called_twice(embedder):
    dimension = embedder.embed(["something"], kind="query").shape[1]
    embedder.close()
    embedder.close()
    assert embedder.dimension == dimension  # what it says of itself outlives the model
