"""Whose memory, and which part of it: namespaces, their sugar, and filters, checked at the edge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from thinkback.engine.parts import check_namespace, check_trust
from thinkback.errors import InvalidInput
from thinkback.types import Filter, Scalar

__all__ = ["check_metadata", "resolve_namespace", "where_of"]

_RESERVED = frozenset({"id", "namespace", "user_id", "agent_id", "run_id", "trust", "uri", "title", "version"})


def resolve_namespace(
    namespace: str | None, default: str, *, user_id: str | None, agent_id: str | None, run_id: str | None
) -> str:
    """Return the namespace meant: the name, followed by ``/user=..``, ``/agent=..``, ``/run=..`` for the ids given.

    The ids are escaped, so that no id can reach into another's namespace.
    """
    name = check_namespace(namespace if namespace is not None else default)
    for label, value in (("user", user_id), ("agent", agent_id), ("run", run_id)):
        if value is not None:
            if not isinstance(value, str) or not value:
                raise InvalidInput(f"{label}_id must be a string that is not empty, not {value!r}.")
            name += f"/{label}={quote(value, safe='')}"
    return check_namespace(name)


def check_metadata(metadata: Mapping[str, Scalar] | None) -> dict[str, Scalar]:
    """Return metadata as a dict of its own.

    Raises:
        InvalidInput: a key is reserved (fault 67) or not a string, or a value is neither string, number nor truth value.
    """
    checked: dict[str, Scalar] = {}
    for key, value in (metadata or {}).items():
        if not isinstance(key, str) or not key:
            raise InvalidInput(f"A metadata key is a string that is not empty, not {key!r}.")
        if key in _RESERVED:
            raise InvalidInput(f"The metadata key {key!r} is reserved.", hint="Use the argument of that name.")
        if not isinstance(value, str | int | float | bool) or (isinstance(value, float) and not math.isfinite(value)):
            raise InvalidInput(f"The value of metadata {key!r} must be a string, a finite number or a truth value.")
        checked[key] = value
    return checked


def where_of(
    documents: str | Sequence[str] | None, filters: Mapping[str, Scalar] | Filter | None, min_trust: str | None = None
) -> Filter | None:
    """Return the filter that a call's arguments mean, or None for no limit.

    Raises:
        InvalidInput: a key or value that cannot be filtered by; nothing is dropped silently (fault 68).
    """
    if isinstance(filters, Filter):
        if documents is not None or min_trust is not None:
            raise InvalidInput("Give either a Filter or documents and min_trust, not both.")
        return filters
    if filters is not None and not isinstance(filters, Mapping):
        raise InvalidInput(f"filters is a mapping from metadata keys to values, not {type(filters).__name__}.")
    ids = (documents,) if isinstance(documents, str) else tuple(documents) if documents is not None else None
    metadata = check_metadata(filters)
    trust = check_trust(min_trust) if min_trust is not None else None
    if ids is None and not metadata and trust is None:
        return None
    return Filter(document_ids=ids, metadata=metadata, min_trust=trust)
