"""CSL-JSON: an array of items, an object that holds one, one item, or an item a line (JSON Lines)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from medreview.exchange.imports.rows import BadRecord
from medreview.references.formats.csl import record_of
from medreview.references.model import Record

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_HOLDERS: Final = ("items", "references")
_SIGNS: Final = ("container-title", "issued", "DOI", "PMID", "ISBN")
_NAMING: Final = ("title", "DOI", "PMID", "PMCID", "ISBN", "URL", "note")
_NO_ITEM: Final = ("response", "answer", "output", "reference", "question")
_DECODER: Final = json.JSONDecoder()


def holds_items(text: str) -> bool:
    """Whether the first value of a text of JSON is an item of CSL, or holds some."""
    try:
        first = text.lstrip()
        if first.startswith("["):
            first = first[1:].lstrip()
            if first.startswith("]"):
                return False
        value, _ = _DECODER.raw_decode(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and (is_item(value) or any(map(is_item, _held(value))))


def is_item(value: object) -> bool:
    """Whether a value of JSON is a work as CSL has it, and neither an answer nor a line with a printed reference."""
    if not isinstance(value, dict) or any(name in value for name in _NO_ITEM):
        return False
    return any(name in value for name in _SIGNS) or ("type" in value and "title" in value)


def read_csl(text: str) -> Iterator[Record | BadRecord]:
    """The items of a text as records, and those that cannot be used.

    A line, or an element of an array, that is no item costs itself; where an array breaks off, what stands before it
    is kept.
    """
    number = 0
    for line, value in _array(text) if _is_array(text) else _lines(text):
        if isinstance(value, str):
            yield BadRecord(line, value)
        elif any(value.get(name) for name in _NAMING):
            number += 1
            yield record_of(value, "library", number)
        else:
            yield BadRecord(line, "has neither a title nor an identifier")


def _held(value: Mapping[str, Any]) -> Sequence[Any]:
    return next((value[name] for name in _HOLDERS if isinstance(value.get(name), list)), ())


def _is_array(text: str) -> bool:
    """Not where the first line is a whole object: an item a line."""
    start = text.lstrip()
    if not start.startswith("{"):
        return True
    try:
        json.loads(start.partition("\n")[0])
    except (ValueError, RecursionError):
        return True
    return False


def _lines(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The items of JSON Lines, and half a sentence for a line that is none."""
    loads = json.loads
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line.isspace():
            continue
        try:
            value = loads(line)
        except (ValueError, RecursionError):
            yield number, "is not complete JSON"
            continue
        if not isinstance(value, dict):
            yield number, "is not an object"
        elif held := _held(value):
            yield from ((number, one if isinstance(one, dict) else "is not an object") for one in held)
        else:
            yield number, value


def _array(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The items of an array, of an object over several lines, or of several of these."""
    place = line = reached = 0
    while True:
        place = _end(_SPACE, text, place)
        if text[place : place + 1] in ("[", ",", "]"):
            place += 1
            continue
        if place >= len(text):
            return
        line += text.count("\n", reached, place)
        reached = place
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            yield line + 1, "is not complete JSON; what follows it is not read"
            return
        if not isinstance(value, dict):
            yield line + 1, "is not an object"
        elif held := _held(value):
            yield from ((line + 1, one if isinstance(one, dict) else "is not an object") for one in held)
        else:
            yield line + 1, value


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place
