"""Contriever, DPR, DRAGON, Qwen3-Embed-8B and NV-Embed: the dense rows of Tables 2, 7, 9 and 13, as their model cards say.

Encoders, pooling, prefixes and window are those of ``thinkback/embed/models.toml``, which names the source of each. Without
an argument the weights come from the hub; with one, from local folders: ``contriever:FOLDER``, and for a model with two
encoders ``dpr:FOLDER_FOR_QUERIES,FOLDER_FOR_DOCUMENTS``.

Contriever (Izacard et al., TMLR 2022), DPR (Karpukhin et al., EMNLP 2020) and DRAGON (Lin et al., Findings of EMNLP 2023)
were trained for the dot product, in which the length of a chunk's vector counts; they are searched by it. Qwen3-Embedding
(Zhang et al., arXiv 2506.05176) and NV-Embed (Lee et al., ICLR 2025) were trained for the cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from thinkback.bench.chunks import Piece
from thinkback.bench.kit import Kit
from thinkback.bench.systems.dense import Dense
from thinkback.embed.profiles import Profile, known_models
from thinkback.embed.sentence import SentenceTransformerEmbedder
from thinkback.errors import InvalidInput
from thinkback.types import FloatMatrix

__all__ = [
    "DotProduct",
    "NamedModel",
    "build",
    "make_contriever",
    "make_dpr",
    "make_dragon",
    "make_nv_embed",
    "make_qwen3_embed",
]

_TRUST = "trust-remote-code"
_SAMPLE = 256
"""Chunks whose vectors are measured to find how long vectors get."""
_ROOM = 1.25
"""How much longer a vector may be than the longest of the sample before all are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A row."""

    name: str
    model: str
    """On the hub; its entry in models.toml says the rest."""

    @property
    def profile(self) -> Profile:
        """How its authors use it."""
        return known_models()[self.model]


_CONTRIEVER = NamedModel(name="contriever", model="facebook/contriever")
_DPR = NamedModel(name="dpr", model="sentence-transformers/facebook-dpr-question_encoder-single-nq-base")
_DRAGON = NamedModel(name="dragon", model="facebook/dragon-plus-query-encoder")
_QWEN3 = NamedModel(name="qwen3-embed-8b", model="Qwen/Qwen3-Embedding-8B")
_NV_EMBED = NamedModel(name="nv-embed", model="nvidia/NV-Embed-v2")


def make_contriever(kit: Kit, argument: str) -> Dense:
    """Return Contriever, without supervision, as the paper uses it."""
    return build(kit, _CONTRIEVER, argument)


def make_dpr(kit: Kit, argument: str) -> Dense:
    """Return DPR, trained on Natural Questions alone."""
    return build(kit, _DPR, argument)


def make_dragon(kit: Kit, argument: str) -> Dense:
    """Return DRAGON+."""
    return build(kit, _DRAGON, argument)


def make_qwen3_embed(kit: Kit, argument: str) -> Dense:
    """Return Qwen3-Embedding with eight billion parameters."""
    return build(kit, _QWEN3, argument)


def make_nv_embed(kit: Kit, argument: str) -> Dense:
    """Return NV-Embed, version 2; the paper does not say which. Its argument must allow the repository's own code."""
    return build(kit, _NV_EMBED, argument)


def build(kit: Kit, row: NamedModel, argument: str, *, profile: Profile | None = None) -> Dense:
    """Return a named row; nothing is loaded before the first chunk is embedded.

    Args:
        kit: what all systems share.
        row: the model.
        argument: empty, or with commas between: one folder or two, and "trust-remote-code".
        profile: how the weights in the folders are used; None: as the row's own.

    Raises:
        InvalidInput: no such folder, or the model runs code of its own and the argument does not allow it.
    """
    parts = [part.strip() for part in argument.split(",") if part.strip()]
    trusted = _TRUST in parts
    folders = [part for part in parts if part != _TRUST]
    if row.profile.remote_code and not trusted:
        raise InvalidInput(
            f"{row.name} runs code from the model's own repository.",
            hint=f"If you trust its authors, name it {row.name}:{_TRUST}.",
        )
    unknown = [folder for folder in folders if not Path(folder).is_dir()]
    if unknown or len(folders) > 2:
        raise InvalidInput(f"{row.name} takes one folder with a model, or two for queries and documents.")
    shape = profile or row.profile

    def embedder(norm_bound: float | None) -> SentenceTransformerEmbedder:
        if not folders:
            return SentenceTransformerEmbedder(row.model, norm_bound=norm_bound, trust_remote_code=trusted)
        return SentenceTransformerEmbedder(
            folders[0], document_model=folders[-1], like=shape, norm_bound=norm_bound, trust_remote_code=trusted
        )

    if shape.similarity == "dot":
        return DotProduct(kit, make=embedder, name=row.name)
    return Dense(kit, embedder=embedder(None), name=row.name)


class DotProduct(Dense):
    """Exact search by dot product, for models whose vectors are not meant to be normalised.

    Our embedders give unit vectors; with a bound on the length of chunk vectors they keep that length in one more
    component, so that cosines order chunks as dot products do. The bound is measured here on a sample of chunks, and if a
    chunk turns out to be longer, on all of them: no vector is ever cut to the bound.

    Args:
        kit: what all systems share.
        make: returns the embedder with a bound.
        name: of the row.
    """

    def __init__(self, kit: Kit, *, make: Callable[[float | None], SentenceTransformerEmbedder], name: str) -> None:
        super().__init__(kit, embedder=make(None), name=name)
        self._make = make
        self._bound: float | None = None

    def index(self, pieces: Sequence[Piece]) -> None:
        """Embed the chunks, with their lengths."""
        texts = [piece.text for piece in pieces]
        if self._bound is None:
            self._set_bound(_ROOM * self._longest(texts[:: max(1, len(texts) // _SAMPLE)]))
        self._vectors = self._embedder.embed(texts, kind="document")
        if _reaches_bound(self._vectors):
            self._set_bound(_ROOM * self._longest(texts))
            self._vectors = self._embedder.embed(texts, kind="document")

    def scores(self, text: str) -> npt.NDArray[np.float64]:
        """Return dot products of chunks with the query's unit vector, shape (n,)."""
        return super().scores(text) * (self._bound or 1.0)

    def _longest(self, texts: Sequence[str]) -> float:
        assert isinstance(self._embedder, SentenceTransformerEmbedder)  # noqa: S101 - made by ``make``
        return self._embedder.largest_norm(texts)

    def _set_bound(self, bound: float) -> None:
        self._embedder.close()  # models of this size are not held twice
        self._bound = max(bound, 1e-6)
        self._embedder = self._make(self._bound)


def _reaches_bound(vectors: FloatMatrix) -> bool:
    """Say whether a vector is as long as the bound, so that it may have been cut: nothing is left for the last component."""
    return bool((vectors.any(axis=1) & (vectors[:, -1] <= 0)).any())
