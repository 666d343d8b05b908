"""Settings: defaults < file < environment < arguments, and the presets that say how the loop runs.

The only module that reads the environment. A preset is a TOML file beside this package (``presets/NAME.toml``), so that
every value can be looked up; each field says its unit and where its value comes from.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_path, user_config_path, user_data_path
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from thinkback.errors import InvalidInput

__all__ = [
    "Budget",
    "Preset",
    "RankingName",
    "Settings",
    "load_preset",
    "load_settings",
    "origins",
    "preset_names",
    "settings_file",
]

RankingName = Literal["dense", "dense_smoothed", "words", "words_window"]


class Preset(BaseModel):
    """How the loop runs. See ``docs/presets.md`` for what each named one is for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="As given to preset= and --preset.")
    description: str = Field(default="", description="What it is for, in a sentence.")

    # --- chunking ---
    chunk_size: int = Field(
        default=250, gt=0, description="Largest chunk, in chunk_unit. MiniLM reads 256 tokens, special ones included."
    )
    chunk_unit: Literal["tokens", "words"] = Field(default="tokens", description="Tokens are the embedder's own.")

    # --- retrieval ---
    rankings: tuple[RankingName, ...] = Field(
        default=("dense", "dense_smoothed", "words", "words_window"),
        description="Fused by reciprocal rank: on LoCoMo all four find .717 of the evidence within 500 tokens, dense alone"
        " .421 (docs/adr/0004).",
    )
    ranking_weights: Mapping[RankingName, float] = Field(
        default_factory=dict, description="What a ranking counts in the fusion; one that is not named counts 1."
    )
    rrf_k: int = Field(default=60, ge=1, description="Constant of reciprocal rank fusion (Cormack et al., SIGIR 2009).")
    smoothing: float = Field(
        default=0.4, ge=0, le=1, description="Weight of each neighbour's vector in dense_smoothed."
    )
    depth: int = Field(default=200, ge=1, description="Rows taken from each ranking before fusion.")
    gate: float | None = Field(
        default=0.7,
        ge=-1,
        le=1,
        description="Cosine to the question at which a thought takes part whatever its roots; None: all do.",
    )
    root_tokens: int | None = Field(
        default=2500,
        ge=1,
        description="A thought below the gate takes part where its roots rank, on average, among the best chunks of so many"
        " tokens in all; None: nowhere.",
    )
    overview_door: bool = Field(
        default=True, description="Let thoughts pass by coverage when the question is about a whole document."
    )
    diversify: float | None = Field(
        default=None, description="Drop a hit whose cosine to a kept one exceeds this (paper-code: 0.85)."
    )
    candidates: int = Field(default=40, ge=1, description="Hits considered by diversify.")
    top_k: int | None = Field(default=None, ge=1, description="Most items packed; None: as many as fit.")
    raw_share: float = Field(
        default=0.0, ge=0, le=1, description="Part of the context kept for raw chunks; measured to gain nothing."
    )

    # --- context and answer ---
    context_tokens: int = Field(
        default=2000, gt=0, description="Most tokens of packed items, under the language model's tokenizer."
    )
    context_tokens_small: int = Field(default=520, gt=0, description="The same for models that answer evidence first.")
    excerpt_tokens_small: int | None = Field(
        default=None,
        gt=0,
        description="For the same models: most tokens shown of one chunk, its best sentences; None: whole chunks.",
    )
    answer_tokens: int = Field(default=600, gt=0, description="Most tokens of the answer.")
    answer_style: Literal["auto", "prose", "evidence_first"] = Field(
        default="auto", description="auto: evidence first for small local models, prose for others."
    )
    answer_cache: bool = Field(
        default=True, description="Return a kept answer when question and evidence are unchanged."
    )

    # --- remembering ---
    distil: Literal["atoms", "summary", "off"] = Field(
        default="atoms", description="summary: one passage from question and answer, as the paper."
    )
    distil_when: Literal["after", "background"] = Field(
        default="after", description="after: in the same call, once the answer is delivered."
    )
    confidence: Literal["model", "model_and_measured", "marker"] = Field(
        default="model_and_measured",
        description="model: its word alone (paper); marker: the word idk in the reply (paper-code); measured: abstention texts too.",
    )
    admission: Literal["twins", "epsilon", "none"] = Field(
        default="twins", description="epsilon: reject near-copies (paper); twins: compare claims."
    )
    epsilon: float = Field(default=0.85, description="Cosine at or above which the paper calls a thought redundant.")
    related: float = Field(
        default=0.80,
        description="Cosine at or above which two claims are compared. It does not decide: under MiniLM a changed number"
        " scores .98 and a true paraphrase .88.",
    )
    sources: Literal["earned", "context"] = Field(
        default="earned", description="context: everything shown is a source (paper)."
    )
    support: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Least share of an atom's content that a span must carry; calibrated on tests/golden.",
    )
    model_judges: bool = Field(
        default=False,
        description="Ask the language model whether two near claims are the same where the guard cannot tell.",
    )
    max_atoms: int = Field(default=6, ge=1, description="Most atoms of one answer.")
    max_thoughts: int = Field(
        default=100_000, ge=1, description="Active thoughts per namespace; the least used give way."
    )


