"""Turn a pydantic model into the JSON schema that every server and grammar compiler understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from thinkback.errors import InvalidInput

__all__ = ["schema_of"]

_DROPPED: Final = frozenset(
    # Titles and defaults are noise to a model; the rest is refused by one server or another, and a maxLength made a
    # grammar end a sentence in mid-number.
    ("title", "default", "examples", "minLength", "maxLength", "pattern", "format", "discriminator")
)


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the model's JSON schema in the subset that OpenAI's strict mode and llama.cpp's grammars share.

    No references, no extra properties, every property required and in the order of the model's fields: small models
    must give their evidence before they give their answer.

    Raises:
        InvalidInput: the model is recursive or has free-form mappings, which have no such schema.
    """
    schema = model.model_json_schema(mode="validation")
    return _flat(schema, schema.get("$defs", {}), ())


def _flat(node: Mapping[str, Any], definitions: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        if name in inside:
            raise InvalidInput(f"{name!r} contains itself; a reply schema must be finite.")
        target = {**definitions[name], **{key: value for key, value in node.items() if key != "$ref"}}
        return _flat(target, definitions, (*inside, name))
    flat: dict[str, Any] = {}
    for key, value in node.items():
        if key in _DROPPED or key == "$defs":
            continue
        if key == "properties":
            flat[key] = {name: _flat(inner, definitions, inside) for name, inner in value.items()}
        elif key in {"anyOf", "oneOf"}:
            flat["anyOf"] = [_flat(inner, definitions, inside) for inner in value]
        elif key == "items":
            flat[key] = _flat(value, definitions, inside)
        else:
            flat[key] = value
    if flat.get("type") == "object":
        if "properties" not in flat or isinstance(flat.get("additionalProperties"), Mapping):
            raise InvalidInput("A reply schema cannot hold free-form mappings; list their keys as fields.")
        flat["required"] = list(flat["properties"])
        flat["additionalProperties"] = False
    return flat
