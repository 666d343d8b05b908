"""Facts about known embedding models: pooling, prefixes, similarity, window. The table is ``models.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

__all__ = ["Profile", "known_models"]

PoolingName = Literal["cls", "mean", "lasttoken", "own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How one model wants to be used; the fields are explained at the top of ``models.toml``."""

    names: tuple[str, ...] = ()
    query_model: str | None = None
    document_model: str | None = None
    pooling: PoolingName = "own"
    bare: bool = False
    similarity: Literal["dot", "cosine"] = "cosine"
    window: int | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    append_eos: bool = False
    remote_code: bool = False
    source: str = ""


@cache
def known_models() -> Mapping[str, Profile]:
    """Return the profile of each known hub name."""
    text = (resources.files("thinkback.embed") / "models.toml").read_text(encoding="utf-8")
    profiles: dict[str, Profile] = {}
    for entry in tomllib.loads(text)["models"]:
        profile = Profile(**{**entry, "names": tuple(entry["names"])})
        profiles.update(dict.fromkeys(profile.names, profile))
    return MappingProxyType(profiles)
