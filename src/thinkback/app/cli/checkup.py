"""What ``doctor`` looks at: each check says what it found, where that was chosen, and what to do about it.

No check shows a key, and none stops the others.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from thinkback.app.cli.naming import ALL_STATUSES
from thinkback.app.cli.removing import purge_words
from thinkback.app.cli.screen import megabytes, quantity
from thinkback.app.cli.speed import embedder_speed, generator_speed
from thinkback.config import Settings
from thinkback.errors import NoModel, ThinkbackError
from thinkback.types import Record
from thinkback.wiring import WAYS_TO_GET_A_MODEL, make_embedder, make_llm, make_store, store_path

if TYPE_CHECKING:
    from thinkback.ports import Embedder, Store

__all__ = ["Check", "check_all"]

_LITTLE: Final = 2_000_000_000  # bytes; the larger model and its fetching need as much


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Record):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "note", "bad"]
    """note: nothing is wrong, but the user may want to know."""
    text: str
    origin: str = ""
    """Where the choice comes from: argument, environment, file, default or pulled."""
    advice: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)


def check_all(
    settings: Settings, where: Mapping[str, str], path: str | None, *, measure: bool, file: Path
) -> Iterator[Check]:
    """Yield the checks one by one, as they are done.

    Args:
        settings: those in force.
        where: setting to where it comes from; a setting that is not in it has its default.
        path: the store that was given as an argument.
        measure: also measure how fast the models are.
        file: where the user's settings file is, or would be.
    """
    exists = file.is_file()
    yield Check(
        name="settings",
        state="ok",
        text=str(file) if exists else f"no file at {file}",
        origin="" if exists else "default",
    )
    yield Check(name="preset", state="ok", text=settings.preset, origin=where.get("preset", "default"))
    embedder = None
    try:
        embedder = make_embedder(None, settings)
        yield _embedder(embedder, settings, where, measure=measure)
    except ThinkbackError as error:
        yield _failed("embedder", error, where.get("embedder", "default"))
    yield from _stored(settings, where, path, embedder)
    if settings.api_key or settings.base_url:
        yield _endpoint(settings, where)
    yield from _language_model(settings, where, measure=measure)
    yield _runtime()


def _failed(name: str, error: ThinkbackError, origin: str) -> Check:
    return Check(name=name, state="bad", text=error.message, origin=origin, advice=error.hint)


def _embedder(embedder: Embedder, settings: Settings, where: Mapping[str, str], *, measure: bool) -> Check:
    name = settings.embedder or "minilm"
    text = f"{name} ({embedder.id}, {embedder.dimension} dimensions)"
    numbers: dict[str, float] = {}
    if measure:
        speed = embedder_speed(embedder)
        numbers = speed.to_dict()
        text += f": {speed.texts_per_second:.1f} passages of 120 words a second"
    return Check(name="embedder", state="ok", text=text, origin=where.get("embedder", "default"), numbers=numbers)


def _stored(
    settings: Settings, where: Mapping[str, str], path: str | None, embedder: Embedder | None
) -> Iterator[Check]:
    file = store_path(path, settings)
    origin = "argument" if path is not None else where.get("home", "default")
    free = _free(file.parent)
    room = Check(
        name="disk",
        state="note" if free < _LITTLE else "ok",
        text=f"{megabytes(free)} free where the store is, {megabytes(_free(settings.cache))} where models are kept",
        advice="Make room; a full disk stops writing, and loses nothing." if free < _LITTLE else "",
    )
    if path == ":memory:" or not file.exists():
        yield Check(
            name="store", state="note", text=f"{file} is not there yet", origin=origin, advice="thinkback add FILE..."
        )
        yield room
        return
    if embedder is None:
        yield Check(name="store", state="note", text=f"{file}: not opened, for there is no embedder", origin=origin)
        yield room
        return
    try:
        store = make_store(path, embedder, settings)
    except ThinkbackError as error:
        yield _failed("store", error, origin)
        yield room
        return
    try:
        yield _contents(store, settings, file, origin)
        yield from _soundness(store)
    except ThinkbackError as error:
        yield _failed("store", error, origin)
    finally:
        store.close()
    yield room


def _contents(store: Store, settings: Settings, file: Path, origin: str) -> Check:
    with store.read() as reader:
        names = reader.namespaces()
        documents = sum(len(reader.documents(name)) for name in names)
        thoughts = sum(len(reader.thoughts(name, ALL_STATUSES)) for name in names)
    size = megabytes(file.stat().st_size)
    inside = (
        f"{quantity(documents, 'document')} and {quantity(thoughts, 'thought')} in {quantity(len(names), 'namespace')}"
    )
    return Check(
        name="store", state="ok", text=f"{file} ({size}): {inside}; in use: {settings.namespace}", origin=origin
    )


def _soundness(store: Store) -> Iterator[Check]:
    faults = store.check()
    for fault in faults:
        yield Check(
            name="soundness",
            state="bad",
            text=fault,
            advice="Export what can be read (thinkback export FILE) and import it into a new store; or: thinkback reindex",
        )
    if not faults:
        yield Check(name="soundness", state="ok", text="records, words and vectors agree")
    purged = store.purge()
    pending = purged.status == "purge_pending"
    yield Check(name="deletions", state="note" if pending else "ok", text=purge_words(purged))


def _endpoint(settings: Settings, where: Mapping[str, str]) -> Check:
    """Name the host and say whether there is a key; an address may hold a password, so no more of it is shown."""
    host = (
        urlsplit(settings.base_url).hostname or "an address without a host" if settings.base_url else "api.openai.com"
    )
    key = f"with a key from {where.get('api_key', 'default')}" if settings.api_key else "without a key"
    return Check(name="endpoint", state="ok", text=f"{host}, {key}", origin=where.get("base_url", "default"))


def _language_model(settings: Settings, where: Mapping[str, str], *, measure: bool) -> Iterator[Check]:
    if settings.llm is not None:
        origin = where.get("llm", "default")
    elif settings.api_key or settings.base_url:
        origin = where.get("base_url") or where.get("api_key", "default")
    else:
        origin = "pulled"
    try:
        llm = make_llm(None, settings)
    except NoModel as error:
        yield Check(name="language model", state="bad", text=error.message, origin=origin, advice=error.hint)
        return
    except ThinkbackError as error:
        yield _failed("language model", error, origin)
        return
    if llm is None:
        yield Check(name="language model", state="note", text="none; only `ask` needs one", advice=WAYS_TO_GET_A_MODEL)
        return
    text, numbers = f"{llm.id}, reads {llm.traits.context_window:,} tokens", {}
    try:
        if measure:
            speed = generator_speed(llm)
            numbers = {key: value for key, value in speed.to_dict().items() if value is not None}
            text += f": first word after {speed.first_token_seconds:.1f} s"
            if speed.reply_tokens_per_second is not None:
                text += f", then {speed.reply_tokens_per_second:.1f} tokens a second"
        yield Check(name="language model", state="ok", text=text, origin=origin, numbers=numbers)
    except ThinkbackError as error:
        yield Check(
            name="language model", state="bad", text=f"{llm.id}: {error.message}", origin=origin, advice=error.hint
        )
    finally:
        llm.close()


def _runtime() -> Check:
    here = importlib.util.find_spec("llama_cpp") is not None
    if here:
        return Check(name="local models", state="ok", text="llama-cpp-python is installed")
    return Check(
        name="local models",
        state="note",
        text="llama-cpp-python is not installed",
        advice="pip install 'thinkback[local]', to use models on this computer",
    )


def _free(folder: Path) -> int:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free
