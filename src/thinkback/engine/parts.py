"""What the engine's modules share: the collaborators, chosen by ``wiring`` or by the caller."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from thinkback.config import Budget, Preset
from thinkback.errors import InvalidInput, NoModel
from thinkback.ids import IdSource
from thinkback.ports import Clock, Embedder, Generator, Judge, Store
from thinkback.types import FloatVector, Trust

__all__ = ["Limits", "Parts", "check_namespace", "check_text", "check_trust"]

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_LONGEST_NAMESPACE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the engine may read."""

    max_file_bytes: int = 200_000_000
    allow_urls: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Parts:
    """The collaborators of one ThoughtRetriever. Only ``llm`` and ``judge`` may be absent."""

    store: Store
    embedder: Embedder
    llm: Generator | None
    judge: Judge | None
    preset: Preset
    budget: Budget
    clock: Clock
    fresh_id: IdSource
    limits: Limits = field(default_factory=Limits)
    retune: Callable[[Preset, Embedder], Preset] | None = None
    """Moves the preset's cosine thresholds to the embedder; run once, when the embedder is first needed."""
    budget_lock: threading.Lock = field(default_factory=threading.Lock)
    tune_lock: threading.Lock = field(default_factory=threading.Lock)

    def model(self) -> Generator:
        """Return the language model.

        Raises:
            NoModel: none is configured.
        """
        if self.llm is None:
            raise NoModel(
                "No language model is configured.",
                hint="Pass llm=..., set THINKBACK_LLM or OPENAI_API_KEY, or run: thinkback models pull",
            )
        return self.llm

    def tune(self, embedder: Embedder | None = None) -> None:
        """Fit the thresholds to the embedder, if that is still to be done.

        Args:
            embedder: the same, held within budgets; None: as it is.

        Raises:
            ModelError: the embedder does not answer.
            BudgetExceeded: the one that was given may not.
        """
        if self.retune is not None:
            with self.tune_lock:
                if self.retune is not None:
                    self.preset, self.retune = self.retune(self.preset, embedder or self.embedder), None

    def embed_query(self, text: str) -> FloatVector:
        """Return the vector of a question."""
        vector: FloatVector = self.embedder.embed([text], kind="query")[0]
        return vector

    def embed_text(self, text: str) -> FloatVector:
        """Return the vector of a note."""
        vector: FloatVector = self.embedder.embed([text], kind="document")[0]
        return vector


def check_text(text: object, what: str) -> str:
    """Return ``text`` if it says anything (fault 19).

    Raises:
        InvalidInput: it is no string, or nothing but blanks and invisible characters.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{what} must be a string, not {type(text).__name__}.")
    if not text.translate(_INVISIBLE).strip():
        raise InvalidInput(f"{what} is empty.")
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    )  # lone surrogates and NUL cannot be stored


def check_namespace(name: object) -> str:
    """Return ``name`` if it can name a namespace.

    Raises:
        InvalidInput: empty, too long, or with control characters.
    """
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAMESPACE or not name.isprintable():
        raise InvalidInput(f"A namespace is 1 to {_LONGEST_NAMESPACE} printable characters, not {name!r}.")
    return name


def check_trust(label: object) -> Trust:
    """Return ``label`` if it is a trust label.

    Raises:
        InvalidInput: it is none.
    """
    if label == "untrusted" or label == "normal" or label == "trusted":  # noqa: PLR1714 - narrows the type
        return label
    raise InvalidInput(f"Trust is untrusted, normal or trusted, not {label!r}.")
