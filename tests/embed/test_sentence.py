"""The sentence-transformers adapter, on small random models of the real architectures that are made here."""

import dataclasses
import importlib.util
import threading
from importlib import resources

import numpy as np
import pytest

from thinkback.embed import sentence
from thinkback.embed.profiles import Profile, known_models
from thinkback.embed.sentence import SentenceTransformerEmbedder
from thinkback.errors import BadReply, InvalidInput, MissingExtra, ModelRejected, ModelUnavailable

INSTALLED = importlib.util.find_spec("sentence_transformers") is not None
with_st = pytest.mark.skipif(not INSTALLED, reason="extra st is not installed")

TEXTS = ["The treaty was signed in Kyoto.", "Otters hold hands while they sleep, which is rare.", "one two three"]


# --- without the extra ---------------------------------------------------------------------------------------------
@pytest.mark.skipif(INSTALLED, reason="extra st is installed")
def test_without_the_extra_the_pip_line_is_said():
    embedder = SentenceTransformerEmbedder("facebook/contriever")
    with pytest.raises(MissingExtra, match=r"thinkback\[st\]"):
        embedder.embed(["x"], kind="query")


def test_making_one_loads_nothing_and_knows_its_encoders():
    dragon = SentenceTransformerEmbedder("facebook/dragon-plus-context-encoder")
    assert dragon.id.startswith("st:facebook/dragon-plus-query-encoder+facebook/dragon-plus-context-encoder/")
    dpr = SentenceTransformerEmbedder("facebook/dpr-ctx_encoder-single-nq-base")
    assert "sentence-transformers/facebook-dpr-question_encoder-single-nq-base" in dpr.id
    dragon.close()


def test_whatever_shapes_the_vectors_is_in_the_id():
    name = "intfloat/e5-base-v2"
    variants = [
        {},
        {"query_prefix": "q: "},
        {"document_prefix": "d: "},
        {"window": 128},
        {"norm_bound": 2.0},
        {"revision": "abc"},
        {"like": "BAAI/bge-m3"},
        {"document_model": "intfloat/e5-small-v2"},
    ]
    ids = [SentenceTransformerEmbedder(name, **variant).id for variant in variants]
    assert len(set(ids)) == len(ids)
    assert SentenceTransformerEmbedder(name, batch_size=2, device="cpu", download=False).id == ids[0]


@pytest.mark.parametrize("bad", [{"batch_size": 0}, {"window": 0}, {"norm_bound": 0.0}, {"norm_bound": -1.0}])
def test_numbers_must_be_positive(bad):
    with pytest.raises(InvalidInput, match="positive"):
        SentenceTransformerEmbedder("x", **bad)


def test_a_pattern_must_be_known():
    with pytest.raises(InvalidInput, match="not known"):
        SentenceTransformerEmbedder("x", like="no/such")


def test_a_known_dimension_loads_nothing():
    embedder = SentenceTransformerEmbedder("facebook/contriever")
    embedder.expect(768)
    assert embedder.dimension == 768


# --- with it -------------------------------------------------------------------------------------------------------
def _tokenizer():
    from transformers import PreTrainedTokenizerFast

    file = resources.files("thinkback.embed") / "data" / "minilm-tokenizer.json"
    special = {
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "eos_token": "[SEP]",
    }
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(file), model_max_length=64, **special)
    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    return tokenizer


def _bert(folder, seed):
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder)
    _tokenizer().save_pretrained(folder)
    return str(folder)


