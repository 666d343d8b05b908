"""Identifiers and hashes: the one place that makes either.

Ids are random, never derived from content: the tombstone of a deleted text is an id, and an id that is a hash of the
text would let anyone who guesses the text confirm the guess.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
import time
import unicodedata
from collections.abc import Callable
from typing import Any

__all__ = ["IdSource", "canonical_json", "content_hash", "counting_ids", "normalise", "random_ids"]

IdSource = Callable[[str], str]
"""Takes a prefix (``doc``, ``chk``, ``tht``, ``drv``, ``tst``, ``ans``) and returns a fresh id that begins with it."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base 32: no i, l, o, u to misread


def _base32(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, rest = divmod(number, 32)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))


def random_ids() -> IdSource:
    """Return a source of ids that sort by creation time and do not repeat across processes.

    48 bits of milliseconds, then 80 random bits that count up within one source: 26 characters, as a ULID.
    """
    lock = threading.Lock()
    last_ms = 0
    tail = 0

    def fresh(prefix: str) -> str:
        nonlocal last_ms, tail
        with lock:
            now = time.time_ns() // 1_000_000
            if now > last_ms:
                last_ms = now
                tail = int.from_bytes(os.urandom(10), "big") >> 1  # room to count up
            else:
                tail += 1
            return f"{prefix}_{_base32(last_ms, 10)}{_base32(tail, 16)}"

    return fresh


def counting_ids() -> IdSource:
    """Return a source of predictable ids (``doc_000001`` ...) for tests and byte-stable examples."""
    counter = itertools.count(1)
    lock = threading.Lock()

    def fresh(prefix: str) -> str:
        with lock:
            return f"{prefix}_{next(counter):06d}"

    return fresh


def content_hash(*parts: str | bytes) -> str:
    """Return the SHA-256, in hex, of the parts; their borders count, so ("ab", "c") differs from ("a", "bc")."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces, so that equal values have equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def normalise(text: str) -> str:
    """Return the text as used for equality of questions and thoughts: NFKC, case-folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
