"""Parsing the JSON object in a model's output: tolerant of its wrapping, strict about its content."""

import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from medreview.storable import storable_text, unstorable

_TAG: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CODE_FENCE: Final = re.compile(r"\A```[\w ]*\n(.*?)\n?```\Z", re.DOTALL)
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_LONGEST: Final = 200_000
_MOST_STARTS: Final = 2_000


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The object when it satisfies the schema, else the problem as a sentence for the model and the reviewer."""

    value: Mapping[str, Any] | None
    problem: str
    whole: bool
    """Whether the object, apart from its wrapping, is the whole output; False: there is other text."""
    found: bool
    """Whether there was any object at all."""


class Mismatch(ValueError):
    """A value does not satisfy the schema; the message says where and what is required."""


def parse(text: str, schema: Mapping[str, Any]) -> ParsedAnswer:
    """The last complete JSON object of the text, validated against a flat schema.

    Reasoning between tags and code fences are removed. When the object does not satisfy the schema, an earlier one is
    not used instead: it may be an example or a draft.
    """
    found, whole = _object(text)
    if isinstance(found, Mismatch):
        return ParsedAnswer(None, str(found), whole=False, found=True)
    if found is None:
        return ParsedAnswer(None, "There is no JSON object in it.", whole=False, found=False)
    try:
        value = validate(found, schema)
        if problem := unstorable(value):
            raise Mismatch(f"It cannot be stored: {problem}.")
        return ParsedAnswer(value, "", whole, found=True)
    except Mismatch as error:
        return ParsedAnswer(None, str(error), whole, found=True)


def validate(value: Any, schema: Mapping[str, Any], where: str = "") -> Any:
    """The value in the form of the schema; raises :class:`Mismatch`.

    Supported keywords: type (also a list of types), properties, required, items, enum. Keys that the schema does not
    name are dropped. Case, spaces and hyphens of an enum value, and numbers as strings, are corrected; nothing else is.
    """
    if "enum" in schema:
        return _enum_value(value, schema["enum"], where)
    wanted = schema.get("type")
    if wanted is None:
        return value
    if isinstance(wanted, str):
        return _CHECKS[wanted](value, schema, where)
    for kind in wanted:
        with suppress(Mismatch):
            return _CHECKS[kind](value, schema, where)
    raise Mismatch(f"{_field(where)} must be one of: {', '.join(wanted)}.")


def _object(text: str) -> tuple[Any, bool]:
    """The last object, and whether it is the whole text. The text is tried unchanged first: quotes may contain tags."""
    text = text.strip()[-_LONGEST:]
    for candidate in (text, unwrapped(text)):
        try:
            value = _DECODER.decode(candidate)
        except Mismatch as error:
            return error, False
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return value, True
        return Mismatch("It must be one JSON object."), False
    return _last_object(unwrapped(text)), False


def unwrapped(text: str) -> str:
    """A model's output without reasoning and code fence: from the last closing tag (the opening one may be part of the
    chat template) to an unclosed opening tag."""
    after, before = 0, len(text)
    for tag in _TAG.finditer(text):
        if tag[1]:
            after, before = tag.end(), len(text)
        else:
            before = min(before, tag.start())
    text = text[after:before].strip()
    fenced = _CODE_FENCE.match(text)
    return fenced[1].strip() if fenced else text


def _last_object(text: str) -> Any:
    last: Any = None
    at = -1
    for _ in range(_MOST_STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            return last
        try:
            last, end = _DECODER.raw_decode(text, at)
            at = end - 1
        except Mismatch as error:
            last = error
        except (ValueError, RecursionError):
            # An incomplete object follows the one that was found, which then was a draft, not the answer.
            if text[at + 1 : at + 50].lstrip()[:1] == '"':
                last = None
    return None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise Mismatch("A key stands in it twice.")
    return dict(pairs)


def _reject_constant(word: str) -> NoReturn:
    raise Mismatch(f"{word} is no number in JSON.")


_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=_pairs, parse_constant=_reject_constant)


def _field(where: str) -> str:
    return f"`{where}`" if where else "It"


def _normalised(word: str) -> str:
    return _SEPARATORS.sub("_", word.strip().casefold())


def _enum_value(value: Any, options: list[Any], where: str) -> Any:
    for option in options:
        if value == option and isinstance(value, bool) == isinstance(option, bool):
            return option
    if isinstance(value, str):
        same = [option for option in options if isinstance(option, str) and _normalised(option) == _normalised(value)]
        if len(same) == 1:
            return same[0]
    raise Mismatch(f"{_field(where)} must be one of: {', '.join(map(str, options))}.")


def _as_object(value: Any, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Mismatch(f"{_field(where)} must be an object.")
    properties = schema.get("properties", {})
    prefix = f"{where}." if where else ""
    for key in schema.get("required", []):
        if key not in value:
            raise Mismatch(f"`{prefix}{key}` is missing.")
    return {key: validate(value[key], properties[key], prefix + key) for key in properties if key in value}


def _as_array(value: Any, schema: Mapping[str, Any], where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Mismatch(f"{_field(where)} must be a list.")
    items = schema.get("items", {})
    return [validate(item, items, f"{where}[{number}]") for number, item in enumerate(value)]


def _as_string(value: Any, _: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, str):
        raise Mismatch(f"{_field(where)} must be a text.")
    return storable_text(value)


def _as_number(value: Any, _: Mapping[str, Any], where: str) -> float | int:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, float) or not math.isfinite(value):
        raise Mismatch(f"{_field(where)} must be a number.")
    return value


def _as_integer(value: Any, schema: Mapping[str, Any], where: str) -> int:
    number = _as_number(value, schema, where)
    if number != int(number):
        raise Mismatch(f"{_field(where)} must be a whole number.")
    return int(number)


def _as_boolean(value: Any, _: Mapping[str, Any], where: str) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise Mismatch(f"{_field(where)} must be true or false.")
    return value


def _as_null(value: Any, _: Mapping[str, Any], where: str) -> None:
    if value is not None:
        raise Mismatch(f"{_field(where)} must be null.")


_CHECKS: Final[dict[str, Callable[[Any, Mapping[str, Any], str], Any]]] = {
    "object": _as_object,
    "array": _as_array,
    "string": _as_string,
    "number": _as_number,
    "integer": _as_integer,
    "boolean": _as_boolean,
    "null": _as_null,
}
