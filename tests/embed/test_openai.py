"""The adapter for OpenAI-compatible endpoints, against a server that lives in the test."""

import base64
import json
import time
import traceback

import httpx2
import numpy as np
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkback.embed.openai import OpenAIEmbedder
from thinkback.embed.openai_errors import translate
from thinkback.errors import (
    BadReply,
    InvalidInput,
    ModelDenied,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from thinkback.types import Usage

KEY = "sk-very-secret-0123456789"


class Server:
    """Answers embedding requests; ``script`` holds replies that come before the good ones."""

    def __init__(self, dimension=4):
        self.dimension = dimension
        self.script = []
        self.requests = []
        self.headers = []
        self.client = httpx2.Client(transport=httpx2.MockTransport(self.answer))

    def answer(self, request):
        body = json.loads(request.content)
        self.requests.append(body)
        self.headers.append(request.headers)
        if self.script:
            step = self.script.pop(0)
            if isinstance(step, Exception):
                raise step
            return step(body) if callable(step) else step
        return self.good(body)

    def good(self, body):
        return reply([self.vector(text, body) for text in body["input"]])

    def vector(self, text, body):
        rng = np.random.default_rng(abs(hash(text)) % 2**32)
        return rng.standard_normal(body.get("dimensions", self.dimension)).tolist()

    @property
    def texts(self):
        return [text for body in self.requests for text in body["input"]]


def reply(vectors, indices=None, usage=None):
    places = range(len(vectors)) if indices is None else indices
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in zip(places, vectors, strict=True)]
    more = {} if usage is None else {"usage": usage}
    return httpx2.Response(200, json={"object": "list", "model": "m", "data": data, **more})


def refusal(status, message="no", headers=None, **fields):
    return httpx2.Response(status, json={"error": {"message": message, **fields}}, headers=headers or {})


@pytest.fixture
def server():
    return Server()


def connect(server, **changes):
    given = {"base_url": "http://here:1/v1", "api_key": KEY, "dimension": None, "first_wait": 0, **changes}
    return OpenAIEmbedder("m", http_client=server.client, **given)


# --- dimension -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("size", [3, 384, 768, 1024])
def test_fault_30_the_dimension_is_found_by_one_probe(size):
    server = Server(size)
    embedder = connect(server)
    assert embedder.dimension == size
    assert embedder.embed(["a"], kind="query").shape == (1, size)
    assert embedder.dimension == size
    assert len(server.requests) == 2
    assert "dimensions" not in server.requests[0]


def test_a_given_dimension_is_asked_for_and_not_probed(server):
    rows = connect(server, dimension=3).embed(["a"], kind="query")
    assert rows.shape == (1, 3)
    assert [body["dimensions"] for body in server.requests] == [3]


def test_a_server_that_refuses_to_be_told_a_dimension_is_asked_without(server):
    server.script = [refusal(400, "this model does not support changing its dimensions")]
    embedder = connect(server, dimension=4)
    assert embedder.embed(["a"], kind="query").shape == (1, 4)
    embedder.embed(["b"], kind="query")
    assert ["dimensions" in body for body in server.requests] == [True, False, False]


def test_another_dimension_than_asked_for_is_a_bad_reply(server):
    server.script = [refusal(400, "dimensions are fixed")]
    with pytest.raises(BadReply, match="dimension 4, not 8"):
        connect(server, dimension=8).embed(["a"], kind="query")


def test_other_refusals_do_not_drop_the_dimension(server):
    server.script = [refusal(400, "too many tokens")]
    with pytest.raises(ModelRejected):
        connect(server, dimension=3).embed(["a"], kind="query")
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", [reply([[]]), reply([]), reply([[1.0], [2.0]]), reply([None])])
def test_a_probe_without_a_vector_is_a_bad_reply(server, first):
    server.script = [first]
    with pytest.raises(BadReply):
        _ = connect(server).dimension


def test_a_known_dimension_is_not_asked_for_and_others_are_refused(server):
    embedder = connect(server)
    embedder.expect(4)
    assert embedder.dimension == 4
    assert server.requests == []
    assert embedder.embed(["a"], kind="query").shape == (1, 4)
    assert "dimensions" not in server.requests[0]
    other = connect(server)
    other.expect(8)
    with pytest.raises(BadReply, match="dimension 4, not 8"):
        other.embed(["a"], kind="query")
    given = connect(server, dimension=4)
    given.expect(8)
    assert given.dimension == 4  # what the caller asks for goes before


