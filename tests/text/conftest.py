from collections.abc import Callable
from functools import cache
from importlib import resources

import pytest
from tokenizers import Tokenizer


@cache
def _tokenizer() -> Tokenizer:
    data = (resources.files("thinkback") / "embed" / "data" / "minilm-tokenizer.json").read_bytes()
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(scope="session")
def minilm_count() -> Callable[[str], int]:
    """The real count of the built-in embedder."""
    tokenizer = _tokenizer()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
