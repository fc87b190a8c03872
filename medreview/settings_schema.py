"""The settings file as a JSON Schema, for editors and for whoever writes such files by a program."""

import tomllib
from collections.abc import Iterable
from typing import Any, Final

from medreview.config import SETTINGS
from medreview.config_file import inner_settings
from medreview.llm.settings import LONGEST_NAME
from medreview.llm.settings import SETTINGS as MODEL
from medreview.setting import MODEL_TABLES, NUMBER, SWITCH, TABLE, TEXT, WHOLE, Setting

_TYPES: Final = {TEXT: "string", SWITCH: "boolean", WHOLE: "integer", NUMBER: "number", TABLE: "object"}
_FILES: Final = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
"""What ``references.library`` can be, the one value of two types."""


def settings_schema() -> dict[str, Any]:
    """The schema (2020-12): names, types, limits and descriptions of every setting; a name that is none is refused.

    What takes more than a file to check is not in it: whether an address is right, and which keys clash.
    """
    inner = list(inner_settings())
    properties: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        properties[name] = _of(setting)
        if name in MODEL_TABLES:
            properties[name]["additionalProperties"] = {"$ref": "#/$defs/model"}
            properties[name]["propertyNames"] = {"not": {"const": "offline"}, "minLength": 1, "maxLength": LONGEST_NAME}
        elif setting.kind == TABLE:
            below = [one._replace(name=one.keys[1]) for one in inner if one.keys[0] == name]
            properties[name] |= _table(below)
    if "library" in (files := properties["references"]["properties"]):
        del files["library"]["type"]
        files["library"] |= _FILES
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "medreview.toml",
        "description": "The settings of medreview, in TOML.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": {"model": {"type": "object", **_table(MODEL.values())}},
    }


def _table(settings: Iterable[Setting]) -> dict[str, Any]:
    found = {one.name: one for one in settings}
    required = [name for name, one in found.items() if one.required]
    told = {"properties": {name: _of(one) for name, one in found.items()}, "additionalProperties": False}
    return told | ({"required": required} if required else {})


def _of(setting: Setting) -> dict[str, Any]:
    told: dict[str, Any] = {"type": _TYPES[setting.kind]}
    told["description"] = " ".join(filter(None, (setting.help, setting.more)))
    if setting.choices:
        told["enum"] = list(setting.choices)
    limits = {"exclusiveMinimum": setting.above, "minimum": setting.least, "maximum": setting.most}
    told |= {name: value for name, value in limits.items() if value is not None}
    if setting.default not in (None, "", {}) and setting.keys[:1] != ("keys",):
        told["default"] = setting.default
    if setting.example:
        told["examples"] = [_example(setting)]
    return told


def _example(setting: Setting) -> Any:
    return setting.example if setting.kind == TEXT else tomllib.loads(f"value = {setting.example}")["value"]
