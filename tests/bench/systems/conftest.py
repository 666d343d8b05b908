from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from thinkback.bench.chunks import ChunkedCorpus, cut
from thinkback.bench.records import Corpus, SourceText
from thinkback.embed.hashing import HashingEmbedder
from thinkback.ports import Request

_COUNT = HashingEmbedder().count


def chunked(texts: Mapping[str, str] | Sequence[str], *, size: int = 30, id: str = "c") -> ChunkedCorpus:  # noqa: A002
    """Return a corpus of texts, cut as the bench cuts."""
    named = texts if isinstance(texts, Mapping) else {f"d{number}": text for number, text in enumerate(texts)}
    documents = tuple(SourceText(id=key, text=text, title=key) for key, text in named.items())
    return cut(Corpus(id=id, documents=documents), _COUNT, size=size)


def one_chunk_each(texts: Sequence[str]) -> ChunkedCorpus:
    """Return a corpus of which each text is one chunk: d0#0, d1#0, ..."""
    documents = tuple(
        SourceText(id=f"d{number}", text=text, passages=((0, len(text)),)) for number, text in enumerate(texts)
    )
    return cut(Corpus(id="c", documents=documents), _COUNT)


def obliging(request: Request) -> str:
    """Answer whatever is asked in the asked form: JSON by its schema, else a sentence from the request."""
    if request.schema is not None:
        return json.dumps(_fill(request.schema))
    words = request.messages[-1].content.split()
    return f"It says {' '.join(words[-12:])}."


def _fill(schema: Mapping[str, Any]) -> Any:
    if "anyOf" in schema:
        return _fill(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {name: _fill(inner) for name, inner in schema["properties"].items()}
    return {"array": [], "string": "Maples drink most.", "integer": 1, "number": 1.0, "boolean": True}.get(str(kind))


@pytest.fixture
def corpus_of() -> Callable[..., ChunkedCorpus]:
    return chunked


@pytest.fixture
def passages() -> Callable[[Sequence[str]], ChunkedCorpus]:
    return one_chunk_each


@pytest.fixture
def obliging_model() -> Callable[[Request], str]:
    return obliging
