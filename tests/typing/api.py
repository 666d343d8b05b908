"""The public names, used as a caller would; never run, only type-checked (``make types``)."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from thinkback.config import Preset, Settings, load_preset, load_settings, preset_names
from thinkback.errors import InvalidInput, ThinkbackError


def settings_and_presets() -> None:
    assert_type(load_settings(), Settings)
    assert_type(load_settings(file=Path("config.toml"), preset="fast"), Settings)
    assert_type(load_preset("paper"), Preset)
    assert_type(load_preset(load_preset("default"), epsilon=0.9), Preset)
    assert_type(preset_names(), tuple[str, ...])


def errors() -> str:
    try:
        load_preset("none such")
    except InvalidInput as error:
        assert_type(error.hint, str)
        return error.message
    except ThinkbackError as error:
        return str(error)
    return ""
