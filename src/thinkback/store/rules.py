"""What every store must agree on, whatever it keeps its records in: order of trust, equality of metadata, valid input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from thinkback.errors import InvalidInput
from thinkback.types import (
    Chunk,
    Derivation,
    Document,
    Filter,
    FloatMatrix,
    FloatVector,
    Link,
    Scalar,
    StoredAnswer,
    Thought,
    Trust,
)

__all__ = [
    "TRUST_ORDER",
    "check_answer",
    "check_derivations",
    "check_document",
    "check_ids",
    "check_texts",
    "check_vectors",
    "cosines",
    "half",
    "is_empty",
    "link_key",
    "metadata_passes",
    "scalar_key",
    "trust_passes",
]

TRUST_ORDER: tuple[Trust, ...] = ("untrusted", "normal", "trusted")
"""In rising order; the position is the number that is compared."""

_SCORE_STEP = 2.0**20


def cosines(vectors: FloatMatrix, query: FloatVector) -> npt.NDArray[np.float32]:
    """Return the product of rows with a query, (n,), in float64, rounded to 2^-20.

    A float32 product differs in the last bits with the shape of the matrix and the place of the row in it. The same row
    must score the same wherever it is asked about, and equal rows must tie; stored vectors are float16 (error some 1e-4).
    """
    products = vectors.astype(np.float64) @ query.astype(np.float64)
    return np.asarray(np.rint(products * _SCORE_STEP) / _SCORE_STEP, dtype=np.float32)


def half(vectors: FloatMatrix) -> npt.NDArray[np.float16]:
    """Return the vectors as they are kept: float16."""
    return np.asarray(vectors, dtype=np.float32).astype(np.float16)


def is_empty(where: Filter | None) -> bool:
    """Return whether a filter limits nothing."""
    return where is None or (where.document_ids is None and not where.metadata and where.min_trust is None)


def scalar_key(value: Scalar) -> str:
    """Return a text that is equal for equal values of metadata only: 1 is 1.0 but neither "1" nor True."""
    if isinstance(value, bool):
        return f"b{int(value)}"
    if isinstance(value, str):
        return f"s{value}"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"n{value!r}"


def metadata_passes(metadata: Mapping[str, Scalar], wanted: Mapping[str, Scalar]) -> bool:
    """Return whether every wanted key is there with an equal value of the same type; NaN equals nothing."""
    return all(
        key in metadata and value == value and scalar_key(metadata[key]) == scalar_key(value)  # noqa: PLR0124 - NaN
        for key, value in wanted.items()
    )


def trust_passes(trust: Trust, least: Trust | None) -> bool:
    """Return whether a label is at least the wanted one."""
    return least is None or TRUST_ORDER.index(trust) >= TRUST_ORDER.index(least)


def link_key(link: Link) -> tuple[str, str, str]:
    """Return (left, right, kind) with the ends of undirected links sorted, so that a link and its mirror are one."""
    left, right = link.left, link.right
    if link.kind != "superseded_by" and right < left:
        left, right = right, left
    return left, right, link.kind


def check_texts(texts: Iterable[str]) -> None:
    """Refuse text that no file can hold.

    Raises:
        InvalidInput: a text has a lone surrogate.
    """
    for text in texts:
        try:
            if not text.isascii():
                text.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidInput(
                "A text has a lone surrogate, which no UTF-8 file can hold.", hint="Decode it with errors='replace'."
            ) from None


def check_vectors(vectors: FloatMatrix | FloatVector, shape: tuple[int, ...]) -> None:
    """Refuse vectors of the wrong shape or with NaN or infinity.

    Raises:
        InvalidInput: either is the case.
    """
    if vectors.shape != shape:
        raise InvalidInput(f"The vectors have the shape {vectors.shape}; {shape} is needed.")
    if not np.isfinite(vectors).all():
        raise InvalidInput("A vector has NaN or infinity in it.")


def check_ids(ids: Iterable[str]) -> None:
    """Refuse ids that no index could find again.

    Raises:
        InvalidInput: an id is empty or has NUL or a lone surrogate.
    """
    for item_id in ids:
        if not item_id or "\0" in item_id:
            raise InvalidInput(f"{item_id!r} cannot be an id.")
        check_texts((item_id,))


def check_derivations(thought: Thought, derivations: Sequence[Derivation]) -> None:
    """Refuse derivations of another thought, and what cannot be kept.

    Raises:
        InvalidInput: either is the case.
    """
    check_ids((thought.id,))
    for derivation in derivations:
        if derivation.thought_id != thought.id:
            raise InvalidInput(f"Derivation {derivation.id!r} belongs to another thought.")
        check_ids((derivation.id, *derivation.shown))
        check_ids(evidence.item_id for evidence in derivation.evidence)
        check_ids(root.id for root in derivation.roots)
        check_texts((derivation.question, derivation.answer, *(e.quote for e in derivation.evidence)))


def check_answer(answer: StoredAnswer) -> None:
    """Refuse an answer that cannot be kept.

    Raises:
        InvalidInput: an id or a text is such.
    """
    check_ids((answer.key, *answer.item_ids, *(root.id for root in answer.roots)))
    check_texts((answer.question, answer.text))
    check_texts(text for c in answer.citations for text in (c.quote, c.title, c.uri))


def check_document(document: Document, text: str, chunks: Sequence[Chunk]) -> None:
    """Refuse chunks that are not the chunks of the document.

    Raises:
        InvalidInput: another namespace or document, ordinals with gaps, an id twice, or text that cannot be kept.
    """
    check_ids((document.id, *(chunk.id for chunk in chunks)))
    for position, chunk in enumerate(chunks):
        if chunk.namespace != document.namespace or chunk.document_id != document.id:
            raise InvalidInput(f"Chunk {chunk.id!r} does not belong to document {document.id!r}.")
        if chunk.ordinal != position:
            raise InvalidInput(f"Chunk {chunk.id!r} has ordinal {chunk.ordinal}; {position} is next.")
    if len({chunk.id for chunk in chunks}) != len(chunks):
        raise InvalidInput(f"Document {document.id!r} has two chunks of the same id.")
    check_texts((text, document.title, document.uri, *document.metadata))
    check_texts(value for value in document.metadata.values() if isinstance(value, str))
    check_texts(chunk.text for chunk in chunks)