def _decoder(folder):
    import torch
    from transformers import Qwen3Config, Qwen3Model

    torch.manual_seed(3)
    config = Qwen3Config(
        vocab_size=30522,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    Qwen3Model(config).save_pretrained(folder)
    _tokenizer().save_pretrained(folder)
    return str(folder)


def _packed(bare, folder, pooling, **options):
    """Write a model in the library's own form."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    transformer = modules.Transformer(bare)
    pool = modules.Pooling(transformer.get_embedding_dimension(), pooling)
    SentenceTransformer(modules=[transformer, pool, modules.Normalize()], device="cpu", **options).save(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return _bert(tmp_path_factory.mktemp("query-encoder"), 1)


@pytest.fixture(scope="module")
def other_bert(tmp_path_factory):
    return _bert(tmp_path_factory.mktemp("document-encoder"), 2)


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return _decoder(tmp_path_factory.mktemp("decoder"))


def _by_hand(folder, texts, pooling):
    """Return the pooled vectors, one text at a time and without the library."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    rows = []
    with torch.no_grad():
        for text in texts:
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            rows.append({"cls": hidden[0], "mean": hidden.mean(0), "lasttoken": hidden[-1]}[pooling].numpy())
    return np.stack(rows)


def _unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _small(name, window=64):
    return dataclasses.replace(known_models()[name], window=window)


@with_st
def test_contriever_is_the_mean_of_the_token_vectors(bert):
    embedder = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"))
    rows = embedder.embed(TEXTS, kind="document")
    np.testing.assert_allclose(rows, _unit(_by_hand(bert, TEXTS, "mean")), atol=1e-5)
    assert rows.dtype == np.float32
    assert embedder.dimension == 16


@with_st
def test_dragon_is_the_first_token_of_two_encoders(bert, other_bert):
    embedder = SentenceTransformerEmbedder(
        bert, document_model=other_bert, like=_small("facebook/dragon-plus-query-encoder")
    )
    np.testing.assert_allclose(embedder.embed(TEXTS, kind="query"), _unit(_by_hand(bert, TEXTS, "cls")), atol=1e-5)
    np.testing.assert_allclose(
        embedder.embed(TEXTS, kind="document"), _unit(_by_hand(other_bert, TEXTS, "cls")), atol=1e-5
    )


@with_st
def test_qwen_is_the_last_token_behind_an_instruction(decoder, tmp_path):
    packed = _packed(decoder, tmp_path / "packed", "lasttoken")
    profile = _small("Qwen/Qwen3-Embedding-0.6B")
    embedder = SentenceTransformerEmbedder(packed, like=profile)
    prefixed = [profile.query_prefix + text for text in TEXTS]
    np.testing.assert_allclose(
        embedder.embed(TEXTS, kind="query"), _unit(_by_hand(packed, prefixed, "lasttoken")), atol=1e-5
    )
    np.testing.assert_allclose(
        embedder.embed(TEXTS, kind="document"), _unit(_by_hand(packed, TEXTS, "lasttoken")), atol=1e-5
    )


@with_st
def test_e5_has_a_prefix_for_either_kind(bert, tmp_path):
    packed = _packed(bert, tmp_path / "packed", "mean")
    embedder = SentenceTransformerEmbedder(packed, like=_small("intfloat/e5-base-v2"))
    for kind, prefix in (("query", "query: "), ("document", "passage: ")):
        by_hand = _unit(_by_hand(packed, [prefix + text for text in TEXTS], "mean"))
        np.testing.assert_allclose(embedder.embed(TEXTS, kind=kind), by_hand, atol=1e-5)
    assert embedder.max_tokens == 64 - 2 - 2


@with_st
def test_a_model_whose_own_code_pools_gets_its_end_of_text(bert, tmp_path):
    packed = _packed(bert, tmp_path / "packed", "cls")
    profile = _small("nvidia/NV-Embed-v2")
    refused = SentenceTransformerEmbedder(packed, like=profile)
    with pytest.raises(ModelRejected, match="trust_remote_code"):
        refused.embed(TEXTS, kind="document")
    allowed = SentenceTransformerEmbedder(packed, like=profile, trust_remote_code=True)
    by_hand = _unit(_by_hand(packed, [text + "[SEP]" for text in TEXTS], "cls"))
    np.testing.assert_allclose(allowed.embed(TEXTS, kind="document"), by_hand, atol=1e-5)


@with_st
def test_an_unknown_model_is_used_as_its_own_configuration_says(bert, tmp_path):
    packed = _packed(bert, tmp_path / "packed", "cls", prompts={"query": "ask: ", "document": "say: "})
    embedder = SentenceTransformerEmbedder(packed)
    for kind, prefix in (("query", "ask: "), ("document", "say: ")):
        by_hand = _unit(_by_hand(packed, [prefix + text for text in TEXTS], "cls"))
        np.testing.assert_allclose(embedder.embed(TEXTS, kind=kind), by_hand, atol=1e-5)
    plain = SentenceTransformerEmbedder(packed, query_prefix="")
    by_hand = _unit(_by_hand(packed, TEXTS, "cls"))
    np.testing.assert_allclose(plain.embed(TEXTS, kind="query"), by_hand, atol=1e-5)


@with_st
def test_a_model_that_pools_otherwise_than_its_name_says_is_refused(bert, tmp_path):
    packed = _packed(bert, tmp_path / "packed", "max")
    with pytest.raises(BadReply, match="pools by max, not by mean"):
        SentenceTransformerEmbedder(packed, like=_small("intfloat/e5-base-v2")).embed(TEXTS, kind="query")


@with_st
def test_with_a_norm_bound_cosines_order_documents_as_dot_products_do(bert):
    texts = [f"{'long words ' * (number % 5)}text about number {number}" for number in range(40)]
    queries = ["which number", "long words", "otters"]
    plain = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"))
    bound = plain.largest_norm(texts)
    embedder = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"), norm_bound=bound)
    asked, said = embedder.embed(queries, kind="query"), embedder.embed(texts, kind="document")
    assert asked.shape == (3, 17)
    np.testing.assert_allclose(np.linalg.norm(said, axis=1), 1, atol=1e-5)
    raw_queries, raw_texts = _by_hand(bert, queries, "mean"), _by_hand(bert, texts, "mean")
    expected = raw_queries @ raw_texts.T / bound / np.linalg.norm(raw_queries, axis=1, keepdims=True)
    np.testing.assert_allclose(asked @ said.T, expected, atol=1e-4)
    assert embedder.id != plain.id
    short = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"), norm_bound=bound / 100)
    clipped = short.embed(texts, kind="document")
    np.testing.assert_allclose(clipped[:, :-1], plain.embed(texts, kind="document"), atol=1e-4)
    np.testing.assert_allclose(clipped[:, -1], 0, atol=1e-3)
    with pytest.raises(InvalidInput, match="at least one"):
        plain.largest_norm([])


@with_st
def test_it_keeps_what_every_embedder_keeps(bert):
    embedder = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"), batch_size=2)
    texts = ["a b c", "", "d \ud800", "\u200b", "long " * 500, "a b c"]
    rows = embedder.embed(texts, kind="document")
    assert rows.shape == (6, 16)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 0, 1, 1], atol=1e-5)
    backwards = embedder.embed(texts[::-1], kind="document")[::-1]
    np.testing.assert_allclose(rows, backwards, atol=1e-5)
    assert embedder.embed([], kind="query").shape == (0, 16)
    assert embedder.count("embedding") == 3
    assert embedder.count("word " * 1000) == 1000
    assert embedder.count("\ud800") >= 0
    assert embedder.max_tokens == 62
    embedder.close()
    embedder.close()
    np.testing.assert_allclose(embedder.embed(texts[:1], kind="document"), rows[:1], atol=1e-5)


