"""Dense rows: the run's embedder, one named in the settings, and the paper's models on tiny weights of their architecture."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from thinkback.bench.chunks import ChunkedCorpus
from thinkback.bench.kit import Kit
from thinkback.bench.ports import Allowance, Query
from thinkback.bench.systems import make_systems
from thinkback.bench.systems.dense import Dense
from thinkback.bench.systems.named_dense import NamedModel, build
from thinkback.embed.hashing import HashingEmbedder
from thinkback.errors import InvalidInput
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix

with_st = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="extra st is not installed"
)
Passages = Callable[..., ChunkedCorpus]
TEXTS = ["The treaty was signed in Kyoto.", "Otters hold hands while they sleep, which is rare.", "one two three",
         "sleep", "hands hands hands hands hands hands"]  # fmt: skip
QUERY = "Do otters sleep?"


class Closing(HashingEmbedder):
    """Says how often it was closed, and what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0
        self.kinds: list[InputKind] = []

    def embed(self, texts: Any, *, kind: InputKind) -> FloatMatrix:
        self.kinds.append(kind)
        return super().embed(texts, kind=kind)

    def close(self) -> None:
        self.closed += 1


def ranked(system: Any, text: str = QUERY) -> list[tuple[str, float]]:
    return list(system.answer(Query(task_id="t", kind="search", text=text), Allowance()).ranking)


def test_chunks_come_by_cosine(kit_without_model: Kit, passages: Passages) -> None:
    dense = Dense(kit_without_model)
    dense.ingest(passages(TEXTS), ())
    embedder = kit_without_model.embedder
    cosines = embedder.embed(TEXTS, kind="document") @ embedder.embed([QUERY], kind="query")[0]
    expected = [(f"d{place}#0", pytest.approx(float(cosines[place]))) for place in np.argsort(-cosines)]
    assert ranked(dense) == expected
    assert ranked(dense, " ") == []  # a query without content is near to nothing


def test_an_embedder_of_its_own_is_closed_and_the_kits_is_not(passages: Passages) -> None:
    shared, own = Closing(), Closing()
    kit = Kit(embedder=shared)
    for system in (Dense(kit), Dense(kit, embedder=own, name="dense:mine")):
        system.ingest(passages(TEXTS), ())
        ranked(system)
        system.close()
    assert (shared.closed, own.closed) == (0, 1)
    assert own.kinds == ["document", "query"]


def test_rows_are_told_apart_by_their_embedder(kit_without_model: Kit) -> None:
    names = [each.name for each in make_systems(["dense", "dense:hashing", "retriever-origin"], kit_without_model)]
    assert names == ["dense:hashing-1-384", "dense:hashing", "retriever-origin"]


def test_code_from_a_models_repository_must_be_allowed(kit_without_model: Kit) -> None:
    with pytest.raises(InvalidInput, match="nv-embed:trust-remote-code"):
        make_systems(["nv-embed"], kit_without_model)
    (system,) = make_systems(["nv-embed:trust-remote-code"], kit_without_model)
    assert system.name == "nv-embed"


@pytest.mark.parametrize("argument", ["/no/such/folder", "x,y,z"])
def test_weights_are_one_folder_or_two(kit_without_model: Kit, argument: str) -> None:
    with pytest.raises(InvalidInput, match="one folder"):
        make_systems([f"dpr:{argument}"], kit_without_model)


# --- on tiny weights, with the extra -------------------------------------------------------------------------------
def save_tokenizer(folder: Path) -> None:
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
    tokenizer.save_pretrained(folder)


def bert(folder: Path, seed: int) -> Path:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=30522, max_position_embeddings=64, initializer_range=0.5, **shape)
    BertModel(config).save_pretrained(folder)
    save_tokenizer(folder)
    return folder


def qwen(folder: Path) -> Path:
    import torch
    from transformers import Qwen3Config, Qwen3Model

    torch.manual_seed(3)
    shape = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "head_dim": 8,
    }
    config = Qwen3Config(
        vocab_size=30522, num_key_value_heads=1, max_position_embeddings=64, initializer_range=0.5, **shape
    )
    Qwen3Model(config).save_pretrained(folder)
    save_tokenizer(folder)
    return folder


def packed(bare: Path, folder: Path, pooling: str) -> Path:
    """Write a model in the library's own form, as DPR's ports and Qwen3-Embedding are."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    transformer = modules.Transformer(str(bare))
    pool = modules.Pooling(transformer.get_embedding_dimension(), pooling)
    SentenceTransformer(modules=[transformer, pool], device="cpu").save(str(folder))
    return folder


def by_hand(folder: Path, texts: list[str], pooling: str) -> npt.NDArray[np.float64]:
    """Return pooled vectors, one text at a time and without the library."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    rows = []
    with torch.no_grad():
        for text in texts:
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            rows.append({"cls": hidden[0], "mean": hidden.mean(0), "lasttoken": hidden[-1]}[pooling].numpy())
    return np.stack(rows).astype(np.float64)


def unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def row_of(kit: Kit, name: str, model: str, argument: str) -> Dense:
    row = NamedModel(name=name, model=model)
    return build(kit, row, argument, profile=dataclasses.replace(row.profile, window=64))


def same_ranking(found: list[tuple[str, float]], scores: npt.NDArray[np.float64]) -> None:
    assert [key for key, _ in found] == [f"d{place}#0" for place in np.argsort(-scores)]
    np.testing.assert_allclose([score for _, score in found], np.sort(scores)[::-1], rtol=2e-4, atol=2e-4)


@with_st
class TestWeights:
    def test_contriever_pools_the_mean_and_searches_by_dot_product(
        self, tmp_path: Path, kit_without_model: Kit, passages: Passages
    ) -> None:
        folder = bert(tmp_path / "m", 1)
        system = row_of(kit_without_model, "contriever", "facebook/contriever", str(folder))
        system.ingest(passages(TEXTS), ())
        raw = by_hand(folder, TEXTS, "mean")
        scores = raw @ unit(by_hand(folder, [QUERY], "mean")[0])
        assert list(np.argsort(-scores)) != list(np.argsort(-(unit(raw) @ by_hand(folder, [QUERY], "mean")[0])))
        same_ranking(ranked(system), scores)
        assert system.name == "contriever"
        system.close()

    @pytest.mark.parametrize(
        ("name", "model", "pack"),
        [
            ("dragon", "facebook/dragon-plus-query-encoder", False),
            ("dpr", "sentence-transformers/facebook-dpr-question_encoder-single-nq-base", True),
        ],
    )
    def test_dragon_and_dpr_have_an_encoder_for_either_side(
        self, name: str, model: str, pack: bool, tmp_path: Path, kit_without_model: Kit, passages: Passages
    ) -> None:
        asks, says = bert(tmp_path / "q", 1), bert(tmp_path / "d", 2)
        folders = [packed(asks, tmp_path / "pq", "cls"), packed(says, tmp_path / "pd", "cls")] if pack else [asks, says]
        system = row_of(kit_without_model, name, model, ",".join(map(str, folders)))
        system.ingest(passages(TEXTS), ())
        scores = by_hand(says, TEXTS, "cls") @ unit(by_hand(asks, [QUERY], "cls")[0])
        same_ranking(ranked(system), scores)
        system.close()

    def test_qwen3_takes_the_last_token_behind_its_instruction(
        self, tmp_path: Path, kit_without_model: Kit, passages: Passages
    ) -> None:
        folder = packed(qwen(tmp_path / "m"), tmp_path / "p", "lasttoken")
        row = NamedModel(name="qwen3-embed-8b", model="Qwen/Qwen3-Embedding-8B")
        system = row_of(kit_without_model, row.name, row.model, str(folder))
        system.ingest(passages(TEXTS), ())
        asked = by_hand(folder, [row.profile.query_prefix + QUERY], "lasttoken")[0]
        assert row.profile.query_prefix.startswith("Instruct:")
        same_ranking(ranked(system), unit(by_hand(folder, TEXTS, "lasttoken")) @ unit(asked))
        system.close()

    def test_nv_embed_pools_as_its_own_code_says_and_gets_an_end_of_text(
        self, tmp_path: Path, kit_without_model: Kit, passages: Passages
    ) -> None:
        folder = packed(bert(tmp_path / "m", 1), tmp_path / "p", "mean")
        row = NamedModel(name="nv-embed", model="nvidia/NV-Embed-v2")
        system = row_of(kit_without_model, row.name, row.model, f"{folder},trust-remote-code")
        system.ingest(passages(TEXTS), ())
        asked = by_hand(folder, [row.profile.query_prefix + QUERY + "[SEP]"], "mean")[0]
        said = by_hand(folder, [text + "[SEP]" for text in TEXTS], "mean")
        same_ranking(ranked(system), unit(said) @ unit(asked))
        system.close()

    def test_a_chunk_longer_than_the_sample_is_not_cut_to_its_length(
        self, tmp_path: Path, kit_without_model: Kit, passages: Passages
    ) -> None:
        """The second corpus has the longest vector, and is read under the bound of the first."""
        folder = bert(tmp_path / "m", 1)
        lengths = np.linalg.norm(by_hand(folder, TEXTS, "mean"), axis=1)
        order = [TEXTS[place] for place in np.argsort(lengths)]
        system = row_of(kit_without_model, "contriever", "facebook/contriever", str(folder))
        system._set_bound(float(lengths.min()))  # type: ignore[attr-defined] - as if measured on shorter ones
        for texts in (order[:1], order):
            system.reset()
            system.ingest(passages(texts), ())
            scores = by_hand(folder, texts, "mean") @ unit(by_hand(folder, [QUERY], "mean")[0])
            same_ranking(ranked(system), scores)
        system.close()