class Budget(BaseModel):
    """Hard limits; None is no limit. Money is in the currency of the price list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question_tokens: int | None = Field(
        default=None, ge=0, description="Per question: prompt, completion and what an openai: embedder reads."
    )
    question_money: float | None = Field(default=None, ge=0, description="Per question.")
    day_tokens: int | None = Field(default=None, ge=0, description="Per namespace and UTC day.")
    day_money: float | None = Field(default=None, ge=0, description="Per namespace and UTC day.")
    namespace_tokens: int | None = Field(default=None, ge=0, description="Over the life of the namespace.")
    namespace_money: float | None = Field(default=None, ge=0, description="Over the life of the namespace.")


class Settings(BaseSettings):
    """What a user may set outside a call. Variables are ``THINKBACK_`` and the field's name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="THINKBACK_",
        env_nested_delimiter="__",
        extra="ignore",
        toml_file=None,
        frozen=True,
        populate_by_name=True,
    )

    home: Path = Field(default_factory=lambda: user_data_path("thinkback"), description="Folder of the default store.")
    cache: Path = Field(
        default_factory=lambda: user_cache_path("thinkback"), description="Folder of pulled models and data sets."
    )
    data: Path | None = Field(
        default=None, description="Folder of the bench's data sets, one folder a source; None: those in the cache."
    )
    preset: str = Field(default="default", description="How the loop runs; docs/presets.md compares them.")
    namespace: str = Field(default="default", description="The closed memory that is used when none is named.")
    llm: str | None = Field(default=None, description="openai:MODEL, gguf:PATH or a catalogue name.")
    embedder: str | None = Field(default=None, description="minilm (built in), openai:MODEL or st:MODEL.")
    base_url: str | None = Field(
        default=None,
        validation_alias=AliasChoices("THINKBACK_BASE_URL", "OPENAI_BASE_URL", "base_url"),
        description="Address of an OpenAI-compatible endpoint; None: that of OpenAI.",
    )
    api_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("THINKBACK_API_KEY", "OPENAI_API_KEY", "api_key"),
        description="Key of that endpoint; never shown, logged or stored.",
    )
    price_prompt: float = Field(
        default=0.0, ge=0, description="Money per million prompt tokens, for the configured endpoint."
    )
    price_completion: float = Field(default=0.0, ge=0, description="Money per million completion tokens.")
    price_embedding: float = Field(
        default=0.0, ge=0, description="Money per million embedded tokens, for an openai: embedder."
    )
    context_window: int = Field(
        default=32_768, gt=0, description="Tokens the configured endpoint's model reads and writes."
    )
    timeout: float = Field(default=120.0, gt=0, description="Seconds to wait for one reply.")
    concurrency: int = Field(default=4, ge=1, description="Model calls at a time.")
    requests_per_minute: int | None = Field(default=None, ge=1, description="Requests to the endpoint; None: no limit.")
    tokens_per_minute: int | None = Field(default=None, ge=1, description="Tokens to and from it; None: no limit.")
    threads: int | None = Field(
        default=None,
        ge=1,
        description="Threads of local models; None: as many as there are cores for the embedder, and for a language model"
        " as many as are idle when a reply begins.",
    )
    max_file_bytes: int = Field(default=200_000_000, gt=0, description="Larger files are refused.")
    allow_urls: tuple[str, ...] = Field(default=(), description="Host names that `add` may fetch from.")
    budget: Budget = Field(default=Budget(), description="Hard limits on tokens and money.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - a .env file of the folder at hand is not ours to read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, file."""
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls))


