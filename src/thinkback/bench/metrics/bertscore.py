"""BERTScore (Zhang et al., ICLR 2020): each token is matched with the nearest of the other text. The encoder is in the name.

Figures of different encoders, or layers, cannot be compared, so the encoder is a part of the metric's name and of the names
of its values. By the package bert-score with any encoder of a hub or a folder; or with the built-in embedder's token
vectors, which need neither PyTorch nor a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from thinkback.bench.ports import Score, Scored
from thinkback.embed.onnx import MiniLmEmbedder
from thinkback.errors import InvalidInput, MissingExtra, ModelUnavailable
from thinkback.types import Record

__all__ = ["BertScore", "Match", "greedy_match"]

_DEFAULT = "roberta-large"
"""The package's own choice for English (at its 17th layer)."""
_BUILTIN = "builtin"
_KEPT = 128
"""Texts whose token vectors are kept: 0.4 MB each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Record):
    """How well the tokens of two texts match, each -1 to 1."""

    precision: float
    """Of the text that is judged: mean over its tokens of the cosine to the nearest of the reference."""
    recall: float
    """Of the reference, the other way round."""
    f1: float


def greedy_match(said: npt.NDArray[np.float32], wanted: npt.NDArray[np.float32]) -> Match:
    """Return the match of two texts by the unit vectors of their tokens, shapes (n, d) and (m, d); 0 where one is empty.

    Without idf weights and without rescaling (Zhang et al., section 3).
    """
    if not len(said) or not len(wanted):
        return Match(precision=0.0, recall=0.0, f1=0.0)
    near = np.asarray(said @ wanted.T, np.float64)
    precision, recall = float(near.max(axis=1).mean()), float(near.max(axis=0).mean())
    both = precision + recall
    return Match(precision=precision, recall=recall, f1=2 * precision * recall / both if both > 0 else 0.0)


class BertScore:
    """Precision, recall and F1; of several references the one with the best F1 counts.

    Args:
        encoder: ``builtin``, or a model's name or folder as the package takes it, where that one does not know its best
            layer with ``@LAYER``; empty: roberta-large.

    Raises:
        InvalidInput: the layer is no number.
        MissingExtra
    """

    version = 1

    def __init__(self, encoder: str = "") -> None:
        self._match: Callable[[str, str], Match] | None = None
        model, _, layer = (encoder or _DEFAULT).partition("@")
        if layer and not layer.isdecimal():
            raise InvalidInput(f"A layer is a number, not {layer!r}.")
        if model != _BUILTIN and find_spec("bert_score") is None:
            raise MissingExtra("BERTScore", "bertscore")
        self._model, self._layer = model, int(layer) if layer else None
        self.encoder = MiniLmEmbedder.id if model == _BUILTIN else encoder or _DEFAULT
        self.name = f"bertscore:{self.encoder}"

    def score(self, scored: Scored) -> Mapping[str, Score]:
        """Return bertscore_precision:ENCODER, bertscore_recall:ENCODER and bertscore_f1:ENCODER; an empty text has 0.

        Raises:
            InvalidInput: the package does not know the encoder's layer.
            ModelUnavailable: the encoder cannot be loaded.
        """
        references = [each for each in scored.task.references if each.strip()]
        if not references:
            return {name: Score(value=None, reason="the task has no reference") for name in self._names()}
        if self._match is None:
            self._match = _of_tokens() if self._model == _BUILTIN else _of_package(self._model, self._layer)
        text, match = scored.output.text, self._match
        matches = [match(text, each) for each in references] if text.strip() else []
        best = max(matches, key=lambda each: each.f1, default=Match(precision=0.0, recall=0.0, f1=0.0))
        values = (best.precision, best.recall, best.f1)
        return {name: Score(value=value) for name, value in zip(self._names(), values, strict=True)}

    def _names(self) -> tuple[str, ...]:
        return tuple(f"bertscore_{part}:{self.encoder}" for part in ("precision", "recall", "f1"))


def _of_tokens() -> Callable[[str, str], Match]:
    """Return the match by the built-in embedder, which reads the first 254 tokens of a text."""
    vectors = lru_cache(maxsize=_KEPT)(MiniLmEmbedder().token_vectors)
    return lambda text, reference: greedy_match(vectors(text), vectors(reference))


def _of_package(model: str, layer: int | None) -> Callable[[str, str], Match]:
    from bert_score import BERTScorer

    try:
        scorer: Any = BERTScorer(model_type=model, num_layers=layer)
    except KeyError:
        raise InvalidInput(
            f"bert-score does not know which layer of {model!r} to use.", hint=f"Say it: bertscore:{model}@LAYER"
        ) from None
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"The encoder {model!r} cannot be loaded: {type(error).__name__}.") from error

    def match(text: str, reference: str) -> Match:
        precision, recall, f1 = (float(each[0]) for each in scorer.score([text], [reference]))
        return Match(precision=precision, recall=recall, f1=f1)

    return match
