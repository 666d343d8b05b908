"""Any model of sentence-transformers as an Embedder (extra ``st``)."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from thinkback.embed.profiles import Profile, known_models
from thinkback.embed.rows import embed_content, unit_rows, without_surrogates
from thinkback.errors import BadReply, InvalidInput, MissingExtra, ModelError, ModelRejected, ModelUnavailable
from thinkback.ids import content_hash
from thinkback.ports import InputKind
from thinkback.types import FloatMatrix

__all__ = ["SentenceTransformerEmbedder"]

_PATIENCE: Final = 3.0
"""Seconds to reach the hub; left to itself the library tries for more than a minute."""
_FINGERPRINT_BYTES: Final = 1 << 20
"""Of each file of a local folder, what goes into the id."""


class SentenceTransformerEmbedder:
    """A model run by sentence-transformers, used as its authors say where we know it (``models.toml``).

    Known are MiniLM, Contriever, DPR, DRAGON, Qwen3-Embedding, NV-Embed, e5 and bge; of any other model its own
    configuration is followed. Nothing is loaded before the first use. Safe to use from many threads, which take turns.

    Vectors are unit vectors, so search is by cosine. For models trained for the dot product (Contriever, DPR, DRAGON)
    that drops the length of document vectors. With ``norm_bound`` it is kept in one more component,
    (x / b, sqrt(1 - |x|² / b²)), and 0 for queries: cosines then order documents exactly as dot products do (Bachrach et
    al., RecSys 2014, section 3); document vectors longer than the bound count as of its length. ``largest_norm`` measures
    a bound on a sample. Cosines between two documents mean less then, and need thresholds of their own.

    Args:
        model: a hub name or a local folder.
        like: for a folder or an unknown name: the known model whose profile it follows, or a profile.
        document_model: the other encoder, where documents have one of their own and the profile does not say it.
        query_prefix, document_prefix: instead of the profile's.
        window: tokens read at most, instead of the profile's.
        norm_bound: see above.
        revision: commit of the hub repository; without it the newest is taken and the id does not name it.
        device: as torch names it; None: what the library finds best.
        batch_size: texts of one run.
        trust_remote_code: let the repository's own code run; NV-Embed needs it.
        download: False: only models that are on this machine already.

    Raises:
        InvalidInput: ``like`` is not known, or a number is out of range.
    """

    def __init__(
        self,
        model: str,
        *,
        like: str | Profile | None = None,
        document_model: str | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        window: int | None = None,
        norm_bound: float | None = None,
        revision: str | None = None,
        device: str | None = None,
        batch_size: int = 32,
        trust_remote_code: bool = False,
        download: bool = True,
    ) -> None:
        if batch_size < 1 or (window is not None and window < 1) or (norm_bound is not None and norm_bound <= 0):
            raise InvalidInput("Batch size, window and norm bound of an embedder must be positive.")
        known = _profile(model, like)
        profile = known or Profile()
        self._profile = dataclasses.replace(
            profile,
            query_prefix=profile.query_prefix if query_prefix is None else query_prefix,
            document_prefix=profile.document_prefix if document_prefix is None else document_prefix,
            window=profile.window if window is None else window,
        )
        named = like is None  # with a folder of one's own, the encoders of the profile are not meant
        self._query_model = (named and self._profile.query_model) or model
        self._document_model = document_model or (named and self._profile.document_model) or self._query_model
        self._own_prefixes = known is None and query_prefix is None and document_prefix is None
        self._norm_bound = norm_bound
        self._revision = revision
        self._device = device
        self._batch_size = batch_size
        self._trust = trust_remote_code
        self._download = download
        self._lock = threading.RLock()
        self._models: dict[str, Any] = {}
        self._expected: int | None = None
        self.id = self._name()

    def _name(self) -> str:
        """Return the id: the encoders, and a hash of all else that shapes the vectors."""
        encoders = dict.fromkeys((self._query_model, self._document_model))
        shape = content_hash(
            repr(dataclasses.replace(self._profile, names=(), source="")),
            repr((self._norm_bound, self._revision, self._own_prefixes)),
            *(_fingerprint(Path(name)) for name in encoders),
        )
        return f"st:{'+'.join(Path(name).name if Path(name).is_dir() else name for name in encoders)}/{shape[:12]}"

    def __repr__(self) -> str:
        return f"SentenceTransformerEmbedder(id={self.id!r})"

    # --- the port ------------------------------------------------------------------------------------------------
    @property
    def dimension(self) -> int:
        """Components of a vector; the first look loads the model, unless ``expect`` told it."""
        if self._expected is not None and not self._models:
            return self._expected
        return self._width() + int(self._norm_bound is not None)

    def expect(self, dimension: int) -> None:
        """Take a dimension that is known from earlier, so that it costs no loading; vectors of another one are refused."""
        self._expected = dimension

    @property
    def max_tokens(self) -> int:
        """Tokens that the model reads besides its special ones and the longer prefix; the first look loads it."""
        with self._lock:
            windows: list[int] = []
            for name, prefix in self._encoders():
                model = self._load(name)
                tokenizer = model.tokenizer
                special = tokenizer.num_special_tokens_to_add() + self._profile.append_eos
                windows.append(int(model.max_seq_length or 512) - int(special) - self._count(name, prefix))
            return max(1, min(windows))

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> FloatMatrix:
        """Return shape (len(texts), dimension), float32, rows of norm 1 (0 for a text without content), in order.

        Raises:
            MissingExtra: sentence-transformers is not installed.
            ModelError: the model cannot be loaded or run, or gave NaN or too few vectors.
        """
        return embed_content(texts, dimension=lambda: self.dimension, embed=lambda kept: self._embed(kept, kind))

    def _embed(self, texts: list[str], kind: InputKind) -> FloatMatrix:
        raw = self._raw(texts, kind)
        if self._expected not in {None, self.dimension}:
            raise BadReply(f"The embedder {self.id!r} has {self.dimension} dimensions, not {self._expected} as before.")
        unit = unit_rows(raw, count=len(texts), dimension=self._width(), model=self.id)
        if self._norm_bound is None:
            return unit
        if kind == "query":
            return np.hstack([unit, np.zeros((len(unit), 1), dtype=np.float32)])
        part = np.minimum(np.linalg.norm(raw, axis=1, keepdims=True) / self._norm_bound, 1).astype(np.float32)
        return np.hstack([unit * part, np.sqrt(1 - part**2)])

    def count(self, text: str) -> int:
        """Return the number of tokens under the document encoder's tokenizer, without special ones and prefix."""
        with self._lock:
            return self._count(self._document_model, without_surrogates(text))

    def largest_norm(self, texts: Sequence[str]) -> float:
        """Return the length of the longest document vector of a sample, before it is normalised.

        Raises:
            InvalidInput: the sample is empty.
        """
        if not texts:
            raise InvalidInput("A sample to measure needs at least one text.")
        return float(np.linalg.norm(self._raw([without_surrogates(text) for text in texts], "document"), axis=1).max())

    def close(self) -> None:
        """Free the model; calling it twice is fine, and a later ``embed`` loads it again."""
        with self._lock:
            self._models.clear()

    # --- the model -----------------------------------------------------------------------------------------------
    def _encoders(self) -> tuple[tuple[str, str], ...]:
        if self._own_prefixes:
            prompts = self._load(self._query_model).prompts
            document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
            return ((self._query_model, prompts.get("query") or ""), (self._document_model, document))
        profile = self._profile
        return ((self._query_model, profile.query_prefix), (self._document_model, profile.document_prefix))

    def _count(self, name: str, text: str) -> int:
        return len(self._load(name).tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _width(self) -> int:
        with self._lock:
            widths = {int(self._load(name).get_embedding_dimension()) for name, _ in self._encoders()}
        if len(widths) != 1:
            raise ModelRejected("The encoders for queries and documents have vectors of different dimension.")
        return widths.pop()

    def _raw(self, texts: list[str], kind: InputKind) -> Any:
        """Return the vectors as the model gives them, shape (len(texts), width)."""
        with self._lock:  # its tokenizers keep settings between calls and do not bear two at a time
            name, prefix = self._encoders()[0 if kind == "query" else 1]
            model = self._load(name)
            end = model.tokenizer.eos_token if self._profile.append_eos else ""
            try:
                return model.encode(
                    [f"{prefix}{text}{end}" for text in texts],
                    prompt="",
                    batch_size=self._batch_size,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            except Exception as error:  # torch's and the models' errors share no base
                raise ModelUnavailable(f"The embedder {self.id!r} cannot be run: {type(error).__name__}.") from error

    def _load(self, name: str) -> Any:
        model = self._models.get(name)
        if model is None:
            try:
                import sentence_transformers  # noqa: PLC0415 - lazy: seconds, and torch
            except ImportError as error:
                raise MissingExtra(f"The embedder {name!r}", "st") from error
            if self._profile.remote_code and not self._trust:
                raise ModelRejected(
                    f"The model {name!r} runs code from its own repository.",
                    hint="If you trust its authors, pass trust_remote_code=True.",
                )
            model = self._open(name, sentence_transformers)
            self._check(name, model)
            self._models[name] = model
        return model

    def _open(self, name: str, library: Any) -> Any:
        """Load what is on this machine; else, if that is wanted and the hub answers, what is there."""
        build: Callable[[bool], Any] = (
            (lambda local: self._build(name, library, local=local))
            if self._profile.bare
            else (lambda local: library.SentenceTransformer(name, **self._options(local=local)))
        )
        try:
            return build(True)
        except Exception as error:  # which errors say "not here" differs between models and versions
            if Path(name).is_dir():
                raise ModelUnavailable(f"The model in {name!r} cannot be loaded: {type(error).__name__}.") from error
            if not self._download:
                raise ModelUnavailable(
                    f"The model {name!r} is not on this machine.", hint="Allow the download, or name a local folder."
                ) from error
        _reach_hub(name, self._revision)
        try:
            return build(False)
        except Exception as error:
            raise ModelUnavailable(f"The model {name!r} cannot be loaded: {type(error).__name__}.") from error

    def _options(self, *, local: bool) -> dict[str, Any]:
        return {
            "device": self._device,
            "revision": self._revision,
            "local_files_only": local,
            "trust_remote_code": self._trust,
        }

    def _build(self, name: str, library: Any, *, local: bool) -> Any:
        """Set up a plain transformer with the profile's pooling."""
        from sentence_transformers.sentence_transformer import modules  # noqa: PLC0415

        options = {"local_files_only": local, "revision": self._revision, "trust_remote_code": self._trust}
        transformer = modules.Transformer(name, model_kwargs=options, processor_kwargs=options, config_kwargs=options)
        pooling = modules.Pooling(transformer.get_embedding_dimension(), self._profile.pooling)
        return library.SentenceTransformer(modules=[transformer, pooling], device=self._device)

    def _check(self, name: str, model: Any) -> None:
        """Set the window, and refuse a model whose pooling is not the one that its profile says."""
        if self._profile.window is not None:
            model.max_seq_length = self._profile.window
        if self._profile.append_eos:
            model.tokenizer.padding_side = "right"
        if self._profile.pooling == "own":
            return
        found = {str(module.pooling_mode) for module in model if hasattr(module, "pooling_mode")}
        if found != {self._profile.pooling}:
            raise BadReply(
                f"The model {name!r} pools by {', '.join(sorted(found)) or 'nothing'}, not by {self._profile.pooling}: "
                "it is not the model that its name says."
            )


def _profile(model: str, like: str | Profile | None) -> Profile | None:
    if isinstance(like, Profile):
        return like
    profile = known_models().get(like or model)
    if like is not None and profile is None:
        raise InvalidInput(f"The model {like!r} is not known.", hint="Pass a Profile, or leave it out.")
    return profile


def _fingerprint(folder: Path) -> str:
    """Return a hash of the beginnings and sizes of a local model's files; nothing for a hub name."""
    if not folder.is_dir():
        return ""
    parts: list[str | bytes] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                parts += [str(path.relative_to(folder)), str(path.stat().st_size), file.read(_FINGERPRINT_BYTES)]
    return content_hash(*parts)


def _reach_hub(name: str, revision: str | None) -> None:
    """Ask the hub for a model's entry, and give up after three seconds whatever hangs: name look-up, proxy, server.

    Raises:
        ModelError: no answer, or no such model.
    """
    import huggingface_hub  # noqa: PLC0415
    from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError  # noqa: PLC0415

    outcome: list[Exception | None] = []

    def ask() -> None:
        try:
            huggingface_hub.HfApi().model_info(name, revision=revision, timeout=_PATIENCE)
        except Exception as error:  # noqa: BLE001 - handed over to the waiting thread
            outcome.append(error)
        else:
            outcome.append(None)

    asking = threading.Thread(target=ask, name="reach-hub", daemon=True)
    asking.start()
    asking.join(_PATIENCE)
    error = outcome[0] if outcome else None
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
        raise ModelRejected(f"The hub has no model {name!r} that you may read.") from error
    if error is not None or not outcome:
        raise _unreachable(name) from error


def _unreachable(name: str) -> ModelError:
    return ModelUnavailable(
        f"The model {name!r} is not on this machine, and the hub cannot be reached.",
        hint="Copy the model to a local folder and name that, or use the built-in embedder (minilm).",
    )