@with_st
def test_a_changed_local_model_has_another_id(bert, other_bert, tmp_path):
    profile = _small("facebook/contriever")
    one, other = SentenceTransformerEmbedder(bert, like=profile), SentenceTransformerEmbedder(other_bert, like=profile)
    assert one.id.split("/")[-1] != other.id.split("/")[-1]
    assert "/tmp" not in one.id  # noqa: S108 - where a folder lies is no part of what it holds


@with_st
def test_encoders_of_different_width_are_refused(bert, decoder, monkeypatch):
    embedder = SentenceTransformerEmbedder(bert, document_model=decoder, like=Profile(pooling="mean", bare=True))
    load = embedder._load

    class Wider:
        def get_embedding_dimension(self):
            return 99

    monkeypatch.setattr(embedder, "_load", lambda name: Wider() if name == decoder else load(name))
    with pytest.raises(ModelRejected, match="different dimension"):
        _ = embedder.dimension


@with_st
def test_a_folder_that_holds_no_model_is_model_unavailable(tmp_path):
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        SentenceTransformerEmbedder(str(tmp_path)).embed(["x"], kind="query")


@with_st
def test_a_model_of_another_dimension_than_expected_is_refused(bert):
    embedder = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"), device="cpu")
    embedder.expect(24)
    assert embedder.dimension == 24
    with pytest.raises(BadReply, match="16 dimensions, not 24"):
        embedder.embed(["x"], kind="query")


