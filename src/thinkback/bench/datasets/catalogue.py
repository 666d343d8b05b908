"""The catalogue of data sets: what each is, under which licence, where it is from, and where it lies on this machine."""

from __future__ import annotations

import tomllib
from functools import cache as remembered
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from thinkback.errors import InvalidInput

__all__ = ["CACHED", "RemoteFile", "Source", "folder_of", "place_in_cache", "source_of", "sources"]

CACHED = "datasets"
"""The folder of the cache that data sets are fetched to, one folder a source."""


class RemoteFile(BaseModel):
    """A file that can be fetched."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(pattern=r"^[\w.-]+(/[\w.-]+)*$")
    """Where it goes, below the source's folder."""
    url: str = Field(pattern=r"^https?://")
    sha256: str = Field("", pattern="^([0-9a-f]{64})?$")
    """Empty: not known; what is fetched first is trusted."""
    size: int = Field(0, ge=0)
    """Bytes; 0: not known."""
    unpack: Literal["", "zip", "tar"] = ""


class Source(BaseModel):
    """A folder of files that one or several data sets are read from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: str = Field(pattern=r"^\w+$")
    """Its name below the data folder and below the cache."""
    title: str
    about: str
    datasets: tuple[str, ...] = Field(min_length=1)
    """Names that ``datasets.load`` takes."""
    licence: str
    citation: str
    homepage: str
    needs: tuple[str, ...] = Field(min_length=1)
    """Files of which the folder has at least one."""
    how: str = ""
    """How to get it, where nothing can be fetched."""
    files: tuple[RemoteFile, ...] = ()

    @property
    def size(self) -> int | None:
        """Bytes of all files, or None where one is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if sizes and all(sizes) else None

    def is_in(self, folder: Path) -> bool:
        """Return whether a folder holds the source's files, or one of them at least."""
        return any((folder / name).is_file() for name in self.needs)


@remembered
def sources() -> tuple[Source, ...]:
    """Return the catalogue."""
    text = (resources.files("thinkback.bench.datasets") / "catalogue.toml").read_text(encoding="utf-8")
    return tuple(Source.model_validate(each) for each in tomllib.loads(text)["source"])


def source_of(name: str) -> Source:
    """Return the source of a data set.

    Raises:
        InvalidInput: there is no data set of that name; the message lists those there are.
    """
    for each in sources():
        if name in each.datasets:
            return each
    names = sorted(name for each in sources() for name in each.datasets)
    raise InvalidInput(f"There is no data set {name!r}; there are {', '.join(names)}.")


def place_in_cache(source: Source, cache: Path) -> Path:
    """Return the folder that a source is fetched to."""
    return cache / CACHED / source.folder


def folder_of(name: str, data: Path | None, cache: Path | None = None) -> Path:
    """Return the folder that a data set lies in.

    Args:
        name: of the data set.
        data: a folder with one folder a source, or the source's own; None: none is set.
        cache: the user's cache folder, which is looked at next; None: it is not.

    Raises:
        InvalidInput: no such data set, or it is in neither; the hint says how to get it.
    """
    source = source_of(name)
    looked = [data / source.folder, data] if data is not None else []
    looked += [place_in_cache(source, cache)] if cache is not None else []
    for folder in looked:
        if source.is_in(folder):
            return folder
    where = f"in {' or '.join(str(each) for each in looked)}" if looked else "here, and no folder of data sets is set"
    raise InvalidInput(f"The data set {name} is not {where}.", hint=_how(source, name))


def _how(source: Source, name: str) -> str:
    if source.files:
        return f"Fetch it with: thinkback bench fetch {name} (licence: {source.licence})"
    return f"See {source.homepage}. {source.how}"
