"""An event's payload as flat cells and back, so that no JSON stands in a cell and no hash is lost."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Cell = str | int | float | None

_SPECIAL: Final = re.compile(r"[%.:\s]")
_TYPES: Final[Mapping[type, str]] = {str: "s", bool: "b", int: "i", float: "f", type(None): "z"}


def flatten(payload: Mapping[str, Any]) -> tuple[str, dict[str, Cell]]:
    """The list of names with types that the column ``payload`` holds, and name -> value.

    A name is the path to a value with dots between the levels; ``%``, dots, colons and blanks in keys are written as
    ``%XX``.
    """
    found = list(_walk("", payload))
    return " ".join(f"{name}:{kind}" for name, kind, _ in found), {
        name: value for name, kind, value in found if kind in "sbif"
    }


def unflatten(names: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The payload again. ``ValueError`` or ``LookupError`` when names and values do not belong together."""
    payload: dict[str, Any] = {}
    for item in names.split():
        name, _, kind = item.rpartition(":")
        *levels, last = name.split(".")
        place: Any = payload
        for level in levels:
            place = _enter(place, level)
        value = _read(kind, values.get(name, ""))
        if isinstance(place, list):
            place.append(value)
        else:
            place[_key(last)] = value
    return payload


def dumps(payload: Mapping[str, Any]) -> str:
    """The JSON text as events store it."""
    return json.dumps(payload, ensure_ascii=False, sort_keys=True)


def _walk(path: str, value: Any) -> Iterator[tuple[str, str, Cell]]:
    if isinstance(value, dict) and (value or not path):
        for key, inner in value.items():
            name = "%" if not key else _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X};", key)
            yield from _walk(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        yield path, "a", None
        for number, inner in enumerate(value):
            # An object in a list is announced, so that the list knows where one ends and the next begins.
            if isinstance(inner, dict) and inner:
                yield f"{path}.{number}", "o", None
            yield from _walk(f"{path}.{number}", inner)
    elif isinstance(value, dict):
        yield path, "o", None
    else:
        kind = _TYPES[type(value)]
        yield path, kind, int(value) if kind == "b" else value


def _enter(place: Any, level: str) -> Any:
    return place[int(level)] if isinstance(place, list) else place.setdefault(_key(level), {})


def _key(name: str) -> str:
    return "" if name == "%" else re.sub(r"%([0-9A-F]+);", lambda found: chr(int(found[1], 16)), name)


def _read(kind: str, cell: str) -> Any:
    match kind:
        case "s":
            return cell
        case "i":
            return int(cell)
        case "f":
            return float(cell)
        case "b":
            return {"1": True, "0": False}[cell]
        case "z":
            return None
        case "o":
            return {}
        case "a":
            return []
    raise ValueError(f"{kind!r} is no type of a value")