def load_settings(*, file: Path | None = None, **overrides: Any) -> Settings:
    """Return the settings in force.

    Args:
        file: a TOML file; by default ``config.toml`` in the user's configuration folder, if it is there.
        overrides: values of flags; None means "not given".

    Raises:
        InvalidInput: a value has the wrong form, or a named file is missing.
    """
    if file is not None and not file.exists():
        raise InvalidInput(f"There is no configuration file {str(file)!r}.")
    path = file if file is not None else settings_file()
    given = {name: value for name, value in overrides.items() if value is not None}
    configured = type("ConfiguredSettings", (Settings,), {"model_config": SettingsConfigDict(toml_file=path)})
    try:
        loaded = configured(**given)
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(_explain(error)) from None
    assert isinstance(loaded, Settings)  # noqa: S101 - a subclass made two lines above
    return loaded


def settings_file() -> Path:
    """Return where the user's own settings are looked for; it need not be there."""
    return user_config_path("thinkback") / "config.toml"


def origins(*, file: Path | None = None, **overrides: Any) -> dict[str, Literal["argument", "environment", "file"]]:
    """Return where each setting that is not a default comes from: the strongest of argument, environment and file."""
    form = type(
        "ConfiguredSettings", (Settings,), {"model_config": SettingsConfigDict(toml_file=file or settings_file())}
    )
    found: dict[str, Literal["argument", "environment", "file"]] = {}
    for word, names in (
        ("file", set(TomlConfigSettingsSource(form)())),
        ("environment", set(EnvSettingsSource(form)())),
        ("argument", {name for name, value in overrides.items() if value is not None}),
    ):
        found |= {_field(name): word for name in names}  # type: ignore[misc] # the three words of the type
    return found


def _field(name: str) -> str:
    """Return the field that a name in a source stands for: sources name a field by its alias."""
    for field, info in Settings.model_fields.items():
        if isinstance(info.validation_alias, AliasChoices) and name in info.validation_alias.choices:
            return field
    return name


def _explain(error: ValidationError | tomllib.TOMLDecodeError) -> str:
    """Say which setting is wrong, never its value: it may be a key."""
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"The configuration file is not valid TOML: {error}."
    faults = "; ".join(
        f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors(include_input=False)
    )
    return f"These settings are not valid: {faults}."


def preset_names() -> tuple[str, ...]:
    """Return the names of the presets in the package, sorted."""
    folder = resources.files("thinkback") / "presets"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def _read_preset(name: str) -> Preset:
    entry = resources.files("thinkback") / "presets" / f"{name}.toml"
    return Preset(name=name, **tomllib.loads(entry.read_text(encoding="utf-8")))


def load_preset(preset: str | Preset, **changes: Any) -> Preset:
    """Return a preset by name, or as given, with some settings changed.

    Raises:
        InvalidInput: no such preset, or no such setting, or a value out of its range.
    """
    if isinstance(preset, str):
        if preset not in preset_names():
            raise InvalidInput(f"There is no preset {preset!r}; there are {', '.join(preset_names())}.")
        preset = _read_preset(preset)
    if not changes:
        return preset
    try:
        return Preset(**{**preset.model_dump(), **changes})
    except ValidationError as error:
        raise InvalidInput(_explain(error)) from None