def test_the_first_texts_show_the_dimension_and_nothing_else_is_sent(server):
    embedder = connect(server)
    assert embedder.embed(["a", "b"], kind="document").shape == (2, 4)
    assert embedder.dimension == 4
    assert server.texts == ["a", "b"]


# --- cost ----------------------------------------------------------------------------------------------------------
def test_the_cost_is_what_the_server_says(server):
    server.script = [reply([[1.0, 0, 0, 0]], usage={"prompt_tokens": 7, "total_tokens": 7})] * 2
    embedder = connect(server, dimension=4, money_per_million=3e6, batch_texts=1)
    _, usage = embedder.embed_counted(["a", "b"], kind="document")
    assert usage == Usage(embedding_calls=2, embedded_tokens=14, money=42.0)


@pytest.mark.parametrize("said", [None, {}, {"prompt_tokens": 0}, {"prompt_tokens": "7"}, {"total_tokens": None}])
def test_a_server_that_says_nothing_usable_is_counted_by_us(server, said):
    server.script = [reply([[1.0, 0, 0, 0]], usage=said)]
    _, usage = connect(server, dimension=4, count=len).embed_counted(["abc"], kind="document")
    assert usage == Usage(embedding_calls=1, embedded_tokens=3, estimated=True)


def test_the_most_it_can_cost_counts_prefixes_and_leaves_out_what_is_not_sent(server):
    embedder = connect(server, dimension=4, count=len, money_per_million=1e6, query_prefix="q: ")
    assert embedder.worst(["abc", " ", ""], kind="query") == Usage(embedded_tokens=6, money=6.0)
    assert embedder.worst(["abc"], kind="document").embedded_tokens == 3
    assert embedder.worst([" "], kind="query") == Usage()
    assert server.requests == []


def test_a_call_that_fails_says_what_the_requests_before_had_cost(server):
    server.script = [reply([[1.0, 0, 0, 0]], usage={"prompt_tokens": 7}), refusal(400)]
    with pytest.raises(ModelRejected) as caught:
        connect(server, dimension=4, batch_texts=1).embed_counted(["a", "b"], kind="document")
    assert caught.value.usage == Usage(embedding_calls=1, embedded_tokens=7)


def test_looking_for_the_dimension_is_counted_with_the_next_call(server):
    server.script = [reply([[1.0, 0, 0, 0]], usage={"prompt_tokens": 5})] * 2
    embedder = connect(server)
    _ = embedder.dimension
    assert embedder.embed_counted(["a"], kind="query")[1].embedded_tokens == 10
    assert embedder.embed_counted([], kind="query")[1] == Usage()


# --- batches -------------------------------------------------------------------------------------------------------
@given(
    lengths=st.lists(st.integers(1, 30), max_size=30), batch_tokens=st.integers(1, 40), batch_texts=st.integers(1, 7)
)
def test_fault_88_no_request_is_above_the_limits(lengths, batch_tokens, batch_texts):
    server = Server()
    texts = [f"{'x ' * (length - 1)}{number}" for number, length in enumerate(lengths)]

    def count(text):
        return len(text.split())

    embedder = connect(server, dimension=4, count=count, batch_tokens=batch_tokens, batch_texts=batch_texts)
    rows = embedder.embed(texts, kind="document")
    assert server.texts == texts
    assert len(rows) == len(texts)
    for body in server.requests:
        batch = body["input"]
        assert len(batch) <= batch_texts
        assert len(batch) == 1 or sum(map(count, batch)) <= batch_tokens


def test_rows_follow_the_numbers_that_the_server_gives(server):
    vectors = [[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]]
    server.script = [reply(vectors, indices=[2, 0, 1])]
    rows = connect(server, dimension=4).embed(["a", "b", "c"], kind="document")
    np.testing.assert_array_equal(rows, [vectors[1], vectors[2], vectors[0]])


@pytest.mark.parametrize("indices", [[0, 0], [None, None]])
def test_without_numbers_the_order_is_taken_as_it_is(server, indices):
    server.script = [reply([[1.0, 0, 0, 0], [0, 1.0, 0, 0]], indices=indices)]
    rows = connect(server, dimension=4).embed(["a", "b"], kind="document")
    np.testing.assert_array_equal(rows[:, :2], np.eye(2))


@pytest.mark.parametrize("indices", [[1, 1], [0, 2], [5, 6], ["1", "0"]])
def test_numbers_that_fit_no_order_are_a_bad_reply(server, indices):
    server.script = [reply([[1.0, 0, 0, 0], [0, 1.0, 0, 0]], indices=indices)]
    with pytest.raises(BadReply, match="no order"):
        connect(server, dimension=4).embed(["a", "b"], kind="document")


