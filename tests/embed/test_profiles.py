"""The table of known models holds together."""

import re

import pytest

from thinkback.embed.profiles import known_models


def test_the_models_that_were_promised_are_known():
    names = " ".join(known_models()).lower()
    for family in ("contriever", "dpr", "dragon", "qwen3-embedding", "nv-embed", "minilm", "e5", "bge"):
        assert family in names


@pytest.mark.parametrize("name", known_models())
def test_an_entry_is_whole(name):
    profile = known_models()[name]
    assert name in profile.names
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", name)
    assert profile.source.startswith("https://")
    assert profile.pooling in {"cls", "mean", "lasttoken", "own"}
    assert profile.similarity in {"dot", "cosine"}
    assert profile.window >= 256
    assert (profile.query_model is None) == (profile.document_model is None)
    assert profile.query_model is None or {profile.query_model, profile.document_model} <= set(profile.names)
    assert not profile.bare or profile.pooling != "own"
    assert profile.pooling != "own" or profile.remote_code


def test_the_table_cannot_be_changed_by_accident():
    with pytest.raises(TypeError):
        known_models()["x"] = None