@with_st
def test_a_model_that_fails_is_a_model_error(bert, monkeypatch):
    embedder = SentenceTransformerEmbedder(bert, like=_small("facebook/contriever"), device="cpu")
    embedder.embed(["x"], kind="query")
    monkeypatch.setattr(embedder._models[bert], "preprocess", lambda *_, **__: 1 / 0)
    with pytest.raises(ModelUnavailable, match="cannot be run: ZeroDivisionError"):
        embedder.embed(["x"], kind="query")


@with_st
def test_a_model_that_is_not_here_is_not_fetched_unless_allowed():
    with pytest.raises(ModelUnavailable, match="not on this machine"):
        SentenceTransformerEmbedder("no-such/model", download=False).embed(["x"], kind="query")


@with_st
@pytest.mark.parametrize("name", ["no-such/model", "facebook/contriever"])
def test_without_a_hub_it_asks_once_for_a_few_seconds_and_says_so(name, offline, monkeypatch):
    import huggingface_hub
    import sentence_transformers
    from sentence_transformers.sentence_transformer import modules

    ask = huggingface_hub.HfApi.model_info
    patience, local = [], []

    def watched(self, *arguments, timeout, **more):
        patience.append(timeout)
        return ask(self, *arguments, timeout=timeout, **more)

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", watched)

    class Whole(sentence_transformers.SentenceTransformer):
        def __init__(self, *arguments, **options):
            local.append(options["local_files_only"])
            super().__init__(*arguments, **options)

    class Bare(modules.Transformer):
        def __init__(self, *arguments, **options):
            local.append(options["model_kwargs"]["local_files_only"])
            super().__init__(*arguments, **options)

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", Whole)
    monkeypatch.setattr(modules, "Transformer", Bare)
    embedder = SentenceTransformerEmbedder(name)
    with pytest.raises(ModelUnavailable, match=r"hub cannot be reached.*local folder"):
        embedder.embed(["x"], kind="query")
    assert len(patience) == 1
    assert patience[0] <= 5
    assert local == [True]  # the library, which would go on trying for a minute, is not let near the hub


@with_st
def test_a_hub_that_hangs_is_given_up(monkeypatch):
    import huggingface_hub

    released = threading.Event()
    came_back = threading.Event()

    def hang(*_, **__):
        released.wait(60)
        came_back.set()

    monkeypatch.setattr(sentence, "_PATIENCE", 0.2)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", hang)
    try:
        with pytest.raises(ModelUnavailable, match="hub cannot be reached"):
            sentence._reach_hub("a/b", None)
        assert not came_back.is_set()
    finally:
        released.set()
    assert came_back.wait(60)


@with_st
def test_a_hub_that_answers(monkeypatch):
    import huggingface_hub
    from huggingface_hub.errors import RevisionNotFoundError

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: None)
    sentence._reach_hub("a/b", None)
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        SentenceTransformerEmbedder("no-such/model").embed(["x"], kind="query")

    class Missing(RevisionNotFoundError):
        def __init__(self):
            Exception.__init__(self)

    def refuse(*_, **__):
        raise Missing

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)
    with pytest.raises(ModelRejected, match="no model"):
        sentence._reach_hub("a/b", "c")