def test_blank_texts_and_lone_surrogates_are_not_sent(server):
    rows = connect(server, dimension=4).embed(["", " ", "a\ud800", "\u200b"], kind="document")
    assert server.texts == ["a\ufffd"]
    assert [bool(row.any()) for row in rows] == [False, False, True, False]


def test_prefixes_go_before_the_text_and_into_the_id(server):
    plain = connect(server)
    prefixed = connect(server, dimension=4, query_prefix="query: ", document_prefix="passage: ")
    prefixed.embed(["a"], kind="query")
    prefixed.embed(["b"], kind="document")
    assert server.texts == ["query: a", "passage: b"]
    assert plain.id == "openai:m@here"
    assert len({plain.id, prefixed.id, connect(server, dimension=4).id, connect(server, query_prefix="q").id}) == 4
    assert connect(server, base_url="http://here:2/v1").id == plain.id


# --- bad replies ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "bad",
    [
        reply([[1.0, 0, 0, 0]]),
        reply([[1.0, 0, 0, 0]] * 3),
        reply([]),
        reply([[1.0, 0, 0, 0], [1.0, 0]]),
        reply([[0.0] * 4, [1.0, 0, 0, 0]]),
        reply([[None] * 4, [1.0, 0, 0, 0]]),
        reply(["AAAA", "AAAA"]),
        httpx2.Response(
            200, text='{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}, {"index": 1, "embedding": [1, 1, 1, 1]}]}'
        ),
        httpx2.Response(200, json={"object": "list"}),
        httpx2.Response(200, json={"data": None}),
        httpx2.Response(200, json={"data": "x"}),
        httpx2.Response(200, json={"data": [1, 2]}),
        httpx2.Response(200, json=[]),
        httpx2.Response(200, json="ok"),
        httpx2.Response(200, text="<html>login</html>"),
        httpx2.Response(200, text="<html>login</html>", headers={"content-type": "application/json"}),
        httpx2.Response(200, text=""),
    ],
)
def test_a_reply_without_one_good_vector_per_text_is_a_bad_reply_and_not_repeated(server, bad):
    server.script = [bad]
    with pytest.raises(BadReply):
        connect(server, dimension=4).embed(["a", "b"], kind="document")
    assert len(server.requests) == 1


# --- failures and retries ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (refusal(400), ModelRejected),
        (refusal(401), ModelDenied),
        (refusal(402), ModelDenied),
        (refusal(403), ModelDenied),
        (refusal(404), ModelRejected),
        (refusal(405), ModelRejected),
        (refusal(408), ModelTimeout),
        (refusal(409), ModelUnavailable),
        (refusal(413), ModelRejected),
        (refusal(418), ModelUnavailable),
        (refusal(422), ModelRejected),
        (refusal(429), RateLimited),
        (refusal(429, code="insufficient_quota"), ModelDenied),
        (refusal(429, type="insufficient_quota"), ModelDenied),
        (refusal(500), ModelUnavailable),
        (refusal(503), ModelUnavailable),
        (httpx2.ConnectError("refused"), ModelUnavailable),
        (httpx2.ReadTimeout("slow"), ModelTimeout),
        (httpx2.RemoteProtocolError("cut"), ModelUnavailable),
    ],
)
def test_each_failure_has_its_error(server, failure, expected):
    server.script = [failure]
    with pytest.raises(ModelError) as caught:
        connect(server, dimension=4, attempts=1).embed(["a"], kind="query")
    assert type(caught.value) is expected
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "failure", [refusal(429), refusal(500), refusal(503), httpx2.ConnectError("x"), httpx2.ReadTimeout("x")]
)
def test_what_may_pass_is_tried_again(server, failure):
    server.script = [failure, failure]
    rows = connect(server, dimension=4, attempts=3).embed(["a"], kind="query")
    assert rows.shape == (1, 4)
    assert len(server.requests) == 3


def test_it_gives_up_after_the_last_attempt(server):
    server.script = [refusal(500)] * 9
    with pytest.raises(ModelUnavailable, match="HTTP 500"):
        connect(server, dimension=4, attempts=3).embed(["a"], kind="query")
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_can_never_work_is_sent_once(server, status):
    server.script = [refusal(status)] * 3
    with pytest.raises(ModelError):
        connect(server, dimension=4).embed(["a"], kind="query")
    assert len(server.requests) == 1


