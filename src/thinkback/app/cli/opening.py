"""From the shared options to settings and an open memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from thinkback.app.cli.options import Common

if TYPE_CHECKING:  # these import numpy and pydantic, which `--help` must not wait for
    from thinkback.config import Settings
    from thinkback.engine.face import Engine

__all__ = ["memory", "settings_of"]


def settings_of(common: Common, *, allow_hosts: Sequence[str] = ()) -> Settings:
    """Return the settings in force for a command line.

    Raises:
        InvalidInput: a setting has the wrong form.
    """
    from thinkback.config import load_settings

    settings = load_settings(
        file=common.config,
        namespace=common.namespace,
        llm=common.llm,
        embedder=common.embedder,
        preset=common.preset,
    )
    if allow_hosts:
        settings = settings.model_copy(update={"allow_urls": (*settings.allow_urls, *allow_hosts)})
    return settings


@contextmanager
def memory(
    common: Common,
    *,
    use_llm: bool = False,
    need_llm: bool = False,
    allow_hosts: Sequence[str] = (),
    top_k: int | None = None,
    reindexing: bool = False,
) -> Iterator[Engine]:
    """Open the memory that the options name, and close it at the end.

    Args:
        common: the shared options.
        use_llm: look for a language model, and go without where there is none.
        need_llm: refuse to go without one.
        allow_hosts: host names that may be fetched from, besides those of the settings.
        top_k: most items of a context, instead of the preset's.
        reindexing: open a store that another embedder made.

    Raises:
        NoModel: there is none and one is needed; nothing has been touched then.
        ThinkbackError: the settings, the store or a model cannot be had.
    """
    from thinkback.config import load_preset
    from thinkback.engine.face import Engine
    from thinkback.wiring import make_parts

    settings = settings_of(common, allow_hosts=allow_hosts)
    preset = load_preset(settings.preset, top_k=top_k) if top_k is not None else None
    parts = make_parts(
        settings=settings,
        path=common.store,
        preset=preset,
        need_llm=need_llm,
        use_llm=use_llm or need_llm,
        reindexing=reindexing,
    )
    with Engine(parts, settings.namespace) as engine:
        yield engine