def test_it_waits_as_long_as_the_server_asks(server):
    server.script = [refusal(429, headers={"retry-after": "0.3"})]
    began = time.monotonic()
    connect(server, dimension=4).embed(["a"], kind="query")
    assert time.monotonic() - began >= 0.3


def test_it_does_not_wait_for_minutes_but_says_how_long(server):
    server.script = [refusal(429, headers={"retry-after": "3600"})]
    with pytest.raises(RateLimited) as caught:
        connect(server, dimension=4).embed(["a"], kind="query")
    assert caught.value.retry_after == 3600
    assert len(server.requests) == 1


def test_a_new_exception_of_the_sdk_falls_under_its_parent():
    class BrandNewError(openai.APIConnectionError):
        pass

    error = translate(BrandNewError(request=httpx2.Request("POST", "http://here")), server="here")
    assert type(error) is ModelUnavailable


# --- keys and names ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_and_the_text_are_in_no_message(server, status):
    server.script = [refusal(status, f"key {KEY} and text CANARY")] * 9
    embedder = connect(server, dimension=4, attempts=1)
    with pytest.raises(ModelError) as caught:
        embedder.embed(["CANARY"], kind="query")
    assert KEY not in str(caught.value) + caught.value.hint + repr(caught.value) + repr(embedder) + repr(vars(embedder))
    assert "CANARY" not in str(caught.value)
    assert f"HTTP {status}" in str(caught.value)


def test_no_traceback_shows_the_key(server):
    server.script = [refusal(500)]
    with pytest.raises(ModelError) as caught:
        connect(server, dimension=4, attempts=1).embed(["a"], kind="query")
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_the_key_reaches_the_server(server):
    connect(server, dimension=4).embed(["a"], kind="query")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_account_names_of_the_environment_go_to_openai_only(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")
    connect(server, dimension=4).embed(["a"], kind="query")
    assert "of-mine" not in str(server.headers[0])


def test_openai_itself_needs_a_key(server):
    with pytest.raises(ModelDenied, match="no key"):
        connect(server, base_url=None, api_key=None, dimension=4).embed(["a"], kind="query")
    assert server.requests == []


def test_openai_itself_sends_base64_and_others_plain_numbers(server):
    raw = base64.b64encode(np.array([3, 0, 4, 0], dtype="<f4").tobytes()).decode()
    server.script = [reply([raw])]
    official = connect(server, base_url=None, dimension=4)
    np.testing.assert_allclose(official.embed(["a"], kind="query"), [[0.6, 0, 0.8, 0]], rtol=1e-6)
    connect(server, dimension=4).embed(["a"], kind="query")
    assert [body["encoding_format"] for body in server.requests] == ["base64", "float"]
    assert official.id == "openai:m/4"


def test_an_empty_reply_of_openai_is_a_bad_reply(server):
    server.script = [reply([])]
    with pytest.raises(BadReply):
        connect(server, base_url=None, dimension=4).embed(["a"], kind="query")


@pytest.mark.parametrize("address", ["here/v1", "ftp://here/v1", "http://", ""])
def test_an_address_must_be_one(server, address):
    if not address:  # none given: OpenAI's own
        assert connect(server, base_url=address).id == "openai:m"
        return
    with pytest.raises(InvalidInput, match="URL"):
        connect(server, base_url=address)


@pytest.mark.parametrize("change", ["dimension", "batch_tokens", "batch_texts", "attempts", "max_tokens"])
def test_limits_must_be_positive(server, change):
    with pytest.raises(InvalidInput, match="at least 1"):
        connect(server, **{change: 0})


# --- closing -------------------------------------------------------------------------------------------------------
def test_a_closed_embedder_says_so_and_leaves_the_callers_client_open(server):
    embedder = connect(server, dimension=4)
    embedder.embed(["a"], kind="query")
    embedder.close()
    embedder.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        embedder.embed(["a"], kind="query")
    assert not server.client.is_closed


def test_nobody_listening_is_model_unavailable_and_the_own_client_is_closed():
    embedder = OpenAIEmbedder("m", base_url="http://127.0.0.1:9/v1", dimension=4, attempts=1)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9 could not be reached"):
        embedder.embed(["a"], kind="query")
    sdk = embedder._connection._sdk
    embedder.close()
    assert sdk.is_closed()


# --- counting ------------------------------------------------------------------------------------------------------
def test_a_given_counter_is_used(server):
    assert connect(server, count=len).count("four") == 4
